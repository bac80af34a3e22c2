// The builder: a program as its author writes it.
#include "logdepth/program.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;
using cells::Program;

namespace {

Lifetime lifetime(const std::string& name) {
  return chosen<Lifetime, 3>("lifetime", name,
                             {{{"permanent", Lifetime::permanent},
                               {"state", Lifetime::state},
                               {"scratch", Lifetime::scratch}}});
}

GraphPadding padding(const std::string& name) {
  return chosen<GraphPadding, 3>("padding", name,
                                 {{{"n3", GraphPadding::n3},
                                   {"n3-n2", GraphPadding::n3_minus_n2},
                                   {"n4-n2", GraphPadding::n4_minus_n2}}});
}

/// The cell of this name, of whatever kind it is. Errors: InputError where there is none.
template <class Kind, class... More>
nb::object cell_of(const Program& program, const std::string& name) {
  if constexpr (sizeof...(More) == 0) {
    return nb::cast(program.cell<Kind>(name));
  } else {
    try {
      return nb::cast(program.cell<Kind>(name));
    } catch (const InputError&) {
      return cell_of<More...>(program, name);
    }
  }
}

cells::TableEntry entry_of(nb::handle entry) {
  cells::Value value;
  if (nb::try_cast(entry, value)) return value;
  if (!nb::isinstance<nb::tuple>(entry) || nb::len(entry) != 2)
    throw InputError("expected a value of a cell or a pair (cell, number), found a " +
                     type_of(entry));
  return {nb::cast<const cells::Vector&>(entry[0]), nb::cast<std::uint32_t>(entry[1])};
}

Program::Point point_of(nb::handle point) {
  if (nb::isinstance<cells::OneHot>(point)) return {nb::cast<cells::OneHot>(point), 0};
  return {std::nullopt, nb::cast<std::uint32_t>(point)};
}

using ProgramClass = nb::class_<Program>;
// A setter answers with the program itself, so that it can be gone on with.
constexpr auto kSelf = nb::rv_policy::none;

void bind_what_it_is(ProgramClass& program) {
  program.def("construction", &Program::construction, "text"_a, kSelf, "Name of the construction.")
      .def("source", &Program::source, "text"_a, kSelf, "Its source: paper and statement.")
      .def("hypothesis", &Program::hypothesis, "text"_a, kSelf,
           "Its hypotheses, one sentence each.")
      .def("deviation", &Program::deviation, "text"_a, kSelf,
           "Its deviations from the source, with reasons, one sentence each.")
      .def("parameter", &Program::parameter, "name"_a, "value"_a, kSelf,
           "A parameter of the construction.")
      .def(
          "alphabet",
          [](Program& p, const nb::str& letters) -> Program& {
            std::vector<std::string> each;
            for (const nb::handle letter : letters) each.push_back(nb::cast<std::string>(letter));
            return p.alphabet(each);
          },
          "letters"_a, kSelf, "Reads words over the characters of a string.")
      .def("alphabet", &Program::alphabet, "letters"_a, kSelf,
           "Reads words over these letters, which have one or more characters each.")
      .def("no_begin", &Program::no_begin, kSelf, "Adds no token before the first letter.")
      .def("end", &Program::end, kSelf, "Adds a token `<end>` after the last letter.")
      .def("reads_cells", &Program::reads_cells, kSelf,
           "Reads raw streams: the given cells of every token.")
      .def(
          "reads_adjacency",
          [](Program& p, const std::string& tokens, std::optional<std::uint32_t> size) -> Program& {
            return p.reads_adjacency(padding(tokens), size);
          },
          "padding"_a = "n3-n2", "size"_a = nb::none(), kSelf,
          nb::sig("def reads_adjacency(self, padding: typing.Literal['n3', 'n3-n2', 'n4-n2'] = "
                  "'n3-n2', size: int | None = None) -> Program"),
          "It reads graphs: the n^2 tokens of an adjacency matrix, so many of padding behind them, "
          "s "
          "and t. `size`: made for graphs of that size.")
      .def("reads_rows", &Program::reads_rows, "size"_a, kSelf,
           "It reads graphs of `size` vertices: a token for each, given its row of the adjacency "
           "matrix.")
      .def("fixed_loops", &Program::fixed_loops, "loops"_a, kSelf,
           "Sets a fixed number of iterations of the repeated block.")
      .def(
          "log_loops_of_letters",
          [](Program& p, std::uint32_t base, std::uint32_t minus) -> Program& {
            return p.log_loops_of_letters({base, minus});
          },
          "base"_a = 2, "minus"_a = 0, kSelf,
          "ceil(log_base(n - minus)) times for n letters; minus is 0 or 1.")
      .def(
          "log_loops_of_vertices",
          [](Program& p, std::uint32_t base, std::uint32_t minus) -> Program& {
            return p.log_loops_of_vertices({base, minus});
          },
          "base"_a = 2, "minus"_a = 0, kSelf,
          "ceil(log_base(n - minus)) times for n vertices; minus is 0 or 1.")
      .def("at_most", &Program::at_most, "size"_a, kSelf,
           "Longer inputs are rejected (hypothesis violated).");
}

#define LIFETIME "lifetime: typing.Literal['permanent', 'state', 'scratch'] = 'permanent'"

void bind_vector_declarations(ProgramClass& program) {
  program
      .def(
          "key",
          [](Program& p, const std::string& name, PositionCode code, const std::string& lives) {
            return p.key(name, code, lifetime(lives));
          },
          "name"_a, "code"_a, "lifetime"_a = "permanent",
          nb::sig("def key(self, name: str, code: PositionCode, " LIFETIME ") -> Key"),
          "The code of the token's own position.")
      .def(
          "pointer",
          [](Program& p, const std::string& name, PositionCode code, const std::string& lives) {
            return p.pointer(name, code, lifetime(lives));
          },
          "name"_a, "code"_a, "lifetime"_a = "permanent",
          nb::sig("def pointer(self, name: str, code: PositionCode, " LIFETIME ") -> Pointer"),
          "The code of some position not after the token.")
      .def(
          "direction",
          [](Program& p, const std::string& name, std::uint32_t size, const std::string& lives) {
            return p.direction(name, size, lifetime(lives));
          },
          "name"_a, "size"_a = 2, "lifetime"_a = "permanent",
          nb::sig("def direction(self, name: str, size: int = 2, " LIFETIME ") -> Direction"),
          "A unit vector of `size` components.")
      .def(
          "integer_direction",
          [](Program& p, const std::string& name, std::uint32_t size, const std::string& lives,
             std::uint32_t bound) {
            return p.integer_direction(name, size, lifetime(lives), bound);
          },
          "name"_a, "size"_a = 2, "lifetime"_a = "permanent", "bound"_a = 1,
          nb::sig("def integer_direction(self, name: str, size: int = 2, " LIFETIME
                  ", bound: int = 1) -> Direction"),
          "The direction of integers that are at most `bound` times the number of tokens: a "
          "hypothesis that the construction owes, checked where the program is interpreted.")
      .def(
          "number",
          [](Program& p, const std::string& name, std::uint32_t size, const std::string& lives) {
            return p.number(name, size, lifetime(lives));
          },
          "name"_a, "size"_a = 1, "lifetime"_a = "permanent",
          nb::sig("def number(self, name: str, size: int = 1, " LIFETIME ") -> Number"),
          "`size` numbers of any magnitude.")
      .def("cell",
           &cell_of<cells::Constant, cells::Flag, cells::OneHot, cells::Key, cells::Pointer,
                    cells::Direction, cells::Number>,
           "name"_a,
           nb::sig(
               "def cell(self, name: str) -> Constant | Flag | OneHot | Key | Pointer | Direction "
               "| Number"),
           "The cell of this name, of a program that is there already. BadInput where there is "
           "none.");
}

void bind_cell_declarations(ProgramClass& program) {
  program
      .def(
          "constant", [](Program& p, const std::string& name) { return p.constant(name); },
          "name"_a = "one", "The number 1 at every token; at most one such cell.")
      .def(
          "flag",
          [](Program& p, const std::string& name, const std::string& lives) {
            return p.flag(name, lifetime(lives));
          },
          "name"_a, "lifetime"_a = "permanent",
          nb::sig("def flag(self, name: str, " LIFETIME ") -> Flag"),
          "A cell that is true (+1) or false (-1). `lifetime` of this and the others: "
          "\"permanent\", "
          "not written by the repeated block; \"state\", carried from loop to loop; \"scratch\", "
          "zero at the beginning and at the end of the repeated block.")
      .def(
          "flags",
          [](Program& p, const std::string& name, std::uint32_t count, const std::string& lives) {
            return p.flags(name, count, lifetime(lives));
          },
          "name"_a, "count"_a, "lifetime"_a = "permanent",
          nb::sig("def flags(self, name: str, count: int, " LIFETIME ") -> list[Flag]"),
          "Flags NAME.0, NAME.1, ...: a row of a relation.")
      .def(
          "onehot",
          [](Program& p, const std::string& name, const std::vector<std::string>& labels,
             const std::string& lives) { return p.onehot(name, labels, lifetime(lives)); },
          "name"_a, "labels"_a, "lifetime"_a = "permanent",
          nb::sig("def onehot(self, name: str, labels: collections.abc.Sequence[str], " LIFETIME
                  ") -> OneHot"),
          "A cell with one of these labels; as many components as labels.");
  bind_vector_declarations(program);
}

#undef LIFETIME

void bind_what_fills_them(ProgramClass& program) {
  program.def("given", &Program::given, "cell"_a, kSelf, "The cell comes with the input.")
      .def("given_position", &Program::given_position, "cell"_a, kSelf, "(p, 1) at position p.")
      .def("given_natural", &Program::given_natural, "cell"_a, kSelf,
           "(m, 1), m >= 1, the same at all tokens.")
      .def("given_ratio", &Program::given_ratio, "cell"_a, kSelf, "Of (x, 1) for a rational x.")
      .def("position", &Program::position, "cell"_a, "back"_a = 0, kSelf,
           "The code of max(p - back, 0) at position p, from 0; a flag: whether p = 0.")
      .def("position_parity", &Program::position_parity, "flag"_a, kSelf,
           "Whether p is even; beside position codes.")
      .def(
          "at",
          [](Program& p, const nb::args& entries) -> Program& {
            std::vector<cells::TableEntry> row;
            for (const nb::handle entry : entries) row.push_back(entry_of(entry));
            return p.at(row);
          },
          nb::sig("def at(self, *entries: " VALUE " | tuple[Vector, int]) -> Program"), kSelf,
          "The next row of the table of positions: values, and codes of numbers.")
      .def(
          "token",
          [](Program& p, const std::string& kind, const nb::args& values) -> Program& {
            return p.fill(kind, values_of(values));
          },
          "kind"_a, "values"_a,
          nb::sig("def token(self, kind: str, *values: " VALUE ") -> Program"), kSelf,
          "What a kind of token (a letter, BEGIN, END) fills; several calls add up.");
}

template <class Append>
auto appending(const Append& append) {
  return [append](Program& p, const nb::args& statements) -> Program& {
    return append(p, statements_of(statements));
  };
}

#define STATEMENTS                                                                             \
  "(self, *statements: Fetch | Statements | collections.abc.Sequence[Fetch | Statements]) -> " \
  "Program"

void bind_what_happens(ProgramClass& program) {
  program
      .def("initial", appending([](Program& p, const cells::Statements& s) -> Program& {
             return p.initial(s);
           }),
           nb::sig("def initial" STATEMENTS), kSelf,
           "Statements that run once, before the iterations.")
      .def("repeated", appending([](Program& p, const cells::Statements& s) -> Program& {
             return p.repeated(s);
           }),
           nb::sig("def repeated" STATEMENTS), kSelf, "What happens in each loop.")
      .def("final",
           appending([](Program& p, const cells::Statements& s) -> Program& { return p.final(s); }),
           nb::sig("def final" STATEMENTS), kSelf, "What happens once, after the loops.");
}

#undef STATEMENTS

void bind_what_is_read_off(ProgramClass& program) {
  program
      .def(
          "output",
          [](Program& p, const std::string& name, nb::handle form) -> Program& {
            return p.output(name, form_of(form));
          },
          "name"_a, "form"_a = nb::none(),
          nb::sig("def output(self, name: str, form: " FORM " | "
                  "None = None) -> Program"),
          kSelf,
          "\"accept\" and \"reject\", the larger of which answers, or numbers by name. Without a "
          "form: "
          "0.")
      .def("outputs", &Program::outputs, "name"_a, "cell"_a, kSelf,
           "The components of a cell as NAME.0, ..., or just NAME.")
      .def("relation", &Program::relation, kSelf,
           "The outputs are the rows of a relation between vertices.")
      .def("prefix",
           nb::overload_cast<const cells::OneHot&, const std::vector<std::vector<std::uint32_t>>&>(
               &Program::prefix),
           "cell"_a, "elements"_a, kSelf,
           "Prefix products from one cell over the elements, each a list of images of the points "
           "0, 1, ...")
      .def(
          "prefix",
          [](Program& p, nb::handle points) -> Program& {
            std::vector<Program::Point> images;
            for (const nb::handle point : points) images.push_back(point_of(point));
            return p.prefix(images);
          },
          "points"_a,
          nb::sig("def prefix(self, points: collections.abc.Sequence[OneHot | int]) -> Program"),
          kSelf,
          "Prefix products point by point: a cell whose labels are numbers of points, or always "
          "the "
          "same one.")
      .def("prefix_states", &Program::prefix_states, "cell"_a, "states"_a, kSelf,
           "In place of products the state after every prefix: per label of the cell the number of "
           "a "
           "state, which several labels may mean.")
      .def(
          "text", &Program::text,
          "The text form of it, which a `.cells` file holds and `logdepth compile program` reads.");
}

}  // namespace

void bind_program(nb::module_& module) {
  ProgramClass program(
      module, "Program", nb::is_weak_referenceable(),
      "A construction, written down: cells with their types, then statements in the order in which "
      "a\n"
      "theorist writes them, one after the other at every token at once (compiler/README.md has "
      "the\n"
      "meaning of each word). Setters answer with the program itself.\n\n"
      "    p = logdepth.Program(\"majority\").alphabet([\"0\", \"1\"]).fixed_loops(0)\n"
      "    letter = p.onehot(\"letter\", [\"begin\", \"zero\", \"one\"])\n"
      "    margin = p.number(\"margin\")\n"
      "    p.token(BEGIN, letter == \"begin\")\n"
      "    p.token(\"0\", letter == \"zero\").token(\"1\", letter == \"one\")\n"
      "    p.final(fetch(\"count\").causal(uniform())\n"
      "            .add(margin, letter[\"one\"] - letter[\"zero\"] - letter[\"begin\"] / 2))\n"
      "    p.output(\"accept\", margin).output(\"reject\")\n\n"
      "Errors: BadInput for a name, label or component that is not there, where it is written; "
      "that\n"
      "the program as a whole obeys the rules is found when it is compiled.");
  program
      .def(
          "__init__",
          [](Program* made, nb::handle name) {
            std::string text;
            if (!nb::try_cast(name, text))
              throw nb::type_error(
                  ("Program: expected (name: str), found (" + type_of(name) + ")").c_str());
            new (made) Program(text);
          },
          "name"_a.none(), nb::sig("def __init__(self, name: str) -> None"),
          "A program without cells and statements.")
      .def_static(
          "from_text",
          [](const std::string& text, const std::string& source) {
            return program_from_text(text, source);
          },
          "text"_a, "source"_a = "program",
          "Parses a program text (`.cells`), to extend or compile; `source` names it in messages. "
          "BadInput with line and expected text.")
      .def(
          "__repr__",
          [](const Program& p) {
            const std::string text = p.text();
            const std::size_t begin = text.find("program ") + 8;
            return "<program " + text.substr(begin, text.find('\n', begin) - begin) + ">";
          },
          "Name.");
  bind_what_it_is(program);
  bind_cell_declarations(program);
  bind_what_fills_them(program);
  bind_what_happens(program);
  bind_what_is_read_off(program);
  module.attr("BEGIN") = cells::kBegin;
  module.attr("END") = cells::kEnd;
}

}  // namespace logdepth::python
