"""Reports of real results in a real browser: they open from a file, draw every chart, and do what is clicked.

Usage: report_page_test.py STARLING [FOLDER for pictures of every page]
"""
import json
import os
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
    "algorithms": [{"kind": "allreduce"}, {"kind": "eager_solo", "label": "</script><b>\u2028 & 'solo'"},
                   {"kind": "dpsgd"}],
}


def starling(program, folder, *arguments):
    ended = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, (arguments, ended.stderr)


def write_json(folder, name, document):
    with open(os.path.join(folder, name), "w") as file:
        json.dump(document, file)


def check_page(page, charts):
    """What must hold of every report."""
    page.draw_all()
    assert page.complaints() == [], page.complaints()
    drawn = page.run("return [...document.querySelectorAll('.chart')].map((c) => c.closest('figure').id)")
    assert drawn == charts, drawn
    for figure in drawn:
        chart = f"document.getElementById('{figure}').querySelector('.chart')"
        marks = page.run(f"return {chart}.querySelectorAll('svg path').length")
        marks += page.run(f"return 99 * {chart}.querySelectorAll('canvas').length")
        assert marks > 3, (figure, marks)
        assert page.run(f"return [...{chart}.querySelectorAll('svg, canvas')].every((drawn) =>"
                        "drawn.closest('[role=graphics-document]').ariaLabel.length > 10)"), figure
    assert page.run("return document.querySelectorAll('.blank').length === "
                    "report.charts.filter((chart) => chart.blank).length")
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    check_tables(page)
    check_themes(page)
    assert len(page.print_pdf()) > 10_000


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
    starling(program, folder, "run", "scenario.json", "--out", "run", "--trace", "--links", "--report",
             "--quiet")
    with browser.Page(os.path.join(folder, "run", "report.html")) as page:
        check_page(page, ["iteration_time", "timeline", "links", "active_workers", "staleness", "loss",
                          "consensus_distance"])
        assert "</script><b>" in page.run("return document.body.innerText.replaceAll('\\u2028', '')")
        domain = "return document.querySelector('.timeline').view.signal('domain')"
        whole = page.run(domain)
        page.one(".timeline").send_keys("+")
        zoomed = page.run(domain)
        assert abs((zoomed[1] - zoomed[0]) * 2 - (whole[1] - whole[0])) < 1e-9, (whole, zoomed)
        page.one(".timeline").send_keys("0")
        assert page.run(domain) == whole
    keep_pictures(os.path.join(folder, "run", "report.html"), pictures, "run")


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
    for check in (check_run,):
        with tempfile.TemporaryDirectory() as folder:
            check(program, folder, pictures)


main()
