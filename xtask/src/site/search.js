// The search: sections that have all words, those with a word in their title first.

const FOUND_MAX = 30;

/** @param {string} question */
function find(question) {
  const words = question.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  const scored = [];
  for (const entry of searchIndex) {
    const title = entry.title.toLowerCase();
    const text = entry.text.toLowerCase();
    if (!words.every((word) => title.includes(word) || text.includes(word))) continue;
    scored.push({ entry, score: words.filter((word) => title.includes(word)).length });
  }
  scored.sort((one, two) => two.score - one.score);
  return scored.slice(0, FOUND_MAX).map((it) => it.entry);
}

/** A link to a section, with the text around the first word. */
function item(up, entry, question) {
  const link = document.createElement("a");
  link.href = up + entry.url;
  link.textContent = entry.title;
  const first = question.toLowerCase().split(/\s+/)[0];
  const at = Math.max(0, entry.text.toLowerCase().indexOf(first) - 40);
  const words = document.createElement("span");
  words.textContent = entry.text.slice(at, at + 140);
  const line = document.createElement("li");
  line.append(link, document.createElement("br"), words);
  return line;
}

const up = document.currentScript.dataset.up;
const box = document.getElementById("search");
const list = document.getElementById("found");
box.addEventListener("input", () => {
  const found = find(box.value);
  list.replaceChildren(...found.map((entry) => item(up, entry, box.value)));
  list.hidden = found.length === 0;
});
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
