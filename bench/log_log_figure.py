"""Curves on logarithmic axes as plain SVG, readable on light and dark pages."""
import math
from xml.sax.saxutils import escape

# Okabe and Ito's colours, which colour-blind readers can tell apart; the second of each pair is
# for dark pages. A curve also has its own mark.
COLOURS = [("#0072b2", "#56b4e9"), ("#d55e00", "#ff8f4a"), ("#009e73", "#2bd4a4"),
           ("#a8508a", "#e08fc4"), ("#7a6a00", "#f0e442"), ("#5a5a5a", "#b4b4b4")]
MARKS = ["circle", "square", "up", "diamond", "down", "cross"]
WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 76, 190, 46, 56


def style():
    light = "".join(f".c{i}{{stroke:{a};fill:{a}}}" for i, (a, _) in enumerate(COLOURS))
    dark = "".join(f".c{i}{{stroke:{b};fill:{b}}}" for i, (_, b) in enumerate(COLOURS))
    return ("text{font-family:sans-serif;font-size:13px;fill:#1b1b1b;stroke:none}"
            ".title{font-size:15px;font-weight:bold}.page{fill:#ffffff}"
            ".grid{stroke:#d9d9d9;stroke-width:1}.axis{stroke:#1b1b1b;stroke-width:1;fill:none}"
            ".curve{fill:none;stroke-width:2}.dashed{stroke-dasharray:6 4}"
            ".mark{stroke-width:1.5}.hollow{fill:#ffffff}" + light +
            ".mark.hollow{fill:#ffffff}.curve{fill:none}"
            "@media (prefers-color-scheme:dark){text{fill:#e8e8e8}.page{fill:#14171a}"
            ".grid{stroke:#3a3f44}.axis{stroke:#e8e8e8}" + dark +
            ".mark.hollow{fill:#14171a}.curve{fill:none}}")


def mark(shape, x, y, classes):
    r = 4.5
    if shape == "circle":
        return f'<circle class="{classes}" cx="{x:.1f}" cy="{y:.1f}" r="{r - 0.5}"/>'
    points = {"square": [(-1, -1), (1, -1), (1, 1), (-1, 1)], "up": [(0, -1.2), (1.1, 0.9),
              (-1.1, 0.9)], "down": [(0, 1.2), (1.1, -0.9), (-1.1, -0.9)],
              "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
              "cross": [(-1, -0.35), (-0.35, -0.35), (-0.35, -1), (0.35, -1), (0.35, -0.35),
                        (1, -0.35), (1, 0.35), (0.35, 0.35), (0.35, 1), (-0.35, 1), (-0.35, 0.35),
                        (-1, 0.35)]}[shape]
    path = " ".join(f"{x + r * 0.9 * dx:.1f},{y + r * 0.9 * dy:.1f}" for dx, dy in points)
    return f'<polygon class="{classes}" points="{path}"/>'


class Axis:
    """`ticks`: lists of (value, label) pairs, of which the first that shows three or more is
    taken; the axis goes a little beyond the values."""

    def __init__(self, values, ticks, start, end):
        low, high = math.log(min(values)), math.log(max(values))
        margin = max(0.04 * (high - low), 0.05)
        self.low, self.high, self.start, self.end = low - margin, high + margin, start, end
        for choice in ticks:
            self.ticks = [t for t in choice if self.low <= math.log(t[0]) <= self.high]
            if len(self.ticks) >= 3:
                break

    def place(self, value):
        share = (math.log(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


# Steps within a decade, from coarse to fine.
STEPS = (1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)


def seconds_ticks():
    def named(exponent, step):
        unit, name = next((u, n) for u, n in ((0, "s"), (-3, "ms"), (-6, "µs"), (-9, "ns"))
                          if exponent >= u)
        return step * 10.0 ** exponent, f"{grouped(step * 10 ** (exponent - unit))} {name}"

    return [[named(e, step) for e in range(-9, 5) for step in steps] for steps in STEPS]


def count_ticks():
    return [[(step * 10.0 ** k, grouped(step * 10 ** k)) for k in range(1, 8) for step in steps]
            for steps in STEPS]


def grouped(count):
    return (f"{count:,.0f}" if count >= 100 else f"{count:g}").replace(",", "\u202f")


def figure(title, x_label, y_label, curves, x_ticks, y_ticks, note=""):
    """SVG text, or None when there is nothing to draw. `curves`: dictionaries with `name`, `index` (colour and mark), `points` (x, y, hollow), and
    optionally `line`, points without marks that are drawn dashed."""
    everything = [p for c in curves for p in list(c["points"]) + list(c.get("line", []))]
    if not everything:
        return None
    x = Axis([p[0] for p in everything], x_ticks, LEFT, WIDTH - RIGHT)
    y = Axis([p[1] for p in everything], y_ticks, HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{escape(title)}">',
           f"<style>{style()}</style>", f"<title>{escape(title)}</title>",
           f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="26">{escape(title)}</text>']
    for value, label in x.ticks:
        at = x.place(value)
        out += [f'<path class="grid" d="M{at:.1f},{TOP}V{HEIGHT - BOTTOM}"/>',
                f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                f"{escape(label)}</text>"]
    for value, label in y.ticks:
        at = y.place(value)
        out += [f'<path class="grid" d="M{LEFT},{at:.1f}H{WIDTH - RIGHT}"/>',
                f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{escape(label)}</text>']
    out += [f'<path class="axis" d="M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 16}" text-anchor="middle">'
            f"{escape(x_label)}</text>",
            f'<text transform="translate(18,{(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" '
            f'text-anchor="middle">{escape(y_label)}</text>']
    for row, curve in enumerate(curves):
        kind, shape = f"c{curve['index']}", MARKS[curve["index"]]
        for points, more in (curve["points"], ""), (curve.get("line", []), " dashed"):
            if len(points) > 1:
                path = " ".join(f"{x.place(p[0]):.1f},{y.place(p[1]):.1f}" for p in points)
                out.append(f'<polyline class="{kind} curve{more}" points="{path}"/>')
        for point in curve["points"]:
            hollow = " hollow" if len(point) > 2 and point[2] else ""
            out.append(mark(shape, x.place(point[0]), y.place(point[1]), f"{kind} mark{hollow}"))
        at = TOP + 14 + 22 * row
        out += [mark(shape, WIDTH - RIGHT + 22, at - 4, f"{kind} mark"),
                f'<text x="{WIDTH - RIGHT + 34}" y="{at}">{escape(curve["name"])}</text>']
    for row, line in enumerate(note.splitlines()):
        out.append(f'<text x="{WIDTH - RIGHT + 16}" y="{HEIGHT - BOTTOM - 24 + 17 * row}">'
                   f"{escape(line)}</text>")
    return "\n".join(out) + "\n</svg>\n"
