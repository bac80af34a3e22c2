"""Files that break one side condition each, where changed numbers do not reach it."""
import copy

from files import ROOT, certified, compiled, edited, load


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


def of_counts():
    """Cascades on first-flag positions and radix networks for all lengths."""
    d, c = pair(("regular", "--group", "Z2", "--construction", "cascade", "--positions", "first-flag"))

    def a_count_that_is_rounded_up(e):  # (C + 99/100)/2: position 1 is nearer to 0.495 than position 0
        heads(e, 3)[0]["query"]["entries"][1][2] = "-1/100"

    def an_irrational_parity(e):
        for head in heads(e, 1):
            head["output"]["entries"].append([20, 0, "1"])
        e["layers"][2]["feedforward"]["mask"].append([20, "1"])
    yield d, c, a_count_that_is_rounded_up
    yield d, c, an_irrational_parity
    d, c = pair(("regular", "--group", "Z2", "--construction", "radix"))

    def a_step_of_one_and_a_half_strides(e):
        heads(e, 2)[0]["query"]["entries"][1][2] = "-3/2"

    def an_irrational_direction(e):
        heads(e)[0]["output"]["entries"].append([17, 0, "1"])
        e["layers"][1]["feedforward"]["mask"].append([17, "1"])
    yield d, c, a_step_of_one_and_a_half_strides
    yield d, c, an_irrational_direction
    claims = c["loop"]["directions"]
    yield d, {**c, "loop": {**c["loop"], "directions": claims + claims[:1]}}, lambda e: None


def of_counting_programs():
    d, c = pair(("crasp", ROOT / "examples/crasp/majority.crasp"))

    def a_loop(e):
        e["layers"][0]["block"] = "repeated"
        e["shape"].update(final=0, repeated=1)

    def a_prefix(e):
        e["output"]["prefix"] = {"kind": "state", "states": 1, "first_row": 2}
        e["unembedding"]["rows"] = 3

    def no_letters(e):
        e["alphabet"] = []
        e["embedding"] = {"<begin>": e["embedding"]["<begin>"]}

    def an_irrational_sign(e):
        heads(e)[0]["output"]["entries"].append([6, 0, "1"])
        e["layers"][0]["feedforward"]["mask"].append([6, "1"])

    def a_code(e):
        e["position"] = {"kind": "circle", "fills": [{"at": [6, 7], "back": 0, "scale": "1"}]}
        e["layers"][0]["attention"]["mask"] += [[6, "3/2"], [7, "3/2"]]

    def a_head_that_selects(e):
        a_code(e)
        head = copy.deepcopy(heads(e)[0])
        head["query"]["entries"], head["key"]["entries"] = entries((0, 0, "1")), entries((0, 6, "-1"))
        head["value"]["entries"], head["output"]["entries"] = entries((0, 0, "1")), entries((8, 0, "1"))
        heads(e).append(head)

    def a_unit_of_the_position(e):
        a_code(e)
        layer = copy.deepcopy(e["layers"][0])
        layer["attention"] = {"heads": [], "mask": []}
        layer["feedforward"].update(mask=entries((6, "1"), (7, "1")))
        layer["feedforward"]["in"]["entries"], layer["feedforward"]["out"]["entries"] = entries((0, 6, "1")), entries((8, 0, "1"))
        e["layers"].append(layer)
        e["shape"]["final"] = 2
    for change in (a_loop, a_prefix, no_letters, an_irrational_sign, a_head_that_selects, a_unit_of_the_position):
        yield d, c, change


def of_divisions():
    d, c = pair(("division",))
    at = {name: cell["coordinates"] for name, cell in d["cells"].items()}

    def write(head, column, value="1"):
        """The head also writes a coordinate to where nothing reads any more."""
        row = head["value"]["rows"]
        head["value"]["entries"].append([row, column, value])
        head["output"]["entries"].insert(0, [at["i"][0], row, "1"])
        head["value"]["rows"] = head["output"]["columns"] = row + 1

    def a_loop(e):
        for layer in e["layers"]:
            layer["block"] = "repeated"
        e["shape"].update(initial=0, repeated=len(e["layers"]))

    def a_circle(e):
        e["position"] = {"kind": "circle", "fills": []}

    def a_position_that_weighs_more_than_a_multiple(e):
        heads(e, 2)[0]["key"]["entries"] = entries((0, at["I"][0], "1"), (0, at["e"][0], "1/4"))

    def an_irrational_difference(e):
        for head, row in zip(heads(e, 1), (2, 0)):
            head["output"]["entries"].append([at["remainder"][0], row, "1"])
        e["layers"][1]["feedforward"]["mask"].append([at["remainder"][0], "1"])

    def a_query_of_two_cells(e):
        heads(e, 1)[0]["query"]["entries"] = entries((0, at["I"][0], "1"), (0, at["R"][0], "1"), (1, at["R"][1], "1"))
    def a_unit_of_the_ratio(e):
        f = e["layers"][0]["feedforward"]
        f["in"]["entries"].append([4, at["i"][0], "1/5"])
        f["out"]["entries"].append([at["i"][0], 4, "1"])
        f["in"]["rows"] = f["out"]["columns"] = 5
    for change in (a_unit_of_the_ratio, a_loop, a_circle, a_position_that_weighs_more_than_a_multiple, an_irrational_difference, a_query_of_two_cells):
        yield d, c, change
    yield d, c, lambda e: [h.update(causal=False) for h in heads(e)]
    yield d, c, lambda e: write(heads(e, 3)[0], at["B"][0])
    yield d, c, lambda e: write(heads(e, 1)[0], at["R"][0])
    yield pair(("regular", "--group", "Z2", "--construction", "cascade"))[0], c, lambda e: None
    d, c = pair(("division", "--construction", "floor", "--for-length", "8", "--own-argument"))
    R = d["cells"]["R"]["coordinates"]
    yield d, c, lambda e: heads(e)[0]["key"].update(entries=entries((0, R[0], "1"), (1, R[1], "1")))
    yield d, c, lambda e: e["unroll"].update(max_length=9)
    d, c = pair(("division", "--construction", "floor", "--for-length", "9", "--own-argument"))
    code = d["cells"]["I2"]["coordinates"]
    yield d, c, lambda e: heads(e)[1]["query"].update(entries=entries((0, code[0], "1"), (1, code[1], "1/2")))


def of_trees():
    d, c = pair(("regular", "--group", "Z2", "--construction", "tree"))
    at = {name: cell["coordinates"] for name, cell in d["cells"].items()}
    levels = (3, 5)

    def a_product_of_the_wrong_tokens(e):
        """Active tokens join where the count is odd, and keep theirs where it is even: the units of the two rules exchange signs."""
        for n in levels:
            rows = {}
            for x in e["layers"][n]["feedforward"]["in"]["entries"]:
                rows.setdefault(x[0], {})[x[1]] = x
            for row in rows.values():
                reads_a_label = set(row) & set(at["d"])
                if reads_a_label and at["act"][0] in row and not row[at["act"][0]][2].startswith("-") and at["odd"][0] in row:
                    x = row[at["odd"][0]]
                    x[2] = x[2][1:] if x[2].startswith("-") else "-" + x[2]

    def a_position_that_weighs_more_than_a_token(e):
        for n in levels:
            heads(e, n)[0]["key"]["entries"] = entries((0, at["I"][0], "1"), (0, at["ap"][0], "1/100"))

    def a_unit_of_the_position(e):
        f = e["layers"][0]["feedforward"]
        f["in"]["entries"] += [[4, at["a"][0], "1/5"], [4, at["a"][1], "-1/5"]]
        f["out"]["entries"].append([24, 4, "1"])
        f["in"]["rows"] = f["out"]["columns"] = 5

    def no_last_level(e):
        del e["layers"][4:]
        e["shape"]["final"] = 0
    for change in (a_product_of_the_wrong_tokens, a_position_that_weighs_more_than_a_token, a_unit_of_the_position, no_last_level):
        yield d, c, change
    yield d, {**c, "active": c["active"] * 2}, lambda e: None
    yield pair(("regular", "--group", "Z2", "--construction", "cascade"))[0], c, lambda e: None


def of_rare_premises():
    d, c = pair(("regular", "--group", "S3", "--construction", "scan", "--positions", "circle", "--table", "matrix"))
    third = d["cells"]["d.2"]["coordinates"]

    def a_tie_of_a_product(e):  # a transposition fixes one point
        e["unembedding"]["entries"] = [[*x[:2], "1"] for x in e["unembedding"]["entries"]]

    def a_read_out_of_states(e):
        e["output"]["prefix"] = {"kind": "state", "states": 3, "first_row": 2}
        e["unembedding"].update(rows=5, entries=[x for x in e["unembedding"]["entries"] if x[0] < 5])

    def elements_of_three_cells(e):
        a_read_out_of_states(e)
        e["output"]["prefix"] = {"kind": "element", "elements": [[q] * 3 for q in range(3)], "first_row": 2}
        e["unembedding"]["entries"][-3:] = [[2 + q, at, "1"] for q, at in enumerate(third)]

    def outputs_of_cells(e):
        e["output"] = {"kind": "cells", "names": [f"x{row}" for row in range(e["unembedding"]["rows"])]}

    def a_table(e):
        e["position"] = {"kind": "table", "rows": [entries((1, "1")), entries((2, "1"))]}
        e["unroll"] = {"kind": "fixed", "loops": 1, "max_length": 1}

    for change in (a_tie_of_a_product, a_read_out_of_states, elements_of_three_cells, outputs_of_cells, a_table):
        yield d, c, change
    yield d, {**c, "decode": c["decode"] + [[None, 3]]}, lambda e: None
    d, c = pair(("regular", "--group", "Z2", "--construction", "radix"))
    held, unused, wide = d["cells"]["d"]["coordinates"], d["width"] - 1, d["width"]

    def a_copy_of_the_product(e):
        e["layers"].insert(2, {"block": "initial", "attention": {"heads": [], "mask": []},
                               "feedforward": {"mask": [[at, "1"] for at in held], "in": {"rows": 1, "columns": wide, "entries": entries((0, held[0], "1"))},
                                               "out": {"rows": wide, "columns": 1, "entries": entries((unused, 0, "1"))}}})
        e["shape"]["initial"] = 3

    def a_direction_of_another_token(e):
        e["layers"].append({**copy.deepcopy(e["layers"][2]), "block": "final", "feedforward": copy.deepcopy(e["layers"][0]["feedforward"])})
        heads(e, 4)[0]["value"]["entries"] = entries((0, e["cells"]["v"]["coordinates"][0], "1"))
        heads(e, 4)[0]["output"]["entries"] = entries((unused, 0, "1"))
        for matrix in ("in", "out"):
            e["layers"][4]["feedforward"][matrix]["entries"] = []
        e["shape"]["final"] = 1
    yield d, c, a_copy_of_the_product
    yield d, c, a_direction_of_another_token
    d, c = pair(("regular", "--regex", "(b|ab*a)*", "--construction", "cascade"))

    def no_prefixes(e):  # and one verdict
        del e["output"]["prefix"]
        e["unembedding"] = {"rows": 2, "columns": e["width"], "entries": entries((0, 0, "1"))}

    def a_letter_that_weighs_ten_billion(e):
        head, (one, other) = heads(e)[0], e["cells"]["x"]["coordinates"][1:]
        head["value"]["entries"] += entries((2, one, "1"), (2, other, "1/10000000000"))
        head["output"]["entries"].append([e["width"] - 1, 2, "1"])
        head["value"]["rows"] = head["output"]["columns"] = 3
    yield d, c, no_prefixes
    yield d, c, a_letter_that_weighs_ten_billion
    d, c = pair(("regular", "--regex", "(aaa)*", "--construction", "scan", "--positions", "circle", "--table", "monoid"))
    yield d, {**c, "decode": [["d", [0, 1, 0]], ["d", [1, 2, 0]], ["d", [2, 0, 0]]]}, lambda e: None
    d, c = pair(("regular", "--group", "Z2", "--construction", "tree"))
    yield d, c, lambda e: e["embedding"]["a"].append([e["width"] - 1, "1"])


def all_targeted(one_back):
    """(changed file, certificate), each of which must be refused."""
    for source in (of_scans(), of_cascades(), of_one_back(one_back), of_counts(), of_counting_programs(), of_divisions(), of_trees(), of_rare_premises()):
        for document, certificate, change in source:
            changed = edited(document, change)
            yield changed, {**certificate, "sha256": changed["sha256"]}


def words_without_begin(e):
    e["input"]["begin"] = False
    del e["embedding"]["<begin>"]


def of_selections(program):
    """Files of tier S that break one condition each."""
    d = load(program("flipflop"))
    acts, position, one = d["cells"]["acts"]["coordinates"][0], d["cells"]["I"]["coordinates"], d["cells"]["one"]["coordinates"][0]

    def a_contract_without_a_lemma(e):
        heads(e)[0]["promise"] = {"kind": "related", "pairs": [[0, 0]], "prefer": []}

    def a_score_that_does_not_rise(e):
        heads(e)[0]["key"]["entries"] = entries((0, acts, "1"))

    def a_score_of_both_components(e):
        heads(e)[0]["key"]["entries"].append([0, position[1], "-1/2"])

    def a_code_that_does_not_rise(e):
        e["position"] = {"kind": "two-circle", "fills": [{"at": [*position, *e["cells"]["state"]["coordinates"]], "back": 0, "scale": "1"}]}
        heads(e)[0]["key"]["entries"] = entries((0, position[0], "1"), (0, acts, "1"))

    for change in (a_contract_without_a_lemma, a_score_that_does_not_rise, a_score_of_both_components, a_code_that_does_not_rise,
                   words_without_begin):
        yield d, change
    d = load(program("share_of_capitals_among_equal_letters"))

    def keys_of_two_lengths(e):
        for matrix in ("query", "key"):
            heads(e)[0][matrix]["entries"][1][2] = "2"
    yield d, keys_of_two_lengths
    d = load(program("the_letter_in_the_middle"))

    def a_query_of_the_constant(e):
        heads(e, 1)[0]["query"]["entries"] = entries((0, one, "1"), (1, one, "1"))
    yield d, a_query_of_the_constant
    d = load(program("floor_of_a_ninth"))
    count = d["cells"]["c"]["coordinates"][0]

    def a_ratio_of_a_code(e):
        e["layers"][0]["feedforward"]["out"]["entries"] += entries((count, 0, "1"), (count, 1, "-1"))
    yield d, a_ratio_of_a_code
    d = load(program("last_flag_or_else_the_last_position"))
    pointer = d["cells"]["F"]["coordinates"]

    def a_direction_of_a_pointer(e):
        m = e["width"]
        e["layers"][1]["feedforward"] = {"mask": [[one, "1"], [pointer[0], "1"], [pointer[1], "2"]],
                                         "in": {"rows": 1, "columns": m, "entries": entries((0, pointer[0], "1"))},
                                         "out": {"rows": m, "columns": 1, "entries": entries((m - 1, 0, "1"))}}
    yield d, a_direction_of_a_pointer
