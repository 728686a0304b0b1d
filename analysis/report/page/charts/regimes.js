// A map for each number of workers: the fastest algorithm, by color and letter, over the ratio of communication to
// compute and the variation of compute times.
"use strict";

// A to Z, then AA, AB, ..., as spreadsheets name their columns.
function regime_letter(place, is_capital) {
  const last = String.fromCharCode((is_capital ? 65 : 97) + place % 26);
  return place >= 26 ? regime_letter(Math.floor(place / 26) - 1, is_capital) + last : last;
}

function regime_color(place) {
  return series_colors[place % series_colors.length];
}

function regime_field(row, algorithms) {
  const place = algorithms.indexOf(row.fastest);
  const is_decided = row.is_decided === "yes";
  const is_gain_sure = row.is_gain_sure === "yes";
  const is_simulated = row.is_simulated === "yes";
  const by_model = is_simulated && row.fastest !== row.fastest_by_model ? {"by the model": row.fastest_by_model} : {};
  return {
    ratio: row.communication_to_compute, variation: row.coefficient_of_variation, workers: row.workers,
    letter: regime_letter(place, is_decided), color: regime_color(place), opacity: is_decided ? 1 : 0.3,
    on_color: is_decided ? color_on(regime_color(place)) : "var(--ink)",  // pale: the page shines through
    dot: is_simulated ? (by_model["by the model"] ? "cross" : "circle") : null,
    tip: {"": `${row.fastest} is the fastest${is_decided ? "" : ", not certainly"}`,
          [`${row.second} takes`]: `${digits_text(row.gain_percent)} % longer${is_gain_sure ? "" : ", by the model"}`,
          workers: row.workers,
          "communication to compute": digits_text(row.communication_to_compute),
          "coefficient of variation": digits_text(row.coefficient_of_variation),
          "found by": is_simulated ? "simulation" : "the model", ...by_model},
  };
}

function regime_counts(fields) {
  const letters = distinct(fields.map((field) => field.letter)).sort();
  return letters.map((letter) => `${letter} at ${fields.filter((field) => field.letter === letter).length}`).join(", ");
}

function regime_map_spec(title, fields) {
  const ascending = (values) => distinct(values).sort((a, b) => a - b);
  const ratios = ascending(fields.map((field) => field.ratio));
  const variations = ascending(fields.map((field) => field.variation));
  const label = {encode: {labels: {update: {text: {signal: "format(datum.value, '.4~r')"}}}}, labelOverlap: true};
  const middle = {x: {scale: "x", field: "ratio", band: 0.5}, y: {scale: "y", field: "variation", band: 0.5}};
  const room = "min(bandwidth('x'), bandwidth('y'))";
  return {
    description: `${title}: ${regime_counts(fields)} points`,
    title: {text: title, fontWeight: 600}, height: Math.max(150, Math.min(420, variations.length * 34)),
    data: [{name: "fields", values: fields}],
    scales: [{name: "x", type: "band", domain: ratios, range: "width"},
             {name: "y", type: "band", domain: variations, range: "height", reverse: true}],
    axes: [{orient: "bottom", scale: "x", title: "communication to compute", ...label},
           {orient: "left", scale: "y", title: "coefficient of variation", ...label}],
    marks: [
      {type: "rect", from: {data: "fields"}, aria: false, encode: {
        enter: {fill: {field: "color"}, fillOpacity: {field: "opacity"}, stroke: {value: "var(--paper)"},
                tooltip: {field: "tip"}},
        update: {x: {scale: "x", field: "ratio"}, width: {scale: "x", band: 1}, y: {scale: "y", field: "variation"},
                 height: {scale: "y", band: 1}, strokeWidth: {signal: `${room} > 8 ? 1 : 0`}}}},
      {type: "text", from: {data: "fields"}, aria: false, interactive: false, encode: {
        enter: {text: {field: "letter"}, align: {value: "center"}, baseline: {value: "middle"}, fontWeight: {value: 600},
                fill: {field: "on_color"}, fontSize: {value: 13}},
        update: {...middle, opacity: {signal: `${room} >= 13 ? 1 : 0`}}}},
      {type: "symbol", from: {data: "fields"}, aria: false, interactive: false, encode: {
        enter: {shape: {signal: "datum.dot || 'circle'"}, fill: {field: "on_color"}, angle: {value: 45}},
        update: {x: {signal: "scale('x', datum.ratio) + bandwidth('x') - min(6, 0.3 * bandwidth('x'))"},
                 y: {signal: "scale('y', datum.variation) + bandwidth('y') - min(6, 0.3 * bandwidth('y'))"},
                 size: {signal: `(datum.dot === 'cross' ? 3 : 1) * min(14, ${room})`},
                 opacity: {signal: `datum.dot && ${room} > 5 ? 1 : 0`}}}},
    ],
  };
}

// The legend of the maps.
function regime_legend(algorithms, rows, fields) {
  const at = (label) => rows.filter((row) => row.fastest === label).length;
  const dots = [{text: "simulated (all others: by the model)", shape: "circle"},
                {text: "simulated; the model predicts another algorithm", shape: "cross"}];
  return [
    ...algorithms.map((label, place) => ({text: `${regime_letter(place, true)} ${label}: fastest at ${at(label)}`,
                                          color: regime_color(place), label})).filter(({label}) => at(label) > 0),
    ...dots.filter(({shape}) => fields.some((field) => field.dot === shape))
      .map((dot) => ({...dot, color: "var(--ink)", filled: true})),
  ];
}

chart_kinds.regimes = function (chart, holder) {
  const rows = objects_of(chart);
  const {algorithms} = chart.options;
  const fields = rows.map((row) => regime_field(row, algorithms));
  const maps = element("div", {class: "maps"});
  holder.append(legend_element(regime_legend(algorithms, rows, fields)),
                element("p", {class: "key"}, "Small letters on pale fields: not certainly faster than the second."), maps);
  const draw_maps = () => {
    for (const [i, workers] of distinct(fields.map((field) => field.workers)).entries()) {
      const map = maps.children[i] || maps.appendChild(element("div"));
      const drawn = fields.filter((field) => field.workers === workers);
      redraw(map, regime_map_spec(`${workers} workers`, drawn), {renderer: drawn.length > 3000 ? "canvas" : "svg"});
    }
  };
  draw_maps();
  document.addEventListener("theme", () => { if (maps.querySelector("canvas")) draw_maps(); });
};
