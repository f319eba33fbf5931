// Composes a board: rows and panels to choose, to move by buttons or keys, and to see at once. The
// text below the choices is the board itself; a change in either place changes the other.
import { SUBJECTS, boardText, spanText, subjectOf } from "./board-text.js";
import { tellUnderPointer } from "./readout.js";

const composer = document.getElementById("composer");
const form = document.getElementById("board-form");
const text = document.getElementById("board-text");
const preview = document.getElementById("preview");
const hasTargets = composer.dataset.targets !== undefined;
const KINDS = { lines: "lines", stack: "stack", number: "number", bars: "bars" };
const NUMBERS = { last: "newest", average: "average", maximum: "maximum" };

/** The board that is composed, as the server tells it. */
let board = { title: "New board", refresh: "30s", span: "1d", rows: [{ title: "", panels: [] }] };
/** The panels of which more is shown. */
const opened = new WeakSet();
let timer = 0;
let turn = 0;

/** An element with properties and children; texts become text nodes. */
function make(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const editor = make("div", { className: "editor" });
const status = make("p", { className: "composer-status", role: "status" });

/* What is chosen. */

function field(label, value, change, more = {}) {
  const input = make("input", { type: "text", value: value ?? "", ...more });
  input.addEventListener("input", () => {
    change(input.type === "number" ? Number(input.value) : input.value);
    chosen();
  });
  return make("label", { className: more.className ?? "" }, `${label} `, input);
}

function choice(label, words, value, change) {
  const options = Object.entries(words).map(([key, shown]) => new Option(shown, key, key === value, key === value));
  const select = make("select", {}, ...options);
  select.addEventListener("change", () => {
    change(select.value);
    render();
    chosen();
  });
  return make("label", {}, `${label} `, select);
}

/** A button that changes the order; it has the focus again when everything is drawn anew. */
function mover(key, words, isOff, act) {
  const move = () => {
    const next = act();
    render();
    chosen();
    const again = editor.querySelector(`[data-key="${next ?? key}"]`);
    (again?.disabled ? again.parentElement.querySelector("button:not(:disabled)") : again)?.focus();
  };
  return make("button", { type: "button", disabled: isOff, title: words, "aria-label": words, "data-key": key, on: { click: move } },
    { up: "↑", down: "↓", remove: "✕" }[key.split("-").at(-1)]);
}

/** Moves an item of a list. */
function move(list, from, to) {
  list.splice(to, 0, ...list.splice(from, 1));
}

function blank() {
  return { find: "", kind: "lines", first: 12, each: false, by: "last", width: 1, height_pixels: 180 };
}

function namesOf(value) {
  return value.split(",").map((name) => name.trim()).filter(Boolean);
}

function subjectFields(panel) {
  const key = subjectOf(panel) ?? "find";
  const shown = Array.isArray(panel[key]) ? panel[key].join(", ") : panel[key];
  const words = Object.fromEntries(Object.entries(SUBJECTS).filter(([key]) => hasTargets || !["target", "find"].includes(key)));
  const isList = (key) => key === "target" || key === "database";
  return [
    choice("Shows", words, key, (next) => {
      delete panel[key];
      const old = shown ?? "";
      panel[next] = isList(next) ? namesOf(old) : old;
    }),
    field({ target: "Names", database: "Names", find: "Words" }[key] ?? "Query", shown, (value) => {
      panel[key] = isList(key) ? namesOf(value) : value;
    }, { className: "wide" }),
  ];
}

function panelEditor(row, rowNth, panel, nth) {
  const id = `p-${rowNth}-${nth}`;
  const words = panel.title || `Panel ${nth + 1}`;
  const isQuery = ["promql", "graphite"].includes(subjectOf(panel));
  const each = make("input", { type: "checkbox", checked: panel.each, on: { change: () => {
    panel.each = each.checked;
    chosen();
  } } });
  const moves = make("div", { className: "moves" },
    mover(`${id}-up`, `Move ${words} before`, nth === 0 && rowNth === 0, () => earlier(rowNth, nth)),
    mover(`${id}-down`, `Move ${words} behind`, nth === row.panels.length - 1 && rowNth === board.rows.length - 1, () => later(rowNth, nth)),
    mover(`${id}-remove`, `Remove ${words}`, false, () => void row.panels.splice(nth, 1)));
  const more = make("details", { open: opened.has(panel) }, make("summary", {}, "More"),
    make("div", { className: "fields" },
      field("At most", panel.first, (value) => { panel.first = value; }, { type: "number", min: 1, max: 100 }),
      field("Columns", panel.width, (value) => { panel.width = value; }, { type: "number", min: 1, max: 4 }),
      field("Height", panel.height_pixels, (value) => { panel.height_pixels = value; }, { type: "number", min: 60, max: 1000 }),
      field("Unit", panel.unit, (value) => { panel.unit = value; }),
      choice("Number", NUMBERS, panel.by, (value) => { panel.by = value; }),
      ...(isQuery ? [] : [
        field("Only source", panel.source, (value) => { panel.source = value; }),
        make("label", { className: "check" }, each, " a chart for each"),
      ])));
  more.addEventListener("toggle", () => (more.open ? opened.add(panel) : opened.delete(panel)));
  const group = make("fieldset", { className: "panel-editor" },
    make("legend", {}, words),
    make("div", { className: "panel-head" },
      make("div", { className: "fields" },
        ...subjectFields(panel),
        choice("As", KINDS, panel.kind, (value) => { panel.kind = value; }),
        field("Title", panel.title, (value) => { panel.title = value; })),
      moves),
    more);
  group.addEventListener("keydown", (event) => {
    const key = { ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (!event.altKey || !key) return;
    event.preventDefault();
    group.querySelector(`[data-key="${id}-${key}"]`).click();
  });
  return group;
}

/** Moves a panel before the one before it, or to the end of the row above; says where it is. */
function earlier(rowNth, nth) {
  const { panels } = board.rows[rowNth];
  if (nth > 0) {
    move(panels, nth, nth - 1);
    return `p-${rowNth}-${nth - 1}-up`;
  }
  board.rows[rowNth - 1].panels.push(...panels.splice(0, 1));
  return `p-${rowNth - 1}-${board.rows[rowNth - 1].panels.length - 1}-up`;
}

function later(rowNth, nth) {
  const { panels } = board.rows[rowNth];
  if (nth + 1 < panels.length) {
    move(panels, nth, nth + 1);
    return `p-${rowNth}-${nth + 1}-down`;
  }
  board.rows[rowNth + 1].panels.unshift(...panels.splice(nth, 1));
  return `p-${rowNth + 1}-0-down`;
}

function rowEditor(row, nth) {
  const words = row.title || `Row ${nth + 1}`;
  const shift = (to) => () => {
    move(board.rows, nth, to);
    return `r-${to}-${to < nth ? "up" : "down"}`;
  };
  const add = () => {
    row.panels.push(hasTargets ? blank() : { ...blank(), find: undefined, database: ["*"] });
    render();
    editor.querySelector(`.row-editor:nth-of-type(${nth + 1}) .panel-editor:last-of-type select`)?.focus();
  };
  return make("section", { className: "row-editor" },
    make("div", { className: "row-head" },
      field(`Row ${nth + 1}`, row.title, (value) => { row.title = value; }, { placeholder: "title" }),
      make("div", { className: "moves" },
        mover(`r-${nth}-up`, `Move ${words} up`, nth === 0, shift(nth - 1)),
        mover(`r-${nth}-down`, `Move ${words} down`, nth === board.rows.length - 1, shift(nth + 1)),
        mover(`r-${nth}-remove`, `Remove ${words}`, board.rows.length === 1, () => void board.rows.splice(nth, 1)))),
    ...row.panels.map((panel, at) => panelEditor(row, nth, panel, at)),
    make("button", { type: "button", on: { click: add } }, "Add a panel"));
}

/** A search for targets: each that is found can be put into the last row. */
function search() {
  const list = make("ul", { className: "found", "aria-label": "Targets found" });
  const input = make("input", { type: "search", autocomplete: "off", placeholder: "words of a name, title or device" });
  let waiting = 0;
  const add = (target) => {
    board.rows.at(-1).panels.push({ ...blank(), find: undefined, target: [target.name] });
    render();
    chosen();
    status.textContent = `${target.title} is in the last row.`;
  };
  const find = async () => {
    const words = input.value.trim();
    if (!words) return list.replaceChildren();
    const answer = await fetch(`/api/search?limit=8&q=${encodeURIComponent(words)}`).catch(() => null);
    if (!answer?.ok || words !== input.value.trim()) return;
    const { results } = await answer.json();
    list.replaceChildren(...results.map((target) => make("li", {},
      make("button", { type: "button", on: { click: () => add(target) } }, `Add ${target.title}`),
      make("small", {}, ` ${target.name} · ${target.device}`))));
  };
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
  return make("div", { className: "target-search" }, make("label", {}, "Add targets ", input), list);
}

const searching = hasTargets ? [search()] : [];

function render() {
  const rows = board.rows.map(rowEditor);
  const addRow = () => {
    board.rows.push({ title: "", panels: [] });
    render();
  };
  editor.replaceChildren(
    make("div", { className: "fields" },
      field("Title", board.title, (value) => { board.title = value; }),
      field("Asked again every", board.refresh, (value) => { board.refresh = value; }, { size: 5 }),
      field("Shows the last", board.span, (value) => { board.span = value; }, { size: 5 })),
    make("div", {}, ...rows),
    make("button", { type: "button", on: { click: addRow } }, "Add a row"));
}

/* What it shows. */

/** What was chosen becomes the text, and is shown a moment later. */
function chosen() {
  text.value = boardText(board);
  if (board.rows.some((row) => row.panels.length)) soon(false);
}

function soon(isWritten) {
  clearTimeout(timer);
  timer = setTimeout(() => show(isWritten), 300);
}

/** Asks what the text shows; `isWritten` by hand, it becomes what is chosen, too. */
async function show(isWritten) {
  const own = ++turn;
  const answer = await fetch("/api/boards/preview", { method: "POST", body: text.value }).catch(() => null);
  if (own !== turn) return;
  if (!answer) {
    status.textContent = "The server does not answer.";
    return;
  }
  const told = await answer.json();
  if (own !== turn) return;
  if (told.error) {
    status.textContent = told.error;
    return;
  }
  status.textContent = "";
  const fresh = new DOMParser().parseFromString(told.html, "text/html");
  preview.replaceChildren(...fresh.body.childNodes);
  if (isWritten) {
    const { refresh_seconds, span_seconds, ...rest } = told.board;
    board = { ...rest, refresh: spanText(refresh_seconds), span: spanText(span_seconds) };
    render();
  }
}

/* What becomes of it. */

function download() {
  const address = URL.createObjectURL(new Blob([text.value], { type: "application/toml" }));
  const name = composer.dataset.name ?? "board";
  make("a", { href: address, download: `${name}.toml` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function save(name, token) {
  const headers = { "X-Gyre-Change": "board" };
  // A board that was read may be replaced; one of another name is new.
  if (composer.dataset.tag && name === composer.dataset.name) headers["If-Match"] = composer.dataset.tag;
  if (token) headers.Authorization = `Bearer ${token}`;
  const request = { method: "PUT", headers, body: text.value };
  const answer = await fetch(`/api/boards/${encodeURIComponent(name)}`, request).catch(() => null);
  if (!answer) {
    status.textContent = "The server does not answer.";
    return;
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    status.textContent = `Not saved: ${told.error ?? answer.statusText}`;
    return;
  }
  composer.dataset.name = name;
  composer.dataset.tag = answer.headers.get("ETag");
  history.replaceState(null, "", `/board/${name}/edit`);
  status.replaceChildren("Saved. ", make("a", { href: told.page }, `Show ${name}`));
}

function saving() {
  const name = make("input", { type: "text", value: composer.dataset.name ?? "", required: true, maxLength: 64, pattern: "[A-Za-z0-9_\\-]+", title: "letters, digits, - and _" });
  const token = make("input", { type: "password", autocomplete: "off" });
  const isGuarded = composer.dataset.guarded !== undefined;
  const made = make("form", { className: "save-form" },
    make("label", {}, "Name ", name),
    ...(isGuarded ? [make("label", {}, "Token with the role write, or admin to replace ", token)] : []),
    make("button", { type: "submit" }, "Save"));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    save(name.value, token.value);
  });
  return made;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter?.name === "download") download();
  else show(true);
});
text.addEventListener("input", () => soon(true));
if (/^\s*\[\[row/m.test(text.value)) show(true);
render();
const keeps = composer.dataset.keeps !== undefined;
composer.prepend(
  make("div", { className: "composer-bar" }, ...searching, ...(keeps ? [saving()] : []), status),
  editor);
tellUnderPointer();
