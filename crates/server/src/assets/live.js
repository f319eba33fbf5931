// Keeps a page current without reloading it: text is replaced where it changed, images when the
// new one has arrived. Without this script the page reloads itself.
const root = document.documentElement;
/** The status of this page: one that tells of a problem is kept current, too. */
const ownStatus = performance.getEntriesByType("navigation")[0]?.responseStatus || 200;

/** Shows the page as the server renders it now, element by element. */
function adopt(fresh) {
  for (const old of document.querySelectorAll("[data-live], [data-live-section]")) {
    const now = fresh.getElementById(old.id);
    if (now) replaceAround(old, now);
  }
}

/** Replaces a section; the focus stays with what it is on. */
function replaceAround(old, now) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && placeOf(old, focused);
  if (focused && !place) return; // what somebody writes or has unfolded stays as it is
  replaceContent(old, now);
  if (place && !focused.isConnected) {
    old.querySelectorAll(place.selector)[place.nth]?.focus({ preventScroll: true });
  }
}

/** How an element is found again among newer ones; null if it cannot be. */
function placeOf(section, element) {
  const { id } = element;
  const link = element.getAttribute("href");
  if (element.matches("input, select, textarea") || !(id || link)) return null;
  const selector = id ? `#${CSS.escape(id)}` : `[href="${CSS.escape(link)}"]`;
  return { selector, nth: [...section.querySelectorAll(selector)].indexOf(element) };
}

/** Keeps images where they are, so that none flickers. */
export function replaceContent(old, now) {
  if (old.innerHTML === now.innerHTML) return;
  const kept = new Map();
  for (const image of old.querySelectorAll("picture")) kept.set(keyOf(image), image);
  for (const image of now.querySelectorAll("picture")) {
    const same = kept.get(keyOf(image));
    if (same) image.replaceWith(same);
  }
  old.replaceChildren(...now.childNodes);
}

function keyOf(picture) {
  const address = new URL(picture.querySelector("img").getAttribute("src"), location);
  address.searchParams.delete("at");
  return address.href;
}

/** Fetches an image's successor and puts it in place when it is ready to be shown. */
async function refreshImage(image) {
  const stamp = (address) => {
    const url = new URL(address, location);
    url.searchParams.set("at", Date.now());
    return url.href;
  };
  const next = new Image();
  next.src = stamp(image.currentSrc || image.src);
  try {
    await next.decode();
  } catch {
    return; // the old one is better than none
  }
  const picture = image.closest("picture");
  for (const source of picture ? picture.querySelectorAll("source") : []) {
    if (sameGraph(source.srcset, next.src)) source.srcset = next.src;
  }
  if (sameGraph(image.src, next.src)) image.src = next.src;
}

function sameGraph(one, other) {
  const plain = (address) => {
    const url = new URL(address, location);
    url.searchParams.delete("at");
    return url.href;
  };
  return plain(one) === plain(other);
}

function isInView(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > -200 && box.top < innerHeight + 200 && box.width > 0;
}

export async function fetchPage(address) {
  const answer = await fetch(address);
  // An answer of a proxy or a gate is no page of this server: what is shown stays, and is old.
  if (!answer.ok && answer.status !== ownStatus) throw new Error(answer.statusText);
  const text = await answer.text();
  return new DOMParser().parseFromString(text, "text/html");
}

async function refresh() {
  if (document.hidden) return;
  const address = location.href;
  try {
    const fresh = await fetchPage(address);
    // Meanwhile another page may have come in place of this one.
    if (location.href !== address) return;
    adopt(fresh);
    keepPace(fresh);
    root.classList.remove("stale");
  } catch {
    if (location.href === address) root.classList.add("stale"); // the server does not answer
    return;
  }
  const images = [...document.querySelectorAll("img[data-refresh]")].filter(isInView);
  await Promise.all(images.map(refreshImage));
}

/** Refreshes from now on as often as a newer page says. */
export function keepPace(fresh) {
  const { refreshSeconds } = fresh.documentElement.dataset;
  if (!refreshSeconds || refreshSeconds === root.dataset.refreshSeconds) return;
  root.dataset.refreshSeconds = refreshSeconds;
  setPace();
}

let timer = 0;
function setPace() {
  clearInterval(timer);
  timer = setInterval(refresh, (Number(root.dataset.refreshSeconds) || 60) * 1000);
}

setPace();
document.addEventListener("visibilitychange", refresh);
