"""Conditions of the checker that are a little weaker than they have to be, as switches: with an output folder as argument, the sources
are written there with all of them, each off. RECHECK_WITHOUT=weakened:NAME turns one on in the program recheck_without."""
import pathlib
import sys

# name, file, text that occurs once, the condition in it, the weaker one
EDITS = [
    ("two thirds of the flag", "sublayers.cpp", "rise <= 2 * weight", "rise <= 2 * weight", "rise <= 3 * weight"),
    ("1/(p+1) is never below 1", "form.cpp", "least = std::min(least, i->second);", "std::min(least, i->second)",
     "cell.kind == 'V' ? i->second : std::min(least, i->second)"),
    ("components of directions are at most 1", "form.cpp", "std::max<mpq_class>(most, 1 / weight)", "std::max<mpq_class>(most, 1 / weight)", "most"),
    ("Y is 1 or -1", "form.cpp", "i == j && flag(a.cell)", "flag(a.cell)", "flag(a.cell) || a.cell.kind == 'Y'"),
    ("Z is 1 or -1", "form.hpp", 'std::string("PEABGJ")', 'std::string("PEABGJ")', 'std::string("PEABGJZ")'),
    ("multiples are not compared", "sublayers.cpp", "if (form != wanted) return {};", "form != wanted", "false"),
    ("moves ahead", "sublayers.cpp", "need(k.get_den() == 1 && k >= 0", "k >= 0", "k >= -1"),
    ("negative matches", "sublayers.cpp", "need(entry[{i, i}] > 0 &&", "entry[{i, i}] > 0", "true"),
    ("moves ahead of the stride", "sublayers.cpp", "b < (1 << 30) && b + c >= 0", "b + c >= 0", "b + c >= -1"),
    ("intervals one short", "shift_scan.cpp", "l.strides + l.constant >= minus + 1,", "l.strides + l.constant >= minus + 1", "l.strides + l.constant >= minus"),
    ("negative counts", "class_heads.cpp", "&& least == 0,", "least == 0", "true"),
    ("half the slope", "class_heads.cpp", "top - w >= slope,", "top - w >= slope", "2 * (top - w) >= slope"),
    ("circle rises", "class_heads.cpp", 'frame.code == "circle" ? mpq_class(-slope) : slope', 'frame.code == "circle"', "false"),
    ("half the slope of a contract", "selections.cpp", "weights[x] - weights[y] >= c,", "weights[x] - weights[y] >= c", "2 * (weights[x] - weights[y]) >= c"),
    ("a denominator falls", "selections.cpp", "need(of_position >= 0 &&", "of_position >= 0", "true"),
    ("a mean is above its least", "selections.cpp", "constant_of(of[x]) > number.low;", "constant_of(of[x]) > number.low", "constant_of(of[x]) >= number.low"),
    ("no sign is 0", "selections.cpp", "if (frame_.laws.positive(form)) return {1};", "frame_.laws.positive(form)", "frame_.laws.bounds(form).first >= 0"),
    ("no relu is 0", "selections.cpp", "Unknown number{0, bounds.second};", "0", "mpq_class(bounds.second / 8)"),
]


def write(folder):
    """The sources with their switches. Lines keep their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted((pathlib.Path(__file__).resolve().parents[2] / "recheck").glob("*.[ch]pp")):
        if file.name == "refusal.hpp":
            continue  # that of without/
        text = file.read_text()
        for name, where, context, old, new in EDITS:
            if where == file.name:
                assert text.count(context) == 1 and context.count(old) == 1, (name, text.count(context))
                text = text.replace(context, context.replace(old, f'(recheck::weakened("{name}") ? ({new}) : ({old}))'))
        (folder / file.name).write_text(text)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
