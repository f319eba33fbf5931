// Keeps a page current without reloading it: text is replaced where it changed, images when the
// new one has arrived. Without this script the page reloads itself.
const refreshSeconds = Number(document.documentElement.dataset.refreshSeconds) || 60;

/** Shows the page as the server renders it now, element by element. */
function adopt(fresh) {
  for (const old of document.querySelectorAll("[data-live], [data-live-section]")) {
    const now = fresh.getElementById(old.id);
    if (now && !old.contains(document.activeElement)) replaceContent(old, now);
  }
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
  const text = await answer.text();
  return new DOMParser().parseFromString(text, "text/html");
}

async function refresh() {
  if (document.hidden) return;
  try {
    adopt(await fetchPage(location.href));
    document.documentElement.classList.remove("stale");
  } catch {
    document.documentElement.classList.add("stale"); // the server does not answer
    return;
  }
  const images = [...document.querySelectorAll("img[data-refresh]")].filter(isInView);
  await Promise.all(images.map(refreshImage));
}

setInterval(refresh, refreshSeconds * 1000);
document.addEventListener("visibilitychange", refresh);
