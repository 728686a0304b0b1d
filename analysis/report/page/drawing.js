// What all charts share: Vega put together, colors, axes, and views that follow the width of the page.
"use strict";

const vega_view = require_module("vega-view");
const vega_parser = require_module("vega-parser");
const vega_scenegraph = require_module("vega-scenegraph");
Object.assign(require_module("vega-dataflow").transforms, require_module("vega-transforms"),
              require_module("vega-view-transforms"), require_module("vega-encode"));

// Okabe and Ito's colors, told apart by all kinds of eyes; the page's style says what they are in the dark.
// Lines have deeper ones on white, of which vermilion, orange and yellow differ in lightness, as some eyes
// see no other difference.
const series_colors = ["var(--blue)", "var(--vermilion-line)", "var(--green)", "var(--purple)",
                       "var(--orange-line)", "var(--sky-line)", "var(--yellow-line)", "var(--ink)"];
const deep_colors = ["var(--blue)", "var(--vermilion-line)", "var(--yellow-line)", "var(--ink-soft)",
                     "var(--heat-4)"];
const series_shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
                       "triangle-left"];
const series_dashes = [[1, 0], [7, 3], [3, 1.5], [9, 3, 2, 3], [5, 2], [12, 4], [2, 2], [6, 2, 1, 2]];

// Shapes and dashes go on by one whenever the colors begin again, so that no two of 64 series look alike.
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

// Of a text on such a color.
function color_on(color) {
  if (color === "var(--ink)") return "var(--paper)";
  return deep_colors.includes(color) ? "var(--on-deep)" : "var(--on-bar)";
}

// A scale of looks by name.
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

// Of the names of series, in their order.
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

// Labels that are an axis's values as they are, in fitting units; more than 12 digits are what division rounds.
function exact_labels(fitting) {
  return labels_saying(in_unit(fitting));
}

// The same where Vega picks the values; in plain units it knows by itself how many digits tell these apart. Along a
// logarithm it leaves some without a label, for which there is no room.
function scaled_labels(fitting) {
  if (fitting.size === 1) return {};
  return labels_saying(`datum.label === "" ? "" : ${in_unit(fitting)}`);
}

// Along a logarithm: 1, 2 and 5 times powers of ten, or these alone where those would be too many, or every second,
// or third.
function logarithmic_ticks(least, greatest) {
  const decades = Math.log10(greatest / least);
  const step = Math.max(1, Math.ceil(decades / 10));
  const ticks = [];
  for (let power = step * Math.floor(Math.log10(least) / step); power <= Math.log10(greatest); power += step)
    for (const digit of decades < 2.5 ? [1, 2, 5] : [1]) ticks.push(Number(`${digit}e${power}`));
  return ticks.filter((tick) => tick >= least && tick <= greatest);
}

// What an axis of numbers has along a scale with such a type and domain.
function ticks_along({type, domain}, fitting) {
  if (type !== "log") return scaled_labels(fitting);
  return {values: logarithmic_ticks(...domain), ...exact_labels(fitting)};
}

// How wide a text of charts is.
function text_width(text) {
  return vega_scenegraph.textMetrics.width({font: chart_config.text.font, fontSize: 12}, text);
}

// Whether a cut there would make another number of one, as "64 workers" would be of 4.
function is_in_number(label, place) {
  for (const {0: number, index} of label.matchAll(/\d+(?:[.,]\d+)*/g))
    if (index < place && place < index + number.length) return true;
  return false;
}

// How much of a label's end has room after its first letters and an ellipsis.
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

// A label without room loses what is in its middle, a pointer what it begins with; or another part if others
// would look the same without that. It ends in its number where no part tells it from others. Numbers in it are
// whole, or not there.
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

// What has room of a text within a mark, in letters of that size: its first letters.
function cut_text(text, room, size) {
  const wide = room * 12 / size;
  return text_width(text) <= wide ? text : start_with_room(text, "…", wide);
}

require_module("vega-functions").expressionFunction("cut_text", cut_text);
require_module("vega-functions").expressionFunction("cut_label", cut_label);

// Labels of a scale of names, as wide as there is room on the left.
function name_labels(scale) {
  return labels_saying(`cut_label(datum.value, domain('${scale}'), label_room)`);
}

// The range of values, and 0; what is 0 alone lies on the left.
function range_with_zero(values) {
  const [least, greatest] = extent_of([0, ...values]);
  return [least, least < greatest ? greatest : 1];
}

// From 0 to where texts at the ends of bars have that much room.
function bars_range(room) {
  return [0, {signal: `max(40, width - ${room})`}];
}

// The views that are shown, and what makes them as wide as paper is, or as their element again.
const drawn_charts = new Map();
const width_on_paper = 690;

function forget(view) {
  view.finalize();
  drawn_charts.get(view).observer.disconnect();
  drawn_charts.delete(view);
}

// Draws a specification of Vega into an element; what it says follows the element's width, the signal page_width.
// A tip may be an object of texts, or what the option tip_of makes one of; where arrow keys walk is the option walk.
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
function show_tooltip(event, value) {
  const tip = document.getElementById("tooltip");
  tip.hidden = !is_there(value);
  if (tip.hidden) return;
  tip.replaceChildren(...(typeof value === "object" ? Object.entries(value) : [["", value]]).map(
    ([name, text]) => element("div", {}, name ? `${name}: ${text}` : String(text))));
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}

// In place of a chart.
function nothing_to_draw(reason) {
  return element("p", {class: "blank"}, unbroken(`Nothing to draw: ${reason}`));
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

// What controls are told apart by.
function name_of_control(control) {
  const label = control.closest("label");
  return (label ? label.querySelector("span") : control).textContent;
}

// Puts controls in place of others; the one that had the focus has it again.
function replace_controls(holder, controls) {
  const focused = holder.contains(document.activeElement) ? name_of_control(document.activeElement) : null;
  holder.replaceChildren(...controls);
  if (focused === null) return;
  const again = [...holder.querySelectorAll("select, button, input")].find((each) => name_of_control(each) === focused);
  if (again) again.focus({preventScroll: true});
}

// Of each kind of chart how it is drawn into an element.
const chart_kinds = {};
