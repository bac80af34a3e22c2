#include "compiler/file/carried_program.hpp"

#include <optional>
#include <utility>

#include "base/quoted_text.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline compiler_file {
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

}  // namespace logdepth::inline compiler_file
