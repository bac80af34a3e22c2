"""Files that break one side condition each, where changed numbers do not reach it."""
import copy

from files import certified, compiled, edited, load


def pair(options):
    file = compiled(*options)
    return load(file), load(certified(file))


def heads(d, layer=0):
    return d["layers"][layer]["attention"]["heads"]


def entries(*triples):
    return [list(t) for t in triples]


def of_scans():
    d, c = pair(("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--table", "matrix"))
    held = [at[0] for at in c["cells"][0]["at"]]
    fills = d["position"]["fills"]

    def a_query_of_labels(e):
        heads(e)[0]["query"]["entries"] = entries((0, held[0], "1"), (1, held[1], "1"))

    def a_logit_of_the_position(e):
        e["unembedding"]["entries"].append([e["output"]["accept"], fills[0]["at"][0], "1"])

    def a_tie(e):
        row, other = e["output"]["accept"], e["output"]["reject"]
        rest = [x for x in e["unembedding"]["entries"] if x[0] != other]
        e["unembedding"]["entries"] = rest + [[other, x[1], x[2]] for x in rest if x[0] == row]

    def a_product_cell_at_the_own_position(e):
        e["position"]["fills"].append({"at": held[:2], "back": 0, "scale": "1"})

    for change in (a_query_of_labels, a_logit_of_the_position, a_tie, a_product_cell_at_the_own_position):
        yield d, c, change
    d, c = pair(("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "first-flag"))

    def a_letter_like_the_beginning(e):
        at = e["position"]["first"][0][0]
        e["embedding"]["a"] = sorted(e["embedding"]["a"] + [[at, "2"]])
    yield d, c, a_letter_like_the_beginning


def of_cascades():
    d, c = pair(("regular", "--regex", "(a|b)*b", "--construction", "cascade"))

    def a_steep_position(e):
        for head in heads(e):
            for x in head["key"]["entries"]:
                if x[1] in e["position"]["fills"][0]["at"]:
                    x[2] = "100"

    def a_loop(e):
        for layer in e["layers"]:
            layer["block"] = "repeated"
        e["shape"] = {"initial": 0, "repeated": len(e["layers"]), "final": 0}
    yield d, c, a_loop
    yield *pair(("regular", "--group", "flipflop", "--construction", "cascade")), a_steep_position
    d, c = pair(("regular", "--regex", "(b|ab*a)*", "--construction", "cascade"))

    def a_class_at_a_counted_position(e):
        layer = e["layers"][1]["attention"]
        y = d["cells"]["y1"]["coordinates"]
        layer["mask"] += [[i, "8/3"] for i in y]
        layer["heads"][0]["value"]["entries"].append([0, y[0], "1"])
    yield d, c, a_class_at_a_counted_position


def of_one_back(one_back):
    """The hand-made file of test_hostile_files with other heads."""
    resets = {"format": "logdepth-certificate", "version": 1, "theorem": "resets"}

    def flat(e, key="-1"):
        heads(e)[0]["query"]["entries"] = entries((0, 5, "1/4"), (0, 6, "1/4"), (0, 7, "1/4"))
        heads(e)[0]["key"]["entries"] = entries((0, 0, key))

    def one_letter_looks(e):
        flat(e)
        heads(e)[0]["query"]["entries"] = entries((0, 7, "1/4"))

    def a_code_that_does_not_rise(e):
        flat(e, "1")
        e["position"] = {"kind": "two-circle", "fills": [{"at": [0, 1, 2, 3], "back": 0, "scale": "1"}]}

    def a_value_of_the_position(e):
        heads(e)[0]["value"]["entries"].insert(0, [0, 0, "1"])
    yield one_back(True), resets, flat
    yield one_back(False), resets, one_letter_looks
    yield one_back(False), resets, a_code_that_does_not_rise
    yield one_back(False), resets, a_value_of_the_position


def of_rows():
    d, c = pair(("connectivity", "--construction", "rows", "--size", "3"))
    yield d, c, lambda e: [h.update(causal=True) for h in heads(e)]
    yield d, c, lambda e: e["unroll"].update(of="letters")
    yield d, c, lambda e: e.update(unroll={"kind": "fixed", "loops": 1})
    yield d, c, lambda e: e["unroll"].update(max_length=2)
    yield d, c, lambda e: e["position"]["rows"].pop()
    yield d, c, lambda e: (e["layers"].append(e["layers"][0]), e["shape"].update(repeated=2))
    two = load(compiled("connectivity", "--construction", "rows", "--size", "2"))
    yield two, c, lambda e: None


def all_targeted(one_back):
    """(changed file, certificate), each of which must be refused."""
    for source in (of_scans(), of_cascades(), of_one_back(one_back), of_rows()):
        for document, certificate, change in source:
            changed = edited(document, change)
            yield changed, {**certificate, "sha256": changed["sha256"]}
