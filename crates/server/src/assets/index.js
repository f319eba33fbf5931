// The list of targets follows what is typed in the search box: rows of this page at once, the
// server's answer a moment later.
import { fetchPage, replaceContent } from "./live.js";

const form = document.getElementById("find");
const results = document.getElementById("results");
const WAIT_MILLISECONDS = 40;

let timer = 0;
let asked = 0;

function address() {
  const parameters = new URLSearchParams();
  for (const [key, value] of new FormData(form)) if (value.trim()) parameters.set(key, value);
  const query = parameters.toString();
  return query ? `/?${query}` : "/";
}

function hideRows() {
  const words = new FormData(form).get("q").toLowerCase().split(/\s+/).filter(Boolean);
  // What only the server understands hides nothing.
  const plain = words.filter((word) => !/[:=]/.test(word));
  const rows = [...results.querySelectorAll("tr[data-words]")];
  const matches = rows.map((row) => {
    const text = row.dataset.words.toLowerCase();
    return plain.every((word) => text.includes(word));
  });
  // The row of a label or of a mistyped word has none of the words: then all stay.
  const some = matches.some(Boolean);
  rows.forEach((row, nth) => { row.hidden = some && !matches[nth]; });
}

async function ask() {
  const turn = ++asked;
  const target = address();
  const fresh = await fetchPage(target).catch(() => null);
  const now = fresh?.getElementById("results");
  if (!now || turn !== asked) return;
  history.replaceState(null, "", target);
  replaceContent(results, now);
  document.dispatchEvent(new CustomEvent("gyre:searched"));
}

function soon() {
  hideRows();
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT_MILLISECONDS);
}

document.getElementById("query").addEventListener("input", soon);
document.getElementById("silent").addEventListener("change", ask);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  ask();
});
