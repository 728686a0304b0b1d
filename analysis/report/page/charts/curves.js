// A figure over a dimension, with a curve for each value of another dimension, and intervals as bands. Over values
// without an order there are only points.
"use strict";

const intervals_of_figures = {
  iteration_time_s: ["iteration_time_95_least_s", "iteration_time_95_greatest_s"],
  speedup: ["speedup_95_least", "speedup_95_greatest"],
};

// The tooltip of a point: all that varies, and the figure.
function curve_tip(chart, state, row, figure_texts) {
  const names = distinct([state.x, ...names_of_varying(chart)]).filter((name) => name !== state.color);
  const values = names.map((name) => [label_of(chart, name), column_named(chart, name).values[row]]);
  return {"": column_named(chart, state.color).values[row], ...Object.fromEntries(values), ...figure_texts};
}

function curve_points(chart, state, across, rows) {
  const figure = column_named(chart, state.y);
  const color = column_named(chart, state.color);
  const {values} = dimension_named(chart, state.color);
  const ends = (intervals_of_figures[state.y] || []).map((name) => column_named(chart, name));
  const points = [];
  for (const row of rows) {
    const y = figure.values[row];
    if (typeof y !== "number") continue;
    const [low, high] = ends.map((end) => end && end.values[row]);
    const interval = typeof low === "number"
      ? {"95 %": `${value_text(low, figure.unit)} to ${value_text(high, figure.unit)}`} : {};
    points.push({
      x: across.place(row), y, low: low ?? y, high: high ?? y, series: color.values[row],
      place: values.indexOf(color.values[row]),
      tip: curve_tip(chart, state, row, {[figure.label]: value_text(y, figure.unit), ...interval}),
    });
  }
  if (!across.is_ordinal) points.sort((a, b) => a.x - b.x);
  return points;
}

// The points whose intervals are drawn as bars, as no band can show them.
function intervals_as_bars(across, points) {
  const counts = new Map();
  for (const {series} of points) counts.set(series, (counts.get(series) || 0) + 1);
  return points.filter((point) => point.low < point.high && (across.is_ordinal || counts.get(point.series) === 1));
}

function interval_marks() {
  const rule = (update) => ({type: "rule", from: {data: "bars"}, aria: false, interactive: false, encode: {
    enter: {stroke: {scale: "color", field: "series"}, strokeWidth: {value: 1.6}}, update}});
  const end = (height) => rule({x: {scale: "x", field: "x", offset: -5}, x2: {scale: "x", field: "x", offset: 5},
                                y: {scale: "y", field: height}});
  return [rule({x: {scale: "x", field: "x"}, y: {scale: "y", field: "low"}, y2: {scale: "y", field: "high"}}),
          end("low"), end("high")];
}

function drawn_names(names, points) {
  const drawn = new Set(points.map((point) => point.series));
  return names.filter((name) => drawn.has(name));
}

// The legend of the series that are drawn; a series keeps its color, whichever others are drawn.
function drawn_legend(chart, color, points, looks) {
  const names = dimension_named(chart, color).values;
  const drawn = drawn_names(names, points);
  return series_legend(names, looks).filter((item) => drawn.includes(item.text));
}

function curves_spec(chart, state, across, points) {
  const figure = column_named(chart, state.y);
  const fitting = fitting_unit(figure.unit, greatest_of(points.map((point) => point.y)));
  const names = dimension_named(chart, state.color).values;
  const heights = points.flatMap((point) => [point.low, point.high]);
  const y_scale = is_logarithmic(points.map((point) => point.y)) && extent_of(heights)[0] > 0
    ? {type: "log", domain: padded(heights, true)} : {type: "linear", domain: padded(heights, false), zero: false};
  const x_scale = across.scale(points.map((point) => point.x));
  const facet = {data: "points", name: "series", groupby: "place"};  // names may be keys that every object has
  const series = (marks) => ({type: "group", from: {facet}, marks});
  const at = {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}};
  return {
    description: `${figure.label} over ${label_of(chart, state.x)}, curves of ${drawn_names(names, points).join(", ")}`,
    height: 360,
    data: [{name: "points", values: points}, {name: "bars", values: intervals_as_bars(across, points)}],
    scales: [
      {name: "x", range: "width", ...x_scale},
      {name: "y", range: "height", nice: false, ...y_scale},
      series_scale("color", names, color_of_series),
      series_scale("dash", names, dash_of_series),
      series_scale("shape", names, shape_of_series),
    ],
    axes: [
      {orient: "bottom", scale: "x", title: across.title, labelOverlap: "greedy", labelFlush: !across.is_ordinal,
       ...across.ticks(x_scale)},
      {orient: "left", scale: "y", grid: true, tickCount: 6, title: axis_title(figure, fitting),
       ...ticks_along(y_scale, fitting)},
    ],
    marks: [
      ...(across.is_ordinal ? [] : [series([{type: "area", from: {data: "series"}, aria: false, interactive: false, encode: {
        enter: {fill: {scale: "color", field: "series"}, fillOpacity: {value: 0.16}},
        update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "low"}, y2: {scale: "y", field: "high"}}}}]),
      series([{type: "line", from: {data: "series"}, aria: false, interactive: false, encode: {
        enter: {stroke: {scale: "color", field: "series"}, strokeDash: {scale: "dash", field: "series"},
                strokeWidth: {value: 2}}, update: at}}])]),
      ...interval_marks(),
      {type: "symbol", from: {data: "points"}, aria: false, encode: {
        enter: {stroke: {scale: "color", field: "series"}, shape: {scale: "shape", field: "series"},
                fill: {value: "var(--paper)"}, strokeWidth: {value: 1.6}, size: {value: 48}, tooltip: {field: "tip"}},
        update: at}},
    ],
  };
}

// Initially filters by the values of the first row that has the figure.
function choose_first_row_with(chart, state) {
  const found = column_named(chart, state.y).values.findIndex((value) => typeof value === "number");
  const row = Math.max(0, found);
  for (const {name, values} of chart.options.dimensions)
    state.filters.set(name, String(values.indexOf(column_named(chart, name).values[row])));
}

chart_kinds.curves = function (chart, holder) {
  const {x, y, color} = chart.options;
  const state = {x, y, color, filters: new Map()};
  const controls = element("div", {class: "controls"});
  const drawing = element("div");
  holder.append(controls, drawing);
  const all = Array.from({length: rows_in(chart)}, (_, row) => row);
  choose_what_varies(chart, state, []);
  choose_first_row_with(chart, state);
  const show = () => {
    choose_color(chart, state);
    const names = names_of_varying(chart);
    const left = names_left(chart, [state.x, state.color]);
    const others = left.map((name) => dimension_named(chart, name));
    const following = names.filter((name) => ![state.x, state.color, ...left].includes(name));
    const pick = (key) => (chosen) => { state[key] = chosen; show(); };
    replace_controls(controls, [
      choice("show", choices_of(chart, chart.options.figures), state.y, pick("y")),
      choice("over", choices_of(chart, names), state.x, pick("x")),
      choice("curves of", choices_of(chart, names_beside(chart, state.x)), state.color, pick("color")),
      ...filter_choices(chart, others, state.filters, false, show),
      ...following.map((name) => choice(label_of(chart, name), [{text: "varies with the others"}]))]);
    const across = axis_over(chart, state.x);
    const points = curve_points(chart, state, across, all.filter(row_filter(chart, others, state.filters)));
    const legend = drawn_legend(chart, state.color, points, {has_dash: !across.is_ordinal, has_shape: true});
    const reason = `no run has "${label_of(chart, state.y)}" with these values.`;
    if (points.length > 0) redraw(drawing, curves_spec(chart, state, across, points), {legend});
    else drawing.replaceChildren(nothing_to_draw(reason));
  };
  show();
};
