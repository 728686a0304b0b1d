// A table to filter and sort, and its rows as points over axes that the reader picks.
"use strict";

const most_points_of_svg = 1500;
const most_names_of_legend = 24;

function sort_key(chart, name) {
  const column = column_named(chart, name);
  const dimension = dimension_named(chart, name);
  if (!dimension) return (row) => column.values[row];
  const places = new Map(dimension.values.map((value, place) => [value, place]));
  return (row) => places.get(column.values[row]);
}

// Rows sorted by a column, ascending (1) or descending (−1); missing values come last in either case.
function sorted_rows(chart, rows, name, direction) {
  if (!name) return rows;
  const key = sort_key(chart, name);
  const is_missing = (value) => value === null || value === undefined || value === "";
  return rows.toSorted((a, b) => {
    const [first, second] = [key(a), key(b)];
    if (is_missing(first) || is_missing(second)) return is_missing(first) - is_missing(second);
    if (typeof first === "number" && typeof second === "number") return direction * (first - second);
    return direction * String(first).localeCompare(String(second));
  });
}

function explorer_points(chart, state, rows) {
  const [across, up] = [axis_over(chart, state.x), axis_over(chart, state.y)];
  const color = column_named(chart, state.color);
  const points = rows.map((row) => ({x: across.place(row), y: up.place(row), series: color.values[row], row}));
  return points.filter((point) => is_there(point.x) && is_there(point.y));
}

function explorer_spec(chart, state, points) {
  const [across, up] = [axis_over(chart, state.x), axis_over(chart, state.y)];
  const color = column_named(chart, state.color);
  const names = dimension_named(chart, state.color).values;
  const scales = {x: across.scale(points.map((point) => point.x)), y: up.scale(points.map((point) => point.y))};
  const axis = (orient, name, over) => ({
    orient, scale: name, title: over.title, grid: orient === "left", labelOverlap: "greedy", tickCount: 7,
    ...(over.is_ordinal && orient === "left" ? name_labels("y") : over.ticks(scales[name]))});
  return {
    description: `${counted_text(points.length, "point")}: ${across.title} and ${up.title}, colored by ${color.label}`,
    height: 360,
    data: [{name: "points", values: points}],
    scales: [
      {name: "x", range: "width", ...scales.x},
      {name: "y", range: "height", ...scales.y},
      series_scale("color", names, color_of_series),
      series_scale("shape", names, shape_of_series),
    ],
    axes: [axis("bottom", "x", across), axis("left", "y", up)],
    marks: [{type: "symbol", from: {data: "points"}, aria: false, encode: {
      enter: {stroke: {scale: "color", field: "series"}, shape: {scale: "shape", field: "series"},
              fill: {value: "transparent"}, strokeWidth: {value: 1.4}, size: {value: 34},
              tooltip: {signal: "{row: datum.row}"}},
      update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}}}}],
  };
}

// The tooltip of a row.
function row_tip(chart, state, row) {
  const shown = [...chart.options.dimensions.map((dimension) => dimension.name), state.x, state.y];
  return Object.fromEntries(distinct(shown).map((name) =>
    [label_of(chart, name), text_with_unit(chart, column_named(chart, name), row)]));
}

function sortable_head(chart, column, state, show) {
  const is_sorted = state.sorted === column.name;
  const mark = is_sorted ? (state.direction > 0 ? " ▲" : " ▼") : "";
  const sort = element("button", {type: "button", "data-column": column.name, onclick: () => {
    state.direction = is_sorted ? -state.direction : 1;
    state.sorted = column.name;
    show();
    document.querySelector(`#${CSS.escape(chart.id)} th button[data-column=${CSS.escape(column.name)}]`).focus();
  }}, head_of(chart, column) + mark);
  const order = state.direction > 0 ? "ascending" : "descending";
  return element("th", {scope: "col", "aria-sort": is_sorted ? order : "none"}, sort);
}

function explorer_table(chart, rows, state, show) {
  const body = element("tbody");
  add_rows(body, chart, rows, 0);
  return element("table", {}, element("caption", {}, chart.title), element("thead", {}, element("tr", {},
    ...chart.columns.map((column) => sortable_head(chart, column, state, show)))), body);
}

// All texts of a row, which the search box searches.
function texts_of(chart, row) {
  return chart.columns.map((column) => column.values[row]).filter((value) => typeof value === "string")
    .join(" ").toLowerCase();
}

// The search waits for further letters, as thousands of rows take longer to show than it takes to type one.
const search_delay_ms = 150;

function search_box(state, show) {
  let waiting = null;
  const search = element("input", {type: "search", size: "16", placeholder: " ", oninput: () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.wanted = search.value.toLowerCase();
      show();
    }, search_delay_ms);
  }});
  return search;
}

function explorer_controls(chart, state, show) {
  const dimensions = varying_dimensions(chart);
  const names = [...names_of_varying(chart), ...chart.options.figures];
  const pick = (key) => (chosen) => { state[key] = chosen; show(); };
  return [
    element("div", {class: "controls"},
      choice("across", choices_of(chart, names), state.x, pick("x")),
      choice("up", choices_of(chart, names), state.y, pick("y")),
      choice("color", choices_of(chart, distinct([...names_of_varying(chart), state.color])), state.color,
        pick("color"))),
    element("div", {class: "controls filters"}, element("span", {}, "only"),
      ...filter_choices(chart, dimensions, state.filters, true, show),
      element("label", {class: "choice"}, element("span", {}, "containing"), search_box(state, show))),
  ];
}

// A legend cut to its first names, with the number of the others.
function short_legend(items) {
  if (items.length <= most_names_of_legend) return items;
  const left = items.length - most_names_of_legend;
  const text = `and ${left.toLocaleString("en-US")} more, named in tooltips`;
  return [...items.slice(0, most_names_of_legend), {text}];
}

chart_kinds.explorer = function (chart, holder) {
  const {x, y, color} = chart.options;
  const state = {x, y, color, filters: new Map(), wanted: "", sorted: null, direction: 1};
  choose_what_varies(chart, state, chart.options.figures);
  const drawing = element("div", {class: "points"});
  const table = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": chart.title});
  const count = element("span", {role: "status"});
  let rows = [];
  const csv = element("button", {type: "button", class: "csv",
    onclick: () => download(`${chart.id}.csv`, csv_text(chart, rows))}, "Download these rows as CSV");
  const show = () => {
    const is_chosen = row_filter(chart, varying_dimensions(chart), state.filters);
    rows = Array.from({length: rows_in(chart)}, (_, row) => row).filter((row) =>
      is_chosen(row) && (state.wanted === "" || texts_of(chart, row).includes(state.wanted)));
    rows = sorted_rows(chart, rows, state.sorted, state.direction);
    count.textContent = `${rows.length.toLocaleString("en-US")} of ${counted_text(rows_in(chart), "row")}`;
    table.replaceChildren(explorer_table(chart, rows, state, show));
    const points = explorer_points(chart, state, rows);
    if (points.length === 0)
      return drawing.replaceChildren(nothing_to_draw("none of these rows has both values."));
    redraw(drawing, explorer_spec(chart, state, points), {
      legend: short_legend(drawn_legend(chart, state.color, points, {has_shape: true})),
      renderer: rows.length > most_points_of_svg ? "canvas" : "svg",
      tip_of: ({row}) => row_tip(chart, state, row),
    });
  };
  holder.append(...explorer_controls(chart, state, show), drawing,
                element("div", {class: "data"}, count, csv), table);
  show();
  document.addEventListener("theme", () => { if (drawing.querySelector("canvas")) show(); });
};

// A chart that is only a table.
chart_kinds.table = function (chart, holder) {
  holder.append(element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": chart.title},
                        table_element(chart, chart.title)),
                element("button", {type: "button", class: "csv",
                  onclick: () => download(`${chart.id}.csv`, csv_text(chart))}, "Download CSV"));
};
