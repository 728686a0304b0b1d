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
const series_dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [10, 4], [1, 3], [6, 2, 1, 2]];

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
  legend: {
    labelColor: "var(--ink)", titleColor: "var(--ink)", labelFont: "system-ui, sans-serif",
    titleFont: "system-ui, sans-serif", labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal",
    labelLimit: 320, symbolSize: 90, symbolStrokeWidth: 2, orient: "top", columnPadding: 16,
  },
  text: {fill: "var(--ink)", font: "system-ui, sans-serif", fontSize: 12},
  title: {color: "var(--ink)", font: "system-ui, sans-serif", fontSize: 12, fontWeight: "normal", anchor: "start"},
};

function axis_title(column, fitting) {
  return fitting.unit ? `${column.label} (${fitting.unit})` : column.label;
}

// Labels of an axis whose values count in plain units, shown in fitting ones.
function scaled_labels(fitting) {
  return fitting.size === 1 ? {} : {
    encode: {labels: {update: {text: {signal: `format(datum.value / ${fitting.size}, ",.4~g")`}}}},
  };
}

// Draws a specification of Vega into an element; what it says follows the element's width.
function draw(holder, spec, options) {
  const settings = options || {};
  const width = () => Math.max(260, holder.clientWidth - 2);
  const complete = {
    autosize: {type: "fit-x", contains: "padding"}, width: width(), padding: 4, config: chart_config, ...spec,
  };
  const plain = settings.renderer === "canvas" ? with_plain_colors(complete) : complete;
  const view = new vega_view.View(vega_parser.parse(plain), {
    renderer: settings.renderer || "svg", container: holder, hover: true, logLevel: 1,
  });
  view.tooltip(show_tooltip);
  view.run();
  let known = width();
  new ResizeObserver(() => {
    if (width() === known) return;
    known = width();
    view.width(known).run();
  }).observe(holder);
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
  if (holder.view) holder.view.finalize();
  holder.replaceChildren();
  holder.view = draw(holder, spec, options);
  return holder.view;
}

// A tooltip is a list of names and texts.
function show_tooltip(handler, event, item, value) {
  const tip = document.getElementById("tooltip") || document.body.appendChild(element("div", {id: "tooltip"}));
  tip.hidden = value === null || value === undefined;
  if (tip.hidden) return;
  tip.replaceChildren(...(typeof value === "object" ? Object.entries(value) : [["", value]]).map(
    ([name, text]) => element("div", {}, name ? `${name}: ${text}` : String(text))));
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}

// A select with a label: calls back with what was chosen.
function choice(label, options, chosen, changed) {
  const select = element("select", {onchange: () => changed(select.value)},
    ...options.map((option) => element("option", {value: option.value}, option.text)));
  select.value = chosen;
  return element("label", {class: "choice"}, element("span", {}, label), select);
}

// Of each kind of chart how it is drawn into an element.
const chart_kinds = {};
