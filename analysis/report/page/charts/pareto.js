// The objective over the price: every candidate that was run, and the Pareto front as steps.
"use strict";

// The least ratio of the greatest to the least objective of a logarithmic axis, as in design.svg: the best candidates
// lie close together.
const pareto_logarithmic_from = 4;

function pareto_points(chart) {
  const {y} = chart.options;
  const objective = column_named(chart, y);
  const price = column_named(chart, "price");
  const rows = objects_of(chart).filter((row) => typeof row[y] === "number");
  rows.sort((a, b) => (a.is_on_front === "yes") - (b.is_on_front === "yes"));  // the front lies over the others
  return rows.map((row) => ({
    price: row.price, y: row[y], low: row.interval_95_least ?? row[y], high: row.interval_95_greatest ?? row[y],
    series: row.algorithm, algorithm: row.algorithm, is_on_front: row.is_on_front === "yes", network: row.network,
    tip: {"": row.network, algorithm: row.algorithm, price: value_text(row.price, price.unit),
          [objective.label]: value_text(row[y], objective.unit), power: value_text(row.power_W, "W")},
  }));
}

// The budget, or null if it is far above all prices, which would then be drawn close together.
function shown_budget(chart, points) {
  const {budget} = chart.options;
  const greatest = greatest_of(points.map((point) => point.price));
  return typeof budget === "number" && budget < 2 * greatest ? budget : null;
}

function budget_marks(budget, text) {
  if (budget === null) return [];
  const is_left = `scale('x', ${budget}) < width / 2`;
  return [
    {type: "rule", aria: false, encode: {
      enter: {stroke: {value: "var(--ink)"}, strokeDash: {value: [1, 3]}},
      update: {x: {scale: "x", value: budget}, y: {value: 0}, y2: {signal: "height"}}}},
    {type: "text", aria: false, encode: {
      enter: {text: {value: `budget ${text}`}, y: {value: 9}},
      update: {x: {scale: "x", value: budget}, align: {signal: `${is_left} ? 'left' : 'right'`},
               dx: {signal: `${is_left} ? 5 : -5`}}}},
  ];
}

function pareto_spec(chart, points) {
  const {x, y, target} = chart.options;
  const budget = shown_budget(chart, points);
  const price = axis_over(chart, x);
  const up = axis_over(chart, y);
  const front = front_of(points);
  const names = dimension_named(chart, "algorithm").values;
  const heights = points.flatMap((point) => [point.low, point.high]).concat(typeof target === "number" ? [target] : []);
  const at = {x: {scale: "x", field: "price"}, y: {scale: "y", field: "y"}};
  const x_scale = price.scale([...points.map((point) => point.price), budget]);
  const y_scale = up.scale(heights, pareto_logarithmic_from);
  return {
    description: `${chart.title}: a Pareto front of ${front.length}, listed below` +
      (budget === null ? "" : `; the budget is ${value_text(budget, column_named(chart, x).unit)}`),
    height: 400,
    data: [{name: "points", values: points}, {name: "front", values: front}],
    scales: [
      {name: "x", range: "width", ...x_scale},
      {name: "y", range: "height", ...y_scale},
      series_scale("color", names, color_of_series),
      series_scale("shape", names, shape_of_series),
    ],
    axes: [
      {orient: "bottom", scale: "x", title: price.title, labelOverlap: "greedy", tickCount: 7, ...price.ticks(x_scale)},
      {orient: "left", scale: "y", title: up.title, grid: true, tickCount: 7, ...up.ticks(y_scale)},
    ],
    marks: [
      ...target_marks(target, value_text(target, up.unit)),
      ...budget_marks(budget, value_text(budget, column_named(chart, x).unit)),
      {type: "line", from: {data: "front"}, aria: false, interactive: false, encode: {
        enter: {stroke: {value: "var(--ink)"}, strokeWidth: {value: 1.6}, interpolate: {value: "step-after"}},
        update: at}},
      {type: "rule", from: {data: "points"}, aria: false, interactive: false, encode: {
        enter: {stroke: {scale: "color", field: "algorithm"}, strokeWidth: {value: 1.2}},
        update: {x: {scale: "x", field: "price"}, y: {scale: "y", field: "low"}, y2: {scale: "y", field: "high"}}}},
      {type: "symbol", from: {data: "points"}, aria: false, encode: {
        enter: {stroke: {scale: "color", field: "algorithm"}, shape: {scale: "shape", field: "algorithm"},
                fill: [{test: "datum.is_on_front", scale: "color", field: "algorithm"}, {value: "var(--paper)"}],
                size: {signal: "datum.is_on_front ? 150 : 50"}, strokeWidth: {value: 1.6},
                tooltip: {field: "tip"}}, update: at}},
      {type: "text", from: {data: "front"}, aria: false, interactive: false, encode: {
        enter: {text: {field: "letter"}, dx: {value: 10}, dy: {value: -10}, fontWeight: {value: 700}}, update: at}},
    ],
  };
}

// The candidates on the front by price, each with a letter.
function front_of(points) {
  const front = points.filter((point) => point.is_on_front).sort((a, b) => a.price - b.price);
  front.forEach((point, i) => { point.letter = i < 26 ? String.fromCharCode(65 + i) : String(i + 1); });
  return front;
}

chart_kinds.pareto = function (chart, holder) {
  const {x, y} = chart.options;
  const points = pareto_points(chart);
  const drawing = element("div");
  const words = (point) => `${point.letter}: ${point.network}, ${point.algorithm}: ` +
    `${value_text(point.price, column_named(chart, x).unit)}, ${value_text(point.y, column_named(chart, y).unit)}`;
  holder.append(drawing, element("ul", {class: "front", "aria-label": "The Pareto front"},
    ...front_of(points).map((point) => element("li", {}, unbroken(words(point))))));
  draw(drawing, pareto_spec(chart, points), {legend: drawn_legend(chart, "algorithm", points, {has_shape: true})});
};
