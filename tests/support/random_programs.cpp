#include "tests/support/random_programs.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "compiler/compile.hpp"
#include "compiler/program_rules.hpp"
#include "objects/overload.hpp"
#include "tests/support/random_program_builder.hpp"

namespace logdepth::support {
namespace {

/// What a program uses, so that a test can demand that everything was tried.
std::set<std::string> features_of(const Program& p) {
  std::set<std::string> features;
  features.insert(p.begin ? "begin" : "no-begin");
  features.insert(constant_cell(p) ? "constant" : "no constant");
  if (p.position.empty()) features.insert("no positions");
  for (const Cell& cell : p.cells)
    if (const auto* key = std::get_if<KeyType>(&cell.type))
      features.insert(key->code == PositionCode::phi      ? "phi"
                      : key->code == PositionCode::circle ? "circle"
                                                          : "two-circle");
  for (const Block block : {Block::initial, Block::repeated, Block::final})
    for (const Statement& statement : p.block(block)) {
      features.insert(block_name(block));
      std::visit(
          Overload{[&](const FetchStatement& s) {
                     const std::string mask = s.causal ? "causal " : "unmasked ";
                     if (!s.under.empty()) features.insert(mask + "under");
                     for (const HeadWrite& write : s.writes)
                       features.insert(std::holds_alternative<CopyWrite>(write) ? "copy" : "add");
                     std::visit(
                         Overload{
                             [&](const SelectAll&) { features.insert(mask + "uniform"); },
                             [&](const SelectPointed& x) {
                               features.insert(x.back ? "match back" : "match");
                             },
                             [&](const SelectSame&) { features.insert(mask + "same"); },
                             [&](const SelectRightmost&) { features.insert(mask + "rightmost"); }},
                         s.selector);
                   },
                   [&](const LookupStatement&) { features.insert("lookup"); },
                   [&](const MoveStatement&) { features.insert("move"); },
                   [&](const EraseStatement&) { features.insert("erase"); },
                   [&](const NormaliseStatement&) { features.insert("normalise"); }},
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
  return build_random_program(random_);
}

Program RandomPrograms::draw_valid() {
  while (true) {
    Program program = draw();
    try {
      compile(program);
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

std::vector<std::string> RandomPrograms::word(const Program& program, std::size_t length) {
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < length; ++i)
    letters.push_back(program.alphabet[below(program.alphabet.size())]);
  return letters;
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
