// The search box in the head of every page: results as one types, as a listbox. Arrows choose,
// Enter opens, Escape closes, `/` begins. On a page that is itself a list of results (`index.js`),
// the arrows walk along its links instead.
const form = document.getElementById("find");
const box = document.getElementById("query");
const isList = document.querySelector("[data-found]") !== null;
const RESULTS = 12;

/** Says whether a key belongs to what the visitor is writing. */
function isWriting(element) {
  return element?.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? "");
}

document.addEventListener("keydown", (event) => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "/" && isPlain && !isWriting(document.activeElement)) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

/** An element with a class and children, which are elements or texts. */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** A text whose found stretches are marked. */
function marked(text, marks) {
  const parts = [];
  let at = 0;
  for (const { start, end } of marks) {
    parts.push(text.slice(at, start), element("mark", "", text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** The list of results below the box. */
class Results {
  constructor() {
    this.list = element("div", "results");
    this.list.id = "search-results";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Results");
    this.list.hidden = true;
    this.told = element("p", "told");
    this.told.setAttribute("role", "status");
    this.told.hidden = true;
    form.append(this.list, this.told);
    this.at = -1;
    box.setAttribute("role", "combobox");
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", this.list.id);
    box.setAttribute("aria-expanded", "false");
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** Shows an answer of `/api/search`. */
  show(answer) {
    this.list.replaceChildren(...answer.results.map(option));
    const more = answer.total - answer.results.length;
    let words = answer.total === 0 ? "Nothing found" : `${answer.total.toLocaleString("en")} found`;
    if (answer.mistyped) words = `Nothing has these words; ${words} that are alike`;
    if (more > 0) words += " · Enter shows all";
    this.told.textContent = words;
    this.told.hidden = false;
    this.list.hidden = answer.results.length === 0;
    box.setAttribute("aria-expanded", String(!this.list.hidden));
    this.choose(-1);
  }

  hide() {
    this.list.hidden = true;
    this.told.hidden = true;
    box.setAttribute("aria-expanded", "false");
    this.choose(-1);
  }

  get isOpen() {
    return !this.list.hidden || !this.told.hidden;
  }

  /** Chooses a result by its number; -1 chooses none. */
  choose(at) {
    const options = [...this.list.children];
    options[this.at]?.setAttribute("aria-selected", "false");
    this.at = at;
    const chosen = options[at];
    if (!chosen) return box.removeAttribute("aria-activedescendant");
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", chosen.id);
  }

  /** Chooses the next one or the one before; behind the last one comes none. */
  step(by) {
    const count = this.list.children.length + 1;
    this.choose(((this.at + 1 + by + count) % count) - 1);
  }

  /** The link of the chosen result. */
  get link() {
    return this.list.children[this.at]?.dataset.page;
  }
}

/** One result. */
function option(row, nth) {
  const of = (field) => row.marks.filter((mark) => mark.field === field && mark.text === undefined);
  const dot = element("span", row.health && `dot ${row.health}`);
  const title = element("b", "", ...marked(row.title || row.name, of(row.title ? "title" : "name")));
  const facts = element("small", "");
  const told = [["name", row.name], ["device", row.device], ["remark", row.remark]];
  for (const [field, text] of told) {
    if (text && row.title && text !== row.title) facts.append(element("span", "", ...marked(text, of(field))));
  }
  for (const mark of row.marks.filter((mark) => mark.text !== undefined)) {
    facts.append(element("span", "", `${mark.field}: `, ...marked(mark.text, [mark])));
  }
  const made = element("div", "result", dot, title, facts);
  made.id = `search-result-${nth}`;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", "false");
  made.dataset.page = row.page;
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey) window.open(row.page, "_blank", "noopener");
    else location.assign(row.page);
  });
  return made;
}

/** Results as one types. */
function suggest() {
  const results = new Results();
  let under = null;
  let wanted = "";
  const ask = async () => {
    wanted = box.value.trim();
    under?.abort();
    if (!wanted) return results.hide();
    const mine = (under = new AbortController());
    const address = `/api/search?${new URLSearchParams({ q: wanted, limit: RESULTS })}`;
    const answer = await fetch(address, { signal: mine.signal })
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null);
    if (answer && !mine.signal.aborted && document.activeElement === box) results.show(answer);
  };
  box.addEventListener("input", ask);
  box.addEventListener("focus", () => box.value.trim() && ask());
  box.addEventListener("blur", () => results.hide());
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const keys = {
      ArrowDown: () => results.step(1),
      ArrowUp: () => results.step(-1),
      Enter: () => results.link && location.assign(results.link),
      Escape: () => (results.isOpen ? results.hide() : box.blur()),
    };
    const does = keys[event.key];
    if (!does || (event.key === "Enter" && !results.link)) return;
    event.preventDefault();
    does();
  });
}

/** Arrows walk from the box along the links of a list of results, and back. */
function walk() {
  const links = () => [...document.querySelectorAll("[data-found] .what a")];
  document.addEventListener("keydown", (event) => {
    const all = links();
    const at = document.activeElement === box ? -1 : all.indexOf(document.activeElement);
    if (at < 0 && document.activeElement !== box) return;
    if (event.key === "ArrowDown" && at + 1 < all.length) all[at + 1].focus();
    else if (event.key === "ArrowUp" && at >= 0) (all[at - 1] ?? box).focus();
    else if (event.key === "Escape" && at >= 0) box.focus();
    else if (event.key === "Escape" && box.value) {
      box.value = "";
      box.dispatchEvent(new Event("input", { bubbles: true }));
    } else return;
    event.preventDefault();
  });
}

if (form && box) {
  form.classList.add("live");
  if (isList) walk();
  else suggest();
}
