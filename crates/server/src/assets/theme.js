// Light or dark: as the system says, or as the visitor chose in the foot of a page. This script is
// no module and stands in the head, so that the choice is known before anything is drawn.
(() => {
  const KEY = "gyre-look";
  const root = document.documentElement;
  const SYSTEM_DARK = "(prefers-color-scheme: dark)";

  /** What was chosen: "light", "dark" or "system". Storage may be forbidden. */
  function chosen() {
    try {
      const word = localStorage.getItem(KEY);
      return word === "light" || word === "dark" ? word : "system";
    } catch {
      return "system";
    }
  }

  function keep(word) {
    try {
      if (word === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, word);
    } catch {
      // It holds for this page then.
    }
  }

  /** Makes the dark sources of a picture hold always, never, or as the system says. */
  function fit(source) {
    source.dataset.media ??= source.media;
    const word = { light: "not all", dark: "(min-width: 0px)" }[root.dataset.theme] ?? SYSTEM_DARK;
    const media = source.dataset.media.replace(SYSTEM_DARK, word);
    // A condition that begins with `not all` never holds, whatever stands behind it.
    source.media = media.startsWith("not all") ? "not all" : media;
  }

  function fitAll(within) {
    for (const source of within.querySelectorAll("source[media*='prefers-color-scheme'], source[data-media]")) {
      fit(source);
    }
  }

  function show(word) {
    if (word === "system") delete root.dataset.theme;
    else root.dataset.theme = word;
    fitAll(document);
    for (const choice of document.querySelectorAll("#look-choice")) choice.value = word;
    // Charts that draw on a canvas listen, and read the colours anew.
    document.dispatchEvent(new CustomEvent("themechange"));
  }

  show(chosen());
  addEventListener("storage", (event) => event.key === KEY && show(chosen()));
  document.addEventListener("DOMContentLoaded", () => {
    show(chosen());
    document.getElementById("look-choice")?.addEventListener("change", (event) => {
      keep(event.target.value);
      show(event.target.value);
    });
    // Pictures that come later follow, too.
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) fitAll(node);
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
})();
