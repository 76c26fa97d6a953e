// ---- rows of bars: what a rank's or a call's time is made of

function drawBars(view) {
  const { panel, figure, width } = view;
  const { x, y, kinds } = panel;
  const longest = Math.max(...y.names.map((name) => name.length));
  const left = Math.min(14 + 6.6 * longest, width * 0.45);
  const tall = y.names.length > 16 ? 15 : 24;
  const bottom = 18 + tall * y.names.length;
  view.height = bottom + 40;
  view.box = { left, right: width - 14, top: 18, bottom };
  const ends = panel.bars.flatMap((bar) => [bar.low, bar.high]);
  view.x = scale(x, ends);
  const shown = panel.bars.filter((bar) => !view.drawing.hidden.has(kinds[bar.kind].label));
  view.domain = { x: x.logarithmic ? extent(view.x, ends, 0.04) : [0, (Math.max(...ends) || 1) * 1.03], y: [0, 1] };
  const row = (at) => (y.downward ? at : y.names.length - 1 - at);
  const names = y.names.map((name, i) => make("text", { class: "tick", x: left - 6, y: 22 + (row(i) + 0.5) * tall, "text-anchor": "end" }, name));
  return make("svg", { viewBox: `0 0 ${width} ${view.height}`, role: "img", "aria-label": `${figure.title}. The data table follows.` },
    ...barTicks(view), ...names, ...shown.flatMap((bar) => drawBar(view, bar, 18 + row(bar.row) * tall, tall)),
    make("text", { x: 0, y: 11 }, y.label), make("text", { x: view.box.right, y: view.height - 6, "text-anchor": "end" }, x.label));
}

function barTicks(view) {
  const { left, right, top, bottom } = view.box;
  return ticks(view.x, view.domain.x, Math.max(Math.floor((right - left) / 90), 2)).flatMap((value) => {
    const at = round(view.px(value));
    if (at < left - 1 || at > right + 1) return [];
    return [make("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }),
      make("text", { class: "tick", x: at, y: bottom + 15, "text-anchor": "middle" }, format(view.panel.x.quantity, value, 3))];
  });
}

function drawBar(view, bar, y, tall) {
  const kind = view.panel.kinds[bar.kind];
  const [from, to] = [view.px(bar.low), view.px(bar.high)];
  const place = { x: round(from), y: y + 0.14 * tall, width: Math.max(to - from, 0.5), height: 0.72 * tall };
  const [rect, ...over] = drawKind(kind, place, bar.words);
  tipOf(view, rect, bar.words, (from + to) / 2, y);
  if (finite(bar.at)) over.push(make("circle", { class: "value", cx: round(view.px(bar.at)), cy: y + tall / 2, r: 3 }));
  return [rect, ...over];
}
