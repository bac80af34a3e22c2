#include <iostream>
#include <memory>

#include "cli/certify_file.hpp"
#include "cli/commands.hpp"

namespace logdepth::inline cli {

Command add_certify(CLI::App& app) {
  struct Arguments {
    std::string model, output;
    bool json = false;
  };
  auto options = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("certify",
                         "prove a weights file correct for every word of every length, and write a "
                         "certificate for logdepth-recheck\n"
                         "Example: logdepth certify a5.json -o a5.cert.json");
  command->add_option("MODEL", options->model, "weights file")->required();
  command->add_option("-o,--output", options->output, "certificate to write");
  command->add_flag("--json", options->json, "print one JSON object");
  return
      [options] { return certify_file(options->model, options->output, options->json, std::cout); };
}

}  // namespace logdepth::inline cli
