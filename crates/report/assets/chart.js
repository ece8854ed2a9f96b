// Small charts as SVG: lanes over the steps of a run, a band between two bounds, lines of growth, a range in its domain.
//
// Each must be readable without colour (dashes, marks and labels say the same), selectable as text, and worth saving as a figure of a paper.

/** A scale from numbers to places, with round ticks. Logarithmic ones need positive numbers. */
function chartScale(from, to, places, log = false) {
  if (from === to) [from, to] = log ? [from / 2, to * 2] : [from - 0.5, to + 0.5];
  const by = log ? Math.log10 : (value) => value;
  const [low, high] = [by(from), by(to)];
  const place = (value) => places[0] + ((by(value) - low) / (high - low)) * (places[1] - places[0]);
  const ticks = [];
  if (log) {
    const each = Math.max(1, Math.ceil((high - low) / 6));
    for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += each) ticks.push(10 ** power);
    if (ticks.length < 2) ticks.splice(0, ticks.length, from, to);
  } else {
    const rough = (to - from) / 5, size = 10 ** Math.floor(Math.log10(rough));
    const each = [1, 2, 5, 10].find((factor) => factor * size >= rough) * size;
    for (let k = Math.ceil(from / each - 1e-9); k * each <= to + each * 1e-9; k++) ticks.push(Number((k * each).toPrecision(12)));
  }
  return { place, ticks };
}

/** The frame of a chart: axes, ticks with grouped digits, titles. Gives the SVG and the two scales. */
function chartFrame({ label, x, y, width = 720, height = 280, right = 24 }) {
  const left = 70, top = 12, bottom = 44;
  const across = chartScale(x.from, x.to, [left, width - right], x.log);
  const up = chartScale(y.from, y.to, [height - bottom, top], y.log);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  for (const tick of up.ticks) {
    chart.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: up.place(tick), y2: up.place(tick) }),
      svg("text", { class: "dim", x: left - 8, y: up.place(tick) + 4, "text-anchor": "end" }, number(tick)));
  }
  for (const tick of across.ticks) {
    chart.append(svg("line", { class: "axis", x1: across.place(tick), x2: across.place(tick), y1: height - bottom, y2: height - bottom + 5 }),
      svg("text", { class: "dim", x: across.place(tick), y: height - bottom + 18, "text-anchor": "middle" }, number(tick)));
  }
  chart.append(svg("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
    svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, x.title),
    svg("text", { x: 0, y: 0, transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.title));
  return { chart, x: across.place, y: up.place, left, right: width - right, top, bottom: height - bottom };
}

/** A curve that keeps its value until the next one: what bounds and counts do. */
function stepPath(points) {
  return points.map(([x, y], i) => (i === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join("");
}

const CHART_MARKS = [
  (x, y) => `M${x - 4} ${y - 4}h8v8h-8z`,
  (x, y) => `M${x} ${y - 5}l5 9h-10z`,
  (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z`,
  (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
];

/** The band between a lower and an upper bound that narrows, with the number that it is compared with. `points`: {x, lo, hi}. */
function bandChart({ points, title, log, threshold, label }) {
  const positive = points.flatMap((p) => [p.lo, p.hi]).concat(threshold ?? []).filter((value) => value > 0);
  const floor = log ? 10 ** Math.floor(Math.log10(Math.min(...positive, 1))) : 0;
  const clip = (value) => Math.max(value, floor); // a lower bound of 0 lies below every logarithmic axis
  const all = points.flatMap((p) => [p.lo, p.hi]).concat(threshold ?? []);
  const [low, high] = log ? [floor, Math.max(...positive, floor * 10)] : spread(Math.min(...all), Math.max(...all));
  const frame = chartFrame({ label, right: 96,
    x: { title, from: points[0].x, to: points.at(-1).x }, y: { title: log ? "value (logarithmic)" : "value", from: low, to: high, log } });
  const line = (of) => points.map((p) => [frame.x(p.x), frame.y(clip(of(p)))]);
  const [lower, upper] = [line((p) => p.lo), line((p) => p.hi)];
  if (points.length === 1) for (const each of [lower, upper]) { each[0][0] = frame.left; each.push([frame.right, each[0][1]]); }
  // Along the upper bound to the right, then back along the lower one: both are steps, so the way back mirrors them.
  const back = lower.slice().reverse().map(([x, y], i) => (i === 0 ? `L${x} ${y}` : `V${y}H${x}`)).join("");
  frame.chart.append(svg("path", { class: "band", d: stepPath(upper) + back + "Z" }),
    svg("path", { class: "line", d: stepPath(lower) }), svg("path", { class: "line line1", d: stepPath(upper) }));
  const [endLow, endHigh] = [lower.at(-1), upper.at(-1)];
  const apart = Math.max(0, 14 - (endLow[1] - endHigh[1])) / 2;
  frame.chart.append(svg("path", { class: "mark mark1", d: CHART_MARKS[1](...endHigh) }), svg("path", { class: "mark", d: CHART_MARKS[0](...endLow) }),
    svg("text", { x: frame.right + 8, y: endHigh[1] + 4 - apart }, "upper"), svg("text", { x: frame.right + 8, y: endLow[1] + 4 + apart }, "lower"));
  if (threshold !== null && threshold !== undefined && threshold >= low && threshold <= high) {
    const y = frame.y(clip(threshold));
    frame.chart.append(svg("line", { class: "threshold", x1: frame.left, x2: frame.right, y1: y, y2: y }),
      svg("text", { x: frame.left + 6, y: y > frame.top + 16 ? y - 5 : y + 14 }, `threshold ${number(threshold)}`));
  }
  return frame.chart;
}

/** A range with some room at both ends. */
function spread(low, high) {
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 && low < room * 3 ? 0 : low - room, high <= 1 && high + room > 1 ? 1 : high + room];
}

/** Lines of growth over iterations, on a logarithmic axis where they are far apart. `series`: {name, values}; `xs` along the bottom. */
function growthChart({ xs, series, title, label }) {
  const all = series.flatMap((one) => one.values).filter((value) => value > 0);
  const log = Math.max(...all, 1) / Math.min(...all, 1) > 30;
  const frame = chartFrame({ label, right: 110, height: 240, x: { title, from: xs[0], to: xs.at(-1) },
    y: { title: log ? "count (logarithmic)" : "count", from: log ? 1 : 0, to: Math.max(...all, log ? 10 : 1), log } });
  const ends = [];
  series.forEach((one, k) => {
    const points = one.values.map((value, i) => [frame.x(xs[i]), frame.y(log ? Math.max(1, value) : value)]);
    frame.chart.append(svg("path", { class: `line line${k}`, d: points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("") }));
    const each = Math.ceil(points.length / 25);
    const marks = points.filter((_, i) => i % each === 0 || i === points.length - 1).map(([x, y]) => CHART_MARKS[k](x, y)).join("");
    frame.chart.append(svg("path", { class: `mark mark${k}`, d: marks }));
    ends.push({ name: one.name, y: points.at(-1)[1] });
  });
  // Names at the ends of the lines, pushed apart so that they do not lie on one another.
  ends.sort((a, b) => a.y - b.y).forEach((end, i) => {
    if (i > 0) end.y = Math.max(end.y, ends[i - 1].y + 14);
    frame.chart.append(svg("text", { x: frame.right + 10, y: end.y + 4 }, end.name));
  });
  return frame.chart;
}

/** Where a range lies in its domain: a bar in a track, the numbers beside it as text elsewhere. */
function rangeBar(lower, upper, domain, label) {
  const width = 200, [from, to] = domain, size = to - from || 1;
  const place = (value) => 2 + ((Math.min(Math.max(value, from), to) - from) / size) * (width - 4);
  const x = place(lower), w = Math.max(3, place(upper) - x);
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} 14`, width, height: 14, role: "img", "aria-label": label },
    svg("rect", { class: "track", x: 1, y: 3, width: width - 2, height: 8 }), svg("rect", { class: "fill", x: Math.min(x, width - 2 - w), y: 1, width: w, height: 12 }));
}

const LANE = 34;

/**
 * Lanes over the states of a run. A lane: {label, hint, texts (one per state, null: nothing)} and one of `values` (numbers: a curve between `lower` and `upper`),
 * `on` (truth values), `actions` (indices), `sizes` (0 to 1: bars, with `signs`: text or null over each), or nothing of these (words).
 * Gives the element and `select(i)`.
 */
function laneChart(lanes, count, choose, label) {
  const cell = count <= 40 ? Math.max(20, Math.min(110, Math.floor(880 / count))) : count <= 150 ? 18 : 8;
  const width = count * cell, height = lanes.length * LANE + 20;
  const chart = svg("svg", { class: "chart", width, height, role: "img", "aria-label": label });
  const labels = svg("svg", { class: "chart labels", width: 118, height, "aria-hidden": "true" });
  const cursor = svg("rect", { class: "cursor", y: 0, width: cell, height });
  chart.append(cursor);
  const every = cell >= 18 ? (count > 40 ? 5 : 1) : 20;
  for (let i = 0; i < count; i += every) chart.append(svg("text", { class: "dim", x: i * cell + 2, y: 14 }, String(i)));
  lanes.forEach((lane, k) => {
    const top = 20 + k * LANE;
    chart.append(svg("line", { class: "lane", x1: 0, x2: width, y1: top, y2: top }));
    const short = lane.label.length > 15 ? lane.label.slice(0, 14) + "…" : lane.label;
    labels.append(svg("text", { x: 6, y: top + 21, hint: lane.hint ?? (short === lane.label ? null : lane.label) }, short));
    drawLane(chart, lane, count, cell, top);
  });
  const over = el("div", { class: "over", tabindex: 0, role: "group", "aria-label": label }, chart);
  const at = (event) => {
    const box = chart.getBoundingClientRect();
    return [Math.min(count - 1, Math.max(0, Math.floor((event.clientX - box.left) / cell))), Math.floor((event.clientY - box.top - 20) / LANE)];
  };
  chart.addEventListener("click", (event) => choose(at(event)[0]));
  chart.addEventListener("pointermove", (event) => {
    const [i, k] = at(event);
    const text = lanes[k]?.texts[i];
    if (text === null || text === undefined) hideTip();
    else showTip(`${lanes[k].label}, state ${i}: ${text}`, event.clientX, event.clientY);
  });
  chart.addEventListener("pointerleave", hideTip);
  const select = (i) => {
    cursor.setAttribute("x", i * cell);
    if (i * cell < over.scrollLeft || (i + 1) * cell > over.scrollLeft + over.clientWidth) over.scrollLeft = i * cell - over.clientWidth / 2;
  };
  return { element: el("div", { class: width > 900 ? "lanes long" : width > 560 ? "lanes broad" : "lanes" }, labels, over), select };
}

function drawLane(chart, lane, count, cell, top) {
  const low = top + LANE - 4, high = top + 8;
  if (lane.sizes) {
    const bars = [], hot = [];
    lane.sizes.forEach((size, i) => {
      if (size === null) return;
      const tall = Math.max(1, size * (low - high - 4));
      (lane.signs?.[i] ? hot : bars).push(`M${i * cell + cell * 0.25} ${low}v${-tall}h${cell * 0.5}v${tall}z`);
      if (lane.signs?.[i]) chart.append(svg("text", { class: "strong", x: (i + 0.5) * cell, y: Math.max(top + 12, low - tall - 3), "text-anchor": "middle" }, lane.signs[i]));
    });
    chart.append(svg("path", { class: "on", d: bars.join("") }), svg("path", { class: "hot", d: hot.join("") }));
    return;
  }
  const key = lane.actions ?? lane.texts;
  const y = (value) => (lane.upper === lane.lower ? (low + high) / 2 : low - ((value - lane.lower) / (lane.upper - lane.lower)) * (low - high));
  if (lane.values) chart.append(svg("path", { class: "curve", d: lane.values.map((v, i) => `${i ? "V" : "M0 "}${y(v)}H${(i + 1) * cell}`).join("") }));
  for (let from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && key[to] === key[from];) to++;
    if (key[from] === null || key[from] === undefined) continue;
    drawSegment(chart, lane, from, from * cell, (to - from) * cell, top, lane.values ? y(lane.values[from]) : null);
  }
}

function drawSegment(chart, lane, from, x, width, top, curve) {
  const text = lane.actions ? actionGlyph(lane.actions[from]) : lane.texts[from];
  const fits = text.length * 7.2 + 4 <= width;
  if (lane.actions) {
    const variable = actionVariable(lane.actions[from]);
    chart.append(svg("rect", { x: x + 1, y: top + 5, width: width - 2, height: LANE - 10, rx: 3, style: { fill: `var(${variable})` } }));
    if (fits) chart.append(svg("text", { class: "strong", x: x + width / 2, y: top + 21, "text-anchor": "middle", style: { fill: `var(${variable}-ink)` } }, text));
    return;
  }
  if (curve !== null) {
    if (fits) chart.append(svg("text", { x: x + 2, y: curve > top + 20 ? curve - 3 : curve + 12 }, text));
    return;
  }
  const thin = lane.on && !lane.on[from];
  chart.append(svg("rect", { class: thin ? "axis" : "track", x: x + 1, y: thin ? top + LANE - 7 : top + 5, width: Math.max(1, width - 2), height: thin ? 3 : LANE - 10, rx: 2 }));
  if (fits) chart.append(svg("text", { x: x + width / 2, y: top + 21, "text-anchor": "middle" }, text));
}

/** A chart as a file of its own: what the style gives it is written into it, in the colours of paper. */
function svgText(chart) {
  const root = document.documentElement, before = root.className;
  root.className = "light";
  const copied = chart.cloneNode(true);
  const originals = [chart, ...chart.querySelectorAll("*")];
  [copied, ...copied.querySelectorAll("*")].forEach((made, i) => {
    const style = getComputedStyle(originals[i]);
    for (const property of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor"]) {
      made.setAttribute(property, style.getPropertyValue(property));
    }
    for (const gone of ["class", "style", "data-hint", "tabindex"]) made.removeAttribute(gone);
  });
  root.className = before;
  copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copied);
}

/** A chart with a caption and a button that saves it. */
function figure(chart, caption, file) {
  return el("figure", { class: "figure" }, el("div", { class: "chartbox" }, chart), el("figcaption", { class: "soft small" }, caption, " ", saveButton("Save as SVG", file, () => svgText(chart), { class: "copy" })));
}
