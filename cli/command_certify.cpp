#include <iostream>
#include <memory>

#include "cli/certify_file.hpp"
#include "cli/commands.hpp"
#include "cli/temperature_option.hpp"
#include "cli/validators.hpp"

namespace logdepth::inline cli {

Command add_certify(CLI::App& app) {
  struct Arguments {
    std::string model, output, precision, temperature = "auto";
    ExportSettings floats;
    bool json = false, coq = false;
  };
  auto options = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("certify",
                         "prove a weights file correct for every word of every length, and write a "
                         "certificate for logdepth-recheck\n"
                         "Example: logdepth certify a5.json -o a5.cert.json");
  command->add_option("MODEL", options->model, "weights file")->required();
  command->add_option("-o,--output", options->output, "certificate to write")->check(kInAFolder);
  CLI::Option* json = command->add_flag("--json", options->json, "print one JSON object");
  CLI::Option* coq =
      command
          ->add_flag("--coq", options->coq,
                     "write file, certificate and theorem for Coq's kernel (proofs-check/coq)")
          ->excludes(json);
  CLI::Option* floats =
      command
          ->add_option("--float", options->precision,
                       "certify runs in this number format instead, for every word up to --length, "
                       "for float_recheck.py")
          ->check(choice_of({"float64", "float32"}))
          ->excludes(json)
          ->excludes(coq);
  CLI::Option* length =
      command
          ->add_option("--length", options->floats.length, "--float: letters of the longest word")
          ->check(kSmallCount)
          ->needs(floats);
  floats->needs(length);
  command
      ->add_option("--temperature", options->temperature,
                   "--float: softmax temperature, as in export: a number, auto (default) or hard")
      ->needs(floats);
  return [options] {
    if (options->coq) return certify_for_coq(options->model, options->output, std::cout);
    if (!options->precision.empty()) {
      options->floats.single = options->precision == "float32";
      read_temperature(options->temperature, options->floats);
      return certify_floats(options->model, options->floats, options->output, std::cout);
    }
    return certify_file(options->model, options->output, options->json, std::cout);
  };
}

}  // namespace logdepth::inline cli
