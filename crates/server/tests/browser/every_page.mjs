// The pages that everybody sees first.
import { inEveryLook } from "./every_look.mjs";
import { end } from "./harness.mjs";

await inEveryLook({ index: "/", search: "/?q=frankfurt", target: "/t/site01-core1_1", status: "/status" });
await end();
