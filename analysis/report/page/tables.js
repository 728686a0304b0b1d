// A chart's data: columns with as many values each, shown as a table and given away as CSV.
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

// One object for each row, keyed by the columns' names: what Vega draws.
function objects_of(chart, rows) {
  const numbers = rows || Array.from({length: rows_in(chart)}, (_, row) => row);
  return numbers.map((row) => {
    const object = {row};
    for (const column of chart.columns) object[column.name] = column.values[row];
    return object;
  });
}

// What appears in a column, each once, in the order of its first appearance.
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

// What rounding leaves beside the greatest of a column is 0.
function text_in_column(column, row) {
  const value = column.values[row];
  column.greatest ??= greatest_of(column.values);
  const is_residue = typeof value === "number" && Math.abs(value) < 1e-12 * column.greatest;
  return value_text(is_residue ? 0 : value, column.unit);
}

function row_element(chart, row) {
  return element("tr", {}, ...chart.columns.map((column) => {
    const value = column.values[row];
    const text = text_in_column(column, row);
    if (typeof value === "number" || value === null) return element("td", {class: "number"}, text);
    return element("td", {class: text.length > 30 ? "words" : null}, text);
  }));
}

// Adds the next rows, and a button for those after them.
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
  const heads = chart.columns.map((column) => element("th", {scope: "col"}, column.label));
  const body = element("tbody");
  add_rows(body, chart, Array.from({length: rows_in(chart)}, (_, row) => row), 0);
  return element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...heads)),
                 body);
}

// "Data": the table, made when it is opened, and the CSV.
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
