// ---- maps of cells: a matrix of times, or the best algorithm of each cell

function drawCells(view) {
  const { panel, figure, width } = view;
  const { x, y, kinds = [] } = panel;
  const longest = Math.max(...y.names.map((name) => name.length));
  const left = Math.min(30 + 7 * longest, width * 0.32);
  const side = Math.max(Math.min((width - left - 8) / x.names.length, kinds.length ? 90 : 56), 3);
  const tall = kinds.length ? Math.min(side, 34) : side;
  view.height = Math.round(tall * y.names.length + 66 + (kinds.length ? 0 : 22));
  view.box = { left, top: 18, side, tall };
  const row = (at) => (y.downward ? at : y.names.length - 1 - at);
  const values = panel.cells.map((cell) => cell.value).filter((value) => value > 0);
  const [low, high] = colourRange(panel, values).map(Math.log);
  const strength = (value) => (high > low ? (Math.log(value) - low) / (high - low) : 0);
  const cells = panel.cells.filter((cell) => !view.drawing.hidden.has(kinds[cell.kind]?.label))
    .map((cell) => drawCell(view, cell, left + cell.column * side, 18 + row(cell.row) * tall, strength));
  const rules = (panel.rules ?? []).map((rule) => {
    const at = rule.across === "y" ? 18 + (y.downward ? rule.at + 0.5 : y.names.length - 0.5 - rule.at) * tall : left + (rule.at + 0.5) * side;
    const d = rule.across === "y" ? `M${left} ${at}h${side * x.names.length}` : `M${at} 18v${tall * y.names.length}`;
    const line = make("path", { class: "border", d });
    return make("g", {}, line, ...(rule.label ? [make("text", { class: "tick", x: left + 4, y: at - 3 }, rule.label)] : []));
  });
  const key = kinds.length ? [] : drawScale(view, left, ...colourRange(panel, values));
  return make("svg", { viewBox: `0 0 ${width} ${view.height}`, role: "img", "aria-label": `${figure.title}. The data table follows.` },
    ...cellNames(view, row), ...cells, ...rules, ...key,
    make("text", { x: 0, y: 11 }, y.label), make("text", { x: left + side * x.names.length, y: 18 + tall * y.names.length + 32, "text-anchor": "end" }, x.label));
}

// As colour_range() of description.py, with distinct() of heatmap.py.
function colourRange(panel, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!values.length) return [low, high];
  if (panel.scale?.quantity !== "size") return [low, high < 1.001 * low ? low : Math.max(high, 1.1 * low)];
  const first = 2 ** Math.floor(Math.log2(low));
  return [first, Math.max(2 ** Math.ceil(Math.log2(high)), 2 * first)];
}

function drawCell(view, cell, x, y, strength) {
  const { side, tall } = view.box;
  const kind = view.panel.kinds?.[cell.kind ?? 0];
  const place = { x, y, width: side, height: tall };
  const [rect, ...over] = kind ? drawKind(kind, place, cell.words)
    : [make("rect", { class: "cell", ...place, fill: shade(strength(cell.value)), "data-name": cell.words })];
  tipOf(view, rect, cell.words, x + side / 2, y);
  const text = cell.text && side > 26 ? [make("text", { class: "gain", x: x + side / 2, y: y + tall / 2 + 4, "text-anchor": "middle" }, cell.text)] : [];
  return make("g", {}, rect, ...over, ...text);
}

function tipOf(view, rect, words, x, y) {
  rect.addEventListener("pointerenter", () => view.showTip(words, x, y));
  rect.addEventListener("pointerleave", () => view.forget());
}

// As kind_looks() of files.py: the next hatching each time the colours are used up.
const HATCHES = [null, "url(#lines)", "url(#points)"];

// A rectangle in the colour of its kind, and over it the hatching.
function drawKind(kind, place, words) {
  if (kind.unknown) return [make("rect", { class: "cell", ...place, fill: "url(#hatch)", "data-name": words })];
  const number = kind.colour ?? null;
  const rect = make("rect", { class: `cell mark ${number === null ? "own" : `c${number % COLOURS}`}`, ...place, "data-name": words });
  const hatch = HATCHES[Math.floor(number / COLOURS) % HATCHES.length];
  return hatch ? [rect, make("rect", { class: "over", ...place, fill: hatch })] : [rect];
}

// Read alike by colour-blind readers and in grey: cividis (Nunez, Anderton & Renslow 2018).
const SHADES = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

function shade(strength) {
  const at = Math.min(Math.max(strength, 0), 0.9999) * (SHADES.length - 1);
  const [low, high] = [SHADES[Math.floor(at)], SHADES[Math.floor(at) + 1]];
  return `rgb(${low.map((value, i) => Math.round(value + (high[i] - value) * (at % 1))).join(" ")})`;
}

function drawScale(view, left, low, high) {
  const { box, panel } = view;
  const y = box.top + box.tall * panel.y.names.length + 42;
  const width = Math.min(160, view.width - left - 130);
  const steps = Array.from({ length: 40 }, (_, i) => make("rect", { x: left + 60 + (i * width) / 40, y, width: width / 40 + 0.5, height: 10, fill: shade(i / 39) }));
  const words = (value) => format(panel.scale.quantity, value, 3);
  return [...steps, make("text", { class: "tick", x: left + 54, y: y + 9, "text-anchor": "end" }, words(low)), make("text", { class: "tick", x: left + 66 + width, y: y + 9 }, words(high))];
}

// In the page once, and in no figure: what refers to a figure that is closed is not drawn.
function hatchings() {
  const pattern = (id, side, shape) => make("pattern", { id, width: side, height: side, patternUnits: "userSpaceOnUse" }, shape);
  const lines = { d: "M0 6L6 0M-1 1L1 -1M5 7L7 5" };
  return make("svg", { class: "unseen", "aria-hidden": "true" }, pattern("hatch", 6, make("path", { class: "hatch", ...lines })),
    pattern("lines", 6, make("path", { class: "lines", ...lines })), pattern("points", 4, make("circle", { class: "dot", cx: 2, cy: 2, r: 0.9 })));
}

function cellNames(view, row) {
  const { left, top, side, tall } = view.box;
  const { x, y } = view.panel;
  const every = Math.max(Math.ceil(52 / side), 1);
  const step = Math.max(Math.ceil(14 / tall), 1);
  const bottom = top + tall * y.names.length;
  return [
    ...y.names.map((name, i) => (i % step ? null : make("text", { class: "tick", x: left - 6, y: top + 4 + (row(i) + 0.5) * tall, "text-anchor": "end" }, name))),
    ...x.names.map((name, i) => (i % every ? null : make("text", { class: "tick", x: left + (i + 0.5) * side, y: bottom + 16, "text-anchor": "middle" }, name))),
  ].filter(Boolean);
}
