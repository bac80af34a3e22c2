#include "cli/certify_file.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/exit_status.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/checks_file.hpp"
#include "library/exports/float_certificate.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/certify/find_certificate.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

int report_attempts(const Model& model, const std::string& file,
                    const std::vector<Attempt>& attempts, bool json) {
  if (json) {
    nlohmann::json out = {{"schema", "logdepth/certify/1"}, {"file", file}, {"proved", false}};
    for (const Attempt& attempt : attempts)
      out["attempts"].push_back({{"theorem", attempt.theorem}, {"reason", attempt.reason}});
    std::cout << out.dump(1) << '\n';
    return kCheckFailed;
  }
  std::cerr << "logdepth: " << printable(file, kMostPrinted)
            << ": not proved: no theorem covers this file (construction "
            << printable(model.construction.empty() ? "not named" : model.construction,
                         kMostPrinted)
            << ", shape (" << model.shape.initial << ", " << model.shape.repeated << ", "
            << model.shape.final << "))\n";
  for (const Attempt& attempt : attempts)
    std::cerr << attempt.theorem << ": " << printable(attempt.reason, kMostPrinted) << '\n';
  return kCheckFailed;
}

void record(const std::string& file, const std::string& hash, const LengthProof& certificate) {
  try {
    const char* rest =
        certificate.selections ? ": heads and norms, not what the outputs compute" : "";
    compiler_file::add_check(file, hash,
                             {"proved", certificate.name() + rest, certificate.scope, "passed"});
  } catch (const InputError& error) {
    std::cerr << "logdepth: the proof was not recorded: " << error.what() << '\n';
  }
}

}  // namespace

std::string certificate_path(const std::string& file) {
  std::string name = file;
  for (const std::string_view ending : {".gz", ".json"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name + ".cert.json";
}

int certify_file(const std::string& file, const std::string& output, bool json, std::ostream& out) {
  refuse_overwriting(output, {file});
  const CheckedModel model = read_weights(file);
  const auto found = find_certificate(write_weights(model), file);
  if (const auto* attempts = std::get_if<std::vector<Attempt>>(&found))
    return report_attempts(model, file, *attempts, json);
  const LengthProof& certificate = std::get<LengthProof>(found);
  if (!output.empty()) {
    write_whole_file(output, certificate.text);
    std::cerr << "wrote " << output << ": certificate of " << certificate.text.size() << " bytes\n";
  }
  record(file, weights_hash(model), certificate);
  if (json)
    out << nlohmann::json{{"schema", "logdepth/certify/1"},
                          {"file", file},
                          {"proved", true},
                          {"theorem", certificate.theorem},
                          {"outputs_proved", !certificate.selections},
                          {"scope", certificate.scope},
                          {"statement", certificate.statement}}
               .dump(1)
        << '\n';
  else
    out << certificate.statement;
  return kDone;
}

int certify_floats(const std::string& file, const ExportSettings& settings,
                   const std::string& output, std::ostream& out) {
  refuse_overwriting(output, {file});
  const CheckedModel model = read_weights(file);
  const exports::CertifiedNetwork certified = exports::certified_network(model, settings);
  const std::string text = exports::float_certificate(model, certified, "");
  if (output.empty()) {
    out << text;
    return kDone;
  }
  write_whole_file(output, text);
  std::cerr << "wrote " << output << ": certificate of " << text.size() << " bytes\n";
  out << exports::certificate_text(certified);
  return kDone;
}

int certify_for_coq(const std::string& file, const std::string& output, std::ostream& out) {
  refuse_overwriting(output, {file});
  const CheckedModel model = read_weights(file);
  const auto found = find_coq_proof(write_weights(model), file);
  if (const auto* attempts = std::get_if<std::vector<Attempt>>(&found))
    return report_attempts(model, file, *attempts, false);
  const std::string& text = std::get<std::string>(found);
  if (output.empty()) {
    out << text;
    return kDone;
  }
  write_whole_file(output, text);
  std::cerr << "wrote " << output << ": theorem for Coq of " << text.size() << " bytes\n";
  return kDone;
}

}  // namespace logdepth::inline cli
