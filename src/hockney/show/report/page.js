// What the reader does: pointer, keys, tables, downloads.

const DATA = JSON.parse(document.getElementById("data").textContent);
const REACH = 28; // CSS pixels from a mark at which the pointer finds it
const PAPER = "18cm"; // within the margins of A4 and Letter
const ZOOM = 1.5; // of the keyboard

function nearest(view, x, y) {
  let best = null;
  for (const series of view.shown)
    series.x.forEach((value, i) => {
      if (!finite(series.y[i])) return;
      const distance = Math.hypot(view.px(value) - x, view.py(series.y[i]) - y);
      if (distance < (best?.distance ?? REACH)) best = { distance, series, i };
    });
  return best;
}

function listen(view) {
  const { svg, box } = view;
  let from = null;
  let zone = null;
  const inside = (event) => {
    const bounds = svg.getBoundingClientRect();
    const ratio = view.width / bounds.width;
    const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
    return [clamp((event.clientX - bounds.left) * ratio, box.left, box.right), clamp((event.clientY - bounds.top) * ratio, box.top, box.bottom)];
  };
  svg.addEventListener("pointerdown", (event) => {
    from = event.pointerType === "mouse" && event.button === 0 ? inside(event) : null;
    if (from) svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    const [x, y] = inside(event);
    if (from) {
      zone?.remove();
      zone = make("rect", { class: "zone", x: Math.min(x, from[0]), y: Math.min(y, from[1]), width: Math.abs(x - from[0]), height: Math.abs(y - from[1]) });
      svg.append(zone);
      return;
    }
    const mark = nearest(view, x, y);
    if (mark) view.point(mark.series, mark.i, false);
    else view.forget();
  });
  svg.addEventListener("pointerup", (event) => {
    const to = inside(event);
    const start = from;
    from = null;
    zone?.remove();
    if (start && Math.abs(to[0] - start[0]) > 8 && Math.abs(to[1] - start[1]) > 8) zoomTo(view, start, to);
  });
  svg.addEventListener("pointerleave", () => view.forget());
  svg.addEventListener("dblclick", () => view.start());
  svg.addEventListener("keydown", (event) => pressed(view, event));
}

function zoomTo(view, [x0, y0], [x1, y1]) {
  const { left, right, top, bottom } = view.box;
  const part = ([low, high], fraction) => low + fraction * (high - low);
  const xs = [x0, x1].map((x) => part(view.domain.x, (x - left) / (right - left)));
  const ys = [y0, y1].map((y) => part(view.domain.y, (bottom - y) / (bottom - top)));
  view.zoomed = { x: [Math.min(...xs), Math.max(...xs)], y: [Math.min(...ys), Math.max(...ys)] };
  view.at = null;
  view.draw();
}

function zoomBy(view, factor) {
  const around = ([low, high], centre) => [centre - (centre - low) / factor, centre + (high - centre) / factor];
  const middle = ([low, high]) => (low + high) / 2;
  const { at, domain } = view;
  const series = at && view.shown[at.series];
  const x = series ? view.x.to(series.x[at.i]) : middle(domain.x);
  const y = series ? view.y.to(series.y[at.i]) : middle(domain.y);
  view.zoomed = { x: around(domain.x, x), y: around(domain.y, y) };
  view.draw();
  view.svg.focus();
  if (series) view.point(series, at.i, true);
}

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function pressed(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") zoomBy(view, ZOOM);
  else if (event.key === "-") zoomBy(view, 1 / ZOOM);
  else if (event.key === "0") { view.start(); view.svg.focus(); }
  else if (event.key === "Escape") view.forget();
  else if (MOVES[event.key] && view.shown.length) move(view, MOVES[event.key]);
  else return;
  event.preventDefault();
}

function move(view, [series, along]) {
  const { shown } = view;
  const now = view.at ?? { series: 0, i: -along };
  const next = (now.series + series + shown.length) % shown.length;
  const x = shown[now.series].x[Math.max(now.i, 0)];
  const closest = (of) => of.x.reduce((best, value, i) => (Math.abs(value - x) < Math.abs(of.x[best] - x) ? i : best), 0);
  const i = series ? closest(shown[next]) : Math.min(Math.max(now.i + along, 0), shown[next].x.length - 1);
  view.at = { series: next, i };
  if (!finite(shown[next].y[i])) view.drawing.speak("unknown");
  else view.point(shown[next], i, true);
}

// ---- tables and downloads

function csvCell(value) {
  if (value === null || value === undefined) return "";
  let text = Array.isArray(value) ? value.join(" ") : String(value);
  // A spreadsheet would run a label that begins like a formula.
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function download(name, text, type) {
  const link = html("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function downloadCsv(name, rows) {
  download(`${name}.csv`, rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n", "text/csv");
}

function sortBy(table, column, heading) {
  const descending = heading.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("th").forEach((other) => other.setAttribute("aria-sort", "none"));
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const unknown = (text) => text === "-" || text === "";
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (unknown(x) || unknown(y)) return unknown(x) - unknown(y);
    const numeric = !Number.isNaN(Number(x)) && !Number.isNaN(Number(y));
    return (numeric ? Number(x) - Number(y) : x.localeCompare(y)) * (descending ? -1 : 1);
  });
  table.tBodies[0].append(...rows);
}

function enliven(table) {
  table.querySelectorAll("th").forEach((heading, column) =>
    heading.querySelector("button")?.addEventListener("click", () => sortBy(table, column, heading)));
}

function tableRows(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent.trim()));
}

function dataTable(columns, rows, drawing) {
  const body = html("tbody", {}, ...rows.slice(0, 500).map((row) => html("tr", {}, ...row.map((cell) => html("td", {}, cell === null ? "-" : String(cell))))));
  const head = html("thead", {}, html("tr", {}, ...columns.map((name) => html("th", { scope: "col", "aria-sort": "none" }, html("button", { type: "button", class: "sort" }, name)))));
  const more = rows.length > 500 ? `; the first 500 of ${rows.length} rows` : "";
  const title = `${drawing.figure.title}${more}`;
  const table = html("table", {}, html("caption", {}, title), head, body);
  enliven(table);
  const button = html("button", { type: "button" }, "Download as CSV");
  button.addEventListener("click", () => downloadCsv(drawing.id, [columns, ...rows]));
  return [html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table), html("p", { class: "tools" }, button)];
}

function allPoints() {
  const names = [...new Set(DATA.systems.flatMap((system) => system.show.points.flatMap(Object.keys)))];
  return [["system", ...names], ...DATA.systems.flatMap((system) => system.show.points.map((point) => [system.label, ...names.map((name) => point[name])]))];
}

document.querySelectorAll("table[data-name]").forEach((table) => {
  enliven(table);
  const button = table.parentElement.nextElementSibling.querySelector("button");
  button.addEventListener("click", () => downloadCsv(table.dataset.name, tableRows(table)));
});
document.getElementById("all-csv").addEventListener("click", () => downloadCsv("hockney-points", allPoints()));
document.getElementById("all-json").addEventListener("click", () => download("hockney-report.json", JSON.stringify(DATA, null, 1), "application/json"));

document.body.append(hatchings());
const DRAWINGS = [...document.querySelectorAll("figure[data-figure]")].map((element) => new Drawing(DATA.figures[element.dataset.figure], element));
let waiting = null;
window.addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => DRAWINGS.forEach((drawing) => drawing.draw()), 100);
});
// What is closed on a screen is printed, and drawn again at its width once it is opened.
const CLOSED = document.querySelectorAll("details.whole");
for (const whole of CLOSED) whole.addEventListener("toggle", () => DRAWINGS.forEach((drawing) => drawing.draw()));
// A figure of the screen's width would be scaled to the paper, and its text with it.
function drawAt(width) {
  document.body.style.maxWidth = width;
  DRAWINGS.forEach((drawing) => drawing.draw());
}
window.addEventListener("beforeprint", () => {
  CLOSED.forEach((whole) => { whole.open = true; });
  drawAt(PAPER);
});
window.addEventListener("afterprint", () => drawAt(""));
document.documentElement.dataset.drawn = String(Math.round(performance.now()));
