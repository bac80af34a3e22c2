#include "compiler/passes/compile.hpp"

#include <algorithm>

#include "compiler/passes/prove_precision.hpp"
#include "compiler/rules/program_rules.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/weights_json.hpp"

namespace logdepth {
namespace {

/// Puts the facts into `derived`, or takes them out.
void note(const std::optional<PrecisionFacts>& facts, Model& model) {
  constexpr std::string_view kPrecision = "precision";
  const JsonTape old = JsonTape::parse(model.derived.text, "derived");
  JsonTape tape;
  tape.open_object();
  for (auto key = old.first_child(0); key != old.end(0); key = old.next(old.next(key))) {
    if (old.text(key) == kPrecision) continue;
    std::string value;
    old.append_canonical(old.next(key), value);
    tape.add_key(old.text(key));
    tape.add_json(value, "derived");
  }
  if (facts) {
    tape.add_key(kPrecision);
    tape.add_json(facts_json(*facts).text, "precision");
  }
  tape.close();
  model.derived.text.clear();
  tape.append_canonical(0, model.derived.text);
}

/// The initial block, the repeated one `loops` times, the final one.
template <class T>
std::vector<T> unrolled(const std::vector<T>& layers, const Shape& shape, std::uint64_t loops) {
  const auto repeated = layers.begin() + shape.initial, final = repeated + shape.repeated;
  std::vector<T> result(layers.begin(), repeated);
  for (std::uint64_t loop = 0; loop < loops; ++loop) result.insert(result.end(), repeated, final);
  result.insert(result.end(), final, layers.end());
  return result;
}

}  // namespace

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
  // What is proved about its numbers goes beside them, outside the hash.
  note(prove_precision(program, schedule, masks, layout), model);
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
  std::optional<PrecisionFacts> facts = facts_in(model);
  if (facts) facts->layers = unrolled(facts->layers, model.shape, loops);
  model.layers = unrolled(model.layers, model.shape, loops);
  for (Layer& layer : model.layers) layer.block = Block::initial;
  note(facts, model);
  model.shape = {static_cast<std::uint32_t>(model.layers.size()), 0, 0};
  const std::uint64_t limit = std::min(size, model.unroll.max_length.value_or(size));
  model.unroll = {Unroll::Kind::fixed, 0, 0, limit};
  return model;
}

}  // namespace logdepth
