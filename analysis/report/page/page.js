// Builds the page from its data: question and answer first, then the charts, each drawn when it comes into view.
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
const undrawn = new Map();
const kinds_with_a_table = ["explorer", "table"];

function set_theme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
  document.getElementById("theme").setAttribute("aria-label",
    `Switch to ${theme === "dark" ? "light" : "dark"} colors`);
  document.dispatchEvent(new Event("theme"));
}

function current_theme() {
  return document.documentElement.dataset.theme;
}

function follow_theme() {
  const prefers_dark = window.matchMedia("(prefers-color-scheme: dark)");
  set_theme(prefers_dark.matches ? "dark" : "light");
  prefers_dark.addEventListener("change", () => set_theme(prefers_dark.matches ? "dark" : "light"));
  document.getElementById("theme").addEventListener("click",
    () => set_theme(current_theme() === "dark" ? "light" : "dark"));
}

function fill_header() {
  document.title = `${report.title} – Starling report`;
  document.getElementById("title").textContent = report.title;
  document.getElementById("question").textContent = report.question;
  document.getElementById("answer").append(...report.answer.map((sentence) =>
    element("p", {}, unbroken(sentence))));
  document.getElementById("facts").append(...report.facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  document.getElementById("contents").append(...report.charts.filter((chart) => !chart.blank).map((chart) =>
    element("a", {href: `#${chart.id}`}, chart.title)));
  document.getElementById("footer").append(
    `Made by starling ${report.starling}. Charts are drawn by Vega (University of Washington Interactive Data Lab, ` +
    "BSD 3-clause license).", element("span", {class: "on_screen"},
    " Arrow keys step through the marks of the focused chart. The page loads nothing from elsewhere."));
}

function draw_chart(holder) {
  const chart = undrawn.get(holder);
  if (!chart) return;
  undrawn.delete(holder);
  try {
    chart_kinds[chart.kind](chart, holder);
  } catch (error) {
    holder.replaceChildren(element("p", {class: "blank"}, `This chart cannot be drawn: ${error.message}`));
    console.error(error);
  }
  holder.dataset.drawn = "yes";
}

function draw_all() {
  for (const holder of [...undrawn.keys()]) draw_chart(holder);
}

// The section of a blank chart: its title and the reason.
function reason_of(chart) {
  return element("section", {id: chart.id, class: "empty", "aria-labelledby": `${chart.id}_title`},
                 element("h2", {id: `${chart.id}_title`}, chart.title), nothing_to_draw(chart.blank));
}

function figure_of(chart) {
  if (chart.blank) return reason_of(chart);
  const caption = element("figcaption", {}, element("h2", {id: `${chart.id}_title`}, chart.title),
                          chart.note ? element("p", {}, unbroken(chart.note)) : null);
  const figure = element("figure", {id: chart.id, role: "group", "aria-labelledby": `${chart.id}_title`}, caption);
  const holder = element("div", {class: "chart"});
  undrawn.set(holder, chart);
  figure.append(holder);
  if (!kinds_with_a_table.includes(chart.kind)) figure.append(data_element(chart));
  return figure;
}

function decode_tables() {
  for (const chart of report.charts) if (chart.columns) chart.columns = decoded_columns(chart.columns);
  for (const chart of report.charts)
    if (chart.data_of) chart.columns = report.charts.find((other) => other.id === chart.data_of).columns;
}

// Gives every chart without rows a reason.
function tell_why_nothing_is_there() {
  for (const chart of report.charts) {
    if (chart.blank || rows_in(chart) > 0) continue;
    chart.blank = chart.kind === "timeline" ? why_no_spans(chart) : "It has no data.";
  }
}

// Draws all charts before a link to one is followed: drawn charts are higher, so the target would move otherwise.
function draw_before_links_lead() {
  document.getElementById("contents").addEventListener("click", draw_all);
  const follow = () => {
    const figure = document.getElementById(window.location.hash.slice(1));
    if (!figure) return;
    draw_all();
    figure.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
}

function draw_what_comes_into_view() {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      draw_chart(entry.target);
    }
  }, {rootMargin: "500px"});
  for (const holder of undrawn.keys()) observer.observe(holder);
}

// Before printing, draws all charts, in light colors and as wide as the paper.
function print_well() {
  let shown = null;
  window.addEventListener("beforeprint", () => {
    draw_all();
    shown = current_theme();
    set_theme("light");
    for (const chart of drawn_charts.values()) chart.to_paper();
  });
  window.addEventListener("afterprint", () => {
    set_theme(shown);
    for (const chart of drawn_charts.values()) chart.follow();
  });
}

follow_theme();
decode_tables();
tell_why_nothing_is_there();
report.charts.sort((a, b) => Boolean(a.blank) - Boolean(b.blank));  // blank charts come last
fill_header();
document.getElementById("charts").append(...report.charts.map(figure_of));
draw_what_comes_into_view();
draw_before_links_lead();
print_well();
