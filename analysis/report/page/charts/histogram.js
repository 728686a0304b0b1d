// Histograms of whole numbers, a row for each algorithm, all on the same scale of shares. Every bar is high enough to
// be seen.
"use strict";

const widest_bar = 60;

chart_kinds.histogram = function (chart, holder) {
  const owner = chart.columns[0].name;
  const value = chart.columns[1];
  const names = distinct(chart.columns[0].values);
  const [least, greatest] = extent_of(value.values);
  const greatest_share = greatest_of(column_named(chart, "share_percent").values) || 1;
  const half = `min(${widest_bar / 2}, 0.45 * (scale('x', 1) - scale('x', 0)))`;
  const rows = objects_of(chart).map((row) => ({
    name: row[owner], place: names.indexOf(row[owner]), value: row[value.name], share: row.share_percent,
    tip: {"": row[owner], [value.label]: row[value.name], [chart.columns[2].label]: digits_text(row.count),
          share: value_text(row.share_percent, "%")},
  }));
  draw(holder, {
    description: `${chart.title}: ${names.join(", ")}`,
    height: names.length * 74,
    data: [{name: "bars", values: rows}],
    scales: [
      {name: "x", type: "linear", domain: [least - 0.5, greatest + 0.5], range: "width", zero: false, nice: false},
      {name: "row", type: "band", domain: names, range: "height", paddingInner: 0.25},
    ],
    axes: [
      {orient: "bottom", scale: "x", title: value.label, tickMinStep: 1, format: "d"},
      {orient: "left", scale: "row", domain: false, ticks: false, labelPadding: 54, ...name_labels("row")},
    ],
    marks: [{
      type: "group", from: {facet: {data: "bars", name: "of_name", groupby: "place"}},
      encode: {update: {y: {scale: "row", signal: "domain('row')[datum.place]"}, width: {signal: "width"},
                        height: {signal: "bandwidth('row')"}}},
      scales: [{name: "y", type: "linear", domain: [0, greatest_share], zero: true,
                range: [{signal: "bandwidth('row')"}, 0]}],
      axes: [{orient: "left", scale: "y", grid: true, tickCount: 2, format: ",.3~g",
              encode: {labels: {update: {text: {signal: "datum.label + ' %'"}}}}}],
      marks: [{type: "rect", from: {data: "of_name"}, aria: false, encode: {
        enter: {fill: {value: "var(--blue)"}, tooltip: {field: "tip"}},
        update: {x: {signal: `scale('x', datum.value) - ${half}`}, x2: {signal: `scale('x', datum.value) + ${half}`},
                 y: {signal: "min(scale('y', datum.share), bandwidth('row') - 2)"}, y2: {scale: "y", value: 0}}}}],
    }],
  });
};
