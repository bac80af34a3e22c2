#include "compiler/passes/compile.hpp"

#include <algorithm>
#include <utility>

#include "compiler/rules/program_rules.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace compiler_passes {
namespace {

/// The initial block, the repeated one `loops` times, the final one.
template <class T>
std::vector<T> unrolled(const std::vector<T>& layers, const Shape& shape, std::uint64_t loops) {
  const auto repeated = layers.begin() + shape.initial, final = repeated + shape.repeated;
  std::vector<T> result(layers.begin(), repeated);
  for (std::uint64_t loop = 0; loop < loops; ++loop) result.insert(result.end(), repeated, final);
  result.insert(result.end(), final, layers.end());
  return result;
}

/// Replaces the repeated block by as many copies as inputs of size up to `size` need.
void unroll(Model& model, PrecisionFacts& facts, std::uint64_t size) {
  size = counted_size(model, size);
  const std::uint64_t loops = loops_at(model.unroll, size);
  facts.layers = unrolled(facts.layers, model.shape, loops);
  model.layers = unrolled(model.layers, model.shape, loops);
  for (Layer& layer : model.layers) layer.block = Block::initial;
  model.shape = {static_cast<std::uint32_t>(model.layers.size()), 0, 0};
  const std::uint64_t limit = std::min(size, model.unroll.max_length.value_or(size));
  model.unroll = {Unroll::Kind::fixed, 0, 0, limit};
}

/// Names, alphabets, prefix lists and sizes that the format refuses come from the program; any other
/// violation would be a defect of a pass.
void refuse_weights(const Violation& violation) {
  throw ProgramRefused("its weights would break a rule of the file format: " + violation.text());
}

}  // namespace

Compiled compile(const Program& program, const CompileOptions& options) {
  // What the program says is well formed: names, types, selectors, total lookups.
  check_program(program);

  // Statements get sublayers. First, because norms depend on what has been written by then.
  const Schedule schedule = schedule_layers(program);

  // Every mask gets a type that holds at every token. From here on reads are exact by proof.
  const MaskTypes masks = type_masks(program, schedule);

  // Cells get coordinates; only now do sizes in the file exist.
  const Layout layout = allocate_cells(program, schedule, options.norm, options.strict);

  // What is proved about the numbers of the weights goes with them.
  Model model = emit_weights(program, schedule, masks, layout);
  PrecisionFacts facts = prove_precision(program, schedule, masks, layout);
  if (options.unroll) unroll(model, facts, *options.unroll);
  return {CheckedModel(std::move(model), refuse_weights), program, std::move(facts)};
}

CheckedModel with_derived(Compiled compiled) {
  Derived derived{
      stated_depth(compiled.model), print_program(compiled.program), std::move(compiled.facts), {}};
  return {std::move(compiled.model), std::move(derived), refuse_weights};
}

}}  // namespace logdepth::compiler_passes
