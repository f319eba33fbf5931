// Boards: shown to everybody, on a wall that outlives the server, composed by hand and by keys.
import { ok, strictEqual as equal, match } from "node:assert";
import { readFileSync } from "node:fs";
import { SIZES, end, test } from "./harness.mjs";

const PAGES = { list: "/boards", board: "/board/backbone", ports: "/board/ports", new: "/board/new", edit: "/board/backbone/edit" };

for (const [name, path] of Object.entries(PAGES)) {
  for (const [look, options] of Object.entries({
    light: {},
    dark: { dark: true },
    phone: { size: SIZES.phone },
    "no-script": { javaScriptEnabled: false },
  })) {
    await test(`boards ${name} ${look}`, async (visit) => {
      const page = await visit.open(path);
      if (name === "edit" && look !== "no-script") await page.waitForSelector("#preview .plane");
      await visit.fits();
      if (look !== "no-script") await visit.isAccessible();
      await visit.picture(`boards-${name}-${look}`);
    }, options);
  }
}

await test("what is under the pointer is told", async (visit) => {
  const page = await visit.open("/board/backbone");
  const plane = page.locator(".board-panel.lines .plane").first();
  await plane.hover();
  const told = page.locator(".readout");
  match(await told.locator("li").first().textContent(), /^2026-11-20 0\d:\d\d$/);
  match(await told.locator("li").nth(1).textContent(), /^In[\d.]+ [kMG]?b\/s$/);
  equal(await told.locator("li").count(), 3);
  // The parts of a stack are told, not their sums: the last port carries less than the one before.
  await page.locator(".stacked .plane").hover({ position: { x: 5, y: 50 } });
  const number = (text) => parseFloat(text.match(/([\d.]+) Mb\/s$/)?.[1] ?? "NaN");
  const parts = (await told.locator("li").allTextContents()).slice(1).map(number);
  ok(parts.length === 8 && parts.at(-1) < parts.at(-2), parts.join(" "));
  await page.mouse.move(0, 0);
  await told.waitFor({ state: "detached" });
});

await test("times of charts follow the zone", async (visit) => {
  const page = await visit.open("/board/backbone");
  const first = page.locator(".board-panel.lines .times text").first();
  equal(await first.textContent(), "18:00");
  await page.selectOption("#zone-choice", "viewer");
  equal(await first.textContent(), "03:00");
}, { timezoneId: "Asia/Tokyo" });

await test("a wall shows one board after the other", async (visit) => {
  const page = await visit.open("/board/backbone?full&rotate=5");
  equal(await page.locator("header.top").isVisible(), false);
  match(await page.textContent("#wall-clock"), /^\d\d:\d\d$/);
  await visit.fits();
  await visit.isAccessible();
  await visit.picture("boards-wall");
  await page.waitForSelector("h1:text('Each port')");
  match(page.url(), /\/board\/ports\?full&rotate=5$/);
  await page.waitForSelector("h1:text('Backbone')");
}, { size: { width: 1920, height: 1080 }, dark: true });

await test("a wall says that the server is away, and comes back by itself", async (visit) => {
  const page = await visit.open("/board/backbone?full");
  const mark = page.locator("#wall-stale");
  equal(await mark.isVisible(), false);
  await visit.ask("stop");
  await mark.waitFor({ state: "visible" });
  match(await mark.textContent(), /^No connection since \d\d:\d\d/);
  await visit.ask("start");
  await mark.waitFor({ state: "hidden" });
  // Requests that failed meanwhile are told by the browser, and are what this is about.
  visit.complaints.length = 0;
});

await test("a wall follows a board that has another row, and keeps the focus", async (visit) => {
  const page = await visit.open("/board/backbone?full");
  const keep = (name, text, tag) => page.evaluate(async ([name, body, tag]) => {
    const headers = { "X-Gyre-Change": "board", ...(tag && { "If-Match": tag }) };
    const answer = await fetch(`/api/boards/${name}`, { method: "PUT", headers, body });
    return answer.headers.get("ETag");
  }, [name, text, tag]);
  const row = (name) => `[[row]]\n[[row.panel]]\ntarget = '${name}'\nkind = 'number'\nsource = 'ds0'\n`;
  const head = "title = 'Grows'\nrefresh = '5s'\n";
  const tag = await keep("grows", head + row("site01-core1_1"));
  await page.goto(new URL("/board/grows?full", page.url()).href);
  const link = page.locator("#row-0 .numbers a").first();
  await link.focus();
  const address = await link.getAttribute("href");
  const other = await keep("grows", head + row("site01-core1_1") + row("site01-core1_2"), tag);
  await page.waitForSelector("#row-1 .numbers");
  equal(await page.evaluate(() => document.activeElement.getAttribute("href")), address);
  await keep("grows", head.replace("5s", "6s") + row("site01-core1_1"), other);
  await page.waitForSelector("#row-1", { state: "detached" });
  equal(await page.evaluate(() => document.documentElement.dataset.refreshSeconds), "6");
});

await test("an answer of a gate or a proxy is no news", async (visit) => {
  const page = await visit.open("/board/ports?full");
  await page.route("**/board/ports?full", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<p>Bad gateway" }));
  await page.locator("#wall-stale").waitFor({ state: "visible" });
  ok(await page.locator(".plane").count() > 0);
  visit.complaints.length = 0;
});

await test("a late answer of a board does not come in place of the next one", async (visit) => {
  const page = await visit.open("/board/backbone?full&rotate=10&among=backbone,ports");
  let answer;
  const isLate = new Promise((done) => { answer = done; });
  // The refresh is answered once the next board is shown.
  await page.route("**/board/backbone*", async (route) => {
    await isLate;
    await route.continue();
  });
  const asked = page.waitForRequest(/board\/backbone/);
  await page.locator("h1", { hasText: "Each port" }).waitFor();
  await asked;
  answer();
  await page.waitForTimeout(2000);
  equal(await page.textContent("h1"), "Each port");
  equal(await page.locator("#row-0 > h2").count(), 0);
});

await test("a board is composed, moved by keys, kept and changed", async (visit) => {
  const page = await visit.open("/board/new");
  const text = () => page.inputValue("#board-text");
  await page.getByLabel("Title", { exact: true }).first().fill('Mine "here"');
  await page.getByLabel("Add targets").fill("customers core1");
  await page.getByRole("button", { name: /^Add GigabitEthernet0\/2/ }).first().click();
  await page.getByLabel("Add targets").fill("uplink core1");
  await page.getByRole("button", { name: /^Add GigabitEthernet0\/4/ }).first().click();
  await page.waitForSelector("#preview figure:nth-of-type(2) .plane");
  match(await text(), /^title = "Mine \\"here\\""\n[^]*target = "site01-core1_2"[^]*target = "site01-core1_4"/);
  await page.locator(".panel-editor").nth(1).locator("select").first().focus();
  await page.keyboard.press("Alt+ArrowUp");
  match(await text(), /target = "site01-core1_4"[^]*target = "site01-core1_2"/);
  equal(await page.evaluate(() => document.activeElement.closest(".panel-editor") !== null), true);
  await page.locator(".panel-editor").first().getByRole("combobox", { name: /^As/ }).selectOption("number");
  await page.waitForSelector("#preview .numbers");
  await visit.isAccessible();
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download")]);
  equal(readFileSync(await download.path(), "utf8"), await text());
  await page.getByLabel("Name", { exact: true }).fill("mine");
  await page.click("text=Save");
  await page.click("text=Show mine");
  await page.waitForSelector("#row-0 .numbers");
  match(await page.textContent("h1"), /^Mine "here"/);
  // It is changed as text, and kept under the name that it has.
  await page.click("text=Edit");
  await page.waitForSelector(".panel-editor");
  await page.fill("#board-text", (await text()).replace("Mine", "Changed"));
  await page.waitForSelector("#preview h2:text('Changed')");
  equal(await page.getByLabel("Title", { exact: true }).first().inputValue(), 'Changed "here"');
  await page.click("text=Save");
  await page.click("text=Show mine");
  await page.waitForSelector("#row-0 .numbers");
  match(await page.textContent("h1"), /^Changed "here"/);
});

await test("a text that is wrong says where", async (visit) => {
  const page = await visit.open("/board/new");
  await page.fill("#board-text", "[[row]]\n[[row.panel]]\nfind = 'a'\nkind = 'pie'\n");
  await page.waitForSelector(".composer-status:text('line 4: unknown variant')");
});
await end();
