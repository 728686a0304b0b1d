// The causes of gains: parts to the right of 0 are gains, to the left losses; a mark is their sum, with its standard
// error if there is one.
"use strict";

const factor_parts = ["overlap_s", "cheaper_communication_s", "insensitivity_s"];
const factor_colors = ["var(--blue)", "var(--green)", "var(--orange)"];

// The share of a part in the gain; none if the parts cancel so that the gain is nearly 0.
function share_of_gain(seconds, gain_s) {
  if (Math.abs(gain_s) < 1e-3 * Math.abs(seconds)) return {};
  return {"of the gain": `${digits_text(100 * seconds / gain_s)} %`};
}

function factor_bars(chart, row) {
  const bars = [];
  let [right, left] = [0, 0];
  for (const name of factor_parts) {
    const seconds = row[name];
    if (typeof seconds !== "number" || Math.abs(seconds) < 1e-9) continue;
    const start = seconds > 0 ? right : left;
    if (seconds > 0) right += seconds;
    else left += seconds;
    const part = label_of(chart, name);
    bars.push({name: row.algorithm, part, start, end: start + seconds,
               tip: {"": row.algorithm, [part]: value_text(seconds, "s"),
                     ...share_of_gain(seconds, row.gain_s)}});
  }
  return bars;
}

function gain_total(row, bars, fitting) {
  const is_divided = typeof row.overlap_s === "number";
  const gain = is_divided ? row.gain_s : 0;
  const has_error = is_divided && typeof row.gain_error_s === "number";
  const [low, high] = has_error ? [gain - row.gain_error_s, gain + row.gain_error_s] : [gain, gain];
  const ends = bars.filter((bar) => bar.name === row.algorithm).map((bar) => bar.end);
  return {name: row.algorithm, gain, is_divided, low, high, end: Math.max(0, high, ...ends),
          text: text_in(fitting, row.gain_s) + (is_divided ? "" : " *")};
}

chart_kinds.factors = function (chart, holder) {
  const rows = objects_of(chart);
  const bars = rows.flatMap((row) => factor_bars(chart, row));
  const fitting = fitting_unit("s", greatest_of([...bars.flatMap((bar) => [bar.start, bar.end]),
                                                 ...rows.map((row) => row.gain_s)]));
  const totals = rows.map((row) => gain_total(row, bars, fitting));
  if (totals.some((total) => !total.is_divided))
    holder.append(element("p", {class: "key"}, "* This gain is not divided into parts; the table says why."));
  draw(holder, {
    description: `${chart.title}: ${totals.map((total) => `${total.name} ${total.text}`).join(", ")}`,
    height: rows.length * 36,
    data: [{name: "bars", values: bars}, {name: "totals", values: totals}],
    scales: [
      {name: "x", type: "linear", domain: range_with_zero([...bars.flatMap((bar) => [bar.start, bar.end]),
                                                          ...totals.flatMap((total) => [total.low, total.high])]),
       range: bars_range(90), nice: false},
      {name: "y", type: "band", domain: totals.map((total) => total.name), range: "height", padding: 0.3},
      {name: "color", type: "ordinal", domain: factor_parts.map((name) => label_of(chart, name)),
       range: factor_colors},
    ],
    axes: [
      {orient: "bottom", scale: "x", grid: true, tickCount: 7, title: `gain per iteration (${fitting.unit})`,
       ...scaled_labels(fitting)},
      {orient: "left", scale: "y", domain: false, ticks: false, labelPadding: 6, ...name_labels("y")},
    ],
    marks: [
      {type: "rect", from: {data: "bars"}, aria: false, encode: {
        enter: {y: {scale: "y", field: "name"}, height: {scale: "y", band: 1}, fill: {scale: "color", field: "part"},
                stroke: {value: "var(--paper)"}, tooltip: {field: "tip"}},
        update: {x: {scale: "x", field: "start"}, x2: {scale: "x", field: "end"}}}},
      {type: "rule", aria: false, encode: {
        enter: {stroke: {value: "var(--ink)"}}, update: {x: {scale: "x", value: 0}, y: {value: 0},
                                                         y2: {signal: "height"}}}},
      {type: "rule", from: {data: "totals"}, aria: false, interactive: false, encode: {
        enter: {stroke: {value: "var(--ink)"}, strokeWidth: {value: 1.5}},
        update: {x: {scale: "x", field: "low"}, x2: {scale: "x", field: "high"},
                 y: {scale: "y", field: "name", band: 0.5}}}},
      {type: "symbol", from: {data: "totals"}, aria: false, interactive: false, encode: {
        enter: {shape: {value: "diamond"}, fill: {value: "var(--ink)"}, stroke: {value: "var(--paper)"},
                size: {value: 90}, opacity: {signal: "datum.is_divided ? 1 : 0"}},
        update: {x: {scale: "x", field: "gain"}, y: {scale: "y", field: "name", band: 0.5}}}},
      {type: "text", from: {data: "totals"}, aria: false, encode: {
        enter: {text: {field: "text"}, baseline: {value: "middle"}, dx: {value: 9},
                fontWeight: {signal: "datum.is_divided ? 600 : 400"}},
        update: {x: {scale: "x", field: "end"}, y: {scale: "y", field: "name", band: 0.5}}}},
    ],
  }, {legend: factor_parts.map((name, i) => ({text: label_of(chart, name), color: factor_colors[i]}))
    .concat([{text: "sum: the gain", color: "var(--ink)", shape: "diamond", filled: true}])});
};
