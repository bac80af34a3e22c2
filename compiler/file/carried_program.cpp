#include "compiler/file/carried_program.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <set>
#include <utility>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "compiler/rules/program_rules.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/hypotheses.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth { inline namespace compiler_file {
namespace {

bool same_contract(const Selector& selector, const Contract& contract) {
  const auto* match = std::get_if<MatchContract>(&contract);
  return std::visit(
      Overload{[&](const SelectAll&) { return std::holds_alternative<UniformContract>(contract); },
               [&](const SelectPointed&) { return match && match->exactly_one; },
               [&](const SelectSame&) { return match && !match->exactly_one; },
               [&](const SelectNearest&) { return match && match->exactly_one; },
               [&](const SelectRightmost& rightmost) {
                 return rightmost.shared ? match && match->exactly_one
                                         : std::holds_alternative<RightmostContract>(contract);
               },
               [&](const SelectFlagged& flagged) {
                 const auto* kept = std::get_if<FlaggedContract>(&contract);
                 return kept && kept->when.has_value() == flagged.when.has_value();
               },
               [&](const SelectFound& found) {
                 const auto* kept = std::get_if<FindContract>(&contract);
                 return kept && kept->terms == found.terms.size() &&
                        kept->prefer == found.prefer.has_value() && kept->exactly_one == found.one;
               },
               [&](const SelectRelated& related) {
                 const auto* kept = std::get_if<RelatedContract>(&contract);
                 return kept && kept->pairs.size() == related.flags.size();
               }},
      selector);
}

bool same_layer(const ScheduledLayer& scheduled, const Layer& layer) {
  if (scheduled.attention.size() != layer.attention.heads.size()) return false;
  for (std::size_t i = 0; i < scheduled.attention.size(); ++i) {
    const auto* fetch = std::get_if<FetchStatement>(scheduled.attention[i]);
    const Head& head = layer.attention.heads[i];
    if (!fetch || fetch->causal != head.causal || !same_contract(fetch->selector, head.contract))
      return false;
  }
  std::size_t rules = 0;
  for (const Statement* statement : scheduled.feedforward)
    if (const auto* lookup = std::get_if<LookupStatement>(statement)) rules += lookup->rules.size();
  return rules <= layer.feedforward.in.rows &&
         scheduled.feedforward.empty() == (layer.feedforward.in.rows == 0);
}

/// The mask reads exactly the planned components: in the file's own cell index.
bool same_mask(const Program& program, const MaskPlan& plan, const Model& model,
               const SparseVector& mask) {
  std::set<std::uint32_t> expected, found;
  const auto expect = [&](const Component& c) {
    const auto cell = model.cells.find(program.cells[c.cell].name);
    if (cell == model.cells.end() || c.index >= cell->second.coordinates.size()) return false;
    expected.insert(cell->second.coordinates[c.index]);
    return true;
  };
  for (const Term& term : plan.components)
    if (!expect(term.component)) return false;
  const auto one = constant_cell(program);
  if (!plan.constant_weight.is_zero() && !(one && expect({*one, 0}))) return false;
  const std::uint32_t logical = model.norm == Norm::layernorm ? model.width / 2 : model.width;
  for (const SparseEntry& entry : mask)
    if (entry.index < logical) found.insert(entry.index);
  return expected == found;
}

}  // namespace

std::unique_ptr<const FittedProgram> FittedProgram::find(const Program& program,
                                                         const Model& model) {
  std::unique_ptr<FittedProgram> fitted(new FittedProgram(program));
  try {
    check_program(program);
    fitted->schedule_ = schedule_layers(program);
    fitted->masks_ = type_masks(program, fitted->schedule_);
  } catch (const ProgramRefused&) {
    return nullptr;
  }
  if (!fitted->fits(model)) return nullptr;
  return fitted;
}

bool FittedProgram::fits(const Model& model) {
  for (const Cell& cell : program_.cells) {
    const auto index = model.cells.find(cell.name);
    if (!model.cells.empty() &&
        (index == model.cells.end() || index->second.coordinates.size() != size_of(cell.type)))
      return false;
  }
  // Layers of the file in terms of the program's: as they are, or unrolled.
  const std::size_t initial = schedule_.initial.size(), repeated = schedule_.repeated.size(),
                    final = schedule_.final.size();
  const Shape& shape = model.shape;
  std::size_t loops = 1;
  if (shape.initial != initial || shape.repeated != repeated || shape.final != final) {
    const bool unrolled = shape.repeated == 0 && shape.final == 0 && repeated > 0 &&
                          shape.initial >= initial + final &&
                          (shape.initial - initial - final) % repeated == 0;
    if (!unrolled) return false;
    loops = (shape.initial - initial - final) / repeated;
  }
  std::vector<std::pair<const ScheduledLayer*, const LayerMasks*>> order;
  const auto append = [&](Block block) {
    for (std::size_t i = 0; i < schedule_.block(block).size(); ++i)
      order.emplace_back(&schedule_.block(block)[i], &masks_.block(block)[i]);
  };
  append(Block::initial);
  for (std::size_t loop = 0; loop < loops; ++loop) append(Block::repeated);
  append(Block::final);
  if (order.size() != model.layers.size()) return false;

  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [statements, masks] = order[i];
    const Layer& layer = model.layers[i];
    if (!same_layer(*statements, layer)) return false;
    FittedLayer& fitted = layers_.emplace_back();
    fitted.statements = statements;
    if (same_mask(program_, masks->attention, model, layer.attention.mask))
      fitted.attention = &masks->attention;
    if (same_mask(program_, masks->feedforward, model, layer.feedforward.mask))
      fitted.feedforward = &masks->feedforward;
  }
  return true;
}

namespace {

/// What the compiler makes of the program, if that is the weights of the file, under the options
/// that the file may have been compiled with.
std::optional<Compiled> compiled_to(const Program& program, const Model& model) {
  CompileOptions options;
  options.norm = model.norm;
  if (model.shape.repeated == 0 && !program.repeated.empty())
    options.unroll = model.unroll.max_length;
  const std::string hash = weights_hash(model);
  for (const bool strict : {false, true}) {
    options.strict = strict;
    Compiled again = compile(program, options);
    if (weights_hash(again.model) == hash) return again;
  }
  return std::nullopt;
}

}  // namespace

CarriedProgram::CarriedProgram(const Model& model, Trust needed) : facts_(no_facts(model)) {
  read(model, needed);
  if (!program_) return;
  if (needed == Trust::plausible) fit(model);
  if (needed == Trust::recompiled) compile_again(model);
}

void CarriedProgram::read(const Model& model, Trust needed) {
  if (const auto& text = model.derived.program) {
    try {
      program_ = std::make_unique<Program>(parse_program(*text, "derived.program"));
    } catch (const InputError& error) {
      reason_ = error.what();
    }
  } else {
    reason_ = "the weights file " + in_quotes(model.name) +
              " carries no program in 'derived'; give the .cells file instead";
  }
  if (!program_ && needed == Trust::recompiled)
    reason_ = "the file carries no program from which anything could be proved";
}

void CarriedProgram::fit(const Model& model) {
  fitted_ = FittedProgram::find(*program_, model);
  if (fitted_) {
    trust_ = Trust::plausible;
  } else {
    reason_ = "the file's program does not fit its weights";
  }
}

void CarriedProgram::compile_again(const Model& model) {
  std::optional<Compiled> again;
  try {
    again = compiled_to(*program_, model);
  } catch (const ProgramRefused&) {  // it gives no weights at all
  }
  if (again) {
    trust_ = Trust::recompiled;
    facts_ = std::move(again->facts);
  } else {
    reason_ = "the file's program does not compile to its weights";
  }
}

namespace {

std::string text_of(const SeparationLaw& law) {
  const std::string coefficient = law.coefficient.text();
  if (law.exponent == 0) return coefficient;
  return coefficient + (law.exponent == 1 ? " / N" : fmt::format(" / N^{}", law.exponent));
}

std::string text_of(const Program& program, const Component& c) {
  const Cell& cell = program.cells[c.cell];
  return size_of(cell.type) == 1 ? cell.name : fmt::format("{}[{}]", cell.name, c.index);
}

/// "final block, layer 2", as the compiler counts.
std::string place(const Shape& shape, std::size_t layer) {
  Block block = Block::initial;
  if (layer >= shape.initial) {
    layer -= shape.initial;
    block = Block::repeated;
    if (layer >= shape.repeated) {
      layer -= shape.repeated;
      block = Block::final;
    }
  }
  return fmt::format("{} block, layer {}", block_name(block), layer + 1);
}

PrecisionSentence of_head(const std::string& head, const std::optional<SeparationLaw>& gap) {
  if (!gap) return {false, head + ": score gap between the selected and the other positions"};
  return {true, head + ": selected positions outscore the others by at least " + text_of(*gap)};
}

PrecisionSentence of_test(const std::string& test, const std::string& number,
                          const std::optional<SeparationLaw>& zero) {
  if (!zero) return {false, test + ": how near to 0 " + number + " comes where it is not 0"};
  return {true, test + ": " + number + " is 0, or at least " + text_of(*zero) + " away from it"};
}

}  // namespace

std::vector<PrecisionSentence> precision_sentences(const Model& model) {
  const CarriedProgram proved(model, Trust::recompiled);
  if (proved.trust() != Trust::recompiled) return {{false, "all values: " + proved.reason()}};
  const CarriedProgram carried(model, Trust::plausible);  // the same program, layer by layer
  if (!carried.fitted()) return {{false, "all values: " + carried.reason()}};
  const Program& program = *carried.program();
  std::vector<PrecisionSentence> sentences;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const LayerFacts& facts = proved.facts().layers[layer];
    const ScheduledLayer& statements = carried.fitted()->statements(layer);
    const auto where = [&](const Statement& statement) {
      return place(model.shape, layer) + ", " + statement_name(program, statement);
    };
    for (std::size_t head = 0; head < statements.attention.size(); ++head) {
      const auto& fetch = std::get<FetchStatement>(*statements.attention[head]);
      if (!std::holds_alternative<SelectAll>(fetch.selector))
        sentences.push_back(of_head(where(fetch), facts.heads[head].gap));
    }
    for (const Statement* statement : statements.feedforward)
      if (const auto* test = std::get_if<TestStatement>(statement))
        sentences.push_back(
            of_test(where(*test), text_of(program, test->number), facts.feedforward.zero));
  }
  return sentences;
}

namespace {

/// The first head of which `wrong` holds, with what is wrong.
template <class Wrong>
std::optional<std::string> head_that(const Model& model, const Wrong& wrong, const char* says) {
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
    for (std::size_t head = 0; head < model.layers[layer].attention.heads.size(); ++head)
      if (wrong(model.layers[layer].attention.heads[head]))
        return describe(HeadPlace{layer, head}) + " " + says;
  return std::nullopt;
}

std::optional<std::string> other_positions(const Model& model, const std::string& stated) {
  const std::string found = position_name(model.position);
  if (found == stated) return std::nullopt;
  return "the position encoding is " + found;
}

std::optional<std::string> larger_sizes(const Model& model, const std::string& stated) {
  const auto limit = largest_size(model);
  if (!limit) return "inputs of any size are supported";
  if (*limit > std::stoull(stated)) return fmt::format("inputs of up to {} are supported", *limit);
  return std::nullopt;
}

std::optional<std::string> against(const Model& model, const Assumed& assumed) {
  const auto* words = std::get_if<WordInput>(&model.input);
  switch (assumed.kind) {
    case Assumption::causal_heads:
      return head_that(
          model, [](const Head& head) { return !head.causal; }, "attends to all tokens");
    case Assumption::unmasked_heads:
      return head_that(
          model, [](const Head& head) { return head.causal; }, "is causal");
    case Assumption::uniform_heads:
      return head_that(
          model,
          [](const Head& head) { return !std::holds_alternative<UniformContract>(head.contract); },
          "has a contract that selects only some positions");
    case Assumption::first_flag:
      return other_positions(model, kFirstFlag);
    case Assumption::position_table:
      return other_positions(model, kTable);
    case Assumption::position_encoding:
      return other_positions(model, assumed.what);
    case Assumption::begin_token:
      if (words && !words->begin) return "no token begins a word";
      break;
    case Assumption::no_begin_token:
      if (words && words->begin) return "a token begins every word";
      break;
    case Assumption::end_token:
      if (words && !words->end) return "no token ends a word";
      break;
    case Assumption::any_length:
      if (const auto limit = largest_size(model))
        return fmt::format("inputs of more than {} are rejected", *limit);
      break;
    case Assumption::letters_at_most:
    case Assumption::vertices_at_most:
    case Assumption::tokens_at_most:
      return larger_sizes(model, assumed.what);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> contradiction(const Model& model, const std::string& hypothesis) {
  for (const Assumed& assumed : assumptions_of(hypothesis))
    if (auto found = against(model, assumed)) return found;
  return std::nullopt;
}

}}  // namespace logdepth::compiler_file
