#include "cli/compile_output.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/file/measure.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {

void OutputOptions::add_to(CLI::App& app, const std::string& sizes) {
  app.add_option("-o,--output", output, "weights file to write: NAME.json or NAME.json.gz")
      ->required();
  app.add_option("--norm", norm, "layer normalisation of the model")
      ->check(CLI::IsMember({norm_name(Norm::rms), norm_name(Norm::layernorm)}));
  unroll_option =
      app.add_option("--unroll", unroll,
                     "standard, non-looped transformer for all " + sizes + " up to this one")
          ->check(kCount);
  app.add_flag("--strict", strict,
               "pad the width so that queries, keys and values have dimension width / heads");
  app.add_option("--name", name, "name in the weights file");
  app.add_flag("--json", json, "print a summary as JSON on standard output");
}

int OutputOptions::finish(Program program, const nlohmann::json& described) const {
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32; }))
    throw InputError("--name: expected one line without control characters");
  if (!name.empty()) program.name = name;
  CompileOptions options;
  options.norm = *std::ranges::find(kNorms, norm, norm_name);
  options.strict = strict;
  if (unroll_option->count() > 0) options.unroll = unroll;
  const Model model = with_derived(compile(program, options));
  save_weights(model, output);

  const Measures m = measure(model, 1);
  std::cerr << "wrote " << output << ": shape (" << m.initial << ", " << m.repeated << ", "
            << m.final << "), depth " << depth_formula(model) << ", width " << m.width << ", "
            << m.cells << " cells, " << m.units << " units, " << m.nonzeros << " non-zeros\n";
  if (json) {
    nlohmann::json out = described;
    out["schema"] = "logdepth/compile/1";
    out["output"] = output;
    out["sha256"] = weights_hash(model);
    out["shape"] = {{"initial", m.initial}, {"repeated", m.repeated}, {"final", m.final}};
    out["depth_formula"] = depth_formula(model);
    out["width"] = m.width;
    out["cells"] = m.cells;
    out["units"] = m.units;
    out["nonzeros"] = m.nonzeros;
    std::cout << out.dump(1) << '\n';
  }
  return kDone;
}

}  // namespace logdepth
