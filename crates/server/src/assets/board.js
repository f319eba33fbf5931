// A board: the clock, the rotation and the stale mark of a wall, and what is under the pointer of a
// chart. `live.js` keeps the rows current; this script only watches whether that succeeds.
import { keepPace } from "./live.js";
import { tellUnderPointer } from "./readout.js";
import { onZone, shown } from "./zone.js";

const root = document.documentElement;
const wall = () => document.querySelector(".wall");

/** Shows the time of the zone that is chosen, each second. */
function tick() {
  const clock = document.getElementById("wall-clock");
  if (clock) clock.textContent = shown(Date.now() / 1000, "clock");
}

/** Says since when the server is away. `live.js` marks the page then. */
let away = 0;
function markStale() {
  const mark = document.getElementById("wall-stale");
  if (!mark) return;
  const isStale = root.classList.contains("stale");
  if (isStale && !away) away = Date.now() / 1000;
  if (!isStale) away = 0;
  mark.hidden = !isStale;
  const words = isStale ? `No connection since ${shown(away, "clock")}. Trying again.` : "";
  if (mark.textContent !== words) mark.textContent = words;
}

/** Shows the content of another page. */
function adopt(fresh) {
  const main = fresh.querySelector("main");
  if (!main?.querySelector(".wall")) throw new Error("this is no board");
  document.querySelector("main").replaceWith(main);
  document.title = fresh.title;
  keepPace(fresh);
  root.classList.remove("stale");
}

/** Shows the next board in place of this one; if the server is away, this one stays. */
async function rotate() {
  const { next } = wall().dataset;
  try {
    const answer = await fetch(next);
    if (!answer.ok) throw new Error(answer.statusText);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    adopt(fresh);
    history.replaceState(null, "", next);
  } catch {
    root.classList.add("stale");
  }
  tick();
  markStale();
  soon();
}

function soon() {
  const seconds = Number(wall()?.dataset.nextSeconds);
  if (seconds) setTimeout(rotate, seconds * 1000);
}

/** Asks again soon while the server is away: the page refreshes itself more seldom. */
async function reconnect() {
  if (!root.classList.contains("stale") || document.hidden) return;
  const address = location.href;
  try {
    const answer = await fetch(address);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Meanwhile the next board may be shown.
    if (location.href !== address) return;
    adopt(fresh);
    tick();
  } catch {
    // It is still away.
  }
  markStale();
}

tellUnderPointer();
if (wall()) {
  tick();
  soon();
  setInterval(tick, 1000);
  setInterval(reconnect, 5000);
  onZone(tick);
  new MutationObserver(markStale).observe(root, { attributes: true, attributeFilter: ["class"] });
}
