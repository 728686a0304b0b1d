"""The picture of curves.py: a gnuplot script."""
import math

# Okabe and Ito's palette, which color-blind readers can distinguish. A color is a family of algorithms, a
# shape one algorithm of it.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7")
COLORS = {"allreduce": BLUE, "wfbp": RED, "ddp": RED, "horovod": RED, "mg_wfbp": RED, "bytescheduler": RED,
          "dear": RED, "eager_solo": GREEN, "eager_majority": GREEN, "wagma": ORANGE, "local_sgd": ORANGE,
          "dpsgd": PURPLE, "adpsgd": SKY, "sgp": SKY, "decentralized_adam": BLACK}
FULL_SHAPES = (5, 7, 9, 11, 13, 15)  # gnuplot's numbers; one less is the hollow shape

PANELS = (("CPU seconds", "cpu_s", 1), ("memory per worker (kB)", "bytes_per_worker", 1e-3),
          ("ns a message", "ns_per_message", 1))  # title, column of the rows, factor
WIDTH, ROW_HEIGHT, MARGIN = 1500, 420, 60  # pixels
LEFT, RIGHT = 0.04, 0.795  # of the width: the range of the panels; the key is right of them


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def kind_of(label):
    return label.split(",")[0]


def styles(labels):
    """The color and shape of each label: the color of its family, with that color's next shape."""
    used, found = {}, {}
    for label in labels:
        color = COLORS.get(kind_of(label), BLACK)
        found[label] = color, FULL_SHAPES[used.get(color, 0) % len(FULL_SHAPES)]
        used[color] = used.get(color, 0) + 1
    return found


def line_style(style, collectives):
    """Solid for auto; dashed, with hollow shapes, for messages."""
    color, shape = style
    is_auto = collectives == "auto"
    return f"lc rgb '{color}' pt {shape if is_auto else shape - 1} dt {1 if is_auto else 2} lw 1.3 ps 0.7"


def value_axis(curves, panel):
    """Whole decades that hold the values of all engines, so that panels in a column are comparable."""
    _, column, scale = panel
    values = [row[column] * scale for curve in curves.values() for row in curve if row[column]] or [1]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    marks = ", ".join(f"'{10.0**decade:,.{max(-decade, 0)}f}' 1e{decade}" for decade in range(low, high + 1))
    return f"set yrange [1e{low}:1e{high}]\nset ytics ({marks})\n"


def data_block(name, curve):
    lines = []
    for row in curve:
        values = ["NaN" if row[column] is None else f"{row[column] * scale:.6g}"
                  for _, column, scale in PANELS]
        lines.append(" ".join([str(row["workers"]), *values]))
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


def panel(engine, keys, all_styles, column, axis, place):
    """One panel; the first of an engine also has a line of slope 1, proportional to P."""
    left, right, bottom, top = place
    plots = [f"$data{index} using 1:{column + 2} with linespoints "
             f"{line_style(all_styles[key[1]], key[2])} notitle" for index, key in keys]
    if column == 0:
        plots.append("x / 1e4 with lines lc rgb 'gray60' dt 3 lw 1.5 notitle")
    return (f"set lmargin at screen {left:.4f}\nset rmargin at screen {right:.4f}\n"
            f"set bmargin at screen {bottom:.4f}\nset tmargin at screen {top:.4f}\n"
            f"{axis}set title {quoted(engine + ': ' + PANELS[column][0])} offset 0,-0.6\n"
            "plot " + ", ".join(plots) + "\n")


def key_panel(keys, all_styles):
    """The key of the lines, drawn once for all engines."""
    shown = dict.fromkeys((label, collectives) for _, label, collectives in keys)
    plots = [f"NaN with linespoints {line_style(all_styles[label], collectives)} title "
             + quoted(label + (", messages" if collectives == "messages" else ""))
             for label, collectives in shown]
    plots.append("NaN with lines lc rgb 'gray60' dt 3 lw 1.5 title 'proportional to P'")
    return (f"unset title\nunset border\nunset tics\nunset grid\nunset xlabel\n"
            f"set lmargin at screen {RIGHT}\nset rmargin at screen 0.99\n"
            "set bmargin at screen 0.02\nset tmargin at screen 0.98\n"
            f"set key at screen {RIGHT}, screen 0.985 left top Left reverse samplen 2.5 spacing 1.05\n"
            "set yrange [1:10]\nplot " + ", ".join(plots) + "\n")


def script(curves, svg_file):
    """The script that draws `curves`, rows by (engine, label, collectives): a row of panels per engine."""
    keys = list(curves)
    engines = list(dict.fromkeys(key[0] for key in keys))
    all_styles = styles(dict.fromkeys(key[1] for key in keys))
    height = max(ROW_HEIGHT * len(engines), 2 * ROW_HEIGHT)
    text = (f"set terminal svg size {WIDTH},{height} noenhanced background rgb 'white' font 'sans,12'\n"
            f"set output {quoted(str(svg_file))}\n")
    text += "".join(data_block(f"data{index}", curves[key]) for index, key in enumerate(keys))
    text += ("set multiplot\nset grid lc rgb 'gray85'\nset logscale xy\nset xrange [48:87000]\n"
             "set xtics ('64' 64, '256' 256, '1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536)\n"
             "unset key\nset xlabel 'workers P' offset 0,0.5\n")
    axes = [value_axis(curves, one) for one in PANELS]
    step, edge = (RIGHT - LEFT) / len(PANELS), MARGIN / height
    for place, engine in enumerate(engines):
        chosen = [(index, key) for index, key in enumerate(keys) if key[0] == engine]
        top = 1 - place / len(engines)
        for column in range(len(PANELS)):
            left = LEFT + column * step
            text += panel(engine, chosen, all_styles, column, axes[column],
                          (left, left + step - 0.048, top - 1 / len(engines) + edge, top - edge / 2))
    return text + key_panel(keys, all_styles) + "unset multiplot\n"
