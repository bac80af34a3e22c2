#include "tests/support/random_programs.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/overload.hpp"
#include "compiler/meaning/cell_reader.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/rules/program_rules.hpp"
#include "objects/graph.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::support {
namespace {

std::string selector_feature(const Selector& selector, const std::string& mask) {
  return std::visit(
      Overload{[&](const SelectAll&) { return mask + "uniform"; },
               [&](const SelectPointed& x) -> std::string {
                 return x.back ? "match back" : selects_self(x) ? "match self" : "match";
               },
               [&](const SelectSame&) { return mask + "same"; },
               [&](const SelectRightmost& x) {
                 return mask + (x.flags.size() > 1 ? "rightmost of two" : "rightmost");
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
                          [&](const LookupStatement&) { features.insert("lookup"); },
                          [&](const MoveStatement&) { features.insert("move"); },
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
