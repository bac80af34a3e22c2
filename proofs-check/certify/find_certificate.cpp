#include "proofs-check/certify/find_certificate.hpp"

#include <nlohmann/json.hpp>

#include "logdepth/errors.hpp"
#include "proofs-check/certify/print_coq.hpp"
#include "proofs-check/certify/scan_certificate.hpp"
#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"

namespace logdepth::inline proofs_check_certify {
namespace {

using nlohmann::json;

/// Theorems that could cover a file of this input and output, or why there is none.
std::variant<std::vector<std::string>, Attempt> theorems_for(const recheck::Weights& weights) {
  const recheck::Json& input = weights.input;
  const std::string &kind = input.at("kind").string(), &output = weights.output.at("kind").string();
  const auto none = [](const std::string& reason) { return Attempt{"no theorem", reason}; };
  if (kind == "graph" && input.at("layout").string() == "adjacency")
    return none("input: an adjacency matrix with padding; expected rows of a graph");
  if (kind == "graph") return std::vector<std::string>{"reachability"};
  if (kind != "word") return none("input: raw streams; expected words or rows of a graph");
  if (weights.kinds.empty() || weights.kinds[0] != "<begin>" || input.has("end"))
    return none("input: expected words after <begin>, without <end>");
  if (output != "accept") return none("output: " + output + "; expected accept or reject");
  if (weights.has_loop()) return std::vector<std::string>{"shift-scan"};
  return std::vector<std::string>{"shift-scan", "resets"};
}

json make_certificate(const std::string& theorem, const recheck::Weights& weights) {
  if (theorem == "shift-scan") return scan_certificate(weights);
  return {{"format", "logdepth-certificate"},
          {"version", 1},
          {"theorem", theorem},
          {"sha256", weights.sha256}};
}

}  // namespace

std::variant<std::string, std::vector<Attempt>> find_coq_proof(const std::string& text,
                                                               const std::string& name) {
  try {
    const recheck::Json document = recheck::parse_json(text);
    const recheck::Weights weights = recheck::read_weights(document);
    const auto theorems = theorems_for(weights);
    if (const auto* none = std::get_if<Attempt>(&theorems)) return std::vector<Attempt>{*none};
    std::vector<Attempt> attempts;
    for (const std::string& theorem : std::get<0>(theorems)) {
      try {
        recheck::need(theorem != "reachability", "Coq: the library has no such theorem");
        const recheck::Json certificate =
            recheck::parse_json(make_certificate(theorem, weights).dump());
        const recheck::Theorem proved = recheck::prove(document, certificate);
        if (theorem == "resets") return print_coq(weights, coq_resets(weights, proved), proved);
        return print_coq(weights, coq_certificate(weights, certificate, proved), proved);
      } catch (const recheck::Refused& error) {
        attempts.push_back({theorem, error.what()});
      }
    }
    return attempts;
  } catch (const recheck::Malformed& error) {
    throw InputError(name + ": " + error.what());
  }
}

std::variant<LengthProof, std::vector<Attempt>> find_certificate(const std::string& text,
                                                                 const std::string& name) {
  try {
    const recheck::Json document = recheck::parse_json(text);
    const recheck::Weights weights = recheck::read_weights(document);
    const auto theorems = theorems_for(weights);
    if (const auto* none = std::get_if<Attempt>(&theorems)) return std::vector<Attempt>{*none};
    std::vector<Attempt> attempts;
    for (const std::string& theorem : std::get<0>(theorems)) {
      try {
        const std::string certificate = make_certificate(theorem, weights).dump() + "\n";
        const recheck::Theorem proved = recheck::prove(document, recheck::parse_json(certificate));
        const std::string unit = theorem == "reachability" ? " vertices" : " letters";
        return LengthProof{
            certificate, theorem, statement(proved, name),
            proved.limit ? "at most " + std::to_string(*proved.limit) + unit : "every length"};
      } catch (const recheck::Refused& error) {
        attempts.push_back({theorem, error.what()});
      }
    }
    return attempts;
  } catch (const recheck::Malformed& error) {
    throw InputError(name + ": " + error.what());
  }
}

}  // namespace logdepth::inline proofs_check_certify
