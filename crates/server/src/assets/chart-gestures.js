// Moves a chart by hand: drag, wheel, pinch and keys. What is done with it is the caller's:
// `{ onPan(share), onZoom(factor, share), onPick(from, to), onHover(share|null), onKey }`, where a
// share is a part of the plot's width, 0 at its left end.
const SCROLL_PAUSE_MILLISECONDS = 250;

let scrolled = 0;
addEventListener("scroll", () => (scrolled = performance.now()), { passive: true });

/** Listens to a canvas; `area()` tells the left and right end of the plot on it. */
export function listen(canvas, area, hands) {
  const share = (event) => {
    const { left, right } = area();
    return (event.clientX - canvas.getBoundingClientRect().left - left) / (right - left);
  };
  wheel(canvas, area, share, hands);
  pointers(canvas, share, hands);
  canvas.addEventListener("dblclick", (event) => hands.onZoom(event.shiftKey ? 2 : 0.5, share(event)));
  canvas.addEventListener("keydown", (event) => keys(event, hands));
  canvas.addEventListener("blur", () => hands.onHover(null));
}

/** The wheel zooms, but where a page is being scrolled past a chart it goes on to scroll. */
function wheel(canvas, area, share, hands) {
  const onWheel = (event) => {
    if (performance.now() - scrolled < SCROLL_PAUSE_MILLISECONDS && !event.ctrlKey) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const across = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    const { left, right } = area();
    if (Math.abs(across) > Math.abs(event.deltaY) || event.shiftKey) hands.onPan((across * unit) / (right - left));
    else hands.onZoom(1.0018 ** (event.deltaY * unit), share(event));
  };
  canvas.addEventListener("wheel", onWheel, { passive: false });
}

/** One pointer moves the chart or, with shift, picks a part of it; two pinch it. */
function pointers(canvas, share, hands) {
  const held = new Map();
  let picked = null;
  const ends = () => [...held.values()].map(({ now }) => now).sort((one, other) => one - other);
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { now: share(event) });
    picked = event.shiftKey && held.size === 1 ? share(event) : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const pointer = held.get(event.pointerId);
    if (!pointer) return hands.onHover(share(event));
    const before = ends();
    const step = share(event) - pointer.now;
    pointer.now = share(event);
    if (picked != null) return hands.onPicking(picked, pointer.now);
    if (held.size === 1) return hands.onPan(-step);
    const after = ends();
    const [was, is] = [before, after].map(([one, other]) => Math.max(0.02, other - one));
    hands.onZoom(was / is, (after[0] + after[1]) / 2);
  });
  const release = (event) => {
    const pointer = held.get(event.pointerId);
    held.delete(event.pointerId);
    if (!pointer || picked == null) return;
    hands.onPick(picked, pointer.now);
    picked = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => held.size || hands.onHover(null));
}

function keys(event, hands) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const deed = {
    ArrowLeft: () => (event.shiftKey ? hands.onStep(-1) : hands.onPan(-0.2)),
    ArrowRight: () => (event.shiftKey ? hands.onStep(1) : hands.onPan(0.2)),
    ArrowUp: () => hands.onZoom(0.7, 0.5),
    ArrowDown: () => hands.onZoom(1 / 0.7, 0.5),
    "+": () => hands.onZoom(0.7, 0.5),
    "=": () => hands.onZoom(0.7, 0.5),
    "-": () => hands.onZoom(1 / 0.7, 0.5),
    End: () => hands.onNow(),
    Escape: () => hands.onBack(),
  }[event.key];
  if (!deed) return;
  event.preventDefault();
  deed();
}
