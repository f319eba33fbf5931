// Asks `/api/charts` for the rows of a section. What is on the screen is asked for with a margin on
// both sides, so that a chart that is moved has rows to show before new ones come.
const MARGIN = 0.35;
const POINTS_MAX = 4000;
const PATIENCE_MILLISECONDS = 15_000;
const ROW_PIXELS = 1.5;

export class Rows {
  /** @param {string} query the names: `t=a&t=b` */
  constructor(query) {
    this.query = query;
    this.answer = null;
    this.asked = null;
    this.isBusy = false;
    this.next = null;
  }

  /** Whether what is there answers this wish as well as a new answer would. */
  suits({ span, width, ghost }, now) {
    const { answer, asked } = this;
    if (!answer || asked.ghost !== ghost || Math.abs(asked.width - width) > 0.2 * width) return false;
    const ratio = (span.end - span.start) / asked.length;
    const margin = MARGIN * asked.length;
    const isCovered =
      answer.start - margin <= span.start && (answer.end + margin >= span.end || answer.end >= now - 1);
    return isCovered && ratio > 0.85 && ratio < 1.18;
  }

  /**
   * Asks for rows; while one question is open, only the newest of later ones is kept.
   * @returns {Promise<void>} `whenDone` is called after each answer
   */
  async ask(wish, whenDone) {
    this.next = wish;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.next) {
        const wanted = this.next;
        this.next = null;
        await this.#askOnce(wanted);
        whenDone(null);
      }
    } catch (error) {
      whenDone(error);
    } finally {
      this.isBusy = false;
    }
  }

  async #askOnce({ span, width, ghost }) {
    const length = span.end - span.start;
    const [start, end] = [Math.max(0, Math.floor(span.start)), Math.ceil(span.end)];
    const points = Math.min(POINTS_MAX, Math.max(50, Math.round(width / ROW_PIXELS)));
    const words = new URLSearchParams({ start, end, points, margin: Math.ceil(MARGIN * length) });
    if (ghost) words.set("ghost", ghost);
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
    const answer = await fetch(`/api/charts?${this.query}&${words}`, { signal });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error ?? `the server answers ${answer.status}`);
    this.answer = body;
    this.asked = { length, width, ghost };
  }
}
