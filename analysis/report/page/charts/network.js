// The picture of a network, with how busy each direction of a cable is by color and width.
"use strict";

const heat_bounds = [0, 10, 25, 50, 75, 90];
const heat_names = heat_bounds.map((least, i) => `${least} to ${heat_bounds[i + 1] || 100} %`);
const heat_colors = heat_bounds.map((_, i) => `var(--heat-${i})`);

// Links have a border, as the least busy ones would hardly be visible on the page.
const link_border = "var(--line)";

function heat_of(percent) {
  return heat_bounds.findLastIndex((least) => percent >= least);
}

const network_legend = [
  ...heat_names.map((name, i) => ({text: `busy ${name}`, color: heat_colors[i], dash: "30", width: 1.5 + i,
                                border: link_border})),
  {text: "host", color: "var(--ink)", shape: "circle", filled: true},
  {text: "switch", color: "var(--ink)", shape: "square", filled: true},
];

// The range of some values with a margin.
function range_of(values) {
  const [least, greatest] = extent_of(values);
  const margin = Math.max(0.06 * (greatest - least), 0.15);
  return [least - margin, greatest + margin];
}

// The tooltip of a link; a link that carried nothing has no row.
function link_tip(name, row) {
  return {"": name, busy: value_text(row ? row.busy_percent : 0, "%"),
          carried: row ? value_text(row.bytes, "B") : "nothing"};
}

function network_spec(title, picture, of_link, width) {
  const lines = picture.links.map((link) => {
    const row = of_link.get(link.link);
    const percent = row ? row.busy_percent : 0;
    return {
      x: link.from[0], y: link.from[1], x2: link.to[0], y2: link.to[1], heat: heat_names[heat_of(percent)],
      width: 1.5 + percent / 18, tip: link_tip(link.link, row),
    };
  });
  const vertices = picture.vertices.map((vertex) => ({
    ...vertex, kind: vertex.is_host ? "host" : "switch", tip: vertex.name}));
  const points = [...vertices, ...lines.map((line) => ({x: line.x2, y: line.y2}))];
  const place = (name, range) =>
    ({name, type: "linear", domain: range_of(points.map((point) => point[name])), range, zero: false});
  const ends = {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}, x2: {scale: "x", field: "x2"},
                y2: {scale: "y", field: "y2"}};
  const size = Math.min(160, Math.max(14, 5000 / vertices.length));
  return {
    description: title,
    height: Math.max(200, Math.min(430, width * 0.42)),
    data: [{name: "lines", values: lines}, {name: "vertices", values: vertices}],
    scales: [
      place("x", "width"), place("y", "height"),
      {name: "heat", type: "ordinal", domain: heat_names, range: heat_colors},
      {name: "shape", type: "ordinal", domain: ["host", "switch"], range: ["circle", "square"]},
    ],
    marks: [
      {type: "rule", from: {data: "lines"}, aria: false, interactive: false, encode: {
        enter: {stroke: {value: link_border}, strokeWidth: {signal: "datum.width + 2"}}, update: ends}},
      {type: "rule", from: {data: "lines"}, aria: false, encode: {
        enter: {stroke: {scale: "heat", field: "heat"}, strokeWidth: {field: "width"}, tooltip: {field: "tip"}},
        update: ends}},
      {type: "symbol", from: {data: "vertices"}, aria: false, encode: {
        enter: {shape: {scale: "shape", field: "kind"}, fill: {value: "var(--ink)"}, size: {value: size},
                stroke: {value: "var(--paper)"}, tooltip: {field: "tip"}},
        update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}}}},
    ],
  };
}

// Without a picture of the network: bars of the busiest links.
function busiest_spec(title, rows) {
  const bars = rows.map((row) => ({name: row.link, value: row.busy_percent, text: value_text(row.busy_percent, "%"),
                                   color: "var(--vermilion)", tip: link_tip(row.link, row)}));
  return ranking_spec(title, bars, {title: "busy (%)", domain: [0, 100]});
}

chart_kinds.network = function (chart, holder) {
  const [owner] = chart.columns;
  const labels = distinct(owner.values);
  const rows = objects_of(chart);
  const picture = chart.options.picture;
  const drawing = element("div");
  const show = (label) => {
    const of_label = rows.filter((row) => row[owner.name] === label);
    const title = `${chart.title}, ${label}`;
    if (picture.reason) redraw(drawing, busiest_spec(title, of_label));
    else redraw(drawing, network_spec(title, picture, new Map(of_label.map((row) => [row.link, row])),
                                      holder.clientWidth), {legend: network_legend});
  };
  const reason = picture.reason
    ? element("p", {}, `The busiest links; the network is not drawn: ${picture.reason}.`) : null;
  holder.append(element("div", {class: "controls"},
    choice(owner.label, labels.map((label) => ({value: label, text: label})), labels[0], show)), ...(reason ? [reason] : []),
    drawing);
  show(labels[0]);
};
