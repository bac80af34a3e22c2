#include "tests/support/rewritten_program.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "base/overload.hpp"

namespace logdepth::support {
namespace {

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
    return cells::Rightmost(values(x.flags)).key(as<cells::Key>(x.key));
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
    return cells::lookup(s.name, rules);
  }
  cells::Statements written(const MoveStatement& s) const {
    return cells::move(cell(s.target), cell(s.source));
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

}  // namespace

cells::Program rewritten(const Program& program) {
  return Author(program).write();
}

}  // namespace logdepth::support
