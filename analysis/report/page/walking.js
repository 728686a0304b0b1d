// Arrow keys walk from mark to mark of the chart that has the focus, and show the tooltips that a mouse would show.
"use strict";

// The mark whose tooltip is shown: its view, its data, a function that shows it again, and the page's scroll position.
const telling = {view: null, source: null, again: null, scrolled_to: null};
const room = {above: 60, below: 120};  // around a mark in the window; below with its tooltip

const walking_directions = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

// The visible marks that have a tooltip, with their bounds from the view's origin, by rows from left to right.
function marks_to_tell(view) {
  const found = [];
  const visit = (group, x, y) => {
    for (const item of group.items.flatMap((mark) => mark.items)) {
      if (item.items) visit(item, x + (item.x || 0), y + (item.y || 0));
      if (!is_there(item.tooltip) || item.opacity === 0) continue;
      const {x1, y1, x2, y2} = item.bounds;
      const place = {source: item, tip: item.tooltip, x1: x + x1, y1: y + y1, x2: x + x2, y2: y + y2};
      place.middle = [(place.x1 + place.x2) / 2, (place.y1 + place.y2) / 2];
      if (place.x2 >= 0 && place.x1 <= view.width()) found.push({...place, is_in_view: true});
    }
  };
  view.scenegraph().root.items.forEach((group) => visit(group, 0, 0));
  return found.sort((a, b) => a.middle[1] - b.middle[1] || a.middle[0] - b.middle[0]);
}

// The distance of two intervals; 0 if they overlap.
function gap_between(a1, a2, b1, b2) {
  return Math.max(0, b1 - a2, a1 - b2);
}

// The nearest mark in a direction, by the distance of edges. Distance to the side counts more than distance ahead. Of
// equally near marks, the one with the nearest middle.
function next_mark(marks, from, [dx, dy]) {
  const distance = (mark) => {
    const [right, down] = [mark.middle[0] - from.middle[0], mark.middle[1] - from.middle[1]];
    const [ahead, aside] = [right * dx + down * dy, Math.abs(right * dy + down * dx)];
    if (ahead < 0.5) return Infinity;
    const across = gap_between(from.x1, from.x2, mark.x1, mark.x2);
    const up = gap_between(from.y1, from.y2, mark.y1, mark.y2);
    const [gap_ahead, gap_aside] = dx ? [across, up] : [up, across];
    return gap_ahead + 3 * (gap_aside > 0 ? aside : 0) + 0.01 * (ahead + aside);
  };
  const nearest = marks.reduce((best, mark) => (distance(mark) < distance(best) ? mark : best), from);
  return distance(nearest) < Infinity ? nearest : from;
}

// How far the page must be scrolled to show a frame; if it is too high, its top.
function missing_scroll(top, bottom) {
  const [above, below] = [top - room.above, bottom + room.below - window.innerHeight];
  return below > 0 ? Math.min(above, below) : Math.min(0, above);
}

// Scrolls a mark into view, and shows a frame around it and its tooltip.
function tell_mark(drawing, view, mark, tip) {
  const frame = document.getElementById("told");
  const place = () => {
    const drawn = drawing.querySelector("svg, canvas").getBoundingClientRect();
    return [drawn.left + view.padding().left + view.origin()[0] + mark.x1,
            drawn.top + view.padding().top + view.origin()[1] + mark.y1];
  };
  const [width, height] = [mark.x2 - mark.x1, mark.y2 - mark.y1];
  const top = place()[1];
  window.scrollBy({top: missing_scroll(top, top + height), behavior: "instant"});
  telling.scrolled_to = window.scrollY;
  const [x, y] = place();
  Object.assign(frame.style, {left: `${x - 3}px`, top: `${y - 3}px`, width: `${width + 6}px`, height: `${height + 6}px`});
  frame.hidden = false;
  show_tooltip({clientX: x + width, clientY: y + height}, tip);
}

function tell_no_mark() {
  telling.view = null;
  if (document.getElementById("told").hidden) return;
  document.getElementById("told").hidden = true;
  show_tooltip(null, null);
}

// The data of the mark whose tooltip is shown in a view; null if there is none.
function told_in(view) {
  return telling.view === view ? telling.source : null;
}

// Shows the tooltip again after marks have moved.
function tell_again(view) {
  if (telling.view === view) telling.again();
}

// Lets arrow keys walk through a view. A view that shows only a part of its marks passes `places`, which returns all of
// them, and `reveal`, which moves the view to show one.
function listen_for_walks(drawing, view, settings) {
  const {tip_of, places, reveal} = {places: marks_to_tell, reveal: () => {}, ...settings};
  let told = null;
  const tell = () => {
    const mark = places(view).find(({source}) => source === told);
    if (!mark || !mark.is_in_view) return tell_no_mark();
    Object.assign(telling, {view, source: told, again: tell});
    tell_mark(drawing, view, mark, tip_of(mark.tip));
  };
  drawing.tabIndex = 0;
  drawing.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tell_no_mark();
    const direction = walking_directions[event.key];
    if (!direction || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = places(view);
    if (marks.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const seen = marks.filter((mark) => mark.is_in_view);
    const from = seen.find(({source}) => source === told);
    told = (from ? next_mark(marks, from, direction) : seen[0] || marks[0]).source;
    reveal(told);
    tell();
  });
  drawing.addEventListener("blur", tell_no_mark);
}

window.addEventListener("scroll", () => {
  if (window.scrollY !== telling.scrolled_to) tell_no_mark();
}, {passive: true});
