#include "proofs-check/file/proved_facts.hpp"

#include <optional>

#include "compiler/passes/compile.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/file/carried_program.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
namespace {

/// The program's weights under the options that the file may have been compiled with.
std::optional<Model> compiled_again(const Program& program, const Model& model) {
  CompileOptions options;
  options.norm = model.norm;
  if (model.shape.repeated == 0 && !program.repeated.empty())
    options.unroll = model.unroll.max_length;
  const std::string hash = weights_hash(model);
  for (const bool strict : {false, true}) {
    options.strict = strict;
    Model again = compile(program, options);
    if (weights_hash(again) == hash) return again;
  }
  return std::nullopt;
}

}  // namespace

ProvedFacts proved_facts(const Model& model) {
  std::optional<Model> again;
  try {
    again = compiled_again(program_of(model), model);
  } catch (const InputError&) {
    return {no_facts(model), "the file carries no program from which anything could be proved"};
  } catch (const ProgramRefused&) {
  }
  if (!again) return {no_facts(model), "the file's program does not compile to its weights"};
  const auto facts = facts_in(*again);
  if (!facts) return {no_facts(model), "the compiler proves nothing of the file's program"};
  return {*facts, ""};
}

}  // namespace logdepth
