"use strict";
// Draws figures from their descriptions (description.py): here elements, numbers and scales, then
// panels, maps of cells, and whole figures. The files are one script.

const SVG = "http://www.w3.org/2000/svg";
const NAME_WIDTH = 40; // CSS pixels of a tick's name, so that none runs into the next
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
  fraction: (value, count) => `${digits(100 * value, count)} %`,
  count: (value, count) => digits(value, count),
  number: (value, count) => digits(value, count),
  ratio: (value, count) => digits(value, count),
  date: (value) => new Date(value * 864e5).toISOString().slice(0, 10),
};

function format(kind, value, count) {
  return value === null || value === undefined ? "unknown" : FORMATS[kind](value, count);
}

// ---- scales: `to` a coordinate that the axis is linear in; 0 bytes has a place left of the others

function scale(axis, values) {
  const kind = axis.quantity;
  if (kind === "size") {
    const positive = values.filter((value) => value > 0);
    const zero = Math.log2(positive.length ? Math.min(...positive) : 1) - 1.5;
    return { kind, to: (value) => (value > 0 ? Math.log2(value) : zero), zero, hasZero: values.includes(0) };
  }
  if (!axis.logarithmic) return { kind, to: (value) => value };
  const binary = kind === "count" || kind === "rate";
  const [to, base] = binary ? [Math.log2, 2] : [Math.log10, 10];
  return { kind, logarithmic: true, base, to, values };
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

function powersOfTwo(low, high, count) {
  const [first, last] = [Math.ceil(low), Math.floor(high)];
  const step = [1, 2, 3, 5, 10, 20].find((step) => (last - first) / step <= count) ?? 20;
  const powers = [];
  for (let power = first; power <= last; power++) if (power % step === 0) powers.push(2 ** power);
  return powers;
}

const DECADES = [[1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9], [1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];

function decades(axis, [low, high], count) {
  const every = Math.ceil((high - low) / count / 1.5);
  let values = [];
  for (const factors of DECADES) {
    values = [];
    for (let decade = Math.floor(low); decade <= high; decade += every)
      for (const factor of factors) values.push(factor * 10 ** decade);
    values = values.filter((value) => axis.to(value) >= low && axis.to(value) <= high);
    if (values.length <= count) break;
  }
  return values;
}

function ticks(axis, [low, high], count) {
  if (axis.kind === "size") {
    const zero = axis.hasZero && low <= axis.zero && axis.zero <= high;
    const powers = powersOfTwo(Math.max(low, 0), high, count);
    return [...(zero ? [0] : []), ...powers.filter((size) => Math.log2(size) > axis.zero)];
  }
  if (axis.logarithmic && axis.kind === "count") return [...new Set(axis.values)].sort((a, b) => a - b);
  if (axis.logarithmic) return axis.base === 2 ? powersOfTwo(low, high, count) : decades(axis, [low, high], count);
  const units = axis.kind === "rate" ? RATES : null;
  const unit = units ? (units.find(([factor]) => high >= factor) ?? [1])[0] : 1;
  const even = evenly(low, high, count, unit);
  return axis.kind === "count" || axis.kind === "date" ? even.filter(Number.isInteger) : even;
}
