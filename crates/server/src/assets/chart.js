// Makes a section with `data-chart` interactive: its figures become canvases that share a stretch
// of time. Without this script the pictures stay.
import { Rows } from "./chart-data.js";
import { Plot, inksOf, make } from "./chart-plot.js";
import { Shown } from "./chart-span.js";
import { momentWords } from "./chart-time.js";
import { onZone } from "./zone.js";

const WEEK_SECONDS = 7 * 86_400;
const REFRESH_SECONDS_MIN = 10;

/** A section: `data-query`, `data-mode`, `data-span`, `data-now`; its figures have `data-plot`. */
class Section {
  constructor(root) {
    this.root = root;
    this.rows = new Rows(root.dataset.query);
    this.shown = new Shown(root, JSON.parse(root.dataset.spans));
    const hands = this.#hands();
    this.plots = [...root.querySelectorAll("[data-plot]")].map((figure) => new Plot(figure, root.dataset.mode, hands));
    this.inks = inksOf(root);
    this.status = root.querySelector("[data-status]");
    root.classList.add("interactive");
    this.#controls();
    this.#listen();
    this.show();
  }

  #hands() {
    const within = (share) => {
      const { start, end } = this.shown.span();
      return start + share * (end - start);
    };
    return {
      onPan: (share) => this.#move(within(share), within(1 + share)),
      onZoom: (factor, share) => {
        const part = Math.min(1, Math.max(0, share));
        this.#move(within(part - part * factor), within(part + (1 - part) * factor));
      },
      onPick: (one, other) => {
        if (Math.abs(one - other) < 0.01) return;
        this.#move(within(Math.max(0, Math.min(one, other))), within(Math.min(1, Math.max(one, other))));
      },
      onHover: (seconds) => this.plots.forEach((plot) => plot.point(seconds)),
      onNow: () => this.#live(),
      onBack: () => this.#live(this.root.dataset.span),
    };
  }

  #move(start, end) {
    this.shown.set(start, end);
    this.#changed();
  }

  #live(name) {
    this.shown.live(name);
    this.#changed();
  }

  #changed() {
    this.show();
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.shown.keep(), 150);
  }

  /** Draws what is there at once, and asks for better rows. */
  show() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.#draw();
    });
    this.ask();
  }

  ask(isForced = false) {
    const width = Math.max(...this.plots.map((plot) => plot.width));
    const ghost = this.shown.options.ghost ? WEEK_SECONDS : null;
    const wish = { span: this.shown.span(), width, ghost };
    if (!isForced && this.rows.suits(wish, this.shown.now())) return;
    this.rows.ask(wish, (error) => this.#answered(error));
  }

  #answered(error) {
    this.root.classList.toggle("unanswered", error != null);
    if (error) {
      this.status.textContent = `No new values: ${error.message}`;
      return;
    }
    const { answer } = this.rows;
    this.shown.clock = answer.now - Date.now() / 1000;
    this.plots.forEach((plot) => plot.take(answer, this.inks));
    this.#draw();
  }

  #draw() {
    const span = this.shown.span();
    this.plots.forEach((plot) => plot.draw(span, this.shown.options));
    this.#tell(span);
    this.#links(span);
  }

  /** Says which time and which archive is shown. */
  #tell({ start, end }) {
    if (this.root.classList.contains("unanswered") || !this.rows.answer) return;
    const { charts } = this.rows.answer;
    const archives = [...new Set(charts.map(({ archive }) => archive).filter(Boolean))];
    const problems = charts.filter(({ problem }) => problem).map(({ name, problem }) => `${name}: ${problem}`);
    const time = `${momentWords(start)} – ${momentWords(end)}`;
    const words = [time, archives.slice(0, 3).join(" and "), ...problems.slice(0, 3)];
    const text = words.filter(Boolean).join(" · ");
    if (this.status.textContent !== text) this.status.textContent = text;
    for (const link of this.root.querySelectorAll("[data-period]")) {
      if (link.dataset.period === this.shown.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  /** Exports, commands and forms follow what is shown. */
  #links(span) {
    const [start, end] = [Math.round(span.start), Math.round(span.end)];
    for (const link of document.querySelectorAll("[data-export]")) {
      const url = new URL(link.href);
      url.searchParams.set("start", start);
      url.searchParams.set("end", end);
      if (link.href !== url.href) link.href = url.href;
    }
    for (const code of document.querySelectorAll("[data-command]")) {
      const text = code.textContent.replace(/--start=\S+/, `--start=${start}`).replace(/--end=\S+/, `--end=${end}`);
      if (code.textContent !== text) code.textContent = text;
    }
    // A form that leads to other targets or another mode keeps the time.
    for (const place of document.querySelectorAll("[data-extent]")) {
      const words = [...this.shown.words()].filter(([name]) => ["span", "start", "end"].includes(name));
      place.replaceChildren(...words.map(([name, value]) => {
        const field = make("input");
        return Object.assign(field, { type: "hidden", name, value });
      }));
    }
  }

  #controls() {
    const place = this.root.querySelector("[data-controls]");
    const button = (words, title, deed) => {
      const made = make("button", "", words);
      made.type = "button";
      made.title = title;
      if (words.length === 1) made.setAttribute("aria-label", title);
      made.addEventListener("click", deed);
      return made;
    };
    const { onZoom, onPan } = this.#hands();
    const toggles = [
      ["band", "Min–max", "the band between the smallest and largest values"],
      ["percentile", "95 %", "the 95th percentile of the rows that are shown"],
      ["ghost", "Week before", "the same time a week before"],
    ];
    const boxes = toggles.map(([name, words, title]) => this.#toggle(name, words, title));
    place.append(
      button("‹", "Earlier", () => onPan(-0.5)),
      button("›", "Later", () => onPan(0.5)),
      button("+", "Zoom in", () => onZoom(0.5, 0.5)),
      button("−", "Zoom out", () => onZoom(2, 0.5)),
      button("Now", "Show the present", () => this.#live()),
      ...boxes,
    );
  }

  #toggle(name, words, title) {
    const label = make("label", "toggle");
    const box = make("input");
    box.type = "checkbox";
    box.checked = this.shown.options[name];
    label.title = title;
    box.addEventListener("change", () => {
      this.shown.options[name] = box.checked;
      this.#changed();
    });
    this.boxes = { ...this.boxes, [name]: box };
    label.append(box, words);
    return label;
  }

  #listen() {
    this.root.addEventListener("click", (event) => {
      const link = event.target.closest("[data-period]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.shown.moved = 0;
      this.#live(link.dataset.period);
    });
    addEventListener("popstate", () => {
      this.shown.read();
      for (const [name, box] of Object.entries(this.boxes)) box.checked = this.shown.options[name];
      this.show();
    });
    new ResizeObserver(() => this.show()).observe(this.root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour());
    document.addEventListener("themechange", () => this.#recolour());
    onZone(() => this.show());
    const seconds = Math.max(REFRESH_SECONDS_MIN, Number(document.documentElement.dataset.refreshSeconds) || 60);
    setInterval(() => document.hidden || (this.shown.isLive() && this.#refresh()), seconds * 1000);
  }

  #recolour() {
    this.inks = inksOf(this.root);
    if (this.rows.answer) this.plots.forEach((plot) => plot.take(this.rows.answer, this.inks));
    this.show();
  }

  #refresh() {
    this.show();
    this.ask(true);
  }
}

for (const root of document.querySelectorAll("[data-chart]")) new Section(root);
