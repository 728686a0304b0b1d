// What a mouse tells of a chart's marks, arrow keys tell, too: from mark to mark of the chart that has the focus.
"use strict";

const walking_directions = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

// The marks in view that have a tooltip, with where they are from the origin of the view, as one reads.
function marks_to_tell(view) {
  const found = [];
  const visit = (group, x, y) => {
    for (const item of group.items.flatMap((mark) => mark.items)) {
      if (item.items) visit(item, x + (item.x || 0), y + (item.y || 0));
      if (!is_there(item.tooltip) || item.opacity === 0) continue;
      const {x1, y1, x2, y2} = item.bounds;
      const place = {tip: item.tooltip, x1: x + x1, y1: y + y1, x2: x + x2, y2: y + y2};
      place.middle = [(place.x1 + place.x2) / 2, (place.y1 + place.y2) / 2];
      if (place.x2 >= 0 && place.x1 <= view.width()) found.push(place);
    }
  };
  view.scenegraph().root.items.forEach((group) => visit(group, 0, 0));
  return found.sort((a, b) => a.middle[1] - b.middle[1] || a.middle[0] - b.middle[0]);
}

// The nearest in a direction; what is aside is farther than what is ahead.
function next_mark(marks, from, [dx, dy]) {
  const distance = ({middle: [x, y]}) => {
    const [right, down] = [x - from.middle[0], y - from.middle[1]];
    const ahead = right * dx + down * dy;
    return ahead < 0.5 ? Infinity : ahead + 3 * Math.abs(right * dy + down * dx);
  };
  const nearest = marks.reduce((best, mark) => (distance(mark) < distance(best) ? mark : best), from);
  return distance(nearest) < Infinity ? nearest : from;
}

// A frame around the mark, and its tooltip.
function tell_mark(drawing, view, mark, tip) {
  const frame = document.getElementById("told");
  const drawn = drawing.querySelector("svg, canvas").getBoundingClientRect();
  const x = drawn.left + view.padding().left + view.origin()[0] + mark.x1;
  const y = drawn.top + view.padding().top + view.origin()[1] + mark.y1;
  const [width, height] = [mark.x2 - mark.x1, mark.y2 - mark.y1];
  Object.assign(frame.style, {left: `${x - 3}px`, top: `${y - 3}px`, width: `${width + 6}px`, height: `${height + 6}px`});
  frame.hidden = false;
  show_tooltip({clientX: x + width, clientY: y + height}, tip);
}

function tell_no_mark() {
  if (document.getElementById("told").hidden) return;
  document.getElementById("told").hidden = true;
  show_tooltip(null, null);
}

function listen_for_walks(drawing, view, tip_of) {
  let told = null;
  drawing.tabIndex = 0;
  drawing.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tell_no_mark();
    const direction = walking_directions[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = marks_to_tell(view);
    if (marks.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    told = told ? next_mark(marks, told, direction) : marks[0];
    tell_mark(drawing, view, told, tip_of(told.tip));
  });
  drawing.addEventListener("blur", tell_no_mark);
}

window.addEventListener("scroll", tell_no_mark, {passive: true});
