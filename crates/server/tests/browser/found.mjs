// The search box, the devices, a device's small charts, favourites: typed and clicked.
import { strict as assert } from "node:assert";
import { SIZES, end, test } from "./harness.mjs";

const LOOKS = {
  light: {},
  dark: { dark: true },
  phone: { size: SIZES.phone },
  "no-script": { javaScriptEnabled: false },
};
const PAGES = {
  devices: "/devices",
  site: "/devices?site=site02",
  device: "/device/site01-core1",
  "device-shared": "/device/site01-core1?scale=shared&sort=traffic&period=week",
};

for (const [name, path] of Object.entries(PAGES)) {
  for (const [look, options] of Object.entries(LOOKS)) {
    await test(`${name} ${look}`, async (visit) => {
      await visit.open(path);
      await visit.fits();
      if (look !== "no-script") await visit.isAccessible();
      await visit.picture(`${name}-${look}`);
    }, options);
  }
}

const RESULT = "#search-results [role=option]";

for (const [look, options] of Object.entries({ light: {}, dark: { dark: true }, phone: { size: SIZES.phone } })) {
  await test(`results are chosen with the keyboard, ${look}`, async (visit) => {
    const page = await visit.open("/status");
    await page.keyboard.press("/");
    await page.keyboard.type("core1_1");
    await page.waitForFunction(() => document.querySelector("#search-results mark"));
    await visit.fits();
    await page.keyboard.press("ArrowDown");
    const box = page.locator("#query");
    assert.equal(await box.getAttribute("aria-expanded"), "true");
    const active = await box.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`#${active}`).getAttribute("aria-selected"), "true");
    await visit.isAccessible();
    await visit.picture(`results-${look}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/t\/site01-core1_1$/);
  }, options);
}

await test("Escape closes, the last answer counts, all are shown by Enter", async (visit) => {
  const page = await visit.open("/devices");
  await page.keyboard.press("/");
  await page.keyboard.type("frankfrut", { delay: 5 });
  await page.waitForFunction(() => /alike/.test(document.querySelector(".told").textContent));
  assert.equal(await page.locator(RESULT).count(), 12);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#query").getAttribute("aria-expanded"), "false");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/\?q=frankfrut$/);
  assert.match(await page.locator("#results").textContent(), /that are alike/);
});

await test("the list of targets follows what is typed, and arrows walk along it", async (visit) => {
  const page = await visit.open("/");
  await page.keyboard.press("/");
  await page.keyboard.type("site:site02 edge2_7");
  await page.waitForFunction(() => /of 1 target/.test(document.querySelector(".summary").textContent));
  assert.match(page.url(), /q=site%3Asite02\+edge2_7/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/t\/site02-edge2_7$/);
});

await test("only those that do not answer", async (visit) => {
  const page = await visit.open("/");
  await page.locator("#silent").check();
  await page.waitForFunction(() => /of 12 targets/.test(document.querySelector(".summary").textContent));
  assert.match(page.url(), /silent=1/);
});

await test("a small chart tells the values under the pointer", async (visit) => {
  const page = await visit.open("/device/site01-core1");
  const chart = page.locator(".port svg").first();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const said = page.locator(".port .said").first();
  await page.waitForFunction(() => /In .*Mb\/s/.test(document.querySelector(".port .said").textContent));
  // The middle of 400 rows of five minutes that end at 14:40.
  assert.match(await said.textContent(), /11-19 2[12]:[0-9]{2} .*In [0-9.]+ Mb\/s .*Out [0-9.]+ Mb\/s/);
  await visit.picture("device-pointer");
  await page.mouse.move(0, 0);
  assert.equal(await said.textContent(), "");
});

await test("favourites and what was looked at last are kept", async (visit) => {
  const page = await visit.open("/device/site01-core1");
  await page.locator("button.star").click();
  assert.equal(await page.locator("button.star").getAttribute("aria-pressed"), "true");
  await visit.open("/t/site01-core1_3");
  await visit.open("/");
  assert.equal(await page.locator("nav.kept[aria-label=Favourites] a").textContent(), "site01-core1");
  const last = page.locator("nav.kept[aria-label='Looked at last'] a");
  assert.match(await last.first().textContent(), /GigabitEthernet0\/3/);
  await visit.isAccessible();
  await visit.fits();
  await visit.picture("kept");
  await page.locator("#query").fill("edge");
  await page.waitForFunction(() => document.querySelectorAll("nav.kept").length === 0);
  await visit.open("/device/site01-core1");
  await page.locator("button.star").click();
  await page.evaluate(() => localStorage.setItem("gyre-recent", "{damaged"));
  await visit.open("/");
  assert.equal(await page.locator("nav.kept").count(), 0);
});

await end();
