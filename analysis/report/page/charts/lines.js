// Lines over a number, one for each series, distinguished by color and dashes.
"use strict";

// Whether values other than 0 span more than a factor of 30.
function spans_decades(values) {
  const [least, greatest] = extent_of(values.filter((value) => value !== 0));
  return least > 0 && greatest / least > 30;
}

// The scale of values that span decades and contain zeros, which lie below the least positive value.
function decades_above_0(heights) {
  const [least, greatest] = extent_of(heights.filter((value) => value > 0));
  const constant = Math.max(least, 1e-6 * greatest);
  const ticks = [0];
  for (let power = Math.ceil(Math.log10(constant)); 10 ** power <= greatest; ++power) ticks.push(10 ** power);
  return {scale: {type: "symlog", constant, domain: [0, 1.2 * greatest], nice: false}, ticks};
}

// The scale and ticks of the y axis; `target` is null if there is none.
function height_scale(values, target) {
  const has_target = typeof target === "number";
  const heights = has_target ? [...values, target] : values;
  const is_log = spans_decades(values) && !(has_target && target <= 0);
  if (is_log && extent_of(values)[0] === 0) return decades_above_0(heights);
  if (!is_log) return {scale: {type: "linear", domain: extent_of(heights), zero: false, nice: true}};
  const domain = padded(heights, true);
  return {scale: {type: "log", domain, nice: false}, ticks: logarithmic_ticks(...domain)};
}

chart_kinds.lines = function (chart, holder) {
  const {x, y, color} = chart.options;
  const across = column_named(chart, x);
  const up = column_named(chart, y);
  const names = distinct(column_named(chart, color).values);
  const fitting_x = fitting_unit(across.unit, greatest_of(across.values));
  const fitting_y = fitting_unit(up.unit, greatest_of(up.values));
  const {target} = chart.options;
  const has_target = typeof target === "number";
  const {scale, ticks} = height_scale(up.values, target);
  const points = objects_of(chart).filter((row) => typeof row[y] === "number");
  if (points.length === 0) return holder.append(nothing_to_draw(`"${up.label}" is nowhere a number.`));
  const counts = new Map();
  for (const point of points) counts.set(point[color], (counts.get(point[color]) || 0) + 1);
  for (const point of points) {
    point.place = names.indexOf(point[color]);
    point.is_alone = counts.get(point[color]) === 1;
    point.tip = {"": point[color], [across.label]: value_text(point[x], across.unit),
                 [up.label]: value_text(point[y], up.unit)};
  }
  draw(holder, {
    description: `${chart.title}: lines of ${names.join(", ")}` +
      (has_target ? `; the target is ${value_text(target)}` : ""),
    height: 320,
    data: [{name: "points", values: points}],
    scales: [
      {name: "x", type: "linear", domain: {data: "points", field: x}, range: "width", zero: true, nice: false},
      {name: "y", range: "height", ...scale},
      series_scale("color", names, color_of_series),
      series_scale("dash", names, dash_of_series),
    ],
    axes: [
      {orient: "bottom", scale: "x", title: axis_title(across, fitting_x), tickCount: 7, ...scaled_labels(fitting_x)},
      {orient: "left", scale: "y", grid: true, title: axis_title(up, fitting_y), tickCount: 6,
       ...(ticks ? {values: ticks, ...exact_labels(fitting_y)} : scaled_labels(fitting_y))},
    ],
    marks: [
      ...target_marks(target, value_text(target)),
      {type: "group", from: {facet: {data: "points", name: "series", groupby: "place"}}, marks: [
        {type: "line", from: {data: "series"}, aria: false, interactive: false, encode: {
          enter: {stroke: {scale: "color", field: color}, strokeDash: {scale: "dash", field: color},
                  strokeWidth: {value: 2}},
          update: {x: {scale: "x", field: x}, y: {scale: "y", field: y}}}},
        {type: "symbol", from: {data: "series"}, aria: false, encode: {
          enter: {fill: {scale: "color", field: color}, size: {value: 30}, tooltip: {field: "tip"}},
          update: {x: {scale: "x", field: x}, y: {scale: "y", field: y},
                   fillOpacity: {signal: "datum.is_alone ? 1 : 0"}},  // a point without a line is visible
          hover: {fillOpacity: {value: 1}}}}]},
    ],
  }, {legend: series_legend(names, {has_dash: true})});
};

function target_marks(target, text) {
  if (typeof target !== "number") return [];
  return [
    {type: "rule", aria: false, encode: {
      enter: {stroke: {value: "var(--ink)"}, strokeDash: {value: [4, 4]}},
      update: {x: {value: 0}, x2: {signal: "width"}, y: {scale: "y", value: target}}}},
    {type: "text", aria: false, encode: {
      enter: {text: {value: `target ${text}`}, align: {value: "right"}, dy: {value: -5}},
      update: {x: {signal: "width"}, y: {scale: "y", value: target}}}},
  ];
}
