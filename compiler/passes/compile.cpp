#include "compiler/passes/compile.hpp"

#include <algorithm>
#include <utility>

#include "base/json_tape.hpp"
#include "compiler/passes/prove_precision.hpp"
#include "compiler/program/program_text.hpp"
#include "compiler/rules/program_rules.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
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

/// Names, alphabets, prefix lists and sizes that the format refuses come from the program; any other
/// violation would be a defect of a pass.
void check_format(const Model& model) {
  if (const auto violation = find_violation(model))
    throw ProgramRefused("its weights would break a rule of the file format: " +
                         path_text(violation->path) + ": " + violation->sentence);
}

}  // namespace

Compiled compile(const Program& program, const CompileOptions& options) {
  // What the program says is well formed: names, types, selectors, total lookups.
  check_program(program);

  // Statements get sublayers. First, because norms depend on what has been written by then.
  const Schedule schedule = schedule_layers(program);
  check_schedule(program, schedule);

  // Every mask gets a type that holds at every token. From here on reads are exact by proof.
  const MaskTypes masks = type_masks(program, schedule);

  // Cells get coordinates; only now do sizes in the file exist.
  const Layout layout = allocate_cells(program, schedule, options.norm, options.strict);
  check_layout(program, layout);

  // What is proved about the numbers of the weights goes with them.
  Compiled compiled{emit_weights(program, schedule, masks, layout), program,
                    prove_precision(program, schedule, masks, layout)};
  if (options.unroll) compiled = unroll(std::move(compiled), *options.unroll);
  check_format(compiled.model);
  return compiled;
}

Model with_derived(Compiled compiled) {
  Model model = std::move(compiled.model);
  model.derived =
      derived_json(print_program(compiled.program), compiled.facts, stated_depth(compiled.model));
  check_format(model);
  return model;
}

Compiled unroll(Compiled compiled, std::uint64_t size) {
  Model& model = compiled.model;
  size = counted_size(model, size);
  const std::uint64_t loops = loops_at(model.unroll, size);
  compiled.facts.layers = unrolled(compiled.facts.layers, model.shape, loops);
  model.layers = unrolled(model.layers, model.shape, loops);
  for (Layer& layer : model.layers) layer.block = Block::initial;
  model.shape = {static_cast<std::uint32_t>(model.layers.size()), 0, 0};
  const std::uint64_t limit = std::min(size, model.unroll.max_length.value_or(size));
  model.unroll = {Unroll::Kind::fixed, 0, 0, limit};
  return compiled;
}

}  // namespace logdepth
