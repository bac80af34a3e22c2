#include "tests/support/random_programs.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/overload.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/rules/program_rules.hpp"
#include "objects/graph.hpp"
#include "runtime/file/model_meaning.hpp"
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
    if (chance(1, 3)) {  // some labels alike, some states meant by none
      PrefixState states{cell, {}};
      for (std::uint32_t q = 0; q < size; ++q) states.states.push_back(small(0, 4));
      p_.prefix = std::move(states);
    } else if (chance(1, 2)) {  // the constant maps, one per label
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

namespace {

std::string selector_feature(const Selector& selector, const std::string& mask) {
  return std::visit(
      Overload{[&](const SelectAll&) { return mask + "uniform"; },
               [&](const SelectPointed& x) -> std::string {
                 return x.back ? "match back" : selects_self(x) ? "match self" : "match";
               },
               [&](const SelectSame&) { return mask + "same"; },
               [&](const SelectRightmost& x) {
                 return mask + (x.shared             ? "rightmost same"
                                : x.flags.size() > 1 ? "rightmost of two"
                                                     : "rightmost");
               },
               [&](const SelectNearest&) { return mask + "nearest"; },
               [&](const SelectFlagged& x) { return mask + (x.when ? "flagged when" : "flagged"); },
               [&](const SelectRelated&) -> std::string { return "related"; },
               [&](const SelectFound& x) {
                 return std::string(x.one ? "find-one" : "find") + (x.prefer ? " prefer" : "");
               }},
      selector);
}

std::string code_feature(PositionCode code) {
  switch (code.kind) {
    case PositionCode::Kind::phi:
      return code == PositionCode::phi ? "phi" : "phi over";
    case PositionCode::Kind::circle:
      return "circle";
    case PositionCode::Kind::two_circle:
      return "two-circle";
    case PositionCode::Kind::fine:
      return "fine";
  }
  return {};
}

/// What a program uses, so that a test can demand that everything was tried.
std::set<std::string> features_of(const Program& p) {
  std::set<std::string> features;
  std::visit(Overload{[&](const WordInput& word) {
                        features.insert(word.begin ? "begin" : "no-begin");
                        if (word.end) features.insert("end");
                      },
                      [&](const CellsInput&) { features.insert("raw cells"); },
                      [&](const GraphInput& graph) {
                        features.insert(graph.layout == GraphInput::Layout::rows
                                            ? "graph rows"
                                            : "graph adjacency");
                      }},
             p.input);
  if (p.relation) features.insert("relation");
  if (!p.table.empty()) features.insert("table");
  features.insert(constant_cell(p) ? "constant" : "no constant");
  if (p.position.empty()) features.insert("no positions");
  for (const Cell& cell : p.cells)
    if (const auto* key = std::get_if<KeyType>(&cell.type))
      features.insert(code_feature(key->code));
  for (const PositionFill& fill : p.position)
    if (fill.parity) features.insert("parity");
  for (const Block block : {Block::initial, Block::repeated, Block::final})
    for (const Statement& statement : p.block(block)) {
      features.insert(block_name(block));
      std::visit(Overload{[&](const FetchStatement& s) {
                            const std::string mask = s.causal ? "causal " : "unmasked ";
                            if (!s.under.empty()) features.insert(mask + "under");
                            for (const HeadWrite& write : s.writes)
                              std::visit(Overload{[&](const CopyWrite&) {
                                                    features.insert(s.under.empty() ? "copy"
                                                                                    : "copy under");
                                                  },
                                                  [&](const SumWrite&) { features.insert("add"); },
                                                  [&](const SetWrite&) { features.insert("set"); }},
                                         write);
                            features.insert(selector_feature(s.selector, mask));
                          },
                          [&](const LookupStatement& s) {
                            features.insert(s.otherwise.empty() ? "lookup" : "lookup else");
                          },
                          [&](const MoveStatement& s) {
                            features.insert(s.when.empty() ? "move" : "move when");
                          },
                          [&](const EraseStatement&) { features.insert("erase"); },
                          [&](const NormaliseStatement&) { features.insert("normalise"); },
                          [&](const TestStatement& s) {
                            features.insert(s.kind == TestStatement::Kind::zero ? "test zero"
                                                                                : "test positive");
                          }},
                 statement);
    }
  if (!p.repeated.empty())
    features.insert(p.unroll.kind == Unroll::Kind::fixed ? "unroll fixed" : "unroll ceil_log2");
  features.insert(p.outputs[0].name == "accept" ? "accept" : "named outputs");
  return features;
}

}  // namespace

Program RandomPrograms::draw() {
  ++drawn_;
  return build_random_program(random_, inputs_);
}

Program RandomPrograms::draw_valid() {
  while (true) {
    Program program = draw();
    try {
      (void)compile(program);
    } catch (const ProgramRefused& refusal) {
      const std::string text = refusal.what();
      ++refusals_[text.substr(text.size() > 60 ? text.size() - 60 : 0)];
      continue;
    }
    ++accepted_;
    for (const std::string& feature : features_of(program)) ++features_[feature];
    return program;
  }
}

Program RandomPrograms::with_odd_names(Program program) {
  static const std::vector<std::string> kPieces = {
      "a",  "\"",      "\\",    "#",    " ",   "\t",       "\n", "\r", "=",   "[", "]",
      "->", "<begin>", "under", "from", "1/2", "\xC3\xA9", "+",  "-",  "key", "0", ""};
  std::size_t count = 0;
  const auto odd = [&] {
    std::string text = kPieces[below(kPieces.size())] + kPieces[below(kPieces.size())];
    return text + std::to_string(++count) + kPieces[below(kPieces.size())];
  };
  program.name = odd();
  program.construction = odd();
  program.source = kPieces[below(kPieces.size())];
  program.hypotheses = {odd(), ""};
  program.deviations = {odd()};
  program.parameters[odd()] = odd();
  for (std::string& letter : program.alphabet) {
    std::string name = odd();
    auto node = program.embedding.extract(letter);
    node.key() = name;
    program.embedding.insert(std::move(node));
    letter = name;
  }
  for (Cell& cell : program.cells)
    if (auto* onehot = std::get_if<OneHotType>(&cell.type))
      for (std::string& label : onehot->labels) label = odd();
  for (auto* block : {&program.initial, &program.repeated, &program.final})
    for (Statement& statement : *block) {
      if (auto* fetch = std::get_if<FetchStatement>(&statement)) fetch->name = odd();
      if (auto* lookup = std::get_if<LookupStatement>(&statement)) lookup->name = odd();
    }
  for (OutputRow& row : program.outputs) row.name = odd();
  return program;
}

std::vector<Real> RandomPrograms::given_row(const Program& program, std::size_t token,
                                            std::uint64_t natural) {
  std::vector<Real> row;
  const auto add = [&](const std::vector<Real>& values) {
    row.insert(row.end(), values.begin(), values.end());
  };
  const auto number = [](std::uint64_t n) { return Real(static_cast<std::int64_t>(n)); };
  for (const GivenCell& given : program.given) {
    if (given.holds == GivenCell::Holds::ratio) {
      const auto q = static_cast<std::int64_t>(1 + below(3)),
                 p = static_cast<std::int64_t>(below(9));
      add({Real(p - 2).divided_by_root(Rational((p - 2) * (p - 2) + q * q)),
           Real(q).divided_by_root(Rational((p - 2) * (p - 2) + q * q))});
      continue;
    }
    if (given.holds != GivenCell::Holds::value) {
      add({number(given.holds == GivenCell::Holds::position ? token : natural), Real(1)});
      continue;
    }
    std::visit(Overload{[&](const OneHotType& t) {
                          std::vector<Real> values(t.labels.size());
                          values[below(values.size())] = 1;
                          add(values);
                        },
                        [&](const KeyType& t) { add(code_of(t.code, token)); },
                        [&](const PointerType& t) { add(code_of(t.code, below(token + 1))); },
                        [&](const DirectionType&) {
                          const auto unit =
                              circle(Rational(static_cast<std::int64_t>(below(3)), 2));
                          add({unit[0], below(2) == 0 ? unit[1] : -unit[1]});
                        },
                        [&](const auto&) { add({Real(below(2) == 0 ? 1 : -1)}); }},
               program.cells[given.cell].type);
  }
  return row;
}

Tokens RandomPrograms::input(const Program& program, std::size_t length) {
  return std::visit(
      Overload{[&](const WordInput& word) {
                 std::vector<std::string> letters;
                 if (!word.begin && !word.end && length == 0) length = 1;
                 for (std::size_t i = 0; i < length; ++i)
                   letters.push_back(program.alphabet[below(program.alphabet.size())]);
                 return word_tokens(word, letters).value();
               },
               [&](const CellsInput&) {
                 const std::uint64_t natural = 1 + below(4);
                 std::vector<std::vector<Real>> rows;
                 for (std::size_t token = 0; token < std::max<std::size_t>(length, 1); ++token)
                   rows.push_back(given_row(program, token, natural));
                 return cells_tokens(std::move(rows));
               },
               [&](const GraphInput& input) {
                 Graph graph;
                 const std::size_t n = 1 + below(input.size.value_or(2));
                 for (std::size_t i = 0; i < n; ++i) graph.add_vertex(std::to_string(i));
                 for (Vertex i = 0; i < n; ++i)
                   for (Vertex j = 0; j < n; ++j)
                     if (below(2) == 0) graph.add_edge(i, j);
                 return graph_tokens(input, graph, below(n), below(n)).value();
               }},
      program.input);
}

std::string RandomPrograms::report() const {
  std::ostringstream out;
  out << accepted_ << " of " << drawn_ << " programs accepted\n";
  for (const auto& [feature, count] : features_) out << "  " << count << "  " << feature << '\n';
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [reason, count] : refusals_) reasons.emplace_back(count, reason);
  std::sort(reasons.rbegin(), reasons.rend());
  reasons.resize(std::min<std::size_t>(reasons.size(), 5));
  for (const auto& [count, reason] : reasons)
    out << "  refused " << count << " times: ..." << reason << '\n';
  return out.str();
}

}  // namespace logdepth::support
