#include "tests/support/random_program_builder.hpp"

#include <set>
#include <string>
#include <vector>

#include "compiler/rules/program_rules.hpp"
#include "tests/support/random_program_statements.hpp"

namespace logdepth::support {
namespace {

/// No random input has more tokens than this.
constexpr std::size_t kTableRows = 48;

class Builder : private RandomStatements {
 public:
  explicit Builder(std::mt19937_64& random) : RandomStatements(random) {}

  Program build(RandomInputs inputs) {
    p_.name = "random";
    p_.construction = "random";
    p_.source = "tests/support";
    choose_input(inputs == RandomInputs::words ? 0 : below(6));
    if (!chance(1, 8)) one_ = declare("one", ConstantType{}, Holds::typed);
    declare_given();
    declare_positions();
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) fill(declare_finite("x", i));
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) declare_finite("y", i);
    for (std::size_t i = 0, n = below(3); i < n; ++i)
      declare("n" + std::to_string(i), NumberType{small(1, 3)}, Holds::blank);
    for (std::size_t i = 0, n = below(3); i < n; ++i)
      declare("u" + std::to_string(i), DirectionType{small(2, 4)}, Holds::blank);

    add_statements(p_.initial, below(6));
    if (!chance(1, 4)) build_loop();
    add_statements(p_.final, below(4));
    add_outputs();
    for (auto& [kind, fills] : p_.embedding) std::shuffle(fills.begin(), fills.end(), random_);
    return std::move(p_);
  }

 private:
  // --- inputs --------------------------------------------------------------------------------

  void choose_input(std::size_t kind) {
    if (kind <= 2) {
      for (std::size_t i = 0, n = 1 + below(3); i < n; ++i)
        p_.alphabet.push_back(std::string(1, static_cast<char>('a' + i)));
      p_.input = WordInput{!chance(1, 4), chance(1, 4)};
    } else if (kind == 3) {
      p_.input = CellsInput{};
    } else {
      GraphInput graph;
      graph.layout = kind == 4 ? GraphInput::Layout::rows : GraphInput::Layout::adjacency;
      if (kind == 4 || chance(1, 2)) graph.size = small(1, 2);
      if (kind == 5 && chance(1, 2)) graph.padding = GraphInput::Padding::n3;
      p_.input = graph;
    }
    for (const std::string& letter : p_.alphabet) p_.embedding[letter];
    for (const std::string& kind_name : extra_kinds(p_.input)) p_.embedding[kind_name];
  }
  bool raw() const { return std::holds_alternative<CellsInput>(p_.input); }
  const GraphInput* rows() const {
    const auto* graph = std::get_if<GraphInput>(&p_.input);
    return graph && graph->layout == GraphInput::Layout::rows ? graph : nullptr;
  }

  void give(CellId cell, GivenCell::Holds holds = GivenCell::Holds::value) {
    p_.given.push_back({cell, holds});
    holds_[cell] = is<NumberType>(cell) ? Holds::number : Holds::typed;
  }

  void declare_given() {
    if (const GraphInput* graph = rows())
      for (std::uint32_t j = 0; j < *graph->size; ++j)
        give(declare("R" + std::to_string(j), FlagType{}, Holds::blank));
    if (!raw()) return;
    if (chance(1, 2)) give(declare("p", NumberType{2}, Holds::blank), GivenCell::Holds::position);
    if (chance(1, 2)) give(declare("m", NumberType{2}, Holds::blank), GivenCell::Holds::natural);
    if (chance(1, 2))
      give(declare("d", DirectionType{2}, Holds::blank),
           chance(1, 2) ? GivenCell::Holds::ratio : GivenCell::Holds::value);
    if (!chance(1, 2)) return;
    const PositionCode code = random_code();
    give(declare("K", KeyType{code}, Holds::blank));
    give(declare("P", PointerType{code}, Holds::blank));
  }

  PositionCode rational_code() {
    constexpr PositionCode kCodes[] = {PositionCode::circle, PositionCode::two_circle};
    const std::size_t kind = below(3);
    return kind < 2 ? kCodes[kind] : PositionCode::fine(small(1, 4));
  }
  PositionCode phi_code() { return PositionCode::phi_over(chance(1, 2) ? 1 : small(2, 4)); }
  PositionCode random_code() { return chance(1, 3) ? phi_code() : rational_code(); }

  CellId declare_finite(const std::string& prefix, std::size_t i) {
    const std::string name = prefix + std::to_string(i);
    if (chance(1, 3)) return declare(name, FlagType{}, Holds::blank);
    OneHotType type;
    for (std::uint32_t k = 0, n = small(1, 4); k < n; ++k) type.labels.push_back(std::to_string(k));
    return declare(name, type, Holds::blank);
  }

  /// By the tokens, sometimes alike for all of them; raw cells have no tokens.
  void fill(CellId cell) {
    if (raw()) return give(cell);
    holds_[cell] = Holds::typed;
    const bool alike = chance(1, 4);
    const std::uint32_t value = value_of(cell);
    for (auto& [kind, fills] : p_.embedding)
      fills.push_back({cell, alike ? value : value_of(cell)});
    if (alike) certain_[cell] = value;
  }

  void declare_positions() {
    const std::size_t kind = below(9);
    if (kind == 0) return;
    if (kind <= 3 && one_) return declare_phi();
    if (kind == 8 || (raw() && one_)) return declare_table();
    if (rows() && chance(1, 2)) return declare_vertices();
    const PositionCode code = rational_code();
    const CellId key = declare("I", KeyType{code}, Holds::typed);
    const CellId pointer = declare("E", PointerType{code}, Holds::typed);
    p_.position = {{key, 0}, {pointer, small(0, 3)}};
    if (chance(1, 2)) p_.position.push_back({declare("G", KeyType{code}, Holds::typed), 0});
    if (chance(1, 2)) declare("F", PointerType{code}, Holds::blank);
    if (chance(1, 2)) p_.position.push_back({declare("even", FlagType{}, Holds::typed), 0, true});
  }

  /// The first-flag, and phi from it, read off by the feed-forward network or by attention.
  void declare_phi() {
    const CellId fst = declare("fst", FlagType{}, Holds::typed);
    p_.position = {{fst, 0}};
    const CellId a = declare("a", NumberType{2}, Holds::number);
    const bool divided = chance(1, 2);  // by its norm in the feed-forward network
    const PositionCode code = divided ? phi_code() : PositionCode::phi;
    const CellId key = declare("I", KeyType{code}, Holds::typed);
    const CellId pointer = declare("E", PointerType{code}, Holds::typed);
    if (chance(1, 2)) declare("F", PointerType{code}, Holds::blank);
    const Rational half(1, 2);
    FetchStatement count;
    count.name = "count";
    count.selector = SelectAll{};
    count.writes = {SumWrite{{a, 0}, {{{*one_, 0}, half}, {{fst, 0}, -half}}},
                    SumWrite{{a, 1}, {{{*one_, 0}, half}, {{fst, 0}, half}}}};
    p_.initial.push_back(std::move(count));
    if (divided) {
      const Rational factor = small(1, 3), over = code.parameter;
      p_.initial.push_back(
          NormaliseStatement{{key, pointer}, {{{a, 0}, factor}, {{a, 1}, factor * over}}});
      return;
    }
    FetchStatement read;
    read.name = "read";
    read.selector = SelectSame{{a}};
    read.under = {a};
    read.writes = {CopyWrite{key, a}, CopyWrite{pointer, a}};
    p_.initial.push_back(std::move(read));
  }

  /// The own vertex of every row, which is related to itself.
  void declare_vertices() {
    const std::uint32_t size = *rows()->size;
    OneHotType vertices;
    SelectRelated related;
    for (std::uint32_t j = 0; j < size; ++j) {
      vertices.labels.push_back(std::to_string(j));
      related.flags.push_back(p_.given[j].cell);
    }
    related.label = declare("id", vertices, Holds::typed);
    for (std::uint32_t j = 0; j < size; ++j) p_.table.push_back({{related.label, j}});
    reflexive_ = related;
  }

  void declare_table() {
    std::vector<CellId> filled = {declare("t0", DirectionType{2}, Holds::typed)};
    const CellType own = KeyType{PositionCode::circle};
    if (chance(1, 2)) filled.push_back(declare("I", own, Holds::typed));
    if (chance(1, 2)) filled.push_back(declare("t1", FlagType{}, Holds::typed));
    if (chance(1, 2)) filled.push_back(declare("t2", OneHotType{{"0", "1", "2"}}, Holds::typed));
    for (std::size_t row = 0; row < kTableRows; ++row) {
      auto& fills = p_.table.emplace_back();
      for (const CellId cell : filled)
        fills.push_back({cell, finite(cell)        ? value_of(cell)
                               : type(cell) == own ? static_cast<std::uint32_t>(row)
                                                   : small(0, 3)});
    }
  }

  // --- loop and outputs ----------------------------------------------------------------------

  void build_loop() {
    const std::vector<Holds> entry = holds_;
    const auto certain = certain_;
    looping_ = true;
    add_statements(p_.repeated, 1 + below(6));
    // Put back what the loop must find again: fill what it emptied, empty what it filled.
    std::vector<CellId> filled;
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      if (entry[cell] == Holds::blank && holds_[cell] != Holds::blank) filled.push_back(cell);
      if (entry[cell] != Holds::typed || typed(cell)) continue;
      std::optional<Statement> repair;
      if (finite(cell)) {
        repair = random_lookup({cell});
      } else {
        const auto sources = cells([&](CellId c) { return typed(c) && fits(cell, c); });
        if (!sources.empty()) repair = MoveStatement{cell, pick(sources)};
      }
      if (!repair) continue;
      p_.repeated.push_back(*repair);
      apply(*repair);
    }
    if (!filled.empty()) {
      p_.repeated.push_back(EraseStatement{filled});
      apply(p_.repeated.back());
    }
    looping_ = false;
    std::erase_if(certain_, [&](const auto& known) {
      const auto before = certain.find(known.first);
      return before == certain.end() || before->second != known.second;
    });
    std::set<CellId> written;
    for (const Statement& statement : p_.repeated)
      for (const CellId cell : cells_written(statement)) written.insert(cell);
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      if (is<ConstantType>(cell)) continue;
      const bool empty = entry[cell] == Holds::blank;
      if (written.contains(cell) || chance(1, 6))
        p_.cells[cell].lifetime = empty && chance(3, 4) ? Lifetime::scratch : Lifetime::state;
    }
    choose_unrolling();
  }

  void choose_unrolling() {
    if (raw() || chance(1, 2)) {
      p_.unroll.kind = Unroll::Kind::fixed;
      p_.unroll.loops = small(0, 3);
    } else {
      p_.unroll.minus = small(0, 1);
    }
    if (chance(1, 4)) p_.unroll.max_length = 20 + below(20);
  }

  void add_outputs() {
    if (std::holds_alternative<GraphInput>(p_.input) && p_.unroll.kind != Unroll::Kind::fixed)
      p_.unroll.kind = Unroll::Kind::ceil_log2_vertices;
    if (raw()) p_.unroll.kind = Unroll::Kind::fixed;
    const auto full = cells([&](CellId c) { return holds_[c] != Holds::blank; });
    const bool decides = !raw() && !rows() && chance(1, 2);
    p_.relation = rows() && chance(1, 2);
    std::vector<std::string> names = {"accept", "reject"};
    if (!decides) {
      names.clear();
      for (std::size_t i = 0, n = p_.relation ? *rows()->size : 1 + below(3); i < n; ++i)
        names.push_back((p_.relation ? "" : "o") + std::to_string(i));
    }
    for (const std::string& name : names) p_.outputs.push_back({name, random_form(full, 4)});
    if (!decides || !std::holds_alternative<WordInput>(p_.input)) return;
    const auto onehots = cells([&](CellId c) { return is<OneHotType>(c) && typed(c); });
    if (onehots.empty() || chance(1, 2)) return;
    const CellId cell = pick(onehots);
    const std::uint32_t size = size_of(type(cell));
    if (chance(1, 2)) {  // the constant maps, one per label
      PrefixElement element{cell, {}};
      for (std::uint32_t q = 0; q < size; ++q)
        element.elements.push_back(std::vector<std::uint32_t>(size, q));
      p_.prefix = std::move(element);
    } else {
      PrefixPoints points;
      for (std::uint32_t q = 0; q < 4; ++q)
        points.points.push_back(chance(1, 2) ? PointReadout{cell, 0}
                                             : PointReadout{std::nullopt, small(0, 3)});
      p_.prefix = std::move(points);
    }
  }
};

}  // namespace

Program build_random_program(std::mt19937_64& random, RandomInputs inputs) {
  return Builder(random).build(inputs);
}

}  // namespace logdepth::support
