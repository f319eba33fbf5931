// The switches in the foot of a page: the zone of times, light or dark. They are kept.
import { strictEqual as equal, match } from "node:assert";
import { end, test } from "./harness.mjs";

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const DARK = "rgb(15, 18, 22)";
const LIGHT = "rgb(244, 246, 248)";
const TIME = "#rendered-at time";

await test("what is chosen goes before what the system says, also for graphs", async (visit) => {
  const page = await visit.open("/");
  equal(await background(page), LIGHT);
  const graph = () => page.locator("img.spark").first().evaluate((image) => image.currentSrc);
  match(await graph(), /size=spark$/);
  await page.selectOption("#look-choice", "dark");
  equal(await background(page), DARK);
  await page.waitForFunction(() => document.querySelector("img.spark").currentSrc.includes("paper=dark"));
  await visit.picture("choices-dark");
  await visit.open("/");
  equal(await background(page), DARK);
  equal(await page.inputValue("#look-choice"), "dark");
  await page.selectOption("#look-choice", "system");
  equal(await background(page), LIGHT);
});

await test("light on a dark system", async (visit) => {
  const page = await visit.open("/");
  equal(await background(page), DARK);
  await page.selectOption("#look-choice", "light");
  equal(await background(page), LIGHT);
  await page.waitForFunction(() => !document.querySelector("img.spark").currentSrc.includes("paper=dark"));
}, { dark: true });

await test("times are the server's or the viewer's", async (visit) => {
  const page = await visit.open("/status");
  equal(await page.textContent(TIME), "2026-11-20 14:40:00");
  await page.selectOption("#zone-choice", "viewer");
  equal(await page.textContent(TIME), "2026-11-20 06:40:00");
  const since = page.locator(".tiles time").first();
  equal(await since.textContent(), "2026-11-19 04:50");
  // What a refresh brings is rewritten, too.
  await page.waitForTimeout(6000);
  equal(await page.textContent(TIME), "2026-11-20 06:40:00");
  await visit.open("/");
  equal(await page.textContent(TIME), "2026-11-20 06:40:00");
  await page.selectOption("#zone-choice", "server");
  equal(await page.textContent(TIME), "2026-11-20 14:40:00");
}, { timezoneId: "America/Los_Angeles" });
await end();
