// What a program says about its cells: selectors, heads, tables and the rest.
#include "logdepth/statements.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/errors.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

cells::Statements statements_of(nb::handle statements) {
  if (nb::isinstance<cells::Statements>(statements))
    return nb::cast<const cells::Statements&>(statements);
  if (nb::isinstance<cells::Fetch>(statements)) return nb::cast<const cells::Fetch&>(statements);
  if (!nb::isinstance<nb::list>(statements) && !nb::isinstance<nb::tuple>(statements))
    throw InputError("expected statements, as fetch(...), lookup(...), found a " +
                     type_of(statements));
  cells::Statements all;
  for (const nb::handle part : statements) all += statements_of(part);
  return all;
}

namespace {

cells::Product product_of(nb::handle rows) {
  cells::Product product;
  for (const nb::handle row : rows) product.add(nb::cast<const cells::OneHot&>(row));
  return product;
}

void bind_selectors(nb::module_& module) {
  nb::class_<cells::Selector>(module, "Selector", nb::is_weak_referenceable(),
                              "What a head selects among the visible positions: the arg max of a "
                              "score, proved for every length (compiler/README.md).");
  nb::class_<cells::Match>(module, "Match", nb::is_weak_referenceable(),
                           "`match(E)`, still without its key. Members return new values.")
      .def("back", &cells::Match::back, "by"_a,
           "Returns a new pointer: max(e - by, 0) in place of e.")
      .def("key", &cells::Match::key, "key"_a,
           "The selector: the position that the pointer names.");
  nb::class_<cells::Rightmost>(module, "Rightmost", nb::is_weak_referenceable(),
                               "`rightmost(v)`, still without its key.")
      .def("key", &cells::Rightmost::key, "key"_a, "The selector.");
  nb::class_<cells::Nearest>(module, "Nearest", nb::is_weak_referenceable(),
                             "`nearest(R)`, still without its key.")
      .def("key", &cells::Nearest::key, "key"_a, "The selector; the key has code phi or fine.");
  nb::class_<cells::Flagged, cells::Selector>(module, "Flagged", nb::is_weak_referenceable(),
                                              "The selector of `flagged(f)`.")
      .def("when", &cells::Flagged::when, "value"_a,
           nb::sig("def when(self, value: " VALUE ") -> Flagged"),
           "Returns a new selector: tokens where `value` does not hold select all visible "
           "positions.");
  nb::class_<cells::Found, cells::Selector> found(module, "Found", nb::is_weak_referenceable(),
                                                  "The selector of `find(k)`.");
  nb::class_<cells::Found::Term>(module, "FoundTerm", nb::is_weak_referenceable(),
                                 "`find(k)`, still without its key.")
      .def("key", &cells::Found::Term::key, "key"_a, "The selector.");
  found
      .def("also", &cells::Found::also, "wanted"_a,
           nb::sig("def also(self, wanted: " RATIO ") -> FoundTerm"),
           "Returns a new selector: of these, those with a second code; a key follows.")
      .def(
          "prefer",
          [](const cells::Found& selector, const cells::Value& value, nb::handle margin) {
            return selector.prefer(value, form_of(margin));
          },
          "value"_a, "margin"_a,
          nb::sig("def prefer(self, value: " VALUE ", margin: Form | Component | Constant | "
                  "Flag | Number) -> Selector"),
          "Returns a new selector: of these, those where `value` holds if there is one. The margin "
          "is positive and smaller "
          "than what any mismatch costs: a hypothesis that the construction proves.");
  nb::class_<cells::Related>(module, "Related", nb::is_weak_referenceable(),
                             "`related(R)`, still without its label.")
      .def("label", &cells::Related::label, "cell"_a,
           "Returns a new selector with the one-hot cell that is compared.")
      .def("prefer", &cells::Related::prefer, "value"_a,
           nb::sig("def prefer(self, value: " VALUE ") -> Selector"), "The selector.");
}

void bind_words_of_selectors(nb::module_& module) {
  module.def("uniform", &cells::uniform, "All visible positions.");
  module.def(
      "same", [](const nb::args& cells) { return cells::same(cells_of(cells)); },
      nb::sig("def same(*cells: Cell) -> Selector"),
      "All visible positions whose cells equal the token's own.");
  module.def("match", nb::overload_cast<const cells::Pointer&>(&cells::match), "pointer"_a,
             "`match(E).key(I)`, `match(E).back(1).key(I)`: the one position that E codes, or 1 "
             "before it (not before 0).");
  module.def("match", nb::overload_cast<const cells::Key&>(&cells::match), "pointer"_a,
             "The same with the token's own position.");
  module.def(
      "rightmost", [](const nb::args& values) { return cells::Rightmost(values_of(values)); },
      nb::sig("def rightmost(*values: " VALUE ") -> Rightmost"),
      "`rightmost(e).key(I)`: the last of the visible positions where most of the values hold.");
  module.def("nearest", &cells::nearest, "target"_a,
             nb::sig("def nearest(target: " RATIO ") -> Nearest"),
             "`nearest(c / n).key(I)`: the visible position whose code is nearest in angle to the "
             "direction of the ratio.");
  module.def("flagged", &cells::flagged, "value"_a,
             nb::sig("def flagged(value: " VALUE ") -> Flagged"),
             "All visible positions where the value holds, or all visible ones if there is none.");
  module.def("find", &cells::find, "wanted"_a, nb::sig("def find(wanted: " RATIO ") -> FoundTerm"),
             "`find(r).key(U)`: all visible positions where U is the direction of r; the selection "
             "contract is violated if there is none.");
  module.def("find_one", &cells::find_one, "wanted"_a,
             nb::sig("def find_one(wanted: " RATIO ") -> FoundTerm"),
             "Like `find`; the selection contract is violated if there are several, too.");
  module.def(
      "related", [](const std::vector<cells::Flag>& flags) { return cells::related(flags); },
      "flags"_a,
      "`related(R).label(v).prefer(f)`: the visible positions whose one-hot v is some l with "
      "R[l] true at the token, of these those where f holds, if there is one.");
}

void bind_heads(nb::module_& module) {
  nb::class_<cells::Statements>(module, "Statements", "Statements that run one after the other.");
  nb::class_<cells::Fetch>(
      module, "Fetch", nb::is_weak_referenceable(),
      "One attention head: `fetch(\"prev\").causal(match(E).key(I)).copy(sd, d)`. Every member "
      "returns a new head and leaves this one unchanged: `head.copy(sd, d)` alone does nothing, "
      "and "
      "`compile` rejects a program that ends so.")
      .def("causal", &cells::Fetch::causal, "selector"_a,
           "Returns a new head: among the token and those to its left.")
      .def("unmasked", &cells::Fetch::unmasked, "selector"_a,
           "Returns a new head: among all tokens.")
      .def(
          "under",
          [](const cells::Fetch& head, const nb::args& cells) {
            return head.under(cells_of(cells));
          },
          nb::sig("def under(self, *cells: Cell) -> Fetch"),
          "Returns a new head: selector and forms read these cells divided by their joint norm.")
      .def(
          "copy",
          [](const cells::Fetch& head, nb::handle target, nb::handle source) {
            if (nb::isinstance<cells::Cell>(target))
              return head.copy(nb::cast<const cells::Cell&>(target),
                               nb::cast<const cells::Cell&>(source));
            return head.copy(product_of(target), product_of(source));
          },
          "target"_a, "source"_a,
          nb::sig("def copy(self, target: Cell | collections.abc.Sequence[OneHot], source: Cell | "
                  "collections.abc.Sequence[OneHot]) -> Fetch"),
          "Returns a new head: target := what the selected positions hold in source, all the same; "
          "target was blank. "
          "Lists of one-hot cells are copied row by row.")
      .def(
          "add",
          [](const cells::Fetch& head, const cells::Component& target, nb::handle form) {
            return head.add(target, form_of(form));
          },
          "target"_a, "form"_a,
          nb::sig("def add(self, target: Component, form: Form | Component | Constant | Flag | "
                  "Number) -> Fetch"),
          "Returns a new head: target += the average of the form over the selected positions.")
      .def(
          "add",
          [](const cells::Fetch& head, const cells::Number& target, nb::handle form) {
            return head.add(target, form_of(form));
          },
          "target"_a, "form"_a,
          nb::sig("def add(self, target: Number, form: Form | Component | Constant | Flag | "
                  "Number) -> Fetch"),
          "The same of a number of one component.")
      .def("set", &cells::Fetch::set, "value"_a,
           nb::sig("def set(self, value: " VALUE ") -> Fetch"),
           "Returns a new head: cell := value, where the head selects the token itself; "
           "overwrites.");
  module.def("fetch", &cells::fetch, "name"_a, "Starts a head with this name.");
  module.def(
      "undone", [](nb::handle heads) { return cells::undone(statements_of(heads)); }, "heads"_a,
      nb::sig("def undone(heads: Fetch | Statements | collections.abc.Sequence[Fetch | "
              "Statements]) -> Statements"),
      "The same heads again with negated averages, which undoes what they added. Copied and set "
      "values stay. BadInput for a statement that is not a head.");
}

void bind_tables(nb::module_& module) {
  nb::class_<cells::Rule>(module, "Rule",
                          "Where all conditions hold, the cells get these values; "
                          "`when(...).then(...)` makes one.");
  nb::class_<cells::When>(module, "When", nb::is_weak_referenceable(),
                          "The conditions of a rule, still without its values.")
      .def(
          "then",
          [](const cells::When& when, const nb::args& values) {
            // `then` of the library takes its values one by one; a rule is what it makes of them.
            cells::Rule rule = when.then();
            rule.then = values_of(values);
            return rule;
          },
          nb::sig("def then(self, *values: " VALUE ") -> Rule"),
          "The rule that assigns these values.");
  module.def(
      "when", [](const nb::args& values) { return cells::When(values_of(values)); },
      nb::sig("def when(*values: " VALUE ") -> When"),
      "`when(act, ~odd).then(act)`, `when().then(~act)`: no cell twice on either side.");
  module.def(
      "under",
      [](nb::handle conditions, const cells::Rules& rules) {
        return cells::under(values_of(conditions), rules);
      },
      "conditions"_a, "rules"_a,
      nb::sig("def under(conditions: collections.abc.Sequence[" VALUE "], rules: "
              "collections.abc.Sequence[Rule]) -> list[Rule]"),
      "The rules, each under these conditions as well, which come first.");
  module.def("lookup", &cells::lookup, "name"_a, "rules"_a,
             "A finite table: for each cell that is assigned exactly one of its rules holds, "
             "whatever the cells of the conditions hold. Overwrites.");
  module.def("move", &cells::move, "target"_a, "source"_a,
             "target := source, of the same type; overwrites.");
  module.def(
      "erase", [](const nb::args& cells) { return cells::erase(cells_of(cells)); },
      nb::sig("def erase(*cells: Cell | collections.abc.Sequence[Cell]) -> Statements"),
      "cells := 0.");
  nb::class_<cells::Normalise>(module, "Normalise", nb::is_weak_referenceable(),
                               "`normalise(I)`, still without its group.")
      .def(
          "from_",
          [](const cells::Normalise& targets, const nb::args& forms) {
            std::vector<cells::Form> group;
            for (const nb::handle form : forms) group.push_back(form_of(form));
            return targets.from(group);
          },
          nb::sig("def from_(self, *group: " FORM ") -> "
                  "Statements"),
          "The targets, blank before, := the group divided by its norm. Each of the group is one "
          "component, possibly with a factor > 0.");
  module.def(
      "normalise", [](const nb::args& targets) { return cells::Normalise(cells_of(targets)); },
      nb::sig("def normalise(*targets: Cell) -> Normalise"),
      "`normalise(I, E).from_(a[0], a[1])`: unit vectors.");
  nb::class_<cells::Test>(module, "Test", nb::is_weak_referenceable(),
                          "`test(e)`, still without the question.")
      .def("zero", &cells::Test::zero, "number"_a,
           nb::sig("def zero(self, number: " FORM ") -> Statements"),
           "e := [number = 0], where e was true at every token.")
      .def("positive", &cells::Test::positive, "number"_a,
           nb::sig("def positive(self, number: " FORM ") -> Statements"),
           "e := [number > 0], where e was false at every token.");
  module.def("test", &cells::test, "flag"_a,
             "`test(e).zero(D)`, `test(e).positive(D)`: exact comparisons with 0.");
}

}  // namespace

void bind_statements(nb::module_& module) {
  bind_selectors(module);
  bind_words_of_selectors(module);
  bind_heads(module);
  bind_tables(module);
}

}  // namespace logdepth::python
