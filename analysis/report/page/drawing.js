// Shared by all charts: the modules of Vega, colors, axes, and views that follow the width of the page.
"use strict";

const vega_view = require_module("vega-view");
const vega_parser = require_module("vega-parser");
const vega_scenegraph = require_module("vega-scenegraph");
Object.assign(require_module("vega-dataflow").transforms, require_module("vega-transforms"),
              require_module("vega-view-transforms"), require_module("vega-encode"));

// The colors of Okabe and Ito, which color-blind readers can distinguish; page.css defines them for light and dark
// pages. Lines on white are deeper; vermilion, orange and yellow then also differ in lightness.
const series_colors = ["var(--blue)", "var(--vermilion-line)", "var(--green)", "var(--purple)",
                       "var(--orange-line)", "var(--sky-line)", "var(--yellow-line)", "var(--ink)"];
const deep_colors = ["var(--blue)", "var(--vermilion-line)", "var(--yellow-line)", "var(--ink-soft)",
                     "var(--heat-4)"];
const series_shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
                       "triangle-left"];
const series_dashes = [[1, 0], [7, 3], [3, 1.5], [9, 3, 2, 3], [5, 2], [12, 4], [2, 2], [6, 2, 1, 2]];

// Whenever the colors repeat, shapes and dashes are shifted by one, so that 64 series all look different.
function color_of_series(i) {
  return series_colors[i % series_colors.length];
}

function shifted_look(looks, i) {
  return looks[(i + Math.floor(i / series_colors.length)) % looks.length];
}

function shape_of_series(i) {
  return shifted_look(series_shapes, i);
}

function dash_of_series(i) {
  return shifted_look(series_dashes, i);
}

// The color of a text on a color.
function color_on(color) {
  if (color === "var(--ink)") return "var(--paper)";
  return deep_colors.includes(color) ? "var(--on-deep)" : "var(--on-bar)";
}

// An ordinal scale from the names of series to their looks.
function series_scale(name, names, look) {
  return {name, type: "ordinal", domain: names, range: names.map((_, i) => look(i))};
}

const chart_config = {
  background: null,
  axis: {
    labelColor: "var(--ink)", titleColor: "var(--ink)", domainColor: "var(--line)", tickColor: "var(--line)",
    gridColor: "var(--grid)", labelFont: "system-ui, sans-serif", titleFont: "system-ui, sans-serif",
    labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 260, titlePadding: 8,
  },
  axisX: {labelOverlap: true, labelSeparation: 4},
  axisY: {labelOverlap: "greedy", labelLimit: {signal: "label_room"}},
  text: {fill: "var(--ink)", font: "system-ui, sans-serif", fontSize: 12},
  title: {color: "var(--ink)", font: "system-ui, sans-serif", fontSize: 12, fontWeight: "normal", anchor: "start"},
};

// The corners of shapes in a square of 12; a shape without corners is a circle.
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

// A sample for a legend: a dashed line, a shape, or an area, in the color of the item.
function swatch(item) {
  const parts = [];
  if (item.border) parts.push(`<line x1="0" y1="6" x2="28" y2="6" stroke="${item.border}" ` +
                              `stroke-width="${item.width + 2}"/>`);
  if (item.dash) parts.push(`<line x1="0" y1="6" x2="28" y2="6" stroke="${item.color}" ` +
                            `stroke-width="${item.width || 2}" stroke-dasharray="${item.dash}"/>`);
  if (item.shape) parts.push(shape_text(item.shape, item.color, item.filled));
  if (parts.length === 0) parts.push(`<rect x="9" y="0.5" width="11" height="11" fill="${item.color}"/>`);
  const holder = element("span", {class: "swatch", "aria-hidden": "true"});
  holder.innerHTML = `<svg width="28" height="12">${parts.join("")}</svg>`;
  return holder;
}

function legend_element(items) {
  return element("div", {class: "legend"}, ...items.map((item) =>
    element("span", {}, item.color ? swatch(item) : null, item.text)));
}

// The legend items of series, in the order of their names.
function series_legend(names, looks) {
  return names.map((text, i) => ({
    text, color: color_of_series(i), dash: looks.has_dash ? dash_of_series(i).join(" ") : null,
    shape: looks.has_shape ? shape_of_series(i) : null,
  }));
}

function axis_title(column, fitting) {
  return fitting.unit ? `${column.label} (${fitting.unit})` : column.label;
}

function in_unit(fitting) {
  return `format(datum.value / ${fitting.size}, ",.12~g")`;
}

function labels_saying(signal) {
  return {encode: {labels: {update: {text: {signal}}}}};
}

// Axis labels that are the values in a fitting unit; 12 digits hide the rounding errors of the division.
function exact_labels(fitting) {
  return labels_saying(in_unit(fitting));
}

// The same for values that Vega picks. In plain units Vega itself chooses the digits. On a logarithmic axis it leaves
// labels empty that have no room.
function scaled_labels(fitting) {
  if (fitting.size === 1) return {};
  return labels_saying(`datum.label === "" ? "" : ${in_unit(fitting)}`);
}

// Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten; over 2.5 decades and more powers of ten only; over more
// than ten decades every second or third power.
function logarithmic_ticks(least, greatest) {
  const decades = Math.log10(greatest / least);
  const step = Math.max(1, Math.ceil(decades / 10));
  const ticks = [];
  for (let power = step * Math.floor(Math.log10(least) / step); power <= Math.log10(greatest); power += step)
    for (const digit of decades < 2.5 ? [1, 2, 5] : [1]) ticks.push(Number(`${digit}e${power}`));
  return ticks.filter((tick) => tick >= least && tick <= greatest);
}

// The ticks and labels of a numeric axis with a scale of this type and domain.
function ticks_along({type, domain}, fitting) {
  if (type !== "log") return scaled_labels(fitting);
  return {values: logarithmic_ticks(...domain), ...exact_labels(fitting)};
}

// The width of a text in charts, in pixels.
function text_width(text) {
  return vega_scenegraph.textMetrics.width({font: chart_config.text.font, fontSize: 12}, text);
}

// Whether a cut at `place` is inside a number and would change it, as it would "64 workers" to "4 workers".
function is_in_number(label, place) {
  for (const {0: number, index} of label.matchAll(/\d+(?:[.,]\d+)*/g))
    if (index < place && place < index + number.length) return true;
  return false;
}

// The longest end of a label that has room behind its first `head` letters and an ellipsis.
function end_with_room(label, head, room) {
  let from = head + 1;
  const has_room = () => text_width(`${label.slice(0, head)}…${label.slice(from)}`) <= room;
  while (from < label.length && (is_in_number(label, from) || !has_room())) ++from;
  return label.slice(from);
}

function start_with_room(label, end, room) {
  let head = label.length;
  while (head > 0 && (is_in_number(label, head) || text_width(label.slice(0, head) + end) > room)) --head;
  return label.slice(0, head) + end;
}

// Shortens a label to `room`: it loses its middle, or, if it is a JSON pointer, its beginning; another part if that
// would make it look like another name. If every cut does, it ends in its number among the names. Numbers in it are
// never cut.
function cut_label(label, names, room) {
  if (text_width(label) <= room) return label;
  const kept = end_with_room(label, 0, room).length;
  const best = label.startsWith("/") ? 0 : kept / 2;
  const heads = Array.from({length: kept + 1}, (_, head) => head).filter((head) => !is_in_number(label, head))
    .sort((a, b) => Math.abs(a - best) - Math.abs(b - best));
  for (const head of heads) {
    const [start, end] = [label.slice(0, head), end_with_room(label, head, room)];
    const is_like = (name) => name !== label && name.startsWith(start) && name.endsWith(end);
    if (!names.some(is_like)) return `${start}…${end}`;
  }
  return start_with_room(label, `…${names.indexOf(label) + 1}`, room);
}

// The beginning of a text that has room within a mark, in letters of that size.
function cut_text(text, room, size) {
  const wide = room * 12 / size;
  return text_width(text) <= wide ? text : start_with_room(text, "…", wide);
}

require_module("vega-functions").expressionFunction("cut_text", cut_text);
require_module("vega-functions").expressionFunction("cut_label", cut_label);

// Axis labels of a scale of names, cut to the room on the left.
function name_labels(scale) {
  return labels_saying(`cut_label(datum.value, domain('${scale}'), label_room)`);
}

// The range of values, with 0 in it; [0, 1] if all are 0.
function range_with_zero(values) {
  const [least, greatest] = extent_of([0, ...values]);
  return [least, least < greatest ? greatest : 1];
}

// The range of bars, from 0 to where texts at their ends have so much room.
function bars_range(room) {
  return [0, {signal: `max(40, width - ${room})`}];
}

// The views that are shown, each with functions that make it as wide as paper, or as its element again.
const drawn_charts = new Map();
const width_on_paper = 690;

function forget(view) {
  view.finalize();
  drawn_charts.get(view).observer.disconnect();
  drawn_charts.delete(view);
}

// Draws a Vega specification into an element. The view follows the element's width, which is its signal page_width.
// Options: tip_of makes an object of texts of a mark's tip, if that is none itself; walk is how arrow keys move
// (listen_for_walks); legend and renderer.
function draw(holder, spec, options) {
  const settings = options || {};
  const width = () => Math.max(260, holder.clientWidth - 2);
  const complete = {
    autosize: {type: "fit-x", contains: "padding"}, width: width(), padding: 4, config: chart_config, ...spec,
    signals: [{name: "page_width", value: width()},
              {name: "label_room", update: "min(260, 0.4 * page_width)"}, ...(spec.signals || [])],
  };
  const tip_of = settings.tip_of || ((tip) => tip);
  const plain = settings.renderer === "canvas" ? with_plain_colors(complete) : complete;
  const drawing = element("div");
  if (settings.legend) holder.append(legend_element(settings.legend));
  holder.append(drawing);
  const view = new vega_view.View(vega_parser.parse(plain), {
    renderer: settings.renderer || "svg", container: drawing, hover: true, logLevel: 1,
    tooltip: (handler, event, item, tip) => show_tooltip(event, is_there(tip) ? tip_of(tip) : null),
  });
  view.run();
  listen_for_walks(drawing, view, {tip_of, ...settings.walk});
  let known = width();
  const show_as_wide = (pixels) => view.signal("page_width", pixels).width(pixels).resize().run();
  const follow = () => {
    if (width() === known) return;
    known = width();
    show_as_wide(known);
  };
  const observer = new ResizeObserver(follow);
  observer.observe(holder);
  drawn_charts.set(view, {to_paper: () => { known = 0; show_as_wide(width_on_paper); }, follow, observer});
  return view;
}

// Replaces variables of the style sheet by their present values, as a canvas does not know them.
function with_plain_colors(spec) {
  const style = getComputedStyle(document.documentElement);
  return JSON.parse(JSON.stringify(spec).replace(/var\((--[a-z0-9-]+)\)/g,
    (_, name) => style.getPropertyValue(name).trim()));
}

// Draws in place of what was drawn there before.
function redraw(holder, spec, options) {
  if (holder.view) forget(holder.view);
  holder.replaceChildren();
  holder.view = draw(holder, spec, options);
  return holder.view;
}

// Shows a tooltip with a line for each name and text of an object, or with a single text; hides it without a value.
function show_tooltip(event, value) {
  const tip = document.getElementById("tooltip");
  tip.hidden = !is_there(value);
  if (tip.hidden) return;
  tip.replaceChildren(...(typeof value === "object" ? Object.entries(value) : [["", value]]).map(
    ([name, text]) => element("div", {}, name ? `${name}: ${text}` : String(text))));
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}

// The text in place of a chart without data.
function nothing_to_draw(reason) {
  return element("p", {class: "blank"}, unbroken(`Nothing to draw: ${reason}`));
}

// A labeled select, which calls `changed` with the chosen value. With a single option its text; without any, nothing.
function choice(label, options, chosen, changed) {
  if (options.length === 0) return element("span");
  if (options.length === 1)
    return element("span", {class: "choice"}, element("span", {}, label), element("b", {}, options[0].text));
  const select = element("select", {onchange: () => changed(select.value)},
    ...options.map((option) => element("option", {value: option.value}, option.text)));
  select.value = chosen;
  return element("label", {class: "choice"}, element("span", {}, label), select);
}

// The text that identifies a control.
function name_of_control(control) {
  const label = control.closest("label");
  return (label ? label.querySelector("span") : control).textContent;
}

// Replaces controls; the one that had the focus gets it back.
function replace_controls(holder, controls) {
  const focused = holder.contains(document.activeElement) ? name_of_control(document.activeElement) : null;
  holder.replaceChildren(...controls);
  if (focused === null) return;
  const again = [...holder.querySelectorAll("select, button, input")].find((each) => name_of_control(each) === focused);
  if (again) again.focus({preventScroll: true});
}

// For each kind of chart, the function that draws a chart into an element.
const chart_kinds = {};
