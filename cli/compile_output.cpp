#include "cli/compile_output.hpp"

#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/phrases.hpp"
#include "cli/certify_file.hpp"
#include "cli/commands.hpp"
#include "cli/optional_option.hpp"
#include "cli/validators.hpp"
#include "compiler/file/measure.hpp"
#include "library/requests/compile_request.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline cli {

void OutputOptions::add_to(CLI::App& app, const std::string& sizes) {
  app.add_option("-o,--output", output, "weights file to write: NAME.json or NAME.json.gz")
      ->required()
      ->check(kInAFolder);
  app.add_option_function<std::string>(
         "--norm",
         [this](const std::string& norm) {
           settings.layernorm = norm == norm_name(Norm::layernorm);
         },
         "layer normalisation")
      ->check(choice_of({norm_name(Norm::rms), norm_name(Norm::layernorm)}));
  add_optional(app, "--unroll", settings.unroll,
               "non-looped transformer for all " + sizes + " up to this one")
      ->check(kCount);
  app.add_flag("--strict", settings.strict,
               "pad the width so that queries, keys and values have dimension width / heads");
  app.add_option("--name", settings.name, "name of the network in the weights file");
  app.add_flag("--certify", certify,
               "prove the written file correct for every length; write NAME.cert.json");
  app.add_flag("--json", json, "print a summary as JSON on standard output");
}

namespace {

/// Files of more weights are tens of megabytes.
constexpr std::uint64_t kManyWeights = 100000;

}  // namespace

int OutputOptions::finish(Program program, const nlohmann::json& described) const {
  const CheckedModel model = requested_model(std::move(program), settings);
  const Measures m = measure(model, 1);
  if (m.nonzeros > kManyWeights) {
    const double megabytes = static_cast<double>(write_weights(model).size()) / 1e6;
    std::cerr << fmt::format(
        "size: {:.1f} MB of text in {}{}\n", megabytes, output,
        output.ends_with(".gz") ? ", before it is packed" : "; a name that ends in .gz packs it");
  }
  save_weights(model, output);

  std::cerr << fmt::format("wrote {}: shape ({}, {}, {}), depth {}, width {}, {} used, {}, {}\n",
                           output, m.initial, m.repeated, m.final, depth_formula(model), m.width,
                           m.cells, counted(m.units, "hidden unit"),
                           counted(m.nonzeros, "nonzero weight"));
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
  return certify ? certify_file(output, certificate_path(output), false, std::cerr) : int{kDone};
}

}  // namespace logdepth::inline cli
