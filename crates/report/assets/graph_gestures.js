// How hands move the picture: drag, wheel, pinch, double click, and the keys. All keys do what some button or link of the page does, too.
//
// The wheel zooms when the picture has the focus (after a click) or with Ctrl: someone who scrolls down the page is not caught by the picture.

const CLICK = 4; // pixels that a pointer may move in a click
const KEY_STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

keyHelp("In the picture of the graph", [
  ["← ↑ → ↓", "go to the next box in that direction; with Shift: move the picture"],
  ["Enter", "open the selected group"], ["Backspace", "close it, or the group around it"],
  ["+ −", "zoom in and out"], ["0", "all of the graph"], ["n p", "next and previous step of the path to an unsafe state, or to one as asked for"],
]);

function listenToGestures(viewer, { onPath, onPoint }) {
  const { canvas } = viewer, pointers = new Map();
  let pressed = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    viewer.glide = null;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    pressed = pointers.size === 1 ? { at: place(event), moved: false } : { at: [0, 0], moved: true };
    hideTip();
  });

  canvas.addEventListener("pointermove", (event) => {
    const now = place(event), before = pointers.get(event.pointerId);
    if (!before) return onPoint(now, event);
    if (pressed && Math.hypot(now[0] - pressed.at[0], now[1] - pressed.at[1]) > CLICK) pressed.moved = true;
    if (pointers.size === 1 && pressed.moved) panViewer(viewer, now[0] - before[0], now[1] - before[1]);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const gap = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]), middle = (a, i) => (a[i] + other[i]) / 2;
      panViewer(viewer, middle(now, 0) - middle(before, 0), middle(now, 1) - middle(before, 1));
      if (gap(before) > 0) zoomViewer(viewer, gap(now) / gap(before), middle(now, 0), middle(now, 1));
    }
    if (pointers.size > 1 || pressed.moved) pointers.set(event.pointerId, now);
  });

  const lift = (event) => {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    if (event.type === "pointerup" && pressed && !pressed.moved) selectNode(viewer, nodeAt(viewer.scene, ...place(event)));
    pressed = null;
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => onPoint(null));

  canvas.addEventListener("dblclick", (event) => {
    const node = nodeAt(viewer.scene, ...place(event));
    if (node >= 0) enterNode(viewer, node);
  });

  canvas.addEventListener("wheel", (event) => {
    if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    hideTip();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const turned = Math.max(-240, Math.min(240, event.deltaY * lines));
    zoomViewer(viewer, Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.002)), ...place(event)); // pinching a pad comes as small turns with Ctrl
  }, { passive: false });

  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !pressKey(viewer, event, onPath)) return;
    event.preventDefault();
  });
}

/** What a key does; whether it does anything. */
function pressKey(viewer, { key, shiftKey }, onPath) {
  const { scene } = viewer;
  if (key in KEY_STEPS) walk(viewer, KEY_STEPS[key], shiftKey);
  else if (key === "Enter") enterNode(viewer, standsFor(scene, scene.selected));
  else if (key === "Backspace") selectNode(viewer, leaveNode(viewer, scene.selected));
  else if (key === "+" || key === "=") zoomViewer(viewer, 1.35);
  else if (key === "-" || key === "−") zoomViewer(viewer, 1 / 1.35);
  else if (key === "0" || key === "Home") glideTo(viewer, viewOf(scene));
  else if (key === "n" || key === "p") onPath(key === "n" ? 1 : -1);
  else return false;
  return true;
}

/** To the next box in a direction; where there is none, the picture moves. */
function walk(viewer, [dx, dy], moveOnly) {
  const { scene } = viewer;
  const next = moveOnly ? -1 : neighbour(scene, standsFor(scene, scene.selected), dx, dy);
  if (next < 0) return panViewer(viewer, -dx * 60, -dy * 60);
  selectNode(viewer, next);
  revealNode(viewer, next, 0);
}
