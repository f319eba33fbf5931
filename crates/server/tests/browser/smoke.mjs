// Databases without a configuration: charts of each source, and SmokePing's smoke.
import { strict as assert } from "node:assert";
import { SIZES, end, test } from "./harness.mjs";

async function drawn(page) {
  await page.waitForFunction(() => /rows of/.test(document.querySelector("[data-status]")?.textContent ?? ""));
}

for (const [look, options] of Object.entries({ light: {}, dark: { dark: true }, phone: { size: SIZES.phone } })) {
  await test(`smoke ${look}`, async (visit) => {
    await visit.open("/db/ping.rrd?span=day");
    await drawn(visit.page);
    assert.match(await visit.page.textContent(".chart-legend"), /median.*ms.*lost/s);
    // Red of a great loss and grey of the smoke are there.
    const colours = await visit.page.evaluate(() => {
      const canvas = document.querySelector(".chart-canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const found = { green: 0, purple: 0, grey: 0 };
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue, opacity] = data.slice(at, at + 4);
        if (opacity < 40) continue;
        found.green += red < 90 && green > 200 && blue < 90;
        found.purple += red > 180 && green < 60 && blue > 200;
        found.grey += Math.abs(red - green) < 16 && Math.abs(green - blue) < 16;
      }
      return found;
    });
    assert.ok(colours.green > 100 && colours.purple > 2 && colours.grey > 500, JSON.stringify(colours));
    await visit.fits();
    await visit.isAccessible();
    await visit.picture(`smoke-${look}`);
  }, options);
}

await test("a database has a chart for each source", async (visit) => {
  const { page } = visit;
  await page.goto(`${visit.address}/db/site01-core1_1.rrd`);
  await drawn(page);
  assert.equal(await page.locator(".chart-canvas").count(), 2);
  await visit.picture("database");
});

await test("the smoke without scripts is a graph", async (visit) => {
  const { page } = visit;
  await page.goto(`${visit.address}/db/ping.rrd?span=week`);
  assert.ok((await page.$eval(".chart img", (image) => image.naturalWidth)) > 100);
}, { javaScriptEnabled: false });

await end();
