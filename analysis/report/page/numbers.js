// Texts of numbers: in a unit of a fitting size, with four digits.
"use strict";

const time_units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
const byte_units = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]];

// The unit that suits the greatest of some values, and its size in plain units.
function fitting_unit(unit, greatest) {
  const size = Math.abs(greatest);
  const pick = (units) => units.find((each) => size >= each[1]) || units[units.length - 1];
  if (!(size > 0)) return {unit, size: 1};
  if (unit === "s") {
    const [name, factor] = pick(time_units);
    return {unit: name, size: factor};
  }
  if (unit === "B" || unit === "B/s") {
    const [name, factor] = pick(byte_units);
    return {unit: unit === "B" ? name : name + "/s", size: factor};
  }
  return {unit, size: 1};
}

function is_there(value) {
  return value !== null && value !== undefined;
}

const most_digits = 4;

function is_out_of_digits(value) {
  return value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-4);
}

// A number with four digits, without trailing zeros.
function digits_text(value) {
  if (is_out_of_digits(value)) return value.toExponential(most_digits - 1);
  if (Number.isInteger(value) || Math.abs(value) >= 999.95) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(most_digits)));
}

// A number with so many digits, trailing zeros included.
function rounded_text(value, digits) {
  if (value === 0 || is_out_of_digits(value) || Math.abs(value) >= 999.95) return digits_text(value);
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  return value.toFixed(Math.max(0, digits - 1 - exponent));
}

// How many of the shown digits of a number precede its trailing zeros.
function digits_in(value) {
  return Number(value.toPrecision(most_digits)).toExponential().split("e")[0].replace(/[-.]/g, "").length;
}

// A count with its noun: "1 row", "18 rows".
function counted_text(count, name) {
  return `${count.toLocaleString("en-US")} ${name}${count === 1 ? "" : "s"}`;
}

// A value as text, with its unit: "118.2 ms"; an en dash if it is missing.
function value_text(value, unit) {
  if (!is_there(value) || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (unit === "%" && Math.abs(value) < 1e-6) return "0 %";  // a rounding error
  return text_in(fitting_unit(unit || "", value), value);
}

// A number in a given unit, for values side by side: "0.3892 s" beside "1.316 s". Counts lose trailing zeros.
function text_in(fitting, value) {
  if (!is_there(value)) return "–";
  if (!fitting.unit) return digits_text(value);
  const is_count = Number.isInteger(value) && !time_units.some(([name]) => name === fitting.unit);
  const shown = value / fitting.size;
  return `${is_count ? digits_text(shown) : rounded_text(shown, most_digits)} ${fitting.unit}`;
}

// Keeps lines from breaking between a number and its unit.
function unbroken(text) {
  return text.replace(/(\d) (?=(%|×|[mµn]?s|[kMGT]?B(\/s)?|W|[A-Z]{3})(?![\p{L}\d_]))/gu, "$1\u00a0");
}

// The least and the greatest number among values, which may be too many for the arguments of Math.min.
function extent_of(values) {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== "number") continue;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

function greatest_of(values) {
  let greatest = 0;
  for (const value of values)
    if (typeof value === "number" && Math.abs(value) > greatest) greatest = Math.abs(value);
  return greatest;
}
