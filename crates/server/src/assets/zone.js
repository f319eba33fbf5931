// The zone in which times are shown: the server's, or the viewer's as chosen in the foot of a page.
// The server writes its own; this script rewrites `<time datetime>` and elements with `data-at`
// (seconds since 1970). Charts ask `zone()` and listen with `onZone`.
const KEY = "gyre-zone";
const TIMES = "time[datetime], [data-at]";
const FORMS = {
  second: { dateStyle: "short", timeStyle: "medium" },
  minute: { dateStyle: "short", timeStyle: "short" },
  clock: { timeStyle: "short" },
  day: { month: "2-digit", day: "2-digit" },
};
const listeners = new Set();
/** What the server wrote, for each element that was rewritten. */
const written = new WeakMap();

function chosen() {
  try {
    return localStorage.getItem(KEY) === "viewer" ? "viewer" : "server";
  } catch {
    return "server";
  }
}

let choice = chosen();

/** The name of the zone in which times are shown, such as `Europe/Berlin`. */
export function zone() {
  const viewers = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return choice === "viewer" ? viewers : (document.documentElement.dataset.zone ?? viewers);
}

/** Calls a function whenever the zone changes. */
export function onZone(listener) {
  listeners.add(listener);
}

/**
 * A time in the zone that is shown: `2026-11-20 14:40:00`, or shorter.
 * @param {number} seconds since 1970
 * @param {"second"|"minute"|"clock"|"day"} form
 */
export function shown(seconds, form = "second") {
  const date = new Date(seconds * 1000);
  const options = FORMS[form] ?? FORMS.second;
  // Swedes write times as gyre does.
  try {
    return new Intl.DateTimeFormat("sv-SE", { ...options, timeZone: zone() }).format(date);
  } catch {
    return new Intl.DateTimeFormat("sv-SE", options).format(date); // a zone unknown to the browser
  }
}

function secondsOf(element) {
  const { at } = element.dataset;
  return at === undefined ? Date.parse(element.getAttribute("datetime")) / 1000 : Number(at);
}

function rewrite(element) {
  const seconds = secondsOf(element);
  if (!Number.isFinite(seconds)) return;
  if (!written.has(element)) written.set(element, element.textContent);
  const text = choice === "server" ? written.get(element) : shown(seconds, element.dataset.form);
  if (element.textContent !== text) element.textContent = text;
}

function rewriteAll(within) {
  if (within.matches?.(TIMES)) rewrite(within);
  for (const element of within.querySelectorAll(TIMES)) rewrite(element);
}

function choose(word) {
  choice = word;
  rewriteAll(document);
  for (const select of document.querySelectorAll("#zone-choice")) select.value = word;
  for (const listener of listeners) listener(zone());
}

choose(choice);
addEventListener("storage", (event) => event.key === KEY && choose(chosen()));
document.getElementById("zone-choice")?.addEventListener("change", (event) => {
  try {
    localStorage.setItem(KEY, event.target.value);
  } catch {
    // It holds for this page then.
  }
  choose(event.target.value);
});
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) rewriteAll(node);
  }
}).observe(document.body, { childList: true, subtree: true });
