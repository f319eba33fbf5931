// Pages in every look: light, dark, on a phone, without scripts; axe, width, the content policy.
import { SIZES, test } from "./harness.mjs";

const LOOKS = {
  light: {},
  dark: { dark: true },
  phone: { size: SIZES.phone },
  "phone-dark": { size: SIZES.phone, dark: true },
  "no-script": { javaScriptEnabled: false },
};

/** Visits each of some pages, given as names of pictures and paths. */
export async function inEveryLook(pages) {
  for (const [name, path] of Object.entries(pages)) {
    for (const [look, options] of Object.entries(LOOKS)) {
      await test(`${name} ${look}`, async (visit) => {
        await visit.open(path);
        await visit.fits();
        if (look !== "no-script") await visit.isAccessible();
        await visit.picture(`${name}-${look}`);
      }, options);
    }
  }
}
