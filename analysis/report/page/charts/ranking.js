// The greatest of many values, a bar for each, for one algorithm at a time.
"use strict";

const most_bars = 15;

// A function that writes values with equally many decimals, by which the greatest has three digits. A value that would
// be rounded to 0 is shown as less than the last digit ("< 0.01").
function even_texts(values, fitting) {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(greatest_of(values) / fitting.size || 1)));
  const least = 10 ** -digits;
  const unit = fitting.unit ? ` ${fitting.unit}` : "";
  return (value) => {
    const shown = value / fitting.size;
    if (Math.abs(shown) < 1e-6 * least) return `0${unit}`;
    if (Math.abs(shown) < least / 2) return `${shown < 0 ? "> -" : "< "}${least.toFixed(digits)}${unit}`;
    return `${shown.toFixed(digits)}${unit}`;
  };
}

// Bars have a name, a value, a text at their end, a color and, optionally, a tip and an interval (low, high). Bars of
// negative values, and their texts, extend to the left.
function ranking_spec(title, bars, axis) {
  const shown = bars.toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, most_bars);
  const left = shown.reduce((most, bar) => Math.max(most, bar.value < 0 ? text_width(bar.text) + 8 : 0), 0);
  const ends = shown.flatMap((bar) => [bar.low, bar.value, bar.high]);
  return {
    description: `${title}: ${shown.map((bar) => `${bar.name} ${bar.text}`).join(", ")}`,
    height: shown.length * 24,
    data: [{name: "bars", values: shown}],
    scales: [
      {name: "x", type: "linear", domain: axis.domain || range_with_zero(ends),
       range: [left, bars_range(130)[1]], nice: false},
      {name: "y", type: "band", domain: shown.map((bar) => bar.name), range: "height", padding: 0.25},
    ],
    axes: [{orient: "bottom", scale: "x", title: axis.title, grid: true, tickCount: 6, ...axis.labels},
           {orient: "left", scale: "y", domain: false, ticks: false, labelPadding: 6, ...name_labels("y")}],
    marks: [
      {type: "rect", from: {data: "bars"}, aria: false, encode: {
        enter: {fill: {field: "color"}, y: {scale: "y", field: "name"}, height: {scale: "y", band: 1},
                tooltip: {field: "tip"}},
        update: {x: {scale: "x", value: 0}, x2: {scale: "x", field: "value"}}}},
      {type: "rule", from: {data: "bars"}, aria: false, interactive: false, encode: {
        enter: {stroke: {value: "var(--ink)"}, opacity: {signal: "isValid(datum.low) ? 1 : 0"},
                y: {scale: "y", field: "name", band: 0.5}},
        update: {x: {scale: "x", signal: "isValid(datum.low) ? datum.low : datum.value"},
                 x2: {scale: "x", signal: "isValid(datum.high) ? datum.high : datum.value"}}}},
      {type: "text", from: {data: "bars"}, aria: false, encode: {
        enter: {text: {field: "text"}, baseline: {value: "middle"}, dx: {signal: "datum.value < 0 ? -5 : 5"},
                align: {signal: "datum.value < 0 ? 'right' : 'left'"}},
        update: {x: {scale: "x", signal: "datum.value < 0 ? min(datum.value, isValid(datum.low) ? datum.low : 0)" +
                                         " : max(datum.value, isValid(datum.high) ? datum.high : 0)"},
                 y: {scale: "y", field: "name", band: 0.5}}}},
    ],
  };
}

// Options are names of columns: a bar's value and name, and, optionally, its share, its kind, which determines the
// color, and the ends of its interval.
chart_kinds.ranking = function (chart, holder) {
  const {value, name, share, color, interval = []} = chart.options;
  const column = column_named(chart, value);
  const labels = distinct(chart.columns[0].values);
  const color_of = (kind) => (color ? part_colors[`${kind}_s`] : series_colors[0]);
  const bar_of = (row, text_of) => {
    const text = text_of(row[value]) + (share ? `, ${row[share].toFixed(1)} %` : "");
    const [low, high] = interval.map((end) => row[end]);
    return {name: row[name], value: row[value], low, high, text, kind: row[color],
            color: color_of(row[color]),
            tip: {"": row[name], [row[chart.columns[0].name]]: text,
                  ...(typeof low === "number" ? {"95 %": `${text_of(low)} to ${text_of(high)}`}
                                              : {})}};
  };
  const drawing = element("div");
  const show = (label) => {
    const rows = objects_of(chart).filter((row) => row[chart.columns[0].name] === label);
    const fitting = fitting_unit(column.unit, greatest_of(rows.map((row) => row[value])));
    const text_of = share ? (number) => text_in(fitting, number) : even_texts(rows.map((row) => row[value]), fitting);
    const of_label = rows.map((row) => bar_of(row, text_of));
    const axis = {title: axis_title(column, fitting), labels: scaled_labels(fitting)};
    const kinds = color ? distinct(of_label.slice(0, most_bars).map((bar) => bar.kind)) : [];
    redraw(drawing, ranking_spec(`${chart.title}, ${label}`, of_label, axis), {
      legend: kinds.map((kind) => ({text: kind, color: color_of(kind)}))});
  };
  holder.append(element("div", {class: "controls"}, choice(chart.columns[0].label,
    labels.map((label) => ({value: label, text: label})), labels[0], show)), drawing);
  show(labels[0]);
};
