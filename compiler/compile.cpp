#include "compiler/compile.hpp"

#include <algorithm>

#include "compiler/program_rules.hpp"
#include "runtime/unrolling.hpp"
#include "runtime/weights_file.hpp"

namespace logdepth {

Model compile(const Program& program, const CompileOptions& options) {
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

  Model model = emit_weights(program, schedule, masks, layout);
  if (options.unroll) model = unroll(std::move(model), *options.unroll);
  // Names, alphabets, prefix lists and sizes that the format refuses come from the program; any
  // other violation would be a defect of a pass above.
  if (const std::string violation = first_violation(model); !violation.empty())
    throw ProgramRefused("its weights would break a rule of the file format: " + violation);
  return model;
}

Model unroll(Model model, std::uint64_t size) {
  size = counted_size(model, size);
  const std::uint64_t loops = loops_at(model.unroll, size);
  const Shape shape = model.shape;
  std::vector<Layer> layers(model.layers.begin(), model.layers.begin() + shape.initial);
  for (std::uint64_t loop = 0; loop < loops; ++loop)
    layers.insert(layers.end(), model.layers.begin() + shape.initial,
                  model.layers.begin() + shape.initial + shape.repeated);
  layers.insert(layers.end(), model.layers.begin() + shape.initial + shape.repeated,
                model.layers.end());
  for (Layer& layer : layers) layer.block = Block::initial;
  model.layers = std::move(layers);
  model.shape = {static_cast<std::uint32_t>(model.layers.size()), 0, 0};
  const std::uint64_t limit = std::min(size, model.unroll.max_length.value_or(size));
  model.unroll = {Unroll::Kind::fixed, 0, 0, limit};
  return model;
}

}  // namespace logdepth
