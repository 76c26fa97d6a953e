// ---- a whole figure: choice of alternatives, legend, panels, table of its data

class Drawing {
  constructor(data, element) {
    Object.assign(this, { id: data.id, data, element, figure: data.alternatives[0].figure });
    const series = data.alternatives.flatMap(({ figure }) => figure.panels.flatMap((panel) => panel.series ?? []));
    this.hidden = new Set(series.filter((curve) => curve.hidden).map((curve) => curve.label));
    this.frames = html("div", {});
    this.spoken = html("p", { class: "unseen", "aria-live": "polite" });
    this.caption = html("p", { class: "caption" });
    element.append(this.controls(), this.frames, this.caption, this.spoken, this.behind());
    this.choose(0);
  }

  controls() {
    const { alternatives, choose } = this.data;
    this.legend = html("ul", { class: "legend", "aria-label": `Legend of ${this.data.heading}` });
    const row = html("div", { class: "controls" });
    if (alternatives.length > 1) {
      const select = html("select", { id: `choose-${this.id}` });
      alternatives.forEach(({ name }, i) => select.append(html("option", { value: i }, name)));
      select.addEventListener("change", () => this.choose(Number(select.value)));
      row.append(html("label", { for: select.id }, choose), select);
    }
    this.all = html("button", { type: "button" }, "See all");
    this.all.addEventListener("click", () => this.start());
    row.append(this.all, this.legend);
    return row;
  }

  choose(number) {
    this.figure = this.data.alternatives[number].figure;
    this.panels = this.figure.panels.map((panel, i) => new Panel(this, panel, i === 0));
    this.frames.replaceChildren(...this.panels.map((panel) => panel.frame));
    this.caption.textContent = (this.figure.caption ?? []).join(" ");
    this.all.hidden = this.panels.every(({ panel }) => panel.cells || panel.bars);
    this.fillLegend();
    this.start();
  }

  start() {
    this.panels.forEach((panel) => panel.start());
    if (this.details.open) this.fillTable();
  }

  draw() {
    this.panels.forEach((panel) => panel.draw());
  }

  speak(words) {
    this.spoken.textContent = words;
  }

  // By label: all series of one label share an entry.
  entries() {
    const byLabel = new Map();
    for (const panel of this.figure.panels) {
      for (const series of panel.series ?? []) if (series.label) byLabel.set(series.label, [...(byLabel.get(series.label) ?? []), series]);
      for (const kind of panel.kinds ?? []) byLabel.set(kind.label, [{ ...kind, style: "cell" }]);
    }
    return [...byLabel];
  }

  fillLegend() {
    this.legend.replaceChildren(...this.entries().map(([label, series]) => {
      const button = html("button", { type: "button", "aria-pressed": String(!this.hidden.has(label)) }, key(series), label.replace("\n", ", "));
      button.addEventListener("click", () => {
        const hide = !this.hidden.delete(label);
        if (hide) this.hidden.add(label);
        button.setAttribute("aria-pressed", String(!hide));
        this.panels.forEach((panel) => (panel.at = null));
        this.draw();
      });
      return html("li", {}, button);
    }), ...this.bandEntries());
  }

  bandEntries() {
    const labels = this.figure.panels.flatMap((panel) => (panel.bands ?? []).map((band) => band.label).filter(Boolean));
    return [...new Set(labels)].map((label) => html("li", { class: "band-entry" }, label));
  }

  behind() {
    this.details = html("details", {}, html("summary", {}, `Data of ${this.data.heading}`));
    this.details.addEventListener("toggle", () => this.details.open && this.fillTable());
    return this.details;
  }

  fillTable() {
    this.details.querySelectorAll(":scope > :not(summary)").forEach((element) => element.remove());
    for (const panel of this.figure.panels) this.details.append(...dataTable(...panelRows(panel), this));
  }
}

const UNITS = { time: "s", size: "B", rate: "B/s", fraction: "1", ratio: "1", number: "1", count: "1", date: "days since 1970" };

function panelRows(panel) {
  if (panel.cells) {
    const rows = panel.cells.map((cell) => [panel.x.names[cell.column], panel.y.names[cell.row], cell.value, panel.kinds?.[cell.kind ?? 0]?.label ?? null, cell.words]);
    return [[panel.x.label, panel.y.label, "value", "kind", "what"], rows];
  }
  if (panel.bars) {
    const rows = panel.bars.map((bar) => [panel.y.names[bar.row], panel.kinds[bar.kind].label, bar.low, bar.high, bar.words]);
    return [[panel.y.label || "what", "kind", `from (${UNITS[panel.x.quantity]})`, `to (${UNITS[panel.x.quantity]})`, "part"], rows];
  }
  const rows = panel.series.flatMap((series) => series.x.map((x, i) => [wordsOf(series), x, series.y[i], series.low?.[i] ?? null, series.high?.[i] ?? null]));
  const unit = (axis) => `${axis.label} (${UNITS[axis.quantity]})`;
  return [["series", unit(panel.x), unit(panel.y), "low", "high"], rows];
}

function key(every) {
  const first = every[0];
  const icon = make("svg", { width: 22, height: 12, "aria-hidden": "true", class: `${styleOf(first)} ${colourOf(first)}` });
  if (first.style === "cell") {
    icon.append(...drawKind(first, { x: 3, y: 0, width: 16, height: 12 }, first.label));
    return icon;
  }
  const lined = every.find((series) => LINED.has(styleOf(series)) || styleOf(series) === "steps");
  if (lined) icon.append(make("g", { class: styleOf(lined) }, make("path", { class: "path", d: "M0 6H22" })));
  const marked = every.find((series) => MARKED.has(styleOf(series)));
  if (marked) icon.append(make("path", { class: "mark", d: styleOf(marked) === "crosses" ? "M8 3l6 6m0 -6l-6 6" : markOf(marked)(11, 6, 3.5) }));
  return icon;
}
