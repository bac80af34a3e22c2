// The builder writes the programs that the text form writes, and says what is wrong where it is
// written.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/overload.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/program.hpp"
#include "runtime/numbers/rational.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/places.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::builder_tests { namespace {

using support::RandomInputs;
using support::RandomPrograms;
using support::refusal;

/// A program written down once more, item by item, with the words of the builder.
/// Precondition: the program keeps the types that the words have; its factors have at most 63 bits.
cells::Program rewritten(const Program& program);

class Author {
 public:
  explicit Author(const Program& program) : from_(program), to_(program.name) {}

  cells::Program write() {
    say_what_it_is();
    say_what_it_reads();
    for (const Cell& cell : from_.cells) cells_.push_back(declared(cell));
    fill_cells();
    for (const Statement& s : from_.initial) to_.initial(statement(s));
    for (const Statement& s : from_.repeated) to_.repeated(statement(s));
    for (const Statement& s : from_.final) to_.final(statement(s));
    if (from_.relation) to_.relation();
    for (const OutputRow& row : from_.outputs) to_.output(row.name, form(row.form));
    read_prefixes();
    return std::move(to_);
  }

 private:
  using Held = std::variant<cells::Constant, cells::Flag, cells::OneHot, cells::Key, cells::Pointer,
                            cells::Direction, cells::Number>;

  void say_what_it_is() {
    to_.construction(from_.construction).source(from_.source);
    for (const std::string& text : from_.hypotheses) to_.hypothesis(text);
    for (const std::string& text : from_.deviations) to_.deviation(text);
    for (const auto& [name, value] : from_.parameters) to_.parameter(name, value);
  }

  void say_what_it_reads() {
    to_.alphabet(from_.alphabet);
    std::visit(Overload{[&](const WordInput& words) {
                          if (!words.begin) to_.no_begin();
                          if (words.end) to_.end();
                        },
                        [&](const CellsInput&) { to_.reads_cells(); },
                        [&](const GraphInput& graph) {
                          if (graph.layout == GraphInput::Layout::rows)
                            to_.reads_rows(graph.size.value());
                          else
                            to_.reads_adjacency(graph.padding, graph.size);
                        }},
               from_.input);
    const Unroll& unroll = from_.unroll;
    if (unroll.kind == Unroll::Kind::fixed) to_.fixed_loops(unroll.loops);
    if (unroll.kind == Unroll::Kind::ceil_log2_letters)
      to_.log_loops_of_letters({unroll.base, unroll.minus});
    if (unroll.kind == Unroll::Kind::ceil_log2_vertices)
      to_.log_loops_of_vertices({unroll.base, unroll.minus});
    if (unroll.max_length) to_.at_most(*unroll.max_length);
  }

  // --- cells ---------------------------------------------------------------------------------

  Held declared(const Cell& cell) {
    const std::string& name = cell.name;
    return std::visit(
        Overload{
            [&](const ConstantType&) -> Held { return to_.constant(name); },
            [&](const FlagType&) -> Held { return to_.flag(name, cell.lifetime); },
            [&](const OneHotType& type) -> Held {
              return to_.onehot(name, type.labels, cell.lifetime);
            },
            [&](const KeyType& type) -> Held { return to_.key(name, type.code, cell.lifetime); },
            [&](const PointerType& type) -> Held {
              return to_.pointer(name, type.code, cell.lifetime);
            },
            [&](const DirectionType& type) -> Held {
              if (type.integers)
                return to_.integer_direction(name, type.size, cell.lifetime, *type.integers);
              return to_.direction(name, type.size, cell.lifetime);
            },
            [&](const NumberType& type) -> Held {
              return to_.number(name, type.size, cell.lifetime);
            }},
        cell.type);
  }

  const cells::Cell& cell(CellId id) const {
    return std::visit([](const auto& held) -> const cells::Cell& { return held; }, cells_[id]);
  }
  template <class Kind>
  const Kind& as(CellId id) const {
    return std::get<Kind>(cells_[id]);
  }
  cells::CellList list(const std::vector<CellId>& ids) const {
    cells::CellList all;
    for (const CellId id : ids) all += cell(id);
    return all;
  }

  void fill_cells() {
    for (const GivenCell& given : from_.given) {
      if (given.holds == GivenCell::Holds::value) to_.given(cell(given.cell));
      if (given.holds == GivenCell::Holds::position)
        to_.given_position(as<cells::Number>(given.cell));
      if (given.holds == GivenCell::Holds::natural)
        to_.given_natural(as<cells::Number>(given.cell));
      if (given.holds == GivenCell::Holds::ratio) to_.given_ratio(as<cells::Direction>(given.cell));
    }
    for (const PositionFill& fill : from_.position) {
      if (fill.parity) {
        to_.position_parity(as<cells::Flag>(fill.cell));
      } else {
        to_.position(cell(fill.cell), fill.back);
      }
    }
    for (const auto& row : from_.table) {
      std::vector<cells::TableEntry> entries;
      for (const TableFill& fill : row)
        entries.push_back(
            std::visit(Overload{[&](const cells::Direction& code) -> cells::TableEntry {
                                  return {code, fill.value};
                                },
                                [&](const cells::Key& code) -> cells::TableEntry {
                                  return {code, fill.value};
                                },
                                [&](const auto&) -> cells::TableEntry { return value(fill); }},
                       cells_[fill.cell]));
      to_.at(entries);
    }
    for (const auto& [kind, fills] : from_.embedding) to_.fill(kind, values(fills));
  }

  // --- what is read of them ------------------------------------------------------------------

  /// Of whatever has a cell and a value: a condition, an assignment, what a token fills.
  template <class Fill>
  cells::Value value(const Fill& fill) const {
    if (const auto* flag = std::get_if<cells::Flag>(&cells_[fill.cell]))
      return fill.value == 1 ? cells::Value(*flag) : !*flag;
    const auto& onehot = as<cells::OneHot>(fill.cell);
    return onehot == onehot.labels()[fill.value];
  }
  template <class Fill>
  std::vector<cells::Value> values(const std::vector<Fill>& fills) const {
    std::vector<cells::Value> values;
    for (const Fill& fill : fills) values.push_back(value(fill));
    return values;
  }

  cells::Component component(const Component& c) const {
    return std::visit(
        Overload{[&](const cells::OneHot& onehot) { return onehot[onehot.labels()[c.index]]; },
                 [&](const cells::Constant& one) { return single(one); },
                 [&](const cells::Flag& flag) { return single(flag); },
                 [&](const auto& vector) { return vector[c.index]; }},
        cells_[c.cell]);
  }
  /// Of a cell of one component, which is said by its name.
  static cells::Component single(const cells::Form& form) { return form.terms().front().component; }

  cells::Fraction fraction(const Rational& number) const {
    const auto small = number.small().value();
    return {small.numerator, small.denominator};
  }
  /// What is subtracted is written so.
  cells::Form form(const LinearForm& terms) const {
    cells::Form sum;
    for (const Term& term : terms) {
      const cells::Form summand = fraction(term.factor.abs()) * component(term.component);
      sum = term.factor.sign() < 0 ? sum - summand : sum + summand;
    }
    return sum;
  }
  cells::Ratio ratio(const Ratio& ratio) const {
    return form(ratio.numerator) / form(ratio.denominator);
  }

  // --- what a head selects -------------------------------------------------------------------

  cells::Selector selector(const SelectAll&) const { return cells::uniform(); }
  cells::Selector selector(const SelectPointed& x) const {
    const auto* key = std::get_if<cells::Key>(&cells_[x.pointer]);
    const cells::Match match =
        key ? cells::match(*key) : cells::match(as<cells::Pointer>(x.pointer));
    return match.back(x.back).key(as<cells::Key>(x.key));
  }
  cells::Selector selector(const SelectSame& x) const { return cells::same(list(x.cells)); }
  cells::Selector selector(const SelectRightmost& x) const {
    cells::Rightmost rightmost(values(x.flags));
    if (x.shared)
      rightmost =
          rightmost.same(as<cells::OneHot>(x.shared->own), as<cells::OneHot>(x.shared->there));
    return rightmost.key(as<cells::Key>(x.key));
  }
  cells::Selector selector(const SelectNearest& x) const {
    return cells::nearest(ratio(x.target)).key(as<cells::Key>(x.key));
  }
  cells::Selector selector(const SelectFlagged& x) const {
    const cells::Flagged flagged = cells::flagged(value(x.flag));
    return x.when ? flagged.when(value(*x.when)) : flagged;
  }
  cells::Selector selector(const SelectFound& x) const {
    const cells::Ratio first = ratio(x.terms.front().wanted);
    cells::Found found =
        (x.one ? cells::find_one(first) : cells::find(first)).key(cell(x.terms.front().key));
    for (std::size_t i = 1; i < x.terms.size(); ++i)
      found = found.also(ratio(x.terms[i].wanted)).key(cell(x.terms[i].key));
    if (!x.prefer) return found;
    return found.prefer(value(x.prefer->flag), form({x.prefer->margin}));
  }
  cells::Selector selector(const SelectRelated& x) const {
    std::vector<cells::Flag> flags;
    for (const CellId flag : x.flags) flags.push_back(as<cells::Flag>(flag));
    return cells::related(flags).label(as<cells::OneHot>(x.label)).prefer(value(x.prefer));
  }

  // --- statements ----------------------------------------------------------------------------

  cells::Statements statement(const Statement& statement) const {
    return std::visit([&](const auto& s) { return written(s); }, statement);
  }

  cells::Statements written(const FetchStatement& s) const {
    const cells::Selector selected =
        std::visit([&](const auto& x) { return selector(x); }, s.selector);
    cells::Fetch fetch = cells::fetch(s.name);
    fetch = s.causal ? fetch.causal(selected) : fetch.unmasked(selected);
    if (!s.under.empty()) fetch = fetch.under(list(s.under));
    for (const HeadWrite& write : s.writes)
      fetch = std::visit(
          Overload{[&](const CopyWrite& w) { return fetch.copy(cell(w.target), cell(w.source)); },
                   [&](const SumWrite& w) { return fetch.add(component(w.target), form(w.form)); },
                   [&](const SetWrite& w) { return fetch.set(value(w)); }},
          write);
    return fetch;
  }
  cells::Statements written(const LookupStatement& s) const {
    cells::Rules rules;
    for (const Rule& rule : s.rules) rules.push_back({values(rule.when), values(rule.then)});
    return cells::lookup(s.name, rules, values(s.otherwise));
  }
  cells::Statements written(const MoveStatement& s) const {
    return cells::move(cell(s.target), cell(s.source), values(s.when));
  }
  cells::Statements written(const EraseStatement& s) const { return cells::erase(list(s.cells)); }
  cells::Statements written(const NormaliseStatement& s) const {
    std::vector<cells::Form> group;
    for (const Term& term : s.group) group.push_back(form({term}));
    return cells::normalise(list(s.targets)).from(group);
  }
  cells::Statements written(const TestStatement& s) const {
    const cells::Test test = cells::test(as<cells::Flag>(s.flag));
    return s.kind == TestStatement::Kind::zero ? test.zero(component(s.number))
                                               : test.positive(component(s.number));
  }

  void read_prefixes() {
    std::visit(Overload{[](std::monostate) {},
                        [&](const PrefixElement& element) {
                          to_.prefix(as<cells::OneHot>(element.cell), element.elements);
                        },
                        [&](const PrefixPoints& points) {
                          std::vector<cells::Program::Point> read;
                          for (const PointReadout& point : points.points) {
                            if (point.cell)
                              read.push_back({as<cells::OneHot>(*point.cell), 0});
                            else
                              read.push_back({std::nullopt, point.image});
                          }
                          to_.prefix(read);
                        },
                        [&](const PrefixState& prefix) {
                          to_.prefix_states(as<cells::OneHot>(prefix.cell), prefix.states);
                        }},
               from_.prefix);
  }

  const Program& from_;
  cells::Program to_;
  std::vector<Held> cells_;
};

cells::Program rewritten(const Program& program) {
  return Author(program).write();
}

// --- the same program ----------------------------------------------------------------------------

std::map<std::string, Program> programs_of_the_tree() {
  std::map<std::string, Program> found;
  for (const std::string folder : {"tests/programs", "examples/programs", "examples/cells"})
    for (const auto& entry :
         std::filesystem::directory_iterator(support::source_dir() + "/" + folder)) {
      if (entry.path().extension() != ".cells") continue;
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      const std::string name = folder + "/" + entry.path().filename().string();
      found.emplace(name, parse_program(text.str(), name));
    }
  return found;
}

TEST(Builder, WritesEveryProgramOfTheTreeAsItsTextDoes) {
  const auto programs = programs_of_the_tree();
  EXPECT_GE(programs.size(), 44u);
  for (const auto& [name, program] : programs)
    EXPECT_EQ(rewritten(program).text(), print_program(program)) << name;
}

TEST(Builder, WritesRandomProgramsAsTheTextFormDoes) {
  RandomPrograms programs(laws::seed(), RandomInputs::all);
  for (int i = 0; i < 800; ++i) {
    SCOPED_TRACE("program " + std::to_string(i));
    const Program program = programs.draw();
    ASSERT_EQ(rewritten(program).text(), print_program(program));
  }
}

/// Which alternatives of the representation programs use: what the comparison above has reached.
class Kinds {
 public:
  void see(const Program& p) {
    count("input", p.input);
    count("unroll", p.unroll.kind);
    count("prefix", p.prefix);
    for (const Cell& cell : p.cells) count("cell", cell.type);
    for (const GivenCell& given : p.given) count("given", given.holds);
    if (!p.position.empty()) seen_.insert("position");
    if (!p.table.empty()) seen_.insert("table");
    if (p.relation) seen_.insert("relation");
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      for (const Statement& statement : p.block(block)) {
        count("statement", statement);
        if (const auto* fetch = std::get_if<FetchStatement>(&statement)) {
          count("selector", fetch->selector);
          for (const HeadWrite& write : fetch->writes) count("write", write);
        }
      }
  }
  const std::set<std::string>& seen() const { return seen_; }
  /// All of them, by the numbers of alternatives of the types.
  static std::set<std::string> all() {
    std::set<std::string> all = {"position", "table", "relation"};
    const auto expect = [&](const std::string& kind, std::size_t alternatives) {
      for (std::size_t i = 0; i < alternatives; ++i) all.insert(kind + std::to_string(i));
    };
    expect("input", std::variant_size_v<Input>);
    expect("unroll", 3);
    expect("prefix", std::variant_size_v<ProgramPrefix>);
    expect("cell", std::variant_size_v<CellType>);
    expect("given", 4);
    expect("statement", std::variant_size_v<Statement>);
    expect("selector", std::variant_size_v<Selector>);
    expect("write", std::variant_size_v<HeadWrite>);
    return all;
  }

 private:
  template <class... Alternatives>
  void count(const std::string& kind, const std::variant<Alternatives...>& value) {
    seen_.insert(kind + std::to_string(value.index()));
  }
  template <class Enumeration>
  void count(const std::string& kind, Enumeration value) {
    seen_.insert(kind + std::to_string(static_cast<int>(value)));
  }
  std::set<std::string> seen_;
};

TEST(Builder, IsComparedOnEveryKindOfInputCellSelectorWriteAndStatement) {
  Kinds kinds;
  for (const auto& [name, program] : programs_of_the_tree()) kinds.see(program);
  RandomPrograms programs(laws::seed(), RandomInputs::all);
  for (int i = 0; i < 800; ++i) kinds.see(programs.draw());
  std::set<std::string> missing;
  const auto all = Kinds::all();
  std::set_difference(all.begin(), all.end(), kinds.seen().begin(), kinds.seen().end(),
                      std::inserter(missing, missing.end()));
  EXPECT_EQ(missing, std::set<std::string>());
}

cells::Product rows(std::initializer_list<cells::OneHot> list) {
  cells::Product product;
  for (const cells::OneHot& cell : list) product.add(cell);
  return product;
}

// The words that stand for several at once, and those that no program of the tree has.
TEST(Builder, SaysProductsListsAndRulesInOneWord) {
  using namespace cells;
  cells::Program p("words");
  p.construction("program").source("nowhere").hypothesis("few").deviation("many").parameter("k",
                                                                                            "2");
  p.alphabet({"a", "b"}).end().log_loops_of_letters({.base = 3, .minus = 1}).at_most(9);
  const auto one = p.constant();
  const auto I = p.key("I", two_circle);
  const auto E = p.pointer("E", two_circle, state);
  const Product d = rows({p.onehot("d0", {"0", "1"}, state), p.onehot("d1", {"0", "1"}, state)});
  const Product s =
      rows({p.onehot("s0", {"0", "1"}, scratch), p.onehot("s1", {"0", "1"}, scratch)});
  const auto f = p.flag("f"), g = p.flag("g");
  const auto n = p.number("n", 2), m = p.number("m");
  const auto u = p.direction("u", 2), v = p.direction("v", 3);
  p.position(I).position(E, 1);
  p.token(kBegin, d[0] == "0", !f).token("a", d[0] == "1", f == true).token("b", d[0].at(0), f);
  p.token("a", d[1] == "0").token(kEnd);
  p.initial(
      fetch("mean").unmasked(same(d, f)).under(d, f).add(n[1], one / 2 - f).add(m, -d[0]["1"]),
      normalise(u).from(n[0], Fraction(2, 3) * n[1]), normalise(v).from({n[0], n[1], m}));
  p.repeated(fetch("left").causal(match(E).key(I)).copy(s, d));
  p.repeated(Statements{move(d[0], s[0]), erase(s)});
  Statements rest;
  EXPECT_TRUE(rest.empty());
  rest +=
      lookup("step", under({f, d[1] == "1"}, {when(!g).then(g), when(g).then(!g, d[0] == "0")}));
  rest += test(f).zero(m);
  EXPECT_FALSE(rest.empty());
  p.final(rest, test(g).positive(n[1]),
          fetch("near").causal(nearest(cells::Ratio(u).back(2)).key(I)).set(d[1] == "1"));
  p.outputs("u", u).output("nothing", {}).prefix({{d[0], 0}, {std::nullopt, 1}});
  EXPECT_EQ(p.text(), R"(logdepth-cells 1
program "words"
construction "program"
source "nowhere"
hypothesis "few"
deviation "many"
parameter k "2"
alphabet a b
begin
end
unroll ceil_log 3 letters minus 1 max 9

cell one constant
cell I key two-circle
cell E state pointer two-circle
cell d0 state onehot 0 1
cell d1 state onehot 0 1
cell s0 scratch onehot 0 1
cell s1 scratch onehot 0 1
cell f flag
cell g flag
cell n number 2
cell m number 1
cell u direction 2
cell v direction 3

position I
position E back 1
token <begin> d0=0 f=false
token <end>
token a d0=1 f=true d1=0
token b d0=0 f=true

initial
  fetch mean unmasked same d0 d1 f under d0 d1 f
    add n[1] + 1/2 one - f
    add m - d0[1]
  normalise u from n[0] 2/3*n[1]
  normalise v from n[0] n[1] m

repeated
  fetch left causal match E key I
    copy s0 d0
    copy s1 d1
  move d0 s0
  erase s0 s1

final
  lookup step
    rule f=true d1=1 g=false -> g=true
    rule f=true d1=1 g=true -> g=false d0=0
  test f zero m
  test g positive n[1]
  fetch near causal nearest u back 2 key I
    set d1=1

output u.0 + u[0]
output u.1 + u[1]
output nothing
prefix points d0 always:1
)");
  EXPECT_EQ(cells::Program(p.program()).text(), p.text());
  EXPECT_EQ(p.cell<Flag>("g").id(), g.id());
}

TEST(Builder, DeclaresRowsOfFlagsAndNumbersLabels) {
  using namespace cells;
  cells::Program p("rows");
  const auto row = p.flags("R", 2, state);
  const auto vertex = p.onehot("v", numbered(3, "x"));
  p.output("last", row[1]);
  EXPECT_EQ(row.size(), 2u);
  EXPECT_EQ(row[1].name(), "R.1");
  EXPECT_EQ(vertex.labels(), (std::vector<std::string>{"x0", "x1", "x2"}));
  EXPECT_EQ(numbered(2), (std::vector<std::string>{"0", "1"}));
  EXPECT_NE(p.text().find("cell R.0 state flag\ncell R.1 state flag\ncell v onehot x0 x1 x2\n"),
            std::string::npos);
  EXPECT_TRUE(p.flags("none", 0).empty());
}

// A program is a value: what is said of a copy is not said of the original.
TEST(Builder, CopiesProgramsAndHeads) {
  using namespace cells;
  cells::Program p("original");
  const auto n = p.number("n");
  const std::string before = p.text();
  cells::Program copy = p;
  copy.output("n", n);
  EXPECT_EQ(p.text(), before);
  EXPECT_NE(copy.text(), before);
  const Fetch head = fetch("mean").causal(uniform());
  p.final(head.add(n, {}));
  copy.final(head);
  EXPECT_NE(p.text().find("add n"), std::string::npos);
  EXPECT_EQ(copy.text().find("add n"), std::string::npos);
}

// --- what is wrong is said where it is written ---------------------------------------------------

TEST(Builder, RefusesNamesLabelsAndComponentsThatAreNotThere) {
  using namespace cells;
  cells::Program p("p");
  const auto x = p.onehot("x", {"a", "b"});
  const auto n = p.number("n", 2);
  const auto d = p.direction("d", 3);
  EXPECT_EQ(refusal([&] { (void)(x == "c"); }), "cell x has no label 'c': expected one of a, b");
  EXPECT_EQ(refusal([&] { (void)x["c"]; }), "cell x has no label 'c': expected one of a, b");
  EXPECT_EQ(refusal([&] { (void)x.at(2); }), "cell x has 2 labels, and no number 2");
  EXPECT_EQ(refusal([&] { (void)n[2]; }), "cell n has 2 components, from 0: there is no n[2]");
  EXPECT_EQ(refusal([&] { (void)Form(n); }), "cell n has 2 components: expected n[...]");
  EXPECT_EQ(refusal([&] { (void)fetch("f").add(n, x["a"]); }),
            "cell n has 2 components: expected n[...]");
  EXPECT_EQ(refusal([&] { (void)nearest(d); }),
            "cell d has 3 components, so it codes no number: expected numerator / denominator");
  EXPECT_EQ(refusal([&] { (void)p.cell<Flag>("y"); }), "program 'p' has no cell y");
  EXPECT_EQ(refusal([&] { (void)p.cell<Flag>("x"); }), "cell x is a onehot and not a flag");
}

// Ids name cells among those of all programs; a copy knows those of its original.
TEST(Builder, RefusesCellsOfAnotherProgram) {
  using namespace cells;
  cells::Program p("p"), other("other");
  const auto one = p.constant();
  const auto f = p.flag("f");
  const auto n = p.number("n");
  const auto foreign = other.flag("f");
  const auto number = other.number("n");
  const auto key = other.key("I", phi);
  const auto onehot = other.onehot("x", {"a", "b"});
  const std::string sentence =
      "a cell that program 'p' has not declared: it belongs to another one";
  const std::string before = p.text();
  for (const Statements& statement :
       {Statements(fetch("s").causal(uniform()).add(n, foreign)),
        Statements(fetch("s").causal(uniform()).add(number, one)),
        Statements(fetch("s").causal(cells::same(foreign)).add(n, one)),
        Statements(fetch("s").causal(rightmost(foreign).key(key)).copy(f, f)),
        Statements(fetch("s").causal(match(key).key(key)).set(f)),
        Statements(fetch("s").causal(uniform()).under(number).add(n, one))})
    EXPECT_EQ(refusal([&] { p.final(statement); }), "fetch 's': " + sentence);
  EXPECT_EQ(refusal([&] { p.final(lookup("t", {when(foreign).then(f)})); }),
            "lookup 't': " + sentence);
  EXPECT_EQ(refusal([&] { p.initial(cells::move(f, foreign)); }), "move: " + sentence);
  EXPECT_EQ(refusal([&] { p.repeated(cells::erase(foreign)); }), "erase: " + sentence);
  EXPECT_EQ(refusal([&] { p.final(normalise(key).from(n)); }), "normalise: " + sentence);
  EXPECT_EQ(refusal([&] { p.final(cells::test(f).zero(number)); }), "test: " + sentence);
  for (const std::function<void()>& said : std::vector<std::function<void()>>{
           [&] { p.given(foreign); }, [&] { p.position(key); }, [&] { p.at({foreign == true}); },
           [&] { p.token("a", foreign); }, [&] { p.output("accept", number); },
           [&] {
             p.prefix(onehot, {{0}, {0}});
           },
           [&] {
             p.prefix({cells::Program::Point{onehot, 0}});
           }})
    EXPECT_EQ(refusal(said), sentence);
  EXPECT_EQ(p.text(), before);

  cells::Program copy = p;
  const auto more = copy.flag("more");
  const auto most = p.flag("most");
  EXPECT_NO_THROW(copy.output("f", f).output("more", more));
  EXPECT_EQ(refusal([&] { p.output("more", more); }), sentence);
  EXPECT_NO_THROW(p.output("most", most));
}

TEST(Builder, RefusesStatementsThatSayNothing) {
  using namespace cells;
  cells::Program p("p");
  const auto f = p.flag("f");
  const auto n = p.number("n");
  EXPECT_EQ(refusal([&] { (void)cells::erase(CellList{}); }), "erase: expected a cell");
  EXPECT_EQ(refusal([&] { (void)cells::same(CellList{}); }), "same: expected a cell");
  EXPECT_EQ(refusal([&] { (void)normalise(CellList{}).from(n); }), "normalise: expected a cell");
  EXPECT_EQ(refusal([&] { (void)lookup("t", {when(f).then()}); }),
            "lookup 't': a rule assigns nothing");
  EXPECT_EQ(refusal([&] { (void)related({f}).prefer(f); }),
            "related: expected .label(...) before .prefer(...)");
  EXPECT_EQ(refusal([&] { (void)p.number("wide", (1u << 20) + 1); }),
            "cell wide has 1048577 components and the limit is 1048576");
}

TEST(Builder, RefusesCellsThatCannotBeDeclared) {
  cells::Program p("p");
  (void)p.flag("f");
  EXPECT_EQ(refusal([&] { (void)p.number("f"); }), "cell f is declared twice");
  EXPECT_EQ(refusal([&] { (void)p.flag("2nd"); }),
            "'2nd' is no name of a cell: expected a letter or _, then letters, digits, _ and ., "
            "and not 'under', 'from' or 'label'");
  EXPECT_EQ(refusal([&] { (void)p.flag("under"); }),
            "'under' is no name of a cell: expected a letter or _, then letters, digits, _ and ., "
            "and not 'under', 'from' or 'label'");
  EXPECT_EQ(refusal([&] { (void)p.number("n", 0); }), "cell n has no components");
  EXPECT_EQ(refusal([&] { (void)p.onehot("x", {"a", "b", "a"}); }), "duplicate label of cell x");
  EXPECT_EQ(refusal([&] { p.reads_cells().no_begin(); }),
            "only words have a beginning and an end token");
  EXPECT_EQ(refusal([&] { p.reads_rows(3).end(); }),
            "only words have a beginning and an end token");
}

TEST(Builder, RefusesSumsAndFactorsWhereOneComponentIsDue) {
  using namespace cells;
  cells::Program p("p");
  const auto one = p.constant();
  const auto f = p.flag("f");
  const auto n = p.number("n", 2);
  const auto d = p.direction("d");
  EXPECT_EQ(refusal([&] { (void)find(d).key(d).prefer(f, one - n[0]); }),
            "a margin is one component, possibly with a factor, and not a sum of 2");
  EXPECT_EQ(refusal([&] { (void)normalise(d).from(n[0] + n[1], one); }),
            "what is normalised is one component, possibly with a factor, and not a sum of 2");
  EXPECT_EQ(refusal([&] { (void)test(f).zero(n[0] - n[1]); }),
            "what is tested is one component, possibly with a factor, and not a sum of 2");
  EXPECT_EQ(refusal([&] { (void)test(f).positive(-n[0]); }),
            "what is tested is one component without a factor");
  EXPECT_EQ(refusal([&] { (void)test(f).zero(n[0] / 2); }),
            "what is tested is one component without a factor");
}

TEST(Builder, RefusesHeadsAndNumbersThatAreNone) {
  using namespace cells;
  cells::Program p("p");
  const Product d = rows({p.onehot("d0", {"0"}), p.onehot("d1", {"0"})});
  const Product s = rows({p.onehot("s0", {"0"})});
  EXPECT_EQ(refusal([&] { (void)fetch("left").copy(s, d); }),
            "fetch 'left': a product of 2 rows is copied to one of 1");
  EXPECT_EQ(refusal([&] { p.final(fetch("left").copy(s[0], d[0])); }),
            "fetch 'left' has no selector: expected .causal(...) or .unmasked(...)");
  EXPECT_EQ(refusal([&] { (void)Fraction(1, 0); }),
            "the denominator of a fraction is a positive number");
  EXPECT_EQ(refusal([&] { (void)(d[0]["0"] / -2); }),
            "the denominator of a fraction is a positive number");
  const Form large = Fraction(std::int64_t{1} << 40) * d[0]["0"];
  EXPECT_EQ(refusal([&] { (void)(Fraction(std::int64_t{1} << 40) * large); }),
            "a factor of a linear form has more than 63 bits");
}

// --- linear forms are plain arithmetic -----------------------------------------------------------

/// A linear form beside its coefficients, both made by the same random steps.
struct Calculated {
  cells::Form form;
  std::array<Rational, 3> coefficients;
};

std::array<Rational, 3> sums(const cells::Form& form) {
  std::array<Rational, 3> sums;
  for (const cells::Form::Term& term : form.terms())
    sums.at(term.component.index) =
        sums.at(term.component.index) + Rational(term.factor.p, term.factor.q);
  return sums;
}

Calculated drawn(const cells::Number& n, int depth) {
  Calculated result;
  const int step = depth == 0 ? 0 : *rc::gen::inRange(0, 6);
  if (step == 0) {
    const auto index = *rc::gen::inRange<std::uint32_t>(0, 3);
    result.form = n[index];
    result.coefficients[index] = 1;
    return result;
  }
  const Calculated a = drawn(n, depth - 1);
  const auto each = [&](const auto& change) {
    for (std::size_t i = 0; i < 3; ++i) result.coefficients[i] = change(i);
  };
  if (step <= 2) {
    const Calculated b = drawn(n, depth - 1);
    result.form = step == 1 ? a.form + b.form : a.form - b.form;
    each([&](std::size_t i) {
      return step == 1 ? a.coefficients[i] + b.coefficients[i]
                       : a.coefficients[i] - b.coefficients[i];
    });
  } else if (step == 3) {
    result.form = -a.form;
    each([&](std::size_t i) { return -a.coefficients[i]; });
  } else if (step == 4) {
    const int p = *rc::gen::inRange(-9, 10), q = *rc::gen::inRange(1, 10);
    result.form = cells::Fraction(p, q) * a.form;
    each([&](std::size_t i) { return Rational(p, q) * a.coefficients[i]; });
  } else {
    const int divisor = *rc::gen::inRange(1, 10);
    result.form = a.form / divisor;
    each([&](std::size_t i) { return Rational(1, divisor) * a.coefficients[i]; });
  }
  return result;
}

RC_GTEST_PROP(Builder, CalculatesWithLinearFormsAsPlainArithmeticDoes, ()) {
  cells::Program p("p");
  const cells::Number n = p.number("n", 3);
  const Calculated drawn_form = drawn(n, 5);
  RC_ASSERT(sums(drawn_form.form) == drawn_form.coefficients);
  for (const cells::Form::Term& term : drawn_form.form.terms()) {
    RC_ASSERT(term.factor.p != 0);
    RC_ASSERT(term.factor.q > 0);
    RC_ASSERT(std::gcd(term.factor.p, term.factor.q) == 1);
  }
  // The same numbers after printing and reading.
  p.output("form", drawn_form.form);
  const Program read = parse_program(p.text(), "printed");
  std::array<Rational, 3> reread;
  for (const Term& term : read.outputs.at(0).form)
    reread.at(term.component.index) = reread.at(term.component.index) + term.factor;
  RC_ASSERT(reread == drawn_form.coefficients);
}

}}  // namespace logdepth::builder_tests
