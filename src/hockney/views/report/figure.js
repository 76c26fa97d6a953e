"use strict";
// Draws a figure of the page: axes, series, legend, zoom, and what is under the pointer.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const REACH = 28; // CSS pixels from a mark at which the pointer finds it
const ZOOM = 1.5; // of the keyboard and its buttons
const NAME_WIDTH = 40; // of a tick's name, so that none runs into the next
const COLOURS = 7;

function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// ---- numbers as people read them, with the units of the summary

function digits(value, count = 4) {
  return String(Number(value.toPrecision(count)));
}

function inUnits(value, units, digitsShown) {
  const [factor, unit] = units.find(([factor]) => Math.abs(value) >= factor) ?? units.at(-1);
  return `${digits(value / factor, digitsShown)} ${unit}`;
}

const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const RATES = [[2 ** 30, "GiB/s"], [2 ** 20, "MiB/s"], [2 ** 10, "KiB/s"], [1, "B/s"]];
const SIZES = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const FORMATS = {
  time: (value, count) => (value === 0 ? "0 s" : inUnits(value, TIMES, count)),
  rate: (value, count) => inUnits(value, RATES, count),
  size: (value) => {
    const [factor, unit] = SIZES.find(([factor]) => value && value % factor === 0) ?? [1, "B"];
    return `${value / factor} ${unit}`;
  },
  share: (value, count) => `${digits(100 * value, count)} %`,
  count: (value, count) => digits(value, count),
};

function format(kind, value, count) {
  return value === null || value === undefined ? "not known" : FORMATS[kind](value, count);
}

// ---- scales: `to` a coordinate that the axis is linear in; 0 bytes has a place left of the others

function scale(kind, logarithmic, values) {
  if (kind === "size") {
    const positive = values.filter((value) => value > 0);
    const zero = Math.log2(positive.length ? Math.min(...positive) : 1) - 1.5;
    return { kind, to: (value) => (value > 0 ? Math.log2(value) : zero), from: (at) => 2 ** at, zero };
  }
  if (logarithmic) return { kind, logarithmic, to: Math.log10, from: (at) => 10 ** at };
  return { kind, to: (value) => value, from: (at) => at };
}

function extent(axis, values, pad) {
  const at = values.map(axis.to).filter(Number.isFinite);
  if (!at.length) return [0, 1];
  let [low, high] = at.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const least = axis.logarithmic ? 0.15 : Math.abs(high) * 1e-6 || 1;
  if (high - low < least) [low, high] = [low - least / 2, high + least / 2];
  const margin = pad * (high - low);
  return [low - margin, high + margin];
}

function evenly(low, high, count, unit = 1) {
  const raw = (high - low) / unit / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = unit * power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

function ticks(axis, [low, high], count) {
  if (axis.kind === "size") {
    const [first, last] = [Math.ceil(low), Math.floor(high)];
    const step = [1, 2, 5, 10, 20].find((step) => (last - first) / step <= count) ?? 20;
    const powers = [];
    for (let power = first; power <= last; power++) if (power >= 0 && power % step === 0) powers.push(2 ** power);
    const zero = axis.zero !== undefined && axis.hasZero && low <= axis.zero && axis.zero <= high;
    return [...(zero ? [0] : []), ...powers.filter((size) => Math.log2(size) > axis.zero)];
  }
  if (axis.logarithmic && high - low > 0.7) {
    const factors = high - low < 2.5 ? [1, 2, 5] : [1];
    const every = Math.ceil((high - low) / count);
    const found = [];
    for (let decade = Math.floor(low); decade <= high; decade += every)
      for (const factor of factors) found.push(factor * 10 ** decade);
    return found.filter((value) => axis.to(value) >= low && axis.to(value) <= high);
  }
  const ends = axis.logarithmic ? [axis.from(low), axis.from(high)] : [low, high];
  const units = axis.kind === "rate" ? RATES : null;
  const unit = units ? (units.find(([factor]) => ends[1] >= factor) ?? [1])[0] : 1;
  const found = evenly(ends[0], ends[1], count, unit);
  return axis.kind === "count" ? found.filter(Number.isInteger) : found;
}

// ---- marks: one path a series, so that thousands of samples are one element

const MARKS = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - r * 1.2}l${r * 1.2} ${r * 2}h${-r * 2.4}z`,
  (x, y, r) => `M${x} ${y - r * 1.3}l${r * 1.3} ${r * 1.3}l${-r * 1.3} ${r * 1.3}l${-r * 1.3} ${-r * 1.3}z`,
  (x, y, r) => `M${x} ${y + r * 1.2}l${r * 1.2} ${-r * 2}h${-r * 2.4}z`,
];

function markOf(series) {
  // Shifted each time the colours begin again, so that no two series look alike.
  return MARKS[(series.colour + Math.floor(series.colour / COLOURS)) % MARKS.length];
}

const round = (value) => Math.round(value * 10) / 10;

class Figure {
  constructor(figure, element) {
    this.figure = figure;
    this.element = element;
    this.choice = figure.choices[0];
    const series = figure.choices.flatMap((choice) => choice.series);
    this.hidden = new Set(series.filter((one) => one.hidden).map((one) => one.name));
    this.frame = html("div", { class: "frame" });
    this.said = html("p", { class: "unseen", "aria-live": "polite" });
    element.append(this.controls(), this.frame, this.said, this.behind());
    this.start();
  }

  controls() {
    const { figure } = this;
    this.legend = html("ul", { class: "legend", "aria-label": `Series of ${figure.title}` });
    const row = html("div", { class: "controls" });
    if (figure.choices.length > 1) {
      const select = html("select", { id: `choose-${figure.id}` });
      figure.choices.forEach((choice, i) => select.append(html("option", { value: i }, choice.name)));
      select.addEventListener("change", () => {
        this.choice = figure.choices[select.value];
        this.start();
      });
      row.append(html("label", { for: select.id }, figure.choose), select);
    }
    const all = html("button", { type: "button" }, "See all");
    all.addEventListener("click", () => this.start());
    row.append(...(figure.kind === "xy" ? [all] : []), this.legend);
    return row;
  }

  start() {
    this.zoomed = null;
    this.at = null;
    this.fillLegend();
    this.draw();
    if (this.details.open) this.fillTable();
  }

  entries() {
    const { figure, choice } = this;
    return figure.kind === "xy" ? choice.series : figure.sorts.map((name, colour) => ({ name, colour, draw: "cell" }));
  }

  fillLegend() {
    this.legend.replaceChildren(...this.entries().map((series) => {
      const button = html("button", { type: "button", "aria-pressed": String(!this.hidden.has(series.name)) }, key(series), series.name);
      button.addEventListener("click", () => {
        const hide = !this.hidden.delete(series.name);
        if (hide) this.hidden.add(series.name);
        button.setAttribute("aria-pressed", String(!hide));
        this.at = null;
        this.draw();
      });
      return html("li", {}, button);
    }));
  }

  get shown() {
    return this.choice.series.filter((series) => !this.hidden.has(series.name));
  }

  draw() {
    this.tip?.remove();
    this.width = Math.max(this.frame.clientWidth || 700, 240);
    if (this.figure.kind === "cells") return drawCells(this);
    this.height = Math.round(Math.min(420, Math.max(260, this.width * 0.5)));
    this.box = { left: 66, right: this.width - 12, top: 12, bottom: this.height - 44 };
    this.axes();
    const clip = `clip-${this.figure.id}`;
    const { left, right, top, bottom } = this.box;
    const inside = make("g", { "clip-path": `url(#${clip})` }, ...this.shown.map((series) => this.drawSeries(series)));
    const label = `${this.figure.title}${this.choice.name ? `, ${this.choice.name}` : ""}`;
    this.svg = make("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "application", tabindex: 0,
      "aria-roledescription": "figure", "aria-label": `${label}. Arrow keys go from mark to mark; the data table follows.` },
      make("defs", {}, make("clipPath", { id: clip }, make("rect", { x: left, y: top - 4, width: right - left, height: bottom - top + 8 }))),
      ...this.drawAxes(), inside);
    this.frame.replaceChildren(this.svg);
    listen(this);
  }

  axes() {
    const { figure, choice } = this;
    const all = choice.series;
    const xs = all.flatMap((series) => series.x);
    this.x = scale(figure.x, figure.id === "distribution", xs);
    this.x.hasZero = figure.x === "size" && xs.includes(0);
    this.y = scale(figure.y, figure.logarithmic, []);
    const seen = this.shown.length ? this.shown : all;
    const ys = seen.flatMap((series) => [...series.y, ...(series.low ?? []), ...(series.high ?? [])]).filter((y) => y !== null);
    const floor = figure.y === "rate" || figure.id === "distribution" ? [0] : [];
    this.domain = this.zoomed ?? { x: extent(this.x, xs, 0.03), y: extent(this.y, [...ys, ...floor], floor.length ? 0.02 : 0.06) };
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
    const { figure } = this;
    const parts = [];
    const across = ticks(this.x, this.domain.x, Math.max(Math.floor((right - left) / 75), 2));
    const up = ticks(this.y, this.domain.y, 6);
    let last = -Infinity;
    for (const value of across) {
      const x = round(this.px(value));
      parts.push(make("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom }));
      if (x - last < NAME_WIDTH) continue;
      last = x;
      parts.push(make("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, format(figure.x, value, 3)));
    }
    for (const value of up) {
      const y = round(this.py(value));
      parts.push(make("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
        make("text", { class: "tick", x: left - 6, y: y + 4, "text-anchor": "end" }, format(figure.y, value, 3)));
    }
    parts.push(make("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
      make("text", { x: right, y: this.height - 8, "text-anchor": "end" }, figure.x_label));
    return parts;
  }

  drawSeries(series) {
    const group = make("g", { class: `series ${series.draw} c${series.colour % COLOURS}` });
    const at = series.x.map((x, i) => [round(this.px(x)), series.y[i] === null ? NaN : round(this.py(series.y[i]))]);
    const known = at.filter(([, y]) => Number.isFinite(y));
    if (series.draw === "steps") {
      group.append(make("path", { class: "path", d: known.map(([x, y], i) => (i ? `H${x}V${y}` : `M${x} ${this.box.bottom}V${y}`)).join("") }));
      return group;
    }
    if (series.draw !== "dots")
      group.append(make("path", { class: series.draw === "line" ? "path fit" : "path", d: known.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("") }));
    if (series.draw === "line") return group;
    const bars = at.map(([x], i) => bar(this, series, x, i)).join("");
    if (bars) group.append(make("path", { class: "bar", d: bars }));
    const radius = series.draw === "dots" && series.x.length > 60 ? 1.8 : 3.2;
    group.append(make("path", { class: "mark", d: known.map(([x, y]) => markOf(series)(x, y, radius)).join("") }));
    return group;
  }

  words(series, i) {
    const { figure } = this;
    const lines = [series.name, `${figure.x_label}: ${figure.id === "launches" ? Math.floor(series.x[i]) : format(figure.x, series.x[i])}`,
      `${figure.y_label}: ${format(figure.y, series.y[i])}`];
    if (series.low && series.low[i] !== null && series.high[i] !== null)
      lines.push(`from ${format(figure.y, series.low[i])} to ${format(figure.y, series.high[i])}`);
    return lines.join("\n");
  }

  // Shows what is known of one mark, and tells it to a screen reader when a key asked.
  point(series, i, aloud) {
    this.tip?.remove();
    this.ring?.remove();
    const [x, y] = [this.px(series.x[i]), this.py(series.y[i])];
    this.ring = make("circle", { class: "at", cx: x, cy: y, r: 6 });
    this.svg.append(this.ring);
    this.showTip(this.words(series, i), x, y);
    if (aloud) this.said.textContent = this.words(series, i).replaceAll("\n", ", ");
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

  behind() {
    this.details = html("details", {}, html("summary", {}, `Data of ${this.figure.title}`));
    this.details.addEventListener("toggle", () => this.details.open && this.fillTable());
    return this.details;
  }

  fillTable() {
    const { figure, choice } = this;
    const rows = figure.kind === "cells"
      ? choice.cells.map((cell) => [choice.columns[cell.column], choice.rows[cell.row], cell.value, cell.words])
      : choice.series.flatMap((series) => series.x.map((x, i) => [series.name, x, series.y[i], series.low?.[i] ?? null, series.high?.[i] ?? null]));
    const columns = figure.kind === "cells" ? ["column", "row", "seconds", "what"] : ["series", `${figure.x_label} (${unitOf(figure.x)})`,
      `${figure.y_label} (${unitOf(figure.y)})`, "low", "high"];
    this.details.querySelectorAll(":scope > :not(summary)").forEach((element) => element.remove());
    this.details.append(...dataTable(columns, rows, figure, choice));
  }
}

function unitOf(kind) {
  return { time: "s", size: "B", rate: "B/s", share: "1", count: "1" }[kind];
}

function bar(view, series, x, i) {
  const [low, high] = [series.low?.[i] ?? null, series.high?.[i] ?? null];
  if (low === null || high === null) return "";
  const bottom = view.py(low);
  return `M${x} ${Number.isFinite(bottom) ? round(bottom) : view.box.bottom}V${round(view.py(high))}`;
}

function key(series) {
  const icon = make("svg", { width: 22, height: 12, "aria-hidden": "true", class: `c${series.colour % COLOURS}` });
  if (series.draw === "cell") icon.append(make("rect", { class: "mark", x: 3, y: 0, width: 16, height: 12 }));
  else if (series.draw !== "dots") icon.append(make("path", { class: series.draw === "line" ? "path fit" : "path", d: "M0 6H22" }));
  if (series.draw === "points" || series.draw === "dots") icon.append(make("path", { class: "mark", d: markOf(series)(11, 6, 3.5) }));
  return icon;
}
