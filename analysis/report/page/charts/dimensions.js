// Shared by charts over several dimensions: axes, and controls that choose dimensions and values.
"use strict";

// The least ratio of the greatest to the least value of a logarithmic axis: of any numbers, and of numbers that grow by
// factors. The same as in pictures (plot_axes.cpp), as is the next one (sweep_plot.cpp).
const logarithmic_from = 20;
const multiples_from = 4;
// The most numbers that each have a tick of their own.
const most_numbers_with_ticks = 8;

function dimension_named(chart, name) {
  return chart.options.dimensions.find((dimension) => dimension.name === name);
}

function varying_dimensions(chart) {
  return chart.options.dimensions.filter((dimension) => dimension.values.length > 1);
}

function names_of_varying(chart) {
  return varying_dimensions(chart).map((dimension) => dimension.name);
}

// Whether a dimension's value follows from those of `others`: rows that agree in these agree in it.
function follows_from(chart, name, others) {
  const columns = others.map((other) => column_named(chart, other).values);
  const met = new Map();
  return column_named(chart, name).values.every((value, row) => {
    const key = JSON.stringify(columns.map((values) => values[row]));
    if (!met.has(key)) met.set(key, value);
    return met.get(key) === value;
  });
}

// The dimensions that curves over x may differ in.
function names_beside(chart, x) {
  return names_of_varying(chart).filter((name) => name !== x && !follows_from(chart, name, [x]));
}

// The dimensions whose value must be chosen when some are shown: those that do not follow from these, or from ones
// that are chosen before.
function names_left(chart, shown) {
  const left = [];
  for (const name of names_of_varying(chart))
    if (!shown.includes(name) && !follows_from(chart, name, [...shown, ...left])) left.push(name);
  return left;
}

// Replaces choices that do not vary: x, which may also be a figure, y, and the dimension of colors.
function choose_what_varies(chart, state, figures) {
  const names = names_of_varying(chart);
  if (![...names, ...figures].includes(state.x))
    state.x = names.find((name) => dimension_named(chart, name).numbers) ?? names[0] ?? chart.options.x;
  if (!chart.options.figures.includes(state.y)) state.y = chart.options.figures[0];
  choose_color(chart, state);
}

// Chooses the dimension of colors, preferably one that has no more values than there are colors.
function choose_color(chart, state) {
  const colored = names_beside(chart, state.x);
  if (colored.includes(state.color)) return;
  const are_few = (name) => dimension_named(chart, name).values.length <= series_colors.length;
  state.color = colored.find(are_few) ?? colored[0] ?? chart.options.color;
}

function label_of(chart, name) {
  return column_named(chart, name).label;
}

function is_logarithmic(numbers, from = logarithmic_from) {
  const [least, greatest] = extent_of(numbers);
  return least > 0 && greatest / least >= from;
}

// Whether three or more numbers grow by factors rather than by differences, as 8, 16, 32 and 4, 8, 64 do: on a
// logarithmic axis the two closest ones are further apart. plot_axes.cpp has the same rule.
function are_multiples(numbers) {
  const sorted = distinct(numbers).sort((a, b) => a - b);
  const [least, greatest] = extent_of(sorted);
  if (sorted.length < 3 || least <= 0 || greatest < multiples_from * least) return false;
  const least_step = (places) => Math.min(...places.slice(1).map((place, i) => place - places[i])) /
    (places.at(-1) - places[0]);
  return least_step(sorted.map(Math.log)) > least_step(sorted);
}

// An axis of a dimension or a figure: its title, the place of a row on it, its scale, and its ticks.
function axis_over(chart, name) {
  const column = column_named(chart, name);
  const dimension = dimension_named(chart, name);
  if (dimension && !dimension.numbers) {
    return {
      title: column.label, place: (row) => column.values[row], is_ordinal: true,
      scale: () => ({type: "point", domain: dimension.values, padding: 0.5}),
      ticks: () => category_labels(dimension.values),
    };
  }
  const numbers = dimension ? dimension.numbers : column.values;
  const place = dimension
    ? (row) => dimension.numbers[dimension.values.indexOf(column.values[row])] : (row) => column.values[row];
  const unit = dimension ? dimension.unit : column.unit;
  const fitting = fitting_unit(unit, greatest_of(numbers));
  const has_values = dimension && numbers.length <= most_numbers_with_ticks;
  return {
    title: axis_title(column, fitting), place, is_ordinal: false, unit,
    scale: (used, from) => is_logarithmic(used, from) || (dimension && are_multiples(used))
      ? {type: "log", domain: padded(used, true), nice: false}
      : {type: "linear", domain: padded(used, false), nice: false, zero: false},
    ticks: (scale) => (has_values ? {values: numbers_inside(scale.domain, numbers), ...exact_labels(fitting)}
      : ticks_along(scale, fitting)),
  };
}

function numbers_inside([least, greatest], numbers) {
  return numbers.filter((number) => number >= least && number <= greatest);
}

// Labels of all categories, slanted if they do not fit side by side.
function category_labels(names) {
  const letters = names.reduce((most, name) => Math.max(most, name.length), 0);
  const is_narrow = `page_width - 70 < ${names.length} * min(170, 7 * ${letters} + 10)`;
  const either = (narrow, wide) => ({signal: `${is_narrow} ? ${narrow} : ${wide}`});
  return {labelOverlap: false, labelLimit: 170, encode: {labels: {update: {
    text: {signal: "cut_label(datum.value, domain('x'), 170)"},
    angle: either(-50, 0), align: either("'right'", "'center'"), baseline: either("'middle'", "'top'")}}}};
}

// A range from a little below the least to a little above the greatest number; from 0 if that is near.
function padded(numbers, is_log) {
  const [least, greatest] = extent_of(numbers);
  if (is_log) return [least / 1.2, greatest * 1.2];
  const reach = greatest - least || Math.abs(greatest) || 1;
  const from = least >= 0 && least < 0.6 * reach ? 0 : least - 0.06 * reach;
  return [from, greatest + 0.06 * reach];
}

function choices_of(chart, names) {
  return names.map((name) => ({value: name, text: label_of(chart, name)}));
}

// A select for each of these dimensions, which filters by its value.
function filter_choices(chart, dimensions, filters, may_be_all, changed) {
  return dimensions.map((dimension) => {
    const all = may_be_all ? [{value: "", text: "all"}] : [];
    const values = dimension.values.map((value, i) => ({value: String(i), text: value || "as in the base"}));
    return choice(label_of(chart, dimension.name), [...all, ...values], filters.get(dimension.name) ?? "",
                  (chosen) => { filters.set(dimension.name, chosen); changed(); });
  });
}

// A function that says whether a row has the chosen value of every dimension; "" stands for any value.
function row_filter(chart, dimensions, filters) {
  const wanted = dimensions.filter((dimension) => (filters.get(dimension.name) ?? "") !== "").map((dimension) =>
    [column_named(chart, dimension.name).values, dimension.values[Number(filters.get(dimension.name))]]);
  return (row) => wanted.every(([values, value]) => values[row] === value);
}
