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
  if (kind == "cells") return std::vector<std::string>{"division"};
  const bool begin = input.at("begin").boolean(), end = input.has("end");
  if (!begin && !end) return none("input: expected words after <begin>, or before <end>");
  if (!begin && output != "accept")
    return none("output: " + output + "; expected accept or reject");
  if (!begin) return std::vector<std::string>{"levels"};
  // A file that reads prefixes is proved whole or not at all: its exit status is that of its answers.
  if (weights.output.has("prefix"))
    return weights.has_loop() || end ? std::vector<std::string>{"shift-scan"}
                                     : std::vector<std::string>{"shift-scan", "resets"};
  if (output != "accept" || end) return std::vector<std::string>{"selections"};
  return std::vector<std::string>{weights.has_loop() ? "shift-scan" : "counting", "selections"};
}

/// What the inputs of a division hold, by their names: the constructions' names are the guess.
json given_of_division(const recheck::Weights& weights) {
  json given = json::array();
  for (const recheck::Json& item : weights.input.at("names").array()) {
    const std::string& name = item.string();
    const std::size_t dot = name.rfind('.');
    const std::string cell = name.substr(0, dot);
    const int part = name.ends_with(".1") ? 1 : 0;
    recheck::need(dot != name.npos && (part == 1 || name.ends_with(".0")),
                  "input " + name + ": expected an input of the division constructions");
    if (cell == "i" || cell == "m")
      given.push_back({part == 1 ? "1" : cell == "i" ? "p" : "m", "", 0});
    else if (cell == "a")
      given.push_back({"a", "1", part});
    else if (cell == "I" || cell == "R")
      given.push_back({"p", cell == "I" ? "1" : "m", part});
    else if (cell.size() > 1 && cell[0] == 'I' &&
             cell.find_first_not_of("0123456789", 1) == cell.npos)
      given.push_back({"p", cell.substr(1), part});
    else
      throw recheck::Refused("input " + name + ": expected an input of the division constructions");
  }
  return given;
}

json make_certificate(const std::string& theorem, const recheck::Weights& weights) {
  if (theorem == "shift-scan") return scan_certificate(weights);
  if (theorem == "levels") return tree_certificate(weights);
  if (theorem == "division")
    return {{"format", "logdepth-certificate"},
            {"version", 1},
            {"theorem", theorem},
            {"sha256", weights.sha256},
            {"given", given_of_division(weights)}};
  if (theorem == "selections")
    return {{"format", "logdepth-certificate"},
            {"version", 1},
            {"theorem", theorem},
            {"tier", "S"},
            {"sha256", weights.sha256},
            {"proves", recheck::selections_of(weights)}};
  return {{"format", "logdepth-certificate"},
          {"version", 1},
          {"theorem", theorem},
          {"sha256", weights.sha256}};
}

/// What `prove` makes of the first theorem that holds, or why each does not.
template <class Proof, class Prove>
std::variant<Proof, std::vector<Attempt>> first_proof(const std::string& text,
                                                      const std::string& name, Prove prove) {
  try {
    const recheck::Json document = recheck::parse_json(text);
    const recheck::Weights weights = recheck::read_weights(document);
    const auto theorems = theorems_for(weights);
    if (const auto* none = std::get_if<Attempt>(&theorems)) return std::vector<Attempt>{*none};
    std::vector<Attempt> attempts;
    for (const std::string& theorem : std::get<0>(theorems)) {
      try {
        return prove(theorem, document, weights);
      } catch (const recheck::Refused& error) {
        attempts.push_back({theorem, error.what()});
      }
    }
    return attempts;
  } catch (const recheck::Malformed& error) {
    throw InputError(name + ": " + error.what());
  }
}

LengthProof proof_of(const recheck::Theorem& proved, const std::string& certificate,
                     const std::string& name) {
  const std::string unit = proved.name == "reachability" ? " vertices"
                           : proved.name == "division"   ? " tokens"
                                                         : " letters";
  return {certificate, proved.name, statement(proved, name),
          proved.limit ? "at most " + std::to_string(*proved.limit) + unit : "every length",
          proved.name == "selections"};
}

}  // namespace

std::variant<std::string, std::vector<Attempt>> find_coq_proof(const std::string& text,
                                                               const std::string& name) {
  return first_proof<std::string>(
      text, name,
      [](const std::string& theorem, const recheck::Json& document,
         const recheck::Weights& weights) {
        recheck::need(theorem == "shift-scan" || theorem == "resets" || theorem == "reachability",
                      "Coq: the library has no such theorem");
        const recheck::Json certificate =
            recheck::parse_json(make_certificate(theorem, weights).dump());
        const recheck::Theorem proved = recheck::prove(document, certificate);
        if (theorem == "reachability") return print_coq_rows(weights);
        if (theorem == "resets") return print_coq(weights, coq_resets(weights, proved), proved);
        return print_coq(weights, coq_certificate(weights, certificate, proved), proved);
      });
}

std::variant<LengthProof, std::vector<Attempt>> find_certificate(const std::string& text,
                                                                 const std::string& name) {
  return first_proof<LengthProof>(
      text, name,
      [&name](const std::string& theorem, const recheck::Json& document,
              const recheck::Weights& weights) {
        const std::string certificate = make_certificate(theorem, weights).dump() + "\n";
        return proof_of(recheck::prove(document, recheck::parse_json(certificate)), certificate,
                        name);
      });
}

std::variant<LengthProof, Attempt> check_certificate(const std::string& text,
                                                     const std::string& certificate,
                                                     const std::string& name) {
  try {
    const recheck::Json claim = recheck::parse_json(certificate);
    const std::string theorem = claim.at("theorem").string();
    try {
      return proof_of(recheck::prove(recheck::parse_json(text), claim), certificate, name);
    } catch (const recheck::Refused& error) {
      return Attempt{theorem, error.what()};
    }
  } catch (const recheck::Malformed& error) {
    throw InputError(name + " with its certificate: " + error.what());
  }
}

}  // namespace logdepth::inline proofs_check_certify
