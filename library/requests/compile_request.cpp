#include "library/requests/compile_request.hpp"

#include <algorithm>

#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline library_requests {

CheckedModel requested_model(Program program, const CompileSettings& settings) {
  if (std::ranges::any_of(settings.name, [](unsigned char c) { return c < 32; }))
    throw InputError("--name: expected one line without control characters");
  if (!settings.name.empty()) program.name = settings.name;
  CompileOptions options;
  options.norm = settings.layernorm ? Norm::layernorm : Norm::rms;
  options.strict = settings.strict;
  options.unroll = settings.unroll;
  return with_derived(compile(program, options));
}

}  // namespace logdepth::inline library_requests
