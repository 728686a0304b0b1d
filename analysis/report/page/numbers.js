// How numbers are shown: with a unit of a fitting size, and four digits.
"use strict";

const time_units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
const byte_units = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]];

// The unit, and how much of the plain unit it is, that suits the greatest of such values.
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

function digits_text(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(3);
  if (Number.isInteger(value) || size >= 999.95) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(4)));
}

// "1 row", "18 rows".
function counted_text(count, name) {
  return `${count.toLocaleString("en-US")} ${name}${count === 1 ? "" : "s"}`;
}

// "118.2 ms"; an en dash for what is not there.
function value_text(value, unit) {
  if (!is_there(value) || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (unit === "%" && Math.abs(value) < 1e-6) return "0 %";  // what rounding leaves
  const fitting = fitting_unit(unit || "", value);
  const text = digits_text(value / fitting.size);
  return fitting.unit ? `${text} ${fitting.unit}` : text;
}

// The least and the greatest of the numbers among values, which may be too many to be arguments of Math.min.
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
