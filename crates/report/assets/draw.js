// Pictures of states, for models that come with a drawing (`drawing.json`; docs/drawings.md describes the language).

/** Whether states of this model have a picture. */
function hasDrawing() {
  return Boolean(data.json.drawing);
}

let drawnNames = null;

/** The picture of a state, at most so many pixels wide and high; null if the model has none. Its text alternative is the drawing's own description. */
function drawState(values, { width = 320, height = 240 } = {}) {
  const { drawing, variables } = data.json;
  if (!drawing || !values) return null;
  drawnNames ??= new Map(variables.map((variable, index) => [variable.name, index]));
  const unit = Math.min(width / drawing.size[0], height / drawing.size[1]);
  const [wide, high] = drawing.size.map((side) => drawRounded(side * unit));
  // Lines get thinner in small pictures, but less than everything else does.
  const thin = Math.min(1, Math.max(0.6, Math.max(wide, high) / 260));
  const scene = { values, names: drawnNames, unit, thin, indices: [], lets: [], work: DRAW_WORK, marks: DRAW_MARKS };
  const picture = svg("svg", {
    class: "drawing", role: "img", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "font-family": "system-ui, 'DejaVu Sans', sans-serif",
    style: { background: "var(--ground)", color: "var(--ink)", "print-color-adjust": "exact", "-webkit-print-color-adjust": "exact" },
  });
  let words = "";
  try {
    for (const named of drawing.let) scene.lets.push(drawValue(named, scene));
    words = drawnWords(drawing.words, scene).filter(Boolean).join(" ");
    drawShapes(drawing.shapes, scene, picture);
  } catch (problem) {
    if (!(problem instanceof DrawTooMuch)) throw problem;
    picture.append(svg("text", { x: 4, y: high - 6, "font-size": 11, fill: "var(--bad)" }, "the drawing asks for too much"));
  }
  picture.setAttribute("aria-label", words || `Picture of the state ${stateText(values)}`);
  return picture;
}
