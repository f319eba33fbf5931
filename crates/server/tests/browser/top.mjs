// Lists of the first, and the store's page.
import { inEveryLook } from "./every_look.mjs";
import { end, test } from "./harness.mjs";

await inEveryLook({ top: "/top", changed: "/top?by=change", store: "/store" });
await inEveryLook({ broken: "/top?by=broken", failing: "/top?by=failing" });

await test("a list is chosen by its form", async (visit) => {
  await visit.open("/top?by=utilisation");
  await visit.page.selectOption("select[name=span]", "week");
  await visit.page.selectOption("select[name=measure]", "p95");
  await visit.page.fill("form.choose input[name=q]", "frankfurt");
  await visit.page.click("form.choose button");
  await visit.page.waitForSelector("table.ranks");
  const words = await visit.page.textContent("#ranks .summary");
  if (!words.includes("over a week")) throw new Error(words);
  const names = await visit.page.locator("table.ranks .what a").allTextContents();
  if (names.length === 0 || !names.every((name) => name.includes("Frankfurt"))) {
    throw new Error(names.join());
  }
});
await end();
