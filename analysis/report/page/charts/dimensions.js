// What charts over several dimensions share: values along an axis, and controls that choose.
"use strict";

const logarithmic_from = 20; // greatest over least

function dimension_named(chart, name) {
  return chart.options.dimensions.find((dimension) => dimension.name === name);
}

function varying_dimensions(chart) {
  return chart.options.dimensions.filter((dimension) => dimension.values.length > 1);
}

function label_of(chart, name) {
  return column_named(chart, name).label;
}

function is_logarithmic(numbers) {
  const [least, greatest] = extent_of(numbers);
  return least > 0 && greatest / least >= logarithmic_from;
}

// An axis of a dimension or a figure: how a row's place on it is told, its scale and its labels.
function axis_over(chart, name) {
  const column = column_named(chart, name);
  const dimension = dimension_named(chart, name);
  if (dimension && !dimension.numbers) {
    return {
      title: column.label, place: (row) => column.values[row], is_ordinal: true, values: dimension.values,
      scale: () => ({type: "point", domain: dimension.values, padding: 0.5}), labels: category_labels(dimension.values),
    };
  }
  const numbers = dimension ? dimension.numbers : column.values;
  const place = dimension
    ? (row) => dimension.numbers[dimension.values.indexOf(column.values[row])] : (row) => column.values[row];
  const unit = dimension ? dimension.unit : column.unit;
  const fitting = fitting_unit(unit, greatest_of(numbers));
  const has_values = dimension && numbers.length <= 10;
  return {
    title: axis_title(column, fitting), place, is_ordinal: false, unit,
    values: has_values ? numbers : null,
    scale: (used) => is_logarithmic(used) ? {type: "log", domain: padded(used, true), nice: false}
      : {type: "linear", domain: padded(used, false), nice: false, zero: false},
    labels: has_values ? exact_labels(fitting) : scaled_labels(fitting),
  };
}

// Every category has its label: aslant where they do not fit side by side.
function category_labels(names) {
  const letters = names.reduce((most, name) => Math.max(most, name.length), 0);
  const is_narrow = `page_width - 70 < ${names.length} * min(170, 7 * ${letters} + 10)`;
  const either = (narrow, wide) => ({signal: `${is_narrow} ? ${narrow} : ${wide}`});
  return {labelOverlap: false, labelLimit: 170, encode: {labels: {update: {
    angle: either(-50, 0), align: either("'right'", "'center'"), baseline: either("'middle'", "'top'")}}}};
}

// From a little below the least to a little above the greatest; from 0 where that is near.
function padded(numbers, is_log) {
  const [least, greatest] = extent_of(numbers);
  if (is_log) return [least / 1.12, greatest * 1.12];
  const reach = greatest - least || Math.abs(greatest) || 1;
  const from = least >= 0 && least < 0.6 * reach ? 0 : least - 0.06 * reach;
  return [from, greatest + 0.06 * reach];
}

function choices_of(chart, names) {
  return names.map((name) => ({value: name, text: label_of(chart, name)}));
}

// A select for each dimension that is not shown otherwise.
function filter_choices(chart, dimensions, filters, may_be_all, changed) {
  return dimensions.map((dimension) => {
    const all = may_be_all ? [{value: "", text: "all"}] : [];
    const values = dimension.values.map((value, i) => ({value: String(i), text: value || "as in the base"}));
    return choice(label_of(chart, dimension.name), [...all, ...values], filters.get(dimension.name) ?? "",
                  (chosen) => { filters.set(dimension.name, chosen); changed(); });
  });
}

// Tells whether a row has the chosen value of every dimension; "" is any.
function row_filter(chart, dimensions, filters) {
  const wanted = dimensions.filter((dimension) => (filters.get(dimension.name) ?? "") !== "").map((dimension) =>
    [column_named(chart, dimension.name).values, dimension.values[Number(filters.get(dimension.name))]]);
  return (row) => wanted.every(([values, value]) => values[row] === value);
}
