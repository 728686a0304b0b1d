// The activities of workers over time, with a row for each track. Keys, buttons, dragging and ctrl + wheel zoom and
// move it; arrow keys without shift walk from span to span.
"use strict";

const timeline_colors = {
  "forward": "var(--sky)", "backward": "var(--blue)", "update": "var(--green)", "injected delay": "var(--ink-soft)",
  "waiting": "var(--yellow)", "collective": "var(--vermilion)",
  "averaging": "var(--vermilion)", "message sent": "var(--purple)",
  "message received": "var(--orange)", "negotiation": "var(--heat-4)", "other": "var(--line)",
};

function timeline_category(name, track) {
  if (track.startsWith("sends")) return "message sent";
  if (track.startsWith("receives")) return "message received";
  if (name.startsWith("nccl:") || name.startsWith("partial collective")) return "collective";
  if (name.startsWith("average")) return "averaging";
  if (name.startsWith("negotiate")) return "negotiation";
  if (name.startsWith("forward")) return "forward";
  if (name.startsWith("backward")) return "backward";
  if (name.startsWith("update")) return "update";
  if (name.startsWith("delay")) return "injected delay";
  return name.startsWith("wait") ? "waiting" : "other";
}

const workers_at_once = 8;

// The order of tracks: a worker's own activities first, its messages last; "sends (2)" after "sends".
function track_place(track) {
  const kind = ["main", "", "sends", "receives"].findIndex((begin) => begin && track.startsWith(begin));
  return 1000 * (kind < 0 ? 1 : kind) + Number((/\((\d+)\)$/.exec(track) || [0, 0])[1]);
}

// The rows of some workers, from top to bottom: one for each of their tracks.
function timeline_rows(spans, workers) {
  const rows = [];
  for (const worker of workers) {
    const tracks = distinct(spans.filter((span) => span.worker === worker).map((span) => span.track));
    tracks.sort((a, b) => track_place(a) - track_place(b) || (a < b ? -1 : 1));
    tracks.forEach((track, i) => rows.push(
      {key: `${worker} ${track}`, label: i === 0 ? `worker ${worker}: ${track}` : track}));
  }
  return rows;
}

function timeline_categories(spans) {
  return Object.keys(timeline_colors).filter((name) => spans.some((span) => span.category === name));
}

function timeline_legend(spans) {
  return timeline_categories(spans).map((text) => ({text, color: timeline_colors[text]}));
}

function timeline_spec(title, spans, rows, {whole, domain}) {
  const used = timeline_categories(spans);
  const fitting = fitting_unit("s", whole[1]);
  const room = "(min(width, scale('x', datum.end_s)) - max(0, scale('x', datum.start_s)))";
  return {
    description: `${title}: ${rows.length} tracks, ${spans.length} spans. Plus and minus zoom, ` +
      "shift and arrow keys move, 0 shows all; arrow keys alone step through the spans.",
    height: rows.length * 19,
    signals: [{name: "domain", value: domain}, {name: "labels", value: rows.map((row) => row.label)}],
    data: [{name: "spans", values: spans,
            transform: [{type: "filter", expr: "datum.end_s >= domain[0] && datum.start_s <= domain[1]"}]}],
    scales: [
      {name: "x", type: "linear", domain: {signal: "domain"}, range: "width", zero: false, nice: false},
      {name: "y", type: "band", domain: rows.map((row) => row.key), range: "height", paddingInner: 0.12},
      {name: "label", type: "ordinal", domain: rows.map((row) => row.key), range: rows.map((row) => row.label)},
      {name: "color", type: "ordinal", domain: used, range: used.map((name) => timeline_colors[name])},
    ],
    axes: [
      {orient: "top", scale: "x", grid: true, title: `time in the iteration (${fitting.unit})`,
       tickCount: {signal: "ceil(width / 110)"},
       encode: {labels: {update: {text: {signal:
         `format(datum.value / ${fitting.size}, domain[1] - domain[0] < ${fitting.size} / 5 ? ",.3~f" : ",.5~g")`}}}}},
      {orient: "left", scale: "y", domain: false, ticks: false, labelFontSize: 11,
       ...labels_saying("cut_label(scale('label', datum.value), labels, label_room)")},
    ],
    marks: [{
      type: "group", clip: true,
      encode: {update: {width: {signal: "width"}, height: {signal: "height"}, fill: {value: "transparent"}}},
      marks: [
        {type: "rect", name: "bars", from: {data: "spans"}, aria: false, encode: {
          enter: {fill: {scale: "color", field: "category"}, tooltip: {field: "tip"}},
          update: {x: {scale: "x", field: "start_s"},
                   width: {signal: "max(0.6, scale('x', datum.end_s) - scale('x', datum.start_s))"},
                   y: {scale: "y", field: "key"}, height: {scale: "y", band: 1}}}},
        {type: "text", from: {data: "spans"}, interactive: false, aria: false, encode: {
          enter: {fontSize: {value: 10}, baseline: {value: "middle"}, fill: {field: "on_color"}},
          update: {x: {signal: "max(0, scale('x', datum.start_s)) + 3"}, y: {scale: "y", field: "key", band: 0.5},
                   text: {signal: `${room} > 34 ? cut_text(datum.name, ${room} - 5, 10) : ""`}}}},
      ],
    }],
  };
}

// The places of all spans, including those outside the part that is shown; their frames end at the drawing's edges.
function timeline_places(view, spans) {
  const [x, y, width] = [view.scale("x"), view.scale("y"), view.width()];
  return spans.map((span) => {
    const [left, right, top] = [x(span.start_s), x(span.end_s), y(span.key)];
    const bottom = top + y.bandwidth();
    return {source: span, tip: span.tip, x1: Math.max(0, left), y1: top, x2: Math.min(width, right), y2: bottom,
            middle: [(left + right) / 2, (top + bottom) / 2], is_in_view: right >= 0 && left <= width};
  });
}

// The spans by rows, and by time within a row.
function as_one_reads(spans, rows) {
  const row_of = new Map(rows.map((row, i) => [row.key, i]));
  return spans.toSorted((a, b) => row_of.get(a.key) - row_of.get(b.key) || a.start_s - b.start_s);
}

// The part of `whole` that is shown after zooming by a factor around a point, or (moved) moving by a share of the part.
function zoomed(part, whole, factor, center) {
  const length = Math.min(whole[1] - whole[0], Math.max((part[1] - part[0]) * factor, (whole[1] - whole[0]) * 1e-4));
  return moved([center - (center - part[0]) * length / (part[1] - part[0]), 0], whole, length, 0);
}

function moved(part, whole, length, share) {
  const start = Math.min(Math.max(part[0] + share * length, whole[0]), whole[1] - length);
  return [start, start + length];
}

// The part moved just as far as is necessary to show a span, or to be filled by one that is longer.
function moved_to(span, part, whole) {
  const length = part[1] - part[0];
  const [start, end] = [span.start_s - 0.05 * length, span.end_s + 0.05 * length];
  const [first, last] = [Math.min(start, end - length), Math.max(start, end - length)];
  return moved([Math.min(Math.max(part[0], first), last), 0], whole, length, 0);
}

// Functions that zoom and move a view whose signal `domain` is the part that is shown. The span whose tooltip is shown
// stays in the part.
function zoom_of(view, whole) {
  const part = () => view.signal("domain");
  const show = (domain) => {
    view.signal("domain", domain).run();
    tell_again(view);
  };
  const middle = () => {
    const [start, end] = part();
    const told = told_in(view);
    return told ? Math.min(Math.max((told.start_s + told.end_s) / 2, start), end) : (start + end) / 2;
  };
  return {
    part, whole: () => show(whole),
    reveal: (span) => show(moved_to(span, part(), whole)),
    zoom: (factor, center) => show(zoomed(part(), whole, factor, center === undefined ? middle() : center)),
    move: (share) => show(moved(part(), whole, part()[1] - part()[0], share)),
  };
}

const zoom_keys = {
  "+": (zoom) => zoom.zoom(0.5), "=": (zoom) => zoom.zoom(0.5), "-": (zoom) => zoom.zoom(2),
  "0": (zoom) => zoom.whole(), "ArrowLeft": (zoom) => zoom.move(-0.2), "ArrowRight": (zoom) => zoom.move(0.2),
};

function listen_for_zoom(holder, zoom, view) {
  let dragged = null;
  const width = () => view.width();
  holder.onkeydown = (event) => {
    if (!zoom_keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    zoom_keys[event.key](zoom);
  };
  holder.onwheel = (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const x = event.clientX - holder.getBoundingClientRect().left - view.origin()[0];
    const [start, end] = zoom.part();
    zoom.zoom(event.deltaY < 0 ? 0.8 : 1.25, start + (end - start) * x / width());
  };
  holder.onpointerdown = (event) => { dragged = event.clientX; };
  holder.onpointermove = (event) => {
    if (dragged === null || event.buttons === 0) return;
    zoom.move((dragged - event.clientX) / width());
    dragged = event.clientX;
  };
  holder.onpointerup = () => { dragged = null; };
}

function worker_pages(workers) {
  const pages = [];
  for (let i = 0; i < workers.length; i += workers_at_once) pages.push(workers.slice(i, i + workers_at_once));
  return pages;
}

// The workers of a page: "0 to 7", or all numbers if workers in between belong to another job.
function page_text(workers) {
  const [first, last] = [workers[0], workers[workers.length - 1]];
  return last - first === workers.length - 1 && workers.length > 1 ? `${first} to ${last}` : workers.join(", ");
}

function timeline_spans(chart) {
  const [owner] = chart.columns;
  return objects_of(chart).map((row) => {
    const category = timeline_category(row.name, row.track);
    return {
      ...row, label: row[owner.name], end_s: row.start_s + row.duration_s, key: `${row.worker} ${row.track}`,
      category, on_color: color_on(timeline_colors[category]),
      tip: {"": row.name, [`worker ${row.worker}`]: row.track, start: value_text(row.start_s, "s"),
            takes: value_text(row.duration_s, "s")},
    };
  });
}

const nothing_begins = "Nothing to draw: ";

// The reason why there are no spans: the one in the note, or that no activity took any time.
function why_no_span(note) {
  return note.startsWith(nothing_begins) ? note.slice(nothing_begins.length)
    : "none of the activities of the workers took any time.";
}

function why_no_spans(chart) {
  const reasons = distinct(Object.values(chart.options.notes).map(why_no_span));
  return reasons.length > 0 ? reasons.join(" ") : "trace.json has no whole iteration.";
}

chart_kinds.timeline = function (chart, holder) {
  const [owner] = chart.columns;
  const {notes} = chart.options;
  const all = timeline_spans(chart);
  const labels = distinct([...owner.values, ...Object.keys(notes)]);  // runs without spans come last
  const state = {label: labels[0], page: 0, domain: null};
  const controls = element("div", {class: "controls"});
  const note = element("p", {class: "key"});
  const canvas = element("div", {class: "timeline", role: "group", "aria-label": chart.title});
  holder.append(controls, note, canvas);
  const choose_label = () => choice(owner.label, labels.map((label) => ({value: label, text: label})), state.label,
                                    (label) => { Object.assign(state, {label, domain: null}); show(); });
  const note_of_label = () => notes[state.label] ?? "";
  const show_nothing = () => {
    canvas.replaceChildren(nothing_to_draw(why_no_span(note_of_label())));
    replace_controls(controls, [choose_label()]);
  };
  const show = () => {
    note.textContent = note_of_label().startsWith(nothing_begins) ? "" : note_of_label();
    const of_run = all.filter((span) => span.label === state.label);
    if (of_run.length === 0) return show_nothing();
    const pages = worker_pages(distinct(of_run.map((span) => span.worker)).sort((a, b) => a - b));
    state.page = Math.min(state.page, pages.length - 1);
    const rows = timeline_rows(of_run, pages[state.page]);
    const spans = of_run.filter((span) => pages[state.page].includes(span.worker));
    const whole = [0, greatest_of(of_run.map((span) => span.end_s))];
    const walked = as_one_reads(spans, rows);
    const parts = {whole, domain: state.domain ?? whole};
    const view = redraw(canvas, timeline_spec(`${chart.title}, ${state.label}`, spans, rows, parts), {
      renderer: spans.length > 3000 ? "canvas" : "svg", legend: timeline_legend(spans),
      walk: {places: () => timeline_places(view, walked), reveal: (span) => zoom.reveal(span)}});
    const zoom = zoom_of(view, whole);
    listen_for_zoom(canvas, zoom, view);
    const button = (text, act) => element("button", {type: "button", onclick: act}, text);
    replace_controls(controls, [choose_label(),
      choice("workers", pages.map((page, i) => ({value: String(i), text: page_text(page)})),
             String(state.page), (page) => {
               Object.assign(state, {page: Number(page), domain: zoom.part()});
               show();
             }),
      button("Zoom in", () => zoom.zoom(0.5)), button("Zoom out", () => zoom.zoom(2)),
      button("Earlier", () => zoom.move(-0.4)), button("Later", () => zoom.move(0.4)),
      button("Show all", () => zoom.whole())]);
  };
  show();
  document.addEventListener("theme", () => {
    if (!canvas.querySelector("canvas")) return;
    state.domain = canvas.view.signal("domain");
    show();
  });
};
