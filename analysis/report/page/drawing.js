// What all charts share: Vega put together, colors, axes, and views that follow the width of the page.
"use strict";

const vega_view = require_module("vega-view");
const vega_parser = require_module("vega-parser");
Object.assign(require_module("vega-dataflow").transforms, require_module("vega-transforms"),
              require_module("vega-view-transforms"), require_module("vega-encode"));

// Okabe and Ito's colors, told apart by all kinds of eyes; the page's style says what they are in the dark.
const series_colors = ["var(--blue)", "var(--vermilion)", "var(--green)", "var(--purple)", "var(--orange)",
                       "var(--sky)", "var(--yellow)", "var(--ink)"];
const series_shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
                       "triangle-left"];
const series_dashes = [[1, 0], [7, 3], [3, 1.5], [9, 3, 2, 3], [5, 2], [12, 4], [2, 2], [6, 2, 1, 2]];

function cycled(list, count) {
  return Array.from({length: count}, (_, i) => list[i % list.length]);
}

const chart_config = {
  background: null,
  axis: {
    labelColor: "var(--ink)", titleColor: "var(--ink)", domainColor: "var(--line)", tickColor: "var(--line)",
    gridColor: "var(--grid)", labelFont: "system-ui, sans-serif", titleFont: "system-ui, sans-serif",
    labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 260, titlePadding: 8,
  },
  axisX: {labelOverlap: true, labelSeparation: 4},
  text: {fill: "var(--ink)", font: "system-ui, sans-serif", fontSize: 12},
  title: {color: "var(--ink)", font: "system-ui, sans-serif", fontSize: 12, fontWeight: "normal", anchor: "start"},
};

// Corners of a mark's shapes in a square of 12; without corners it is a circle.
const shape_corners = {
  "circle": "", "square": "2,2 10,2 10,10 2,10", "triangle-up": "6,1.5 11,10 1,10", "diamond": "6,1 10,6 6,11 2,6",
  "cross": "4.3,1 7.7,1 7.7,4.3 11,4.3 11,7.7 7.7,7.7 7.7,11 4.3,11 4.3,7.7 1,7.7 1,4.3 4.3,4.3",
  "triangle-down": "6,10.5 11,2 1,2", "triangle-right": "10.5,6 2,11 2,1", "triangle-left": "1.5,6 10,11 10,1",
};

function shape_text(shape, color, filled) {
  const style = `fill="${filled ? color : "none"}" stroke="${color}" stroke-width="1.6"`;
  const place = `transform="translate(8 0)"`;
  return shape_corners[shape] ? `<polygon points="${shape_corners[shape]}" ${style} ${place}/>`
    : `<circle cx="6" cy="6" r="4" ${style} ${place}/>`;
}

// How something looks in a chart: by its color, and the dashes of its line, its shape, or an area.
function swatch(item) {
  const parts = [];
  if (item.dash) parts.push(`<line x1="0" y1="6" x2="28" y2="6" stroke="${item.color}" ` +
                            `stroke-width="${item.width || 2}" stroke-dasharray="${item.dash}"/>`);
  if (item.shape) parts.push(shape_text(item.shape, item.color, item.filled));
  if (parts.length === 0) parts.push(`<rect x="9" y="0.5" width="11" height="11" fill="${item.color}"/>`);
  const holder = element("span", {class: "swatch", "aria-hidden": "true"});
  holder.innerHTML = `<svg width="28" height="12">${parts.join("")}</svg>`;
  return holder;
}

function legend_element(items) {
  return element("div", {class: "legend"}, ...items.map((item) => element("span", {}, swatch(item), item.text)));
}

// Of the names of series, in their order.
function series_legend(names, looks) {
  return names.map((text, i) => ({
    text, color: series_colors[i % series_colors.length],
    dash: looks.has_dash ? series_dashes[i % series_dashes.length].join(" ") : null,
    shape: looks.has_shape ? series_shapes[i % series_shapes.length] : null,
  }));
}

function axis_title(column, fitting) {
  return fitting.unit ? `${column.label} (${fitting.unit})` : column.label;
}

// Labels that are an axis's values as they are, in fitting units; more than 12 digits are what division rounds.
function exact_labels(fitting) {
  return {encode: {labels: {update: {text: {signal: `format(datum.value / ${fitting.size}, ",.12~g")`}}}}};
}

// The same where Vega picks the values; in plain units it knows by itself how many digits tell these apart.
function scaled_labels(fitting) {
  return fitting.size === 1 ? {} : exact_labels(fitting);
}

// The views that are shown, and what makes them as wide as paper is, or as their element again.
const drawn_charts = new Map();
const width_on_paper = 690;

function forget(view) {
  view.finalize();
  drawn_charts.get(view).observer.disconnect();
  drawn_charts.delete(view);
}

// Draws a specification of Vega into an element; what it says follows the element's width.
function draw(holder, spec, options) {
  const settings = options || {};
  const width = () => Math.max(260, holder.clientWidth - 2);
  const complete = {
    autosize: {type: "fit-x", contains: "padding"}, width: width(), padding: 4, config: chart_config, ...spec,
  };
  const plain = settings.renderer === "canvas" ? with_plain_colors(complete) : complete;
  const drawing = element("div");
  if (settings.legend) holder.append(legend_element(settings.legend));
  holder.append(drawing);
  const view = new vega_view.View(vega_parser.parse(plain), {
    renderer: settings.renderer || "svg", container: drawing, hover: true, logLevel: 1,
    tooltip: settings.tooltip || show_tooltip,
  });
  view.run();
  listen_for_walks(drawing, view);
  let known = width();
  const follow = () => {
    if (width() === known) return;
    known = width();
    view.width(known).resize().run();
  };
  const observer = new ResizeObserver(follow);
  observer.observe(holder);
  drawn_charts.set(view, {to_paper: () => { known = 0; view.width(width_on_paper).resize().run(); }, follow, observer});
  return view;
}

// A canvas knows no variables of the style sheet: what they are at present in their place.
function with_plain_colors(spec) {
  const style = getComputedStyle(document.documentElement);
  return JSON.parse(JSON.stringify(spec).replace(/var\((--[a-z0-9-]+)\)/g,
    (_, name) => style.getPropertyValue(name).trim()));
}

// The same in place of what was drawn there before; a canvas anew whenever the colors change.
function redraw(holder, spec, options) {
  if (holder.view) forget(holder.view);
  holder.replaceChildren();
  holder.view = draw(holder, spec, options);
  return holder.view;
}

// A tooltip is a list of names and texts.
function show_tooltip(handler, event, item, value) {
  const tip = document.getElementById("tooltip");
  tip.hidden = value === null || value === undefined;
  if (tip.hidden) return;
  tip.replaceChildren(...(typeof value === "object" ? Object.entries(value) : [["", value]]).map(
    ([name, text]) => element("div", {}, name ? `${name}: ${text}` : String(text))));
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}

// A select with a label: calls back with what was chosen. Of one option its text alone, of none nothing.
function choice(label, options, chosen, changed) {
  if (options.length === 0) return element("span");
  if (options.length === 1)
    return element("span", {class: "choice"}, element("span", {}, label), element("b", {}, options[0].text));
  const select = element("select", {onchange: () => changed(select.value)},
    ...options.map((option) => element("option", {value: option.value}, option.text)));
  select.value = chosen;
  return element("label", {class: "choice"}, element("span", {}, label), select);
}

// Of each kind of chart how it is drawn into an element.
const chart_kinds = {};
