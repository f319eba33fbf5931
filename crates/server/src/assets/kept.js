// Favourites, and what was looked at last, kept in this browser: a star beside the heading of
// targets and devices, and both lists on the index while nothing is searched for.
const FAVOURITES = "gyre-favourites";
const RECENT = "gyre-recent";
const FAVOURITES_MAX = 200;
const RECENT_MAX = 12;

/** The entries of a list: the page and the title of each. Damaged lists count as empty. */
function read(key) {
  try {
    const list = JSON.parse(localStorage.getItem(key));
    const isEntry = (it) => typeof it?.page === "string" && typeof it?.title === "string";
    return Array.isArray(list) ? list.filter((it) => isEntry(it) && it.page.startsWith("/")) : [];
  } catch {
    return [];
  }
}

/** Keeps a list, if the browser lets pages keep anything. */
function write(key, list) {
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // Without a place to keep it, the list is that of this page alone.
  }
}

/** This page, if it is one of a target, a device, a database or a board. */
function here() {
  const heading = document.querySelector("main .heading h1");
  if (!heading || !/^\/(t|device|db|board)\//.test(location.pathname)) return null;
  return { page: location.pathname, title: heading.textContent.trim() };
}

/** A star that keeps this page among the favourites. */
function star(entry) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "star";
  const show = (isKept) => {
    button.setAttribute("aria-pressed", String(isKept));
    button.setAttribute("aria-label", "Favourite");
    button.title = isKept ? "A favourite: click to forget it" : "Keep as a favourite";
    button.textContent = isKept ? "★" : "☆";
  };
  const isHere = (it) => it.page === entry.page;
  show(read(FAVOURITES).some(isHere));
  button.addEventListener("click", () => {
    const list = read(FAVOURITES);
    const isKept = list.some(isHere);
    const rest = list.filter((it) => !isHere(it));
    write(FAVOURITES, isKept ? rest : [entry, ...rest].slice(0, FAVOURITES_MAX));
    show(!isKept);
  });
  return button;
}

/** A list with a heading; nothing for an empty one. */
function listed(words, entries) {
  if (!entries.length) return [];
  const section = document.createElement("nav");
  section.className = "kept";
  section.setAttribute("aria-label", words);
  const heading = document.createElement("h2");
  heading.textContent = words;
  const links = entries.map(({ page, title }) => {
    const link = document.createElement("a");
    link.href = page;
    link.textContent = title;
    return link;
  });
  section.append(heading, ...links);
  return [section];
}

/** Both lists above the targets, while nothing is searched for. */
function lists(results) {
  const place = document.createElement("div");
  place.className = "kept-lists";
  results.before(place);
  const show = () => {
    const parameters = new URLSearchParams(location.search);
    const isPlain = !parameters.get("q") && !parameters.has("silent") && !parameters.has("page");
    const favourites = read(FAVOURITES);
    const isNew = (it) => !favourites.some((other) => other.page === it.page);
    const recent = read(RECENT).filter(isNew);
    const shown = [...listed("Favourites", favourites), ...listed("Looked at last", recent)];
    place.replaceChildren(...(isPlain ? shown : []));
  };
  show();
  document.addEventListener("gyre:searched", show);
}

const entry = here();
if (entry) {
  const rest = read(RECENT).filter((it) => it.page !== entry.page);
  write(RECENT, [entry, ...rest].slice(0, RECENT_MAX));
  document.querySelector("main .heading h1").append(" ", star(entry));
}
const results = document.querySelector("[data-found]");
if (results) lists(results);
