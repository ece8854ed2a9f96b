// A pen that has the calls of a canvas which the picture of the graph uses, and makes SVG of them: what is saved is what is on the screen, in lines and text.

class SvgPen {
  constructor(width, height, label) {
    this.root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px sans-serif", textAlign: "left", dash: [], way: "" });
  }

  setLineDash(dash) { this.dash = dash; }
  beginPath() { this.way = ""; }
  moveTo(...point) { this.go("M", point); }
  lineTo(...point) { this.go("L", point); }
  bezierCurveTo(...points) { this.go("C", points); }
  quadraticCurveTo(...points) { this.go("Q", points); }
  closePath() { this.way += "Z"; }
  go(letter, points) { this.way += letter + points.map(svgNumber).join(" "); }

  fill() { this.add("path", { d: this.way, ...this.filled() }); }
  stroke() { this.add("path", { d: this.way, ...this.stroked() }); }
  fillRect(x, y, w, h) { this.add("rect", { ...svgBox(x, y, w, h), ...this.filled() }); }
  strokeRect(x, y, w, h) { this.add("rect", { ...svgBox(x, y, w, h), ...this.stroked() }); }

  fillText(text, x, y) {
    const [, weight, size, family] = /^(\d+ )?([\d.]+)px (.*)$/.exec(this.font);
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    // A third of the size below the middle is where letters stand; not all readers of SVG know `dominant-baseline`.
    this.add("text", { x: svgNumber(x), y: svgNumber(y + size * 0.35), "font-size": size, "font-family": family, "font-weight": weight?.trim(), "text-anchor": anchor, ...this.filled() }, text);
  }

  filled() { return { fill: this.fillStyle, opacity: this.globalAlpha === 1 ? null : this.globalAlpha }; }

  stroked() {
    return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash.length ? this.dash.join(" ") : null,
      opacity: this.globalAlpha === 1 ? null : this.globalAlpha };
  }

  add(tag, attributes, ...children) { this.root.append(svg(tag, attributes, ...children)); }
  text() { return new XMLSerializer().serializeToString(this.root); }
}

const svgNumber = (value) => Number(value.toFixed(2));
const svgBox = (x, y, w, h) => ({ x: svgNumber(x), y: svgNumber(y), width: svgNumber(w), height: svgNumber(h) });

/** Do something in the colours of paper, whatever the theme. */
function onPaper(draw) {
  const root = document.documentElement, before = root.className;
  root.className = "light";
  colours.clear();
  try {
    return draw();
  } finally {
    root.className = before;
    colours.clear();
  }
}

/** The picture of a scene as the text of an SVG file. */
function sceneSvg(scene, label) {
  return onPaper(() => {
    const pen = new SvgPen(scene.width, scene.height, label);
    drawScene(pen, scene);
    return pen.text();
  });
}

/** The picture of a scene as a PNG file, with twice the pixels of the screen. */
function scenePng(scene) {
  const canvas = el("canvas", { width: scene.width * 2, height: scene.height * 2 });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  onPaper(() => drawScene(pen, scene));
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}
