// A chart's data: columns of equal length, shown as a table and exported as CSV.
"use strict";

function decoded_columns(columns) {
  return columns.map((column) => Array.isArray(column.values)
    ? column
    : {...column, values: column.values.places.map((place) => column.values.distinct[place])});
}

function column_named(chart, name) {
  return chart.columns.find((column) => column.name === name);
}

function rows_in(chart) {
  return chart.columns.length > 0 ? chart.columns[0].values.length : 0;
}

// An object for each row, with the names of columns as keys, as Vega takes data.
function objects_of(chart, rows) {
  const numbers = rows || Array.from({length: rows_in(chart)}, (_, row) => row);
  return numbers.map((row) => {
    const object = {row};
    for (const column of chart.columns) object[column.name] = column.values[row];
    return object;
  });
}

// The distinct values, in order of their first appearance.
function distinct(values) {
  return [...new Set(values)];
}

function csv_field(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv_text(chart, rows) {
  const numbers = rows || Array.from({length: rows_in(chart)}, (_, row) => row);
  const lines = [chart.columns.map((column) => csv_field(column.name)).join(",")];
  for (const row of numbers) lines.push(chart.columns.map((column) => csv_field(column.values[row])).join(","));
  return lines.join("\n") + "\n";
}

function download(name, text) {
  const link = document.createElement("a");
  link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(text);
  link.download = name;
  link.click();
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const rows_at_once = 200;

// A column together with the columns behind it that are the ends of its intervals.
function columns_together(chart, column) {
  const is_end = ({name}) => /_(least|greatest)(_|$)/.test(name);
  const {columns} = chart;
  let first = columns.indexOf(column);
  while (first > 0 && is_end(columns[first])) --first;
  let last = first + 1;
  while (last < columns.length && is_end(columns[last])) ++last;
  return columns.slice(first, last).filter(({unit}) => unit === column.unit);
}

// Whether a value is only a rounding error, compared with the greatest of its column, or for a percentage.
function is_residue(column, value, greatest) {
  return Math.abs(value) < (column.unit === "%" ? 1e-6 : 1e-12 * greatest);
}

// The unit and digits of a column: all numbers are in the unit that suits the greatest, and have as many digits as any
// of them needs; whole numbers have all their digits.
function look_of(chart, column) {
  if (column.look) return column.look;
  const together = columns_together(chart, column).map(({values}) => greatest_of(values));
  const fitting = fitting_unit(column.unit || "", greatest_of(together));
  const greatest = greatest_of(column.values);
  const shown = column.values.filter((value) => typeof value === "number" && !is_residue(column, value, greatest))
    .map((value) => value / fitting.size);
  const digits = shown.every(Number.isInteger) ? null
    : shown.reduce((most, value) => Math.max(most, digits_in(value)), 1);
  column.look = {fitting, digits, greatest};
  return column.look;
}

// A value as text without its unit, which is in the column's heading.
function text_in_column(chart, column, row) {
  const value = column.values[row];
  if (typeof value !== "number") return value_text(value);
  const {fitting, digits, greatest} = look_of(chart, column);
  if (is_residue(column, value, greatest)) return "0";
  const shown = value / fitting.size;
  return digits === null ? digits_text(shown) : rounded_text(shown, digits);
}

function text_with_unit(chart, column, row) {
  const {unit} = look_of(chart, column).fitting;
  const text = text_in_column(chart, column, row);
  return unit && typeof column.values[row] === "number" ? `${text} ${unit}` : text;
}

function head_of(chart, column) {
  return axis_title(column, look_of(chart, column).fitting);
}

function row_element(chart, row) {
  return element("tr", {}, ...chart.columns.map((column) => {
    const value = column.values[row];
    const text = text_in_column(chart, column, row);
    if (typeof value === "number" || value === null) return element("td", {class: "number"}, text);
    return element("td", {class: text.length > 30 ? "words" : null}, text);
  }));
}

// Adds the next rows, and a button that adds more.
function add_rows(body, chart, rows, begin) {
  const end = Math.min(rows.length, begin + rows_at_once);
  for (let i = begin; i < end; ++i) body.append(row_element(chart, rows[i]));
  if (end === rows.length) return;
  const more = element("button", {type: "button"}, `Show more of the ${counted_text(rows.length - end, "row")} left`);
  const holder = element("tr", {}, element("td", {colspan: chart.columns.length}, more));
  more.addEventListener("click", () => {
    holder.remove();
    add_rows(body, chart, rows, end);
  });
  body.append(holder);
}

function table_element(chart, caption) {
  const heads = chart.columns.map((column) => element("th", {scope: "col"}, head_of(chart, column)));
  const body = element("tbody");
  add_rows(body, chart, Array.from({length: rows_in(chart)}, (_, row) => row), 0);
  return element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...heads)),
                 body);
}

// The data below a chart: a table, which is made when it is first opened, and a button for the CSV.
function data_element(chart) {
  const holder = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": chart.title});
  const summary = element("summary", {}, `Data as a table (${counted_text(rows_in(chart), "row")})`);
  const details = element("details", {}, summary, holder);
  details.addEventListener("toggle", () => {
    if (details.open && holder.childElementCount === 0) holder.append(table_element(chart, chart.title));
  });
  const button = element("button", {type: "button", class: "csv",
                                    onclick: () => download(`${chart.id}.csv`, csv_text(chart))},
                         "Download CSV");
  button.setAttribute("aria-label", `Download the data of "${chart.title}" as CSV`);
  return element("div", {class: "data"}, details, button);
}
