"""Reports of real results in a real browser: they open from a file, draw every chart, and react to clicks.

Usage: report_page_test.py STARLING [FOLDER for pictures of every page]
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser

scenario = {
    "name": "four workers", "seed": 1, "iterations": 12, "warmup_iterations": 2,
    "cluster": {"workers": 4, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
    "workload": {"model": "hyperplane_mlp", "batch_size": 64,
                 "compute": {"forward": "4ms", "backward": "8ms"},
                 "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.3}},
    "learning": {"task": "hyperplane", "features": 64, "points": 512, "batch_size": 16,
                 "learning_rate": 0.01},
    "algorithms": [{"kind": "allreduce"},
                   {"kind": "eager_solo", "label": "</script><b>\u2028 & 'solo', \"once\""},
                   {"kind": "dpsgd"}],
}


def starling(program, folder, *arguments, status=0):
    ended = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == status, (arguments, ended.stderr)


def write_json(folder, name, document):
    with open(os.path.join(folder, name), "w") as file:
        json.dump(document, file)


def check_page(page, charts):
    """Checks what holds for every report."""
    page.draw_all()
    assert page.complaints() == [], page.complaints()
    drawn = page.run("return [...document.querySelectorAll('.chart')].map((c) => c.closest('figure').id)")
    assert drawn == charts, drawn
    for figure in drawn:
        chart = f"document.getElementById('{figure}').querySelector('.chart')"
        marks = page.run(f"return {chart}.querySelectorAll('svg.marks path, td').length")
        marks += page.run(f"return 99 * {chart}.querySelectorAll('canvas').length")
        assert marks > 3, (figure, marks)
        assert page.run(f"return [...{chart}.querySelectorAll('svg.marks, canvas')].every((drawn) =>"
                        "drawn.closest('[role=graphics-document]').ariaLabel.length > 10)"), figure
    check_empty_charts(page)
    assert page.run("return [...document.querySelectorAll('.controls select')].every((select) =>"
                    "select.selectedIndex >= 0 && select.options.length > 1)")
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    check_tables(page)
    check_themes(page)
    assert len(page.print_pdf()) > 10_000


def check_empty_charts(page):
    """A chart without data is replaced by a line that says why, and has no link in the contents."""
    blank = page.run("return report.charts.filter((chart) => chart.blank).map((chart) => chart.id)")
    lines = page.run("return [...document.querySelectorAll('.blank')].map((each) => each.parentElement.id)")
    assert lines == blank, lines
    for chart in blank:
        assert page.one(f"#{chart} .blank").text.startswith("Nothing to draw: "), chart
    links = page.run("return [...document.querySelectorAll('#contents a')].map((link) => link.hash.slice(1))")
    figures = page.run("return [...document.querySelectorAll('figure')].map((figure) => figure.id)")
    assert links == figures, links


def check_tables(page):
    for figure in page.all("figure"):
        for details in figure.find_elements("css selector", ".data details"):
            page.run("arguments[0].open = true", details)
    page.wait("return [...document.querySelectorAll('.data details')].every((d) => d.querySelector('td'))")
    rows = page.run("return report.charts.filter((chart) => !chart.blank).map((chart) =>"
                    "[rows_in(chart), csv_text(chart).split('\\n').length, chart.columns.length, "
                    "csv_text(chart).split('\\n')[0].split(',').length])")
    for count, lines, columns, names in rows:
        assert count > 0 and lines == count + 2 and columns == names, rows
    assert page.run("return [...document.querySelectorAll('.number')].every((cell) =>"
                    "!/NaN|undefined|Infinity/.test(cell.textContent))")
    page.run("for (const d of document.querySelectorAll('.data details')) d.open = false")


def check_themes(page):
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(background)
    page.one("#theme").click()
    dark = page.run(background)
    assert light != dark, (light, dark)
    page.one("#theme").click()
    assert page.run(background) == light
    assert page.complaints() == []


def check_run(program, folder, pictures):
    write_json(folder, "scenario.json", scenario)
    starling(program, folder, "run", "scenario.json", "--out", "run", "--trace", "--links",
             "--critical-path", "--sensitivity", "--report", "--quiet")
    with browser.Page(os.path.join(folder, "run", "report.html")) as page:
        check_page(page, ["iteration_time", "critical_path", "critical_parts", "timeline", "links",
                          "sensitivity", "active_workers", "staleness", "loss", "consensus_distance"])
        assert "</script><b>" in page.run("return document.body.innerText.replaceAll('\\u2028', '')")
        check_critical_parts(page)
        check_sensitivity(page)
        check_tracks(page)
        check_histogram(page)
        check_bars(page)
        check_heights(page)
        check_lonely_points(page)
        check_numbers(page)
        check_paper(page)
        check_csv_of_times(page, os.path.join(folder, "run", "result.json"))
        check_zoom(page)
        check_lines_by_keys(page)
        check_cut_labels(page)
    with browser.Page(os.path.join(folder, "run", "report.html")) as page:
        check_links(page)
    keep_pictures(os.path.join(folder, "run", "report.html"), pictures, "run")


shown_part = "return document.querySelector('.timeline').view.signal('domain')"


def check_zoom(page):
    """A timeline is zoomed by keys and moved by arrows with shift; it is one tab stop, with a name."""
    assert len(page.all("#timeline .chart :is([tabindex], .timeline)")) == 2
    assert page.run("return document.querySelector('.timeline').matches('[role=group][aria-label]')")
    drawing = page.one("#timeline .timeline [tabindex='0']")
    whole = page.run(shown_part)
    drawing.send_keys("+")
    zoomed = page.run(shown_part)
    assert abs((zoomed[1] - zoomed[0]) * 2 - (whole[1] - whole[0])) < 1e-9, (whole, zoomed)
    page.run("arguments[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', shiftKey: true,"
             "bubbles: true}))", drawing)
    assert page.run(shown_part)[0] > zoomed[0], (zoomed, page.run(shown_part))
    drawing.send_keys("0")
    assert page.run(shown_part) == whole


def check_lines_by_keys(page):
    """Arrow keys reach every point of lines, though points are visible under the mouse only."""
    for figure in ("loss", "consensus_distance"):
        chart = f"report.charts.find((chart) => chart.id === '{figure}')"
        marks = page.run("return marks_to_tell([...drawn_charts.keys()].find((view) =>"
                         f"view.container().closest('figure').id === '{figure}')).length")
        assert marks == page.run(f"return rows_in({chart})") > 4, (figure, marks)
        drawing = page.one(f"#{figure} .chart [tabindex='0']")
        page.run("arguments[0].scrollIntoView({block: 'center'})", drawing)
        drawing.send_keys("\ue014")
        told = page.run("return document.getElementById('tooltip').innerText")
        assert "simulated time: " in told, (figure, told)


def check_cut_labels(page):
    """Different labels stay different when they are cut, and use the available room."""
    pointer = "/cluster/protocols/{}/intra_host_{}"
    names = [pointer.format(i, end) for i in (0, 1) for end in ("latency", "efficiency")]
    names += ["a" * 60, "a" * 30 + "b" + "a" * 29, "a" * 59 + "b", "/workload/compute/backward", "short"]
    for room in (60, 156, 260):
        cut = page.run("const [names, room] = arguments;"
                       "return names.map((name) => cut_label(name, names, room))", names, room)
        assert len(set(cut)) == len(names) and cut[-1] == "short", (room, cut)
        widths = page.run("return arguments[0].map(text_width)", cut)
        assert max(widths) <= room, (room, cut, widths)
    assert "/compute/backward" in page.run("return cut_label('/workload/compute/backward', [], 156)")
    label = "1024 workers of 25.5 Gb/s on 128 hosts"
    for room in range(20, 240):
        cut = page.run("const [label, room] = arguments;"
                       "return [cut_label(label, [], room), cut_text(label, room, 10)]", label, room)
        for each in cut:
            numbers = set(re.findall(r"[\d.]+", re.sub("…0$", "…", each)))
            assert numbers <= {"1024", "25.5", "128"}, (room, cut)


def check_links(page):
    """Each link of the contents leads to the top of its chart, also if charts above it are not drawn yet."""
    page.one("#contents a[href='#consensus_distance']").click()
    page.wait("const figure = document.getElementById('consensus_distance');"
              "const {innerHeight, scrollY} = window;"
              "const is_at_end = innerHeight + scrollY >= document.documentElement.scrollHeight - 1;"
              "return figure.querySelector('.chart').dataset.drawn &&"
              "(is_at_end || Math.abs(figure.getBoundingClientRect().top) < 2)")
    page.run("window.location.hash = '#sensitivity'")
    page.wait("return Math.abs(document.getElementById('sensitivity').getBoundingClientRect().top) < 2")
    assert page.complaints() == []


def check_tracks(page):
    """Workers' main tracks come first, communication is named, and the select keeps the focus."""
    solo = scenario["algorithms"][1]["label"]
    for label, category in ((solo, "collective"), ("dpsgd", "averaging"), ("allreduce", "collective")):
        page.run("document.querySelector('#timeline select').focus()")
        choose(page, "#timeline", "algorithm", label, 0)
        assert page.run("return document.activeElement === document.querySelector('#timeline select')"), label
        categories = page.run("return distinct(document.querySelector('.timeline').view.data('spans')"
                              ".map((span) => span.category))")
        assert category in categories and "other" not in categories, (label, categories)
        rows = page.run("return [...document.querySelectorAll('#timeline .role-axis-label text')]"
                        ".map((text) => text.textContent).filter((text) => text.startsWith('worker '))")
        assert rows == [f"worker {worker}: main" for worker in range(4)], rows


def check_histogram(page):
    """Bars of the same share have the same height in every row; none is too low to see, or very wide."""
    bars = "#active_workers .role-scope > g .mark-rect path"
    boxes = page.run(f"return [...document.querySelectorAll('{bars}')]"
                     ".map((bar) => bar.getBBox()).map(({width, height}) => [width, height])")
    shares = page.run("return column_named(report.charts.find((chart) => chart.id === 'active_workers'),"
                      "'share_percent').values")
    assert len(boxes) == len(shares) > 1, (boxes, shares)
    highest = max(height for _, height in boxes)
    for (width, height), share in zip(boxes, shares):
        assert abs(height - max(2, highest * share / max(shares))) < 1 and width <= 61, (boxes, shares)


def check_bars(page):
    """Names of parts without room are left out; texts of bars are in the unit of the axis."""
    names = page.run("return [...document.querySelectorAll('#iteration_time .mark-text.role-mark text')]"
                     ".map((text) => text.textContent)")
    assert names.count("") > 0 and "backward" in names, names
    unit = page.run("return /[(](.*)[)]/.exec(document.querySelector('#iteration_time .role-axis-title')"
                    ".textContent)[1]")
    assert len([name for name in names if name.endswith(f" {unit}")]) == 3, (unit, names)


def check_heights(page):
    """Losses over decades have a logarithmic axis, with zeros at the bottom, unless the target is 0."""
    scale = page.run("const {scale, ticks} = height_scale([0, 3, 0.002, 90]);"
                     "return [scale.type, scale.constant, ...scale.domain, ...ticks]")
    assert scale == ["symlog", 0.002, 0, 108, 0, 0.01, 0.1, 1, 10], scale
    types = page.run("return [[0, 1, 2], [1, 40], [-1, 0, 400]].map((each) => height_scale(each).scale.type)")
    assert types == ["linear", "log", "linear"], types
    types = page.run("return [null, 0, 5].map((target) => height_scale([1, 40], target).scale.type)")
    assert types == ["log", "linear", "log"], types


def check_lonely_points(page):
    """The only point of a series, which has no line, is visible."""
    seen = page.run("""
      const holder = document.body.appendChild(document.createElement('div'));
      const options = {x: 'time_s', y: 'loss', color: 'algorithm', target: null};
      chart_kinds.lines({title: 'two', options, columns: [
        {name: 'algorithm', label: 'algorithm', unit: '', values: ['ends', 'ends', 'goes on', 'goes on']},
        {name: 'time_s', label: 'time', unit: 's', values: [0, 1, 0, 1]},
        {name: 'loss', label: 'loss', unit: '', values: [2, null, 2, 1]}]}, holder);
      const view = [...drawn_charts.keys()].at(-1);
      return view.runAsync().then(() => {
        const points = [...holder.querySelectorAll('.mark-symbol.role-mark path')];
        const seen = points.map((point) => point.getAttribute('fill-opacity') !== '0');
        forget(view);
        holder.remove();
        return seen;
      });""")
    assert seen == [True, False, False], seen


# The head of a column, and the text of one of its cells.
in_column = ("((column) => `${{head_of({{columns: [column]}}, column)}}: "
             "${{text_in_column({{columns: [column]}}, column, {2})}}`)"
             "({{label: 'time', values: [{0}], unit: '{1}'}})")


def check_numbers(page):
    for script, wanted in (("digits_text(2337.4)", "2,337"), ("digits_text(2337)", "2,337"),
                           ("digits_text(999.99)", "1,000"), ("digits_text(19964.2)", "19,964"),
                           ("digits_text(118.24)", "118.2"), ("counted_text(1, 'row')", "1 row"),
                           ("counted_text(2000, 'row')", "2,000 rows"),
                           ("value_text(0.401, 's')", "401.0 ms"), ("value_text(512, 'B')", "512 B"),
                           ("text_in(fitting_unit('s', 1.3), 0.38922)", "0.3892 s"),
                           ("unbroken('12.5 % of 3 ms, 3 msgs')", "12.5\u00a0% of 3\u00a0ms, 3 msgs"),
                           (in_column.format("1, 1e-14", "s", 1), "time (s): 0"),
                           (in_column.format("1, null", "s", 1), "time (s): –"),
                           (in_column.format("1.458, 0.354", "s", 1), "time (s): 0.3540"),
                           (in_column.format("0.705, 0.4425", "s", 0), "time (ms): 705.0"),
                           (in_column.format("2, 16", "", 0), "time: 2"),
                           (in_column.format("2, 0.2", "", 0), "time: 2"),
                           (in_column.format("2, 1e-9", "%", 1), "time (%): 0"),
                           (in_column.format("1e-9, 1e-14", "s", 1), "time (ns): 1.000e-5")):
        assert page.run(f"return {script}") == wanted, (script, page.run(f"return {script}"))
    looks = page.run("return Array.from({length: 64}, (_, i) => [color_of_series(i) + dash_of_series(i),"
                     "color_of_series(i) + shape_of_series(i)])")
    for each in zip(*looks):
        assert len(set(each)) == 64, each


def check_paper(page):
    """On paper charts name their algorithm, and have no buttons."""
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "return [...document.querySelectorAll(arguments[0])].map((each) => each.offsetHeight > 0)"
    assert page.run(shown, "#timeline .controls select") == [True]
    assert not any(page.run(shown, "#timeline .controls button, .csv, #theme"))
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def saved_csv(page, button, name):
    """The rows of the CSV that a click on a button saves, as dictionaries by column name."""
    with tempfile.TemporaryDirectory() as folder:
        names, content = page.downloaded(page.one(button), folder)
    assert names == [name], names
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def check_csv_of_times(page, result):
    """The saved CSV has the figures of the result, also with commas and quotes in labels."""
    with open(result) as file:
        runs = json.load(file)["runs"]
    rows = saved_csv(page, "#iteration_time button.csv", "iteration_time.csv")
    assert [row["algorithm"] for row in rows] == [run["label"] for run in runs], rows
    for row, run in zip(rows, runs):
        wanted = {"iteration_time_s": run["iteration_time_s"]["mean"],
                  "forward_s": run["breakdown_s"]["forward"],
                  "interval_95_least_s": run["interval_95_s"][0]}
        for column, value in wanted.items():
            assert abs(float(row[column]) - value) <= 1e-7 * value, (column, row, value)  # eight digits
    assert page.complaints() == []


def check_jobs(program, folder, pictures):
    """Two jobs, each with a timeline of its own."""
    job = {"workload": scenario["workload"], "repeat": True}
    write_json(folder, "jobs.json", {
        "name": "two jobs", "iterations": 6, "warmup_iterations": 1, "cluster": scenario["cluster"],
        "jobs": [{**job, "name": "vision", "ranks": [0, 2], "algorithm": {"kind": "allreduce"}},
                 {**job, "name": "language", "ranks": [1, 3], "algorithm": {"kind": "dpsgd"}}]})
    starling(program, folder, "run", "jobs.json", "--out", "jobs", "--trace", "--links", "--report",
             "--quiet")
    report = os.path.join(folder, "jobs", "report.html")
    with browser.Page(report) as page:
        check_page(page, ["iteration_time", "timeline", "links", "active_workers", "staleness"])
        check_alone(page, os.path.join(folder, "jobs", "result.json"))
        for job, workers in (("language", "1, 3"), ("vision", "0, 2")):
            choose(page, "#timeline", "job", job, 0)
            assert page.one("#timeline .controls b").text == workers
            assert "Iteration " in page.one("#timeline .key").text
            shown = page.run("return distinct(document.querySelector('.timeline').view.data('spans')"
                             ".map((span) => span.worker)).join(', ')")
            assert shown == workers, (job, shown)
    keep_pictures(report, pictures, "jobs")


def check_alone(page, result):
    """The time of each job alone is a mark in the chart, in the legend and in the table."""
    with open(result) as file:
        wanted = [job["alone"]["iteration_time_s"]["mean"] for job in json.load(file)["jobs"]]
    rows = saved_csv(page, "#iteration_time button.csv", "iteration_time.csv")
    for row, seconds in zip(rows, wanted):
        assert abs(float(row["alone_s"]) - seconds) <= 1e-7 * seconds, (row, seconds)
    assert len(page.all("#iteration_time .mark-symbol.role-mark path")) == len(wanted) == 2
    assert "alone" in page.one("#iteration_time .legend").text.split()


def check_large_trace(program, folder, pictures):
    """A timeline of 64 workers with more messages than it keeps opens, and says what is missing."""
    large = {**scenario, "iterations": 22, "cluster": {**scenario["cluster"], "workers": 64},
             "workload": {**scenario["workload"], "model": "resnet50"},
             "algorithms": [{"kind": "ddp"}, {"kind": "dpsgd"}]}
    del large["learning"]
    write_json(folder, "scenario.json", large)
    starling(program, folder, "run", "scenario.json", "--out", "large", "--trace", "--report", "--quiet")
    report = os.path.join(folder, "large", "report.html")
    assert os.path.getsize(report) < 5_000_000, os.path.getsize(report)
    with browser.Page(report) as page:
        page.draw_all()
        note = page.one("#timeline .key").text
        assert "Its messages are not in trace.json" in note, note
        choose(page, "#timeline", "workers", "56 to 63", 0)
        assert len(page.all("#timeline .timeline .mark-rect.role-mark path")) > 8
        choose(page, "#timeline", "algorithm", "dpsgd", 0)
        assert "messages" not in page.one("#timeline .key").text
        check_told_stays_in_view(page)
        assert page.complaints() == []
    keep_pictures(report, pictures, "large")


def check_zoom_is_kept(program, folder, pictures):
    """The zoom of a timeline on a canvas is kept when colors or workers change, and on paper."""
    layers = {**two_algorithms, "iterations": 4, "cluster": {**scenario["cluster"], "workers": 9},
              "workload": {**scenario["workload"], "model": "resnet50"},
              "algorithms": [{"kind": "wfbp"}, {"kind": "ddp"}]}
    del layers["learning"]
    write_json(folder, "scenario.json", layers)
    starling(program, folder, "run", "scenario.json", "--out", "layers", "--trace", "--report", "--quiet")
    with browser.Page(os.path.join(folder, "layers", "report.html")) as page:
        page.draw_all()
        choose(page, "#timeline", "algorithm", "wfbp", 0)
        assert page.all("#timeline canvas")
        drawing = page.one("#timeline .timeline [tabindex='0']")
        page.run("arguments[0].scrollIntoView({block: 'center'})", drawing)
        drawing.send_keys("++")
        part = page.run(shown_part)
        assert part[0] > 0, part
        check_themes(page)
        assert page.run(shown_part) == part
        page.run("for (const name of ['beforeprint', 'afterprint']) window.dispatchEvent(new Event(name))")
        assert page.run(shown_part) == part and page.all("#timeline canvas")
        choose(page, "#timeline", "workers", "8", 0)
        assert page.run(shown_part) == part
        choose(page, "#timeline", "algorithm", "ddp", 0)
        assert page.run(shown_part)[0] == 0
        assert page.complaints() == []


def check_told_stays_in_view(page):
    """In a zoomed timeline the span that arrow keys have reached is always framed in the shown part and the
    window."""
    drawing = page.one("#timeline .timeline [tabindex]")
    page.driver.set_window_size(1200, 500)
    page.run("arguments[0].scrollIntoView({block: 'end'})", drawing)
    page.run("arguments[0].focus({preventScroll: true})", drawing)
    look = ("const told = document.getElementById('told').getBoundingClientRect();"
            "const drawn = document.querySelector('#timeline :is(svg.marks, canvas)');"
            "const chart = drawn.getBoundingClientRect();"
            "const {view} = document.querySelector('#timeline .timeline');"
            "return {is_told: !document.getElementById('told').hidden, domain: view.signal('domain'),"
            "left: told.left - chart.left, right: chart.right - told.right, top: told.top,"
            "bottom: window.innerHeight - told.bottom, tip: document.getElementById('tooltip').innerText}")
    up, down, right, left = "\ue013", "\ue015", "\ue014", "\ue012"
    looks = []
    for keys in [right, "+", "+", "+", "+", "+"] + [right] * 40 + [left] * 20 + [down] * 40 + [up] * 40:
        drawing.send_keys(keys)
        page.wait_for_frames()
        looks.append(page.run(look))
        assert looks[-1]["is_told"], (keys, looks[-2:])
        assert min(looks[-1][side] for side in ("left", "right", "top", "bottom")) >= -4, (keys, looks[-2:])
    starts = [each["domain"][0] for each in looks]
    assert looks[0]["tip"] == looks[5]["tip"] and starts[45] > starts[5], (looks[5], looks[45])
    assert starts[65] < starts[45] and len({each["top"] for each in looks}) > 20, looks
    page.driver.set_window_size(1200, 900)


def check_critical_parts(page):
    """The bars are those of the chosen algorithm, the greatest first."""
    for label in ("allreduce", "dpsgd"):
        choose(page, "#critical_parts", "algorithm", label, 0)
        drawn = page.run("return document.querySelector('#critical_parts .chart svg.marks').textContent")
        parts = page.run("return objects_of(report.charts.find((chart) => chart.id === 'critical_parts'))"
                         ".filter((row) => row.algorithm === arguments[0])", label)
        assert parts[0]["part"] in drawn and f"{parts[0]['share_percent']:.1f} %" in drawn, (label, drawn)
        bars = len(page.all("#critical_parts .mark-rect.role-mark path"))
        assert bars == min(15, len(parts)) > 4, bars


def check_sensitivity(page):
    """The greatest elasticities are bars, to the left if negative, with whiskers at their ends."""
    numbers = page.run("return objects_of(report.charts.find((chart) => chart.id === 'sensitivity'))"
                       ".filter((row) => row.algorithm === 'allreduce')"
                       ".toSorted((a, b) => Math.abs(b.elasticity_percent) - Math.abs(a.elasticity_percent))")
    boxes = ("return [...document.querySelectorAll('#sensitivity ' + arguments[0])]"
             ".map((mark) => mark.getBoundingClientRect()).map(({left, right}) => [left, right])")
    bars = page.run(boxes, ".mark-rect.role-mark path")
    rules = page.run(boxes, ".mark-rule.role-mark line")
    assert len(bars) == len(rules) == min(15, len(numbers)) > 4, (bars, rules)
    texts = page.run(boxes, ".mark-text.role-mark text")
    for row, bar, rule, text in zip(numbers, bars, rules, texts):
        if row["elasticity_percent"] < 0:
            assert text[1] <= min(bar[0], rule[0]) + 1, (row, bar, rule, text)
        else:
            assert text[0] >= max(bar[1], rule[1]) - 1, (row, bar, rule, text)
    even = page.run("return [-44.84, 0, 3, 0.01, -0.01].map(even_texts([-44.84, 3], {unit: '%', size: 1}))")
    assert even == ["-44.8 %", "0 %", "3.0 %", "< 0.1 %", "> -0.1 %"], even
    zero = [left if row["elasticity_percent"] > 0 else right for row, (left, right) in zip(numbers, bars)]
    for row, bar, rule in zip(numbers, bars, rules):
        end = bar[1] if row["elasticity_percent"] > 0 else bar[0]
        if abs(row["elasticity_percent"]) > 0.01:
            assert abs(bar[0] + bar[1] - end - zero[0]) < 2, (row, bar, zero)
        if row["interval_95_least_percent"] is not None:
            assert rule[0] - 1 <= end <= rule[1] + 1, (row, bar, rule)


def check_targets(program, folder, pictures):
    """The line of a target loss and its label lie in the chart, whatever the losses are."""
    for place, target in (("below", 1e-6), ("zero", 0), ("above", 1e6)):
        write_json(folder, "scenario.json",
                   {**scenario, "learning": {**scenario["learning"], "target_loss": target}})
        starling(program, folder, "run", "scenario.json", "--out", place, "--report", "--quiet")
        report = os.path.join(folder, place, "report.html")
        with browser.Page(report) as page:
            page.draw_all()
            check_target(page)
            assert page.complaints() == []
        keep_pictures(report, pictures, f"target_{place}")


def check_target(page):
    box = ("const {top, bottom} = document.querySelector('#loss ' + arguments[0]).getBoundingClientRect();"
           "return [top, bottom]")
    top, bottom = page.run(box, ".role-axis-grid ~ .role-axis-domain line")
    line = page.run(box, ".mark-rule.role-mark line")
    assert top + 100 < bottom and top - 1 <= line[0] <= line[1] <= bottom + 1, (top, bottom, line)
    text = page.run(box, ".mark-text.role-mark text")
    drawing = page.run(box, "svg.marks")
    assert drawing[0] <= text[0] and text[1] <= bottom + 1, (drawing, bottom, text)
    assert "; the target is " in page.run("return document.querySelector('#loss svg.marks')"
                                          ".closest('[role=graphics-document]').ariaLabel")


def check_sweep(program, folder, pictures):
    write_json(folder, "scenario.json", scenario)
    starling(program, folder, "sweep", "scenario.json", "--vary", "/cluster/workers=2,8,4", "--vary",
             "/workload/imbalance/coefficient_of_variation=0,0.35", "--seeds", "2", "--jobs", "1", "--quiet",
             "--out", "sweep")
    starling(program, folder, "report", "sweep", "--quiet")
    report = os.path.join(folder, "sweep", "report.html")
    with browser.Page(report) as page:
        check_page(page, ["curves", "explorer"])
        check_summary(page, os.path.join(folder, "sweep"))
        check_tips(page)
        check_explorer(page)
        check_curves(page)
        check_many_values(page)
        check_multiples(page)
        check_numbers_with_ticks(page)
        check_filters_on_paper(page)
        assert page.complaints() == []
    keep_pictures(report, pictures, "sweep")


def check_large_sweep(program, folder, pictures):
    """A page of 1,000 runs of seven algorithms is 5 MB or less."""
    kinds = ["allreduce", "ddp", "wfbp", "dpsgd", "wagma", "local_sgd", "dear"]
    write_json(folder, "scenario.json", {
        "iterations": 4, "warmup_iterations": 1,
        "cluster": {"workers": 2, "transport": "ideal",
                    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
        "workload": {"model": "hyperplane_mlp", "batch_size": 32,
                     "compute": {"forward": "4ms", "backward": "8ms"},
                     "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}},
        "algorithms": [{"kind": kind} for kind in kinds]})
    sizes = ",".join(str(size) for size in range(1, 41))
    variations = ",".join(str(hundredths / 100) for hundredths in range(1, 26))
    starling(program, folder, "sweep", "scenario.json", "--vary", f"/workload/batch_size={sizes}", "--vary",
             f"/workload/imbalance/coefficient_of_variation={variations}", "--quiet", "--out", "sweep")
    starling(program, folder, "report", "sweep", "--quiet")
    size = os.path.getsize(os.path.join(folder, "sweep", "report.html"))
    assert 5e5 < size <= 5e6, size


def check_summary(page, folder):
    """Means over seeds, their errors and intervals equal those of sweep_summary.csv."""
    with open(os.path.join(folder, "sweep_summary.csv"), newline="") as file:
        wanted = list(csv.DictReader(file))
    rows = saved_csv(page, "#explorer button.csv", "explorer.csv")
    assert len(rows) == len(wanted) > 0, (rows, wanted)
    for row, summary in zip(rows, wanted):
        summary["standard_error_s"] = summary["iteration_time_standard_error_s"]
        for column, value in row.items():
            told = summary[column]
            if value != told:  # eight digits
                assert abs(float(value) - float(told)) <= 1e-7 * abs(float(told)), (column, value, told)


def tick_texts(page, figure):
    """The texts of the ticks of the x axis."""
    return page.run("return [...document.querySelector(arguments[0] + ' .role-axis-label')"
                    ".querySelectorAll('text')].map((text) => text.textContent)", figure)


def check_ticks(program, folder, pictures):
    """Varied values are shown as given, also in other units; a single seed has the run's own error."""
    write_json(folder, "scenario.json", {**scenario, "iterations": 60})
    starling(program, folder, "sweep", "scenario.json", "--vary",
             "/cluster/network/link/bandwidth=1.25Gbps,2.5Gbps,10Gbps", "--jobs", "1", "--quiet",
             "--out", "ticks")
    starling(program, folder, "report", "ticks", "--quiet")
    with browser.Page(os.path.join(folder, "ticks", "report.html")) as page:
        check_page(page, ["curves", "explorer"])
        for figure in ("#curves", "#explorer"):
            assert tick_texts(page, figure) == ["0.15625", "0.3125", "1.25"], tick_texts(page, figure)
        check_summary(page, os.path.join(folder, "ticks"))


def check_many_values(page):
    """A sweep with more values than a JavaScript function takes arguments is drawn."""
    many = "Array.from({length: 300000}, (_, i) => i + 1)"
    assert page.run(f"return extent_of({many})") == [1, 300000]
    assert page.run(f"return padded({many}, true)[0] < 1 && range_of({many})[0] < 1")
    assert page.run(f"return is_logarithmic({many}) && spans_decades({many})")


def check_multiples(page):
    """Axes of geometric values are logarithmic, with few and round numbers."""
    for values, wanted in (([4, 8, 64], True), ([2, 4, 8, 16], True), ([64, 8, 4, 4], True), ([1, 10], False),
                           ([2, 3, 4, 5, 6, 7, 8], False), ([4, 8, 12, 16], False), ([8, 9, 10], False),
                           ([1, 5, 10], False), ([0, 1, 10], False)):
        assert page.run("return are_multiples(arguments[0])", values) == wanted, values
    for ends, wanted in (((0.24, 2.6), [0.5, 1, 2]), ((0.01, 1), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]),
                         ((0.3, 2e3), [1, 10, 100, 1000]), ((0.3, 2e15), [10 ** i for i in range(0, 15, 2)])):
        assert page.run("return logarithmic_ticks(...arguments[0])", ends) == wanted, ends


def check_numbers_with_ticks(page):
    """Up to eight numbers on an axis have a tick each, as in pictures of `starling plot`."""
    for count in (8, 9):
        numbers = list(range(1, count + 1))
        named = {"name": "x", "label": "x", "unit": "", "numbers": numbers, "values": list(map(str, numbers))}
        chart = {"columns": [named], "options": {"dimensions": [named]}}
        ticks = page.run("const scale = {type: 'linear', domain: [0, 10]};"
                         "return axis_over(arguments[0], 'x').ticks(scale).values", chart)
        assert ticks == (numbers if count == 8 else None), ticks


def check_filters_on_paper(page):
    """On paper only filters that leave something out are shown."""
    shown = ("return [...document.querySelectorAll('#explorer .filters .choice')].filter((each) =>"
             "each.offsetHeight > 0).map((each) => each.querySelector('span').textContent)")
    assert len(page.run(shown)) == 4, page.run(shown)
    for value, wanted in (("4", ["workers"]), ("all", [])):
        choose(page, "#explorer", "workers", value, 1)
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert page.run(shown) == wanted, (value, page.run(shown))
        is_told = page.run("return document.querySelector('#explorer .filters').offsetHeight > 0")
        assert is_told == bool(wanted), value
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def check_seeds(program, folder, pictures):
    write_json(folder, "scenario.json", scenario)
    starling(program, folder, "sweep", "scenario.json", "--seeds", "2", "--jobs", "1", "--quiet",
             "--out", "seeds")
    starling(program, folder, "report", "seeds", "--quiet")
    with browser.Page(os.path.join(folder, "seeds", "report.html")) as page:
        check_page(page, ["curves", "explorer"])
        points = page.run("return document.querySelectorAll('#curves .mark-symbol.role-mark path').length")
        assert points == 3, points
        assert len(tick_texts(page, "#curves")) == 3 and "dpsgd" in tick_texts(page, "#curves")
        assert not page.all("#curves .mark-line.role-mark path, #curves .mark-area.role-mark path")
        check_error_bars(page, 3)


def check_error_bars(page, count):
    """Each interval is a rule from end to end, with a rule across either end."""
    rules = page.run("return [...document.querySelectorAll('#curves .mark-rule.role-mark line')]"
                     ".map((rule) => rule.getBoundingClientRect()).map(({width, height}) => [width, height])")
    assert len(rules) == 3 * count and sum(height > width for width, height in rules) == count, rules


def check_one_point(program, folder, pictures):
    """A series of one point has no line, but an interval."""
    write_json(folder, "scenario.json", scenario)
    starling(program, folder, "sweep", "scenario.json", "--vary", "/cluster/workers=2,4", "--seeds", "2",
             "--jobs", "1", "--quiet", "--out", "one")
    starling(program, folder, "report", "one", "--quiet")
    with browser.Page(os.path.join(folder, "one", "report.html")) as page:
        page.draw_all()
        check_error_bars(page, 0)
        page.run("document.querySelector('#curves .controls').querySelectorAll('select')[1].focus()")
        choose(page, "#curves", "over", "algorithm", 0)
        assert page.run("return document.activeElement.closest('label').textContent").startswith("over")
        check_error_bars(page, 6)
        counted = page.run("return intervals_as_bars({is_ordinal: false}, [{series: 'a', low: 1, high: 2},"
                           "{series: 'b', low: 1, high: 2}, {series: 'b', low: 1, high: 2}]).length")
        assert counted == 1, counted
        assert page.complaints() == []


two_algorithms = {**scenario, "algorithms": [{"kind": "allreduce"}, {"kind": "dpsgd"}]}


def drawn_points(page, figure):
    return len(page.all(f"#{figure} .mark-symbol.role-mark path"))


def check_one_algorithm(program, folder, pictures):
    """With a single algorithm curves and colors show the varied values."""
    write_json(folder, "scenario.json", {**scenario, "algorithms": [{"kind": "allreduce"}]})
    bandwidth = "/cluster/network/link/bandwidth=1Gbps,10Gbps"
    for name, sizes, points in (("two", [], 6), ("three", ["--vary", "/workload/batch_size=16,32"], 12)):
        starling(program, folder, "sweep", "scenario.json", "--vary", "/cluster/workers=2,4,8", "--vary",
                 bandwidth, *sizes, "--jobs", "1", "--quiet", "--out", name)
        starling(program, folder, "report", name, "--quiet")
        with browser.Page(os.path.join(folder, name, "report.html")) as page:
            check_page(page, ["curves", "explorer"])
            assert len(page.all("#curves .mark-line.role-mark path")) == 2
            assert drawn_points(page, "curves") == 6
            assert page.one("#curves .legend").text.split() == ["1Gbps", "10Gbps"]
            assert page.one("#explorer .legend").text.split() == ["1Gbps", "10Gbps"]
            assert drawn_points(page, "explorer") == points
            choose(page, "#curves", "over", "bandwidth", 0)
            assert page.one("#curves .legend").text.split() == ["2", "4", "8"]
        keep_pictures(os.path.join(folder, name, "report.html"), pictures, f"one_algorithm_{name}")


def check_one_value(program, folder, pictures):
    """A pointer with one value is no axis. A failed run is listed, on paper with its whole reason."""
    # With 4,096 passes Horovod has more cycles than are simulated, which is an error at run time only.
    workload = {**scenario["workload"], "compute": {"forward": "4ms", "backward": "80ms"}}
    write_json(folder, "scenario.json", {**scenario, "workload": workload,
                                         "algorithms": [{"kind": "horovod", "cycle_time": "100us"}]})
    starling(program, folder, "sweep", "scenario.json", "--vary", "/cluster/workers=4", "--vary",
             "/workload/gradient_accumulation_steps=16,32,4096", "--jobs", "1", "--quiet", "--out", "one",
             status=1)
    starling(program, folder, "report", "one", "--quiet")
    with browser.Page(os.path.join(folder, "one", "report.html")) as page:
        check_page(page, ["curves", "explorer", "failures"])
        for figure in ("#curves", "#explorer"):
            assert tick_texts(page, figure) == ["16", "32"], tick_texts(page, figure)
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 720, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        page.wait("return document.documentElement.scrollWidth <= 720")
        cells = page.run("return [...document.querySelectorAll('td.words')].map((cell) =>"
                         "cell.getBoundingClientRect().right)")
        assert cells and max(cells) <= 720, cells


def check_values_together(program, folder, pictures):
    """Values that vary together hide no points of a curve, and are in the tips of points."""
    write_json(folder, "scenario.json", two_algorithms)
    together = {"/cluster/workers": [2, 4, 8], "/workload/batch_size": [64, 32, 16]}
    write_json(folder, "study.json", {"base": "scenario.json", "vary": [together]})
    starling(program, folder, "sweep", "study.json", "--jobs", "1", "--quiet", "--out", "together")
    starling(program, folder, "report", "together", "--quiet")
    with browser.Page(os.path.join(folder, "together", "report.html")) as page:
        check_page(page, ["curves", "explorer"])
        assert drawn_points(page, "curves") == drawn_points(page, "explorer") == 6
        assert "varies with the others" in page.one("#curves .controls").text
        tips = page.run("return document.querySelector('#curves .chart > div:last-child').view.data('points')"
                        ".map(({tip}) => [tip.workers, tip.batch_size].join())")
        assert sorted(set(tips)) == ["2,64", "4,32", "8,16"], tips
        choose(page, "#curves", "over", "algorithm", 0)
        assert drawn_points(page, "curves") == 6
    keep_pictures(os.path.join(folder, "together", "report.html"), pictures, "together")


def check_nothing_takes_time(program, folder, pictures):
    """A timeline without spans says why it is empty."""
    workload = {"model": "hyperplane_mlp", "batch_size": 64, "compute": {"forward": "0s", "backward": "0s"}}
    idle = {**two_algorithms, "cluster": {**scenario["cluster"], "workers": 1}, "workload": workload,
            "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]}
    del idle["learning"]
    write_json(folder, "scenario.json", idle)
    starling(program, folder, "run", "scenario.json", "--out", "idle", "--trace", "--report", "--quiet")
    with browser.Page(os.path.join(folder, "idle", "report.html")) as page:
        check_page(page, ["iteration_time"])
        told = page.one("#timeline .blank").text
        assert told.startswith("Nothing to draw: ") and "time" in told, told
        zero = page.run("return document.querySelector('#iteration_time .role-axis-label text')"
                        ".getBoundingClientRect().left")
        assert zero < 200, zero
    keep_pictures(os.path.join(folder, "idle", "report.html"), pictures, "idle")


def check_names(program, folder, pictures):
    """Names of properties of JavaScript's objects work as labels."""
    labels = ["constructor", "__proto__", "12"]
    write_json(folder, "scenario.json", {**scenario, "algorithms": [{"kind": "eager_solo", "label": label}
                                                                    for label in labels]})
    starling(program, folder, "run", "scenario.json", "--out", "names", "--report", "--quiet")
    starling(program, folder, "sweep", "scenario.json", "--vary", "/cluster/workers=2,4", "--jobs", "1",
             "--quiet", "--out", "names_sweep")
    starling(program, folder, "report", "names_sweep", "--quiet")
    with browser.Page(os.path.join(folder, "names", "report.html")) as page:
        page.draw_all()
        for figure in ("active_workers", "staleness"):
            rows = page.run("return [...document.querySelectorAll(arguments[0] + ' .role-scope > g')]"
                            ".map((row) => row.querySelectorAll('.mark-rect path').length)", f"#{figure}")
            assert len(rows) == 3 and min(rows) > 0, (figure, rows)
        assert len(page.all("#loss .mark-line.role-mark path")) == 3
        assert page.complaints() == []
    with browser.Page(os.path.join(folder, "names_sweep", "report.html")) as page:
        check_page(page, ["curves", "explorer"])
        assert len(page.all("#curves .mark-line.role-mark path")) == 3


def check_narrow(program, folder, pictures):
    """On a phone bars with long names still begin at the right end of their labels."""
    long_name = "a name that is nearly as long as names may be, for it tells of each option"
    named = {**scenario, "workload": {**scenario["workload"], "model": "resnet50"},
             "algorithms": [{"kind": "allreduce"}, {"kind": "ddp", "label": long_name}]}
    del named["learning"]
    write_json(folder, "scenario.json", named)
    starling(program, folder, "run", "scenario.json", "--out", "narrow", "--critical-path", "--report",
             "--quiet")
    starling(program, folder, "model", "scenario.json", "--explain", "--out", "model", "--quiet")
    starling(program, folder, "report", "model", "--quiet")
    for report, figures in (("narrow", ["iteration_time", "critical_path", "critical_parts"]),
                            ("model", ["gains"])):
        with browser.Page(os.path.join(folder, report, "report.html")) as page:
            page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            page.draw_all()
            for figure in figures:
                check_bars_are_right_of_names(page, figure)
            assert page.complaints() == []


def check_bars_are_right_of_names(page, figure):
    page.wait(f"return document.querySelector('#{figure} svg.marks').clientWidth < 390")
    boxes = ("return [...document.querySelectorAll(arguments[0])].filter((each) => each.tagName === 'path' ||"
             "each.getAttribute('text-anchor') === 'end').map((each) => each.getBoundingClientRect())"
             ".map(({left, right}) => [left, right])")
    names = page.run(boxes, f"#{figure} .role-axis-label text")
    bars = page.run(boxes, f"#{figure} .mark-rect.role-mark path")
    assert names and bars, figure
    assert min(left for left, _ in bars) >= max(right for _, right in names) - 1, (figure, names, bars)
    assert max(right for _, right in bars) <= 390, (figure, bars)


def check_log_ticks(program, folder, pictures):
    """Ticks of a logarithmic axis without room have no label."""
    write_json(folder, "scenario.json", scenario)
    starling(program, folder, "sweep", "scenario.json", "--vary",
             "/cluster/network/link/bandwidth=0.01Gbps,0.1Gbps,1Gbps,10Gbps", "--vary",
             "/cluster/workers=2,4,16", "--jobs", "1", "--quiet", "--out", "log")
    starling(program, folder, "report", "log", "--quiet")
    with browser.Page(os.path.join(folder, "log", "report.html")) as page:
        page.draw_all()
        for figure in ("#curves", "#explorer"):
            boxes = page.run("return [...[...document.querySelectorAll(`${arguments[0]} .role-axis-label`)]"
                             ".at(-1).querySelectorAll('text')].filter((text) => text.textContent && "
                             "text.getAttribute('opacity') !== '0').map((text) =>"
                             "text.getBoundingClientRect()).map(({top, bottom}) => [top, bottom])", figure)
            boxes.sort()
            assert len(boxes) >= 3, boxes
            for (_, bottom), (top, _) in zip(boxes, boxes[1:]):
                assert bottom <= top + 3, (figure, boxes)
        choose(page, "#curves", "over", "workers", 0)
        choose(page, "#explorer", "across", "workers", 0)
        for figure in ("#curves", "#explorer"):
            assert tick_texts(page, figure) == ["2", "4", "16"], tick_texts(page, figure)
            places = page.run("return [...document.querySelector(arguments[0] + ' .role-axis-tick')"
                              ".querySelectorAll('line')].map((tick) => tick.getBoundingClientRect().left)",
                              figure)
            assert abs((places[2] - places[1]) - 2 * (places[1] - places[0])) < 2, (figure, places)


def check_tips(page):
    """Arrow keys show the tip of every row, also of the first one."""
    told = "const tip = document.getElementById('tooltip'); return tip.hidden ? '' : tip.innerText"
    drawing = page.one("#explorer .points [tabindex]")
    page.run("arguments[0].scrollIntoView({block: 'center'})", drawing)
    marks = page.run("return marks_to_tell(document.querySelector('#explorer .points').view)"
                     ".map((mark) => mark.tip.row)")
    assert sorted(marks) == list(range(18)), marks
    drawing.send_keys("\ue014")
    assert "algorithm: " in page.run(told) and "workers: " in page.run(told), page.run(told)


def check_explorer(page):
    """Eighteen rows are filtered by a value and by a text, sorted up and down, and drawn over other axes."""
    status = "return document.querySelector('#explorer [role=status]').textContent"
    points = "return document.querySelectorAll('#explorer .mark-symbol.role-mark path').length"
    first_cells = ("return [...document.querySelectorAll('#explorer tbody tr')].map((row) =>"
                   "row.cells[arguments[0]].textContent)")
    assert page.run(status) == "18 of 18 rows" and page.run(points) == 18
    choose(page, "#explorer", "workers", "4", 1)
    assert page.run(status) == "6 of 18 rows" and page.run(points) == 6
    page.one("#explorer input[type=search]").send_keys("DPSGD")
    page.wait(status + " === '2 of 18 rows'")
    assert page.run(points) == 2
    rows = saved_csv(page, "#explorer button.csv", "explorer.csv")
    assert [(row["/cluster/workers"], row["algorithm"]) for row in rows] == [("4", "dpsgd")] * 2, rows
    choose(page, "#explorer", "workers", "all", 1)
    assert page.run(status) == "6 of 18 rows"
    page.run("arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))",
             page.one("#explorer input[type=search]"))
    page.wait(status + " === '18 of 18 rows'")
    page.one("#explorer th button[data-column='/cluster/workers']").click()
    workers = page.run(first_cells, 0)
    assert workers == ["2"] * 6 + ["4"] * 6 + ["8"] * 6, workers
    page.one("#explorer th button[data-column='/cluster/workers']").click()
    assert page.run(first_cells, 0) == workers[::-1]
    assert page.one("#explorer th[aria-sort=descending]").text.startswith("workers")
    choose(page, "#explorer", "across", "exposed communication", 0)
    assert "exposed communication (" in page.one("#explorer svg.marks").text
    choose(page, "#explorer", "up", "time to target loss", 0, is_there=False)
    choose(page, "#explorer", "across", "coefficient_of_variation", 0)
    assert tick_texts(page, "#explorer") == ["0", "0.35"], tick_texts(page, "#explorer")


def check_curves(page):
    curves = "return document.querySelectorAll('#curves .mark-line.role-mark path').length"
    assert page.run(curves) == 3
    choose(page, "#curves", "curves of", "coefficient_of_variation", 0)
    assert page.run(curves) == 2
    choose(page, "#curves", "over", "coefficient_of_variation", 0)
    assert tick_texts(page, "#curves") == ["0", "0.35"], tick_texts(page, "#curves")
    choose(page, "#curves", "show", "final loss", 0)
    assert "final loss" in page.one("#curves svg.marks").text


def choose(page, figure, label, text, row, is_there=True):
    """Chooses the option `text` of the select with this label, in a row of a figure's controls."""
    chosen = page.run(
        "const row = document.querySelectorAll(arguments[0] + ' .controls')[arguments[3]];"
        "const label = [...row.querySelectorAll('label')].find((each) =>"
        "each.querySelector('span').textContent === arguments[1]);"
        "const select = label.querySelector('select');"
        "const option = [...select.options].find((each) => each.textContent === arguments[2]);"
        "if (!option) return false;"
        "select.value = option.value; select.dispatchEvent(new Event('change')); return true;",
        figure, label, text, row)
    assert chosen == is_there, (label, text)


def check_design(program, folder, pictures):
    base = {**scenario, "cluster": {"workers": 4}, "algorithms": [{"kind": "allreduce"}, {"kind": "dpsgd"}]}
    link = {"latency": "1us"}
    vary = [{"/cluster/network/link/bandwidth": ["1Gbps", "10Gbps"]}]
    write_json(folder, "study.json", {"base": base, "families": [
        {"name": "star", "set": {"/cluster/network": {"kind": "star", "link": link}}, "vary": vary},
        {"name": "ring", "set": {"/cluster/network": {"kind": "ring", "link": link}}, "vary": vary}]})
    starling(program, folder, "design", "study.json", "--out", "design", "--quiet", "--jobs", "1")
    starling(program, folder, "report", "design", "--quiet")
    report = os.path.join(folder, "design", "report.html")
    with browser.Page(report) as page:
        check_page(page, ["pareto", "explorer"])
        assert page.one(".front li").text.startswith("A: ")
        check_front(page)
        check_budget(page)
    keep_pictures(report, pictures, "design")


def check_front(page):
    """The Pareto front lies over the other points; a logarithmic axis spans the data."""
    front = page.run("return pareto_points(report.charts[0]).map((point) => point.is_on_front)")
    assert front == sorted(front) and front[-1], front
    assert page.run("return padded([1, 10], true)") == [1 / 1.2, 12]


def check_budget(page):
    """The budget is a vertical line in the chart, unless it is far beyond all prices."""
    assert "budget" not in page.one("#pareto svg.marks").text
    rule = "#drawn_anew .mark-rule.role-mark line[stroke-dasharray]"
    greatest = page.run("return greatest_of(column_named(report.charts[0], 'price').values)")
    for factor, count in ((0.5, 1), (1.5, 1), (3, 0)):
        page.run("const holder = element('div', {id: 'drawn_anew'});"
                 "document.getElementById('drawn_anew')?.remove();"
                 "document.getElementById('pareto').append(holder);"
                 "const chart = {...report.charts[0]};"
                 "chart.options = {...chart.options, budget: arguments[0]};"
                 "chart_kinds.pareto(chart, holder)", factor * greatest)
        assert len(page.all(rule)) == count, (factor, count)
        assert ("budget " in page.one("#drawn_anew svg.marks").text) == (count == 1)
        label = page.run("return document.querySelector('#drawn_anew [role=graphics-document]').ariaLabel")
        assert ("; the budget is " in label) == (count == 1), label
        if count:
            box = ("const {left, right} = document.querySelector(arguments[0]).getBoundingClientRect();"
                   "return [left, right]")
            line = page.run(box, rule)
            chart = page.run(box, "#drawn_anew svg.marks")
            assert chart[0] < line[0] <= line[1] < chart[1], (factor, line, chart)


def check_model(program, folder, pictures):
    write_json(folder, "scenario.json",
               {**scenario, "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}, {"kind": "adpsgd"}]})
    starling(program, folder, "model", "scenario.json", "--explain", "--out", "model", "--quiet")
    starling(program, folder, "report", "model", "--out", "gains.html", "--quiet")
    with browser.Page(os.path.join(folder, "gains.html")) as page:
        check_page(page, ["gains", "model"])
        told = page.one("#gains svg.marks").text
        assert " ms *" in told, told
        assert page.one("#gains .key").text.startswith("* This gain is not divided"), told
    keep_pictures(os.path.join(folder, "gains.html"), pictures, "model")


def check_regimes(program, folder, pictures):
    """The letters and colors of two maps of four fields each agree with the data."""
    base = {**scenario, "algorithms": [{"kind": "allreduce"}, {"kind": "dpsgd"}],
            "workload": dict(scenario["workload"])}
    del base["learning"], base["workload"]["imbalance"]
    write_json(folder, "study.json", {"base": base, "workers": [2, 4], "coefficient_of_variation": [0, 0.3],
                                      "communication_to_compute": [0.2, 2]})
    starling(program, folder, "regimes", "study.json", "--out", "regimes", "--quiet")
    starling(program, folder, "report", "regimes", "--quiet")
    report = os.path.join(folder, "regimes", "report.html")
    with browser.Page(report) as page:
        check_page(page, ["regimes", "explorer"])
        with open(os.path.join(folder, "regimes", "regimes.json")) as file:
            found = json.load(file)
        labels = found["algorithms"]
        letters = ["ab"[labels.index(point["fastest"])] for point in found["points"]]
        wanted = [letter.upper() if point["is_decided"] else letter
                  for letter, point in zip(letters, found["points"])]
        legend = page.one("#regimes .legend").text
        for label in labels:  # those on the maps
            at = sum(point["fastest"] == label for point in found["points"])
            assert (f" {label}: fastest at {at}" in legend) == (at > 0), (label, legend)
        is_simulated = any(point["is_simulated"] for point in found["points"])
        assert ("simulated" in legend) == is_simulated, legend
        drawn = [text.get_attribute("textContent") for text in page.all("#regimes .mark-text.role-mark text")]
        assert drawn == wanted, (drawn, wanted)
        assert len(page.all("#regimes .maps svg.marks")) == 2
        fields = page.run("return [...document.querySelectorAll('#regimes .mark-rect.role-mark path')]"
                          ".map((path) => [path.getAttribute('fill'), path.getAttribute('fill-opacity')])")
        assert len(fields) == 8
        for (color, opacity), letter in zip(fields, wanted):
            assert color == ("var(--blue)" if letter in "aA" else "var(--vermilion-line)"), (fields, wanted)
            assert (opacity == "0.3") == letter.islower(), (fields, wanted)
        check_walk(page)
    keep_pictures(report, pictures, "regimes")


def check_walk(page):
    """Arrow keys go from field to field of a map, and stop at its edge."""
    told = "const tip = document.getElementById('tooltip'); return tip.hidden ? '' : tip.innerText"
    place = "const {left, top} = document.getElementById('told').getBoundingClientRect(); return [left, top]"
    drawing = page.one("#regimes .maps [tabindex]")
    page.run("arguments[0].scrollIntoView({block: 'center'})", drawing)
    places = []
    for key, ratio, variation in (("\ue014", "0.2", "0.3"), ("\ue014", "2", "0.3"), ("\ue015", "2", "0"),
                                  ("\ue015", "2", "0"), ("\ue012", "0.2", "0"), ("\ue013", "0.2", "0.3")):
        drawing.send_keys(key)
        lines = page.run(told).split("\n")
        assert f"communication to compute: {ratio}" in lines, (key, lines)
        assert f"coefficient of variation: {variation}" in lines, (key, lines)
        places.append(page.run(place))
    assert places[0] == places[5] and places[2] == places[3], places
    assert places[0][0] < places[1][0] and places[1][1] < places[2][1], places
    drawing.send_keys("\ue00c")
    assert page.run(told) == ""


def keep_pictures(report, pictures, name):
    if not pictures:
        return
    for dark in (False, True):
        with browser.Page(report, dark) as page:
            page.picture(os.path.join(pictures, f"{name}_{'dark' if dark else 'light'}.png"))
            if not dark:
                with open(os.path.join(pictures, f"{name}.pdf"), "wb") as file:
                    file.write(page.print_pdf())


def main():
    browser.require()
    program = os.path.abspath(sys.argv[1])
    pictures = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
    for check in (check_run, check_sweep, check_large_sweep, check_seeds, check_design, check_model,
                  check_regimes, check_jobs,
                  check_targets, check_ticks, check_large_trace, check_one_point, check_narrow,
                  check_log_ticks, check_one_algorithm, check_one_value, check_values_together,
                  check_nothing_takes_time, check_names, check_zoom_is_kept):
        with tempfile.TemporaryDirectory() as folder:
            check(program, folder, pictures)


main()
