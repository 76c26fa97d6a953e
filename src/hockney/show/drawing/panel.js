// ---- marks: one path a series, so that thousands of samples are one element

const MARKS = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - r * 1.2}l${r * 1.2} ${r * 2}h${-r * 2.4}z`,
  (x, y, r) => `M${x} ${y - r * 1.3}l${r * 1.3} ${r * 1.3}l${-r * 1.3} ${r * 1.3}l${-r * 1.3} ${-r * 1.3}z`,
  (x, y, r) => `M${x} ${y + r * 1.2}l${r * 1.2} ${-r * 2}h${-r * 2.4}z`,
];


function colourOf(series) {
  return series.colour === null ? "quiet" : `c${(series.colour ?? 0) % COLOURS}`;
}

function markOf(series) {
  // Shifted each time the colours begin again, so that no two series look alike.
  const number = series.colour ?? 0;
  return MARKS[(number + Math.floor(number / COLOURS)) % MARKS.length];
}

const MARKED = new Set(["points", "curve", "pale", "hollow", "dots", "crosses"]);
const LINED = new Set(["curve", "pale", "line", "dashed", "dotted"]);
const styleOf = (series) => series.style ?? "curve";
const wordsOf = (series) => series.name || series.label;
const round = (value) => Math.round(value * 10) / 10;
const finite = (value) => value !== null && value !== undefined && Number.isFinite(value);

// One panel of a figure: axes, series, rules, bands; or a map of cells, or rows of bars.
class Panel {
  constructor(drawing, panel, first) {
    Object.assign(this, { drawing, panel, first, zoomed: null, at: null });
    this.frame = html("div", { class: "frame" });
  }

  get figure() {
    return this.drawing.figure;
  }

  get shown() {
    return (this.panel.series ?? []).filter((series) => !this.drawing.hidden.has(series.label));
  }

  start() {
    this.zoomed = null;
    this.at = null;
    this.draw();
  }

  draw() {
    this.tip?.remove();
    this.width = Math.max(this.frame.clientWidth || 700, 240);
    const { cells, bars } = this.panel;
    const svg = cells ? drawCells(this) : bars ? drawBars(this) : this.drawCurves();
    this.frame.replaceChildren(svg);
    this.svg = svg;
    if (!cells && !bars) listen(this);
  }

  drawCurves() {
    const share = this.first ? 0.5 : 0.3;
    this.height = Math.round(Math.min(this.first ? 420 : 280, Math.max(this.first ? 260 : 190, this.width * share)));
    this.box = { left: 72, right: this.width - 14, top: 16, bottom: this.height - 44 };
    this.axes();
    const { left, right, top, bottom } = this.box;
    const clip = `clip-${this.drawing.id}-${this.drawing.panels.indexOf(this)}`;
    const inside = make("g", { "clip-path": `url(#${clip})` }, ...this.shown.map((series) => this.drawSeries(series)));
    const label = `${this.figure.title}: ${this.panel.y.label}. Arrow keys go from mark to mark; the data table follows.`;
    return make("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "application", tabindex: 0, "aria-roledescription": "figure", "aria-label": label },
      make("defs", {}, make("clipPath", { id: clip }, make("rect", { x: left, y: top - 4, width: right - left, height: bottom - top + 8 }))),
      ...this.drawBands(), ...this.drawAxes(), inside, ...this.drawRules());
  }

  axes() {
    const { panel } = this;
    const every = panel.series ?? [];
    const along = (side) => [...(panel.rules ?? []).filter((rule) => (rule.across ?? "x") === side).map((rule) => rule.at),
      ...(panel.bands ?? []).filter((band) => (band.across ?? "x") === side).flatMap((band) => [band.low, band.high])];
    const xs = [...every.flatMap((series) => series.x), ...along("x")];
    const seen = this.shown.length ? this.shown : every;
    const ys = [...seen.flatMap((series) => [...series.y, ...(series.low ?? []), ...(series.high ?? [])]).filter(finite), ...along("y")];
    this.x = scale(panel.x, every.flatMap((series) => series.x));
    this.y = scale(panel.y, ys);
    const zero = (axis) => (axis.from_zero ? [0] : []);
    this.domain = this.zoomed ?? { x: extent(this.x, [...xs, ...zero(panel.x)], 0.03), y: extent(this.y, [...ys, ...zero(panel.y)], panel.y.from_zero ? 0.02 : 0.06) };
  }

  px(value) {
    const { left, right } = this.box;
    const [low, high] = this.domain.x;
    return left + ((this.x.to(value) - low) / (high - low)) * (right - left);
  }

  py(value) {
    const { top, bottom } = this.box;
    const [low, high] = this.domain.y;
    return bottom - ((this.y.to(value) - low) / (high - low)) * (bottom - top);
  }

  drawAxes() {
    const { left, right, top, bottom } = this.box;
    const { x: across, y: up } = this.panel;
    const parts = [];
    let last = -Infinity;
    for (const value of ticks(this.x, this.domain.x, Math.max(Math.floor((right - left) / 75), 2))) {
      const x = round(this.px(value));
      if (x < left - 1 || x > right + 1) continue;
      parts.push(make("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom }));
      if (x - last < NAME_WIDTH) continue;
      last = x;
      parts.push(make("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, format(across.quantity, value, 3)));
    }
    for (const value of ticks(this.y, this.domain.y, this.first ? 7 : 5)) {
      const y = round(this.py(value));
      parts.push(make("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
        make("text", { class: "tick", x: left - 6, y: y + 4, "text-anchor": "end" }, format(up.quantity, value, 3)));
    }
    return [...parts, make("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
      make("text", { x: right, y: this.height - 8, "text-anchor": "end" }, across.label),
      make("text", { x: 0, y: 11 }, up.label)];
  }

  drawBands() {
    const { left, right, top, bottom } = this.box;
    const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
    return (this.panel.bands ?? []).map(({ low, high, across }) => {
      const [a, b] = across === "y" ? [this.py(high), this.py(low)] : [this.px(low), this.px(high)];
      const [from, to] = across === "y" ? [clamp(a, top, bottom), clamp(b, top, bottom)] : [clamp(a, left, right), clamp(b, left, right)];
      return make("rect", across === "y" ? { class: "band", x: left, y: from, width: right - left, height: to - from }
        : { class: "band", x: from, y: top, width: to - from, height: bottom - top });
    });
  }

  drawRules() {
    const { left, right, top, bottom } = this.box;
    return (this.panel.rules ?? []).flatMap((rule) => {
      const colour = rule.colour === undefined || rule.colour === null ? "quiet" : `c${rule.colour % COLOURS}`;
      const upright = rule.across !== "y";
      const at = round(upright ? this.px(rule.at) : this.py(rule.at));
      if (upright ? at < left || at > right : at < top || at > bottom) return [];
      const line = make("path", { class: `rule ${colour}`, d: upright ? `M${at} ${top}V${bottom}` : `M${left} ${at}H${right}` });
      const place = upright ? { x: at - 4, y: top + 2, "text-anchor": "end", transform: `rotate(-90 ${at - 4} ${top + 2})` } : { x: left + 6, y: at - 4 };
      return rule.label ? [line, make("text", { class: "tick", ...place }, rule.label)] : [line];
    });
  }

  drawSeries(series) {
    const style = styleOf(series);
    const group = make("g", { class: `series ${style} ${colourOf(series)}`, "data-name": wordsOf(series) });
    const at = series.x.map((x, i) => [round(this.px(x)), finite(series.y[i]) ? round(this.py(series.y[i])) : NaN]);
    const known = at.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
    if (style === "steps") {
      const d = known.map(([x, y], i) => (i ? `H${x}V${y}` : `M${x} ${this.box.bottom}V${y}`)).join("");
      group.append(make("path", { class: "area", d: `${d}V${this.box.bottom}Z` }), make("path", { class: "path", d }));
      return group;
    }
    if (LINED.has(style)) group.append(make("path", { class: "path", d: known.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("") }));
    if (!MARKED.has(style)) return group;
    const bars = at.map(([x], i) => bar(this, series, x, i)).join("");
    if (bars) group.append(make("path", { class: "bar", d: bars }));
    group.append(make("path", { class: "mark", d: known.map(([x, y]) => this.mark(series, x, y)).join("") }));
    return group;
  }

  mark(series, x, y) {
    if (styleOf(series) === "crosses") return `M${x - 2.5} ${y - 2.5}l5 5m0 -5l-5 5`;
    const radius = styleOf(series) === "dots" ? 1.8 : series.colour === null ? 2 : 3.2;
    return markOf(series)(x, y, radius);
  }

  words(series, i) {
    const { x, y } = this.panel;
    const lines = [wordsOf(series), `${x.label}: ${format(x.quantity, series.x[i])}`, `${y.label}: ${format(y.quantity, series.y[i])}`];
    const [low, high] = [series.low?.[i], series.high?.[i]];
    if (finite(low) && finite(high)) lines.push(`from ${format(y.quantity, low)} to ${format(y.quantity, high)}`);
    return lines.join("\n");
  }

  // Shows what is known of one mark, and speaks it to a screen reader when a key asked.
  point(series, i, aloud) {
    this.forget();
    const [x, y] = [this.px(series.x[i]), this.py(series.y[i])];
    this.ring = make("circle", { class: "at", cx: x, cy: y, r: 6 });
    this.svg.append(this.ring);
    this.showTip(this.words(series, i), x, y);
    if (aloud) this.drawing.speak(this.words(series, i).replaceAll("\n", ", "));
  }

  showTip(words, x, y) {
    this.tip?.remove();
    this.tip = html("div", { class: "tip" }, words);
    this.frame.append(this.tip);
    const ratio = this.frame.clientWidth / this.width;
    const left = Math.min(x * ratio + 12, this.frame.clientWidth - this.tip.offsetWidth);
    this.tip.style.left = `${Math.max(left, 0)}px`;
    this.tip.style.top = `${Math.max(y * ratio - this.tip.offsetHeight - 10, 0)}px`;
  }

  forget() {
    this.tip?.remove();
    this.ring?.remove();
  }
}

function bar(view, series, x, i) {
  // An interval with one end unknown reaches from the mark to the other.
  const [low, high] = [series.low?.[i], series.high?.[i]];
  if ((!finite(low) && !finite(high)) || !finite(series.y[i])) return "";
  const [bottom, top] = [view.py(finite(low) ? low : series.y[i]), view.py(finite(high) ? high : series.y[i])];
  const foot = Number.isFinite(bottom) ? `M${x - 3} ${round(bottom)}h6m-3 0` : `M${x} ${view.box.bottom}`;
  return `${foot}V${round(top)}m-3 0h6`;
}
