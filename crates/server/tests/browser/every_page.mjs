// Every page: light, dark, on a phone, without scripts; axe, width, the content policy.
import { SIZES, end, test } from "./harness.mjs";

const PAGES = { index: "/", search: "/?q=frankfurt", target: "/t/site01-core1_1", status: "/status" };

for (const [name, path] of Object.entries(PAGES)) {
  for (const [look, options] of Object.entries({
    light: {},
    dark: { dark: true },
    phone: { size: SIZES.phone },
    "phone-dark": { size: SIZES.phone, dark: true },
    "no-script": { javaScriptEnabled: false },
  })) {
    await test(`${name} ${look}`, async (visit) => {
      await visit.open(path);
      await visit.fits();
      if (look !== "no-script") await visit.isAccessible();
      await visit.picture(`${name}-${look}`);
    }, options);
  }
}
await end();
