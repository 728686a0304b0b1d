// Bars of the mean iteration time, divided into its parts, with the interval of the mean if there is one.
"use strict";

const part_colors = {
  delay_s: "var(--ink-soft)", forward_s: "var(--sky)", backward_s: "var(--blue)", update_s: "var(--green)",
  exposed_communication_s: "var(--vermilion)", imbalance_wait_s: "var(--yellow)",
  compute_s: "var(--blue)", reduction_s: "var(--green)", overhead_s: "var(--purple)", timer_s: "var(--yellow)",
  link_s: "var(--vermilion)", latency_s: "var(--sky)", unknown_s: "var(--line)",
};

// The marks of the iteration times of jobs alone.
function alone_marks() {
  return [{type: "symbol", from: {data: "alone"}, aria: false, encode: {
    enter: {shape: {value: "diamond"}, size: {value: 110}, fill: {value: "var(--paper)"}, stroke: {value: "var(--ink)"},
            strokeWidth: {value: 1.8}, tooltip: {field: "tip"}},
    update: {x: {scale: "x", field: "seconds"}, y: {scale: "y", field: "name", band: 0.5}}}}];
}

chart_kinds.breakdown = function (chart, holder) {
  const name = chart.columns[0].name;
  const parts = chart.options.parts.map((part) => column_named(chart, part));
  const fitting = fitting_unit("s", greatest_of(column_named(chart, "iteration_time_s").values));
  const bars = [];
  const totals = objects_of(chart).map((row) => ({
    name: row[name], mean: row.iteration_time_s, low: row.interval_95_least_s, high: row.interval_95_greatest_s,
    from: row.prediction_90_least_s, to: row.prediction_90_greatest_s,
    end: Math.max(row.iteration_time_s, row.interval_95_greatest_s ?? 0, row.alone_s ?? 0),
    text: text_in(fitting, row.iteration_time_s),
    tip: {"": row[name], "90 % interval of the prediction":
      `${value_text(row.prediction_90_least_s, "s")} to ${value_text(row.prediction_90_greatest_s, "s")}`},
  }));
  const alone = objects_of(chart).filter((row) => is_there(row.alone_s)).map((row) => ({
    name: row[name], seconds: row.alone_s, tip: {"": row[name], "alone": value_text(row.alone_s, "s")}}));
  for (const row of objects_of(chart)) {
    let start = 0;
    for (const part of parts) {
      const seconds = row[part.name];
      if (seconds > 0) bars.push({name: row[name], part: part.label, start, end: start + seconds,
                                  on_color: color_on(part_colors[part.name]),
                                  tip: {"": row[name], [part.label]: `${value_text(seconds, "s")}, ` +
                                    `${digits_text(100 * seconds / row.iteration_time_s)} %`}});
      start += seconds;
    }
  }
  const ends = [...bars.map((bar) => bar.end), ...totals.flatMap((total) => [total.high, total.to]),
                ...alone.map((each) => each.seconds)];
  const prediction = {text: "90 % interval of the prediction", color: "var(--ink)", dash: "4 2"};
  const used = parts.filter((part) => bars.some((bar) => bar.part === part.label));
  const room = "scale('x', datum.end) - scale('x', datum.start)";  // for the name of a part, which is left out without it
  draw(holder, {
    description: `Bars: ${totals.map((total) => `${total.name} ${total.text}`).join(", ")}`,
    height: totals.length * 34,
    data: [{name: "bars", values: bars}, {name: "totals", values: totals}, {name: "alone", values: alone}],
    scales: [
      {name: "x", type: "linear", domain: range_with_zero(ends), range: bars_range(90), nice: false},
      {name: "y", type: "band", domain: totals.map((total) => total.name), range: "height", padding: 0.3},
      {name: "color", type: "ordinal", domain: used.map((part) => part.label),
       range: used.map((part) => part_colors[part.name])},
    ],
    axes: [
      {orient: "bottom", scale: "x", grid: true, tickCount: 6, title: `time of an iteration (${fitting.unit})`,
       ...scaled_labels(fitting)},
      {orient: "left", scale: "y", domain: false, ticks: false, labelPadding: 6, ...name_labels("y")},
    ],
    marks: [
      {type: "rect", from: {data: "bars"}, aria: false, encode: {
        enter: {y: {scale: "y", field: "name"}, height: {scale: "y", band: 1}, fill: {scale: "color", field: "part"},
                stroke: {value: "var(--paper)"}, strokeWidth: {value: 0.75},
                tooltip: {field: "tip"}},
        update: {x: {scale: "x", field: "start"}, x2: {scale: "x", field: "end"}}}},
      {type: "text", from: {data: "bars"}, aria: false, interactive: false, encode: {
        enter: {y: {scale: "y", field: "name", band: 0.5}, baseline: {value: "middle"}, fontSize: {value: 11},
                fill: {field: "on_color"}},
        update: {x: {signal: "scale('x', datum.start) + 5"},
                 text: {signal: `${room} > 12 + 6.5 * length(datum.part) ? datum.part : ''`}}}},
      ...[["var(--paper)", 5], ["var(--ink)", 2]].map(([color, width]) => ({
        type: "rule", from: {data: "totals"}, aria: false, interactive: false, encode: {
          enter: {y: {scale: "y", field: "name", band: 0.5}, stroke: {value: color}, strokeWidth: {value: width},
                  opacity: {signal: "isValid(datum.low) ? 1 : 0"}},
          update: {x: {scale: "x", signal: "isValid(datum.low) ? datum.low : datum.mean"},
                   x2: {scale: "x", signal: "isValid(datum.high) ? datum.high : datum.mean"}}}})),
      ...[["low", "var(--paper)", 4], ["high", "var(--paper)", 4], ["low", "var(--ink)", 2],
          ["high", "var(--ink)", 2]].map(([end, color, width]) => ({
        type: "rule", from: {data: "totals"}, aria: false, interactive: false, encode: {
          enter: {stroke: {value: color}, strokeWidth: {value: width},
                  opacity: {signal: `isValid(datum.${end}) ? 1 : 0`}},
          update: {x: {scale: "x", signal: `isValid(datum.${end}) ? datum.${end} : datum.mean`},
                   y: {scale: "y", field: "name", band: 0.25}, y2: {scale: "y", field: "name", band: 0.75}}}})),
      {type: "rule", from: {data: "totals"}, aria: false, encode: {
        enter: {stroke: {value: "var(--ink)"}, strokeWidth: {value: 2}, strokeDash: {value: [4, 2]},
                tooltip: {field: "tip"}, opacity: {signal: "isValid(datum.from) ? 1 : 0"}},
        update: {x: {scale: "x", signal: "isValid(datum.from) ? datum.from : datum.mean"},
                 x2: {scale: "x", signal: "isValid(datum.to) ? datum.to : datum.mean"},
                 y: {scale: "y", field: "name", band: 1, offset: 4}}}},
      ...alone_marks(),
      {type: "text", from: {data: "totals"}, aria: false, encode: {
        enter: {y: {scale: "y", field: "name", band: 0.5}, text: {field: "text"}, baseline: {value: "middle"},
                fontWeight: {value: 600}, dx: {value: 12}},
        update: {x: {scale: "x", field: "end"}}}},
    ],
  }, {legend: [...used.map((part) => ({text: part.label, color: part_colors[part.name]})),
               ...(alone.length > 0 ? [{text: "alone", color: "var(--ink)", shape: "diamond"}] : []),
               ...(totals.some((total) => is_there(total.from)) ? [prediction] : [])]});
};
