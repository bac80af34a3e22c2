#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "base/exit_status.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "compiler/file/checks_file.hpp"
#include "library/exports/self_test.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/certify/find_certificate.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

int report_attempts(const Model& model, const std::string& file,
                    const std::vector<FailedTheorem>& attempts, bool json) {
  if (json) {
    nlohmann::json out = {{"schema", "logdepth/certify/1"}, {"file", file}, {"certified", false}};
    for (const FailedTheorem& attempt : attempts)
      out["attempts"].push_back({{"theorem", attempt.theorem}, {"reason", attempt.reason}});
    std::cout << out.dump(1) << '\n';
    return kCheckFailed;
  }
  std::cerr << "logdepth: " << printable(file, kMostPrinted) << ": not certified (construction "
            << printable(model.construction.empty() ? "not named" : model.construction,
                         kMostPrinted)
            << ", shape (" << model.shape.initial << ", " << model.shape.repeated << ", "
            << model.shape.final << "))\n";
  for (const FailedTheorem& attempt : attempts)
    std::cerr << attempt.theorem << ": " << printable(attempt.reason, kMostPrinted) << '\n';
  return kCheckFailed;
}

/// To `output`, saying how large it is, or to standard output without a name. The exit status.
int write_or_print(const std::string& text, const std::string& output, const char* what) {
  if (output.empty()) {
    std::cout << text;
    return kDone;
  }
  write_whole_file(output, text);
  std::cerr << "wrote " << output << ": " << what << " of " << text.size() << " bytes\n";
  return kDone;
}

/// Writes the certificate that logdepth-prove reads. The exit status.
int certify_for_kernel(const std::string& file, const std::string& output) {
  refuse_overwriting(output, {file});
  const CheckedModel model = read_weights(file);
  const auto found = find_coq_proof(write_weights(model), file);
  if (const auto* attempts = std::get_if<std::vector<FailedTheorem>>(&found))
    return report_attempts(model, file, *attempts, false);
  return write_or_print(std::get<std::string>(found), output, "certificate");
}

/// Bounds for floating-point runs of every word up to settings.length: writes the certificate of
/// recheck/float_recheck.py, which says what it states. The exit status.
int certify_floats(const std::string& file, const ExportSettings& settings,
                   const std::string& output) {
  refuse_overwriting(output, {file});
  const CheckedModel model = read_weights(file);
  const exports::CertifiedNetwork certified = exports::certified_network(model, settings);
  return write_or_print(exports::float_certificate(certified, ""), output, "certificate");
}

/// Certifies the weights file correct for every length, writes the certificate to `output` (if it has a name) and a note of it
/// beside the file, and prints what is certified; or which step of which theorem fails. The exit status.
int certify_file(const std::string& file, const std::string& output, bool json) {
  refuse_overwriting(output, {file});
  const CheckedModel model = read_weights(file);
  const Certification proof = find_certificate(write_weights(model), file);
  if (!proof.failed.empty()) return report_attempts(model, file, proof.failed, json);
  if (!output.empty()) write_or_print(proof.certificate, output, "certificate");
  try {
    compiler_file::add_check(
        file, weights_hash(model),
        {proof.certified() ? "certified" : "selections", proof_name(proof), proof.scope, "passed"});
  } catch (const InputError& error) {
    std::cerr << "logdepth: the proof was not recorded: " << error.what() << '\n';
  }
  if (json)
    std::cout << nlohmann::json{{"schema", "logdepth/certify/1"},
                                {"file", file},
                                {"certified", proof.certified()},
                                {"theorem", proof.theorem},
                                {"outputs_certified", proof.outputs_certified},
                                {"scope", proof.scope},
                                {"statement", proof.statement}}
                     .dump(1)
              << '\n';
  else
    std::cout << proof.statement;
  return kDone;
}

}  // namespace

Command add_certify(CLI::App& app) {
  struct Arguments {
    std::string model, output, precision, temperature = "auto";
    ExportSettings floats;
    bool json = false, kernel = false;
  };
  auto options = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "certify",
      "certify a weights file correct for every word of every length, and write a certificate for "
      "logdepth-recheck\nExample: logdepth certify a5.json -o a5.cert.json");
  command->add_option("MODEL", options->model, "weights file")->required();
  command->add_option("-o,--output", options->output, "certificate to write")->check(kInAFolder);
  CLI::Option* json = command->add_flag("--json", options->json, "print one JSON object");
  CLI::Option* kernel =
      command
          ->add_flag(
              "--kernel", options->kernel,
              "write a certificate for logdepth-prove, the checker that Coq has proved sound")
          ->excludes(json);
  CLI::Option* floats =
      command
          ->add_option("--float", options->precision,
                       "certify runs in this number format instead, for every word up to --length, "
                       "for float_recheck.py")
          ->check(choice_of({"float64", "float32"}))
          ->excludes(json)
          ->excludes(kernel);
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
    if (options->kernel) return certify_for_kernel(options->model, options->output);
    if (!options->precision.empty()) {
      options->floats.single = options->precision == "float32";
      read_temperature(options->temperature, options->floats);
      return certify_floats(options->model, options->floats, options->output);
    }
    return certify_file(options->model, options->output, options->json);
  };
}

}}  // namespace logdepth::cli
