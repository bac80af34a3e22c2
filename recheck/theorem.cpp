#include "recheck/theorem.hpp"

#include <map>
#include <numeric>

#include "recheck/refusal.hpp"

namespace recheck {
namespace {

std::string listed(const auto& numbers) {
  std::string out;
  for (const int n : numbers) out += (out.empty() ? "" : " ") + (n < 0 ? "-" : std::to_string(n));
  return out;
}

/// Tier S: the heads and the norms, and nothing of what the outputs compute.
std::string selections_scope(const Theorem& theorem, const std::string& words) {
  std::int64_t heads = 0, norms = 0;
  for (const std::string& line : theorem.selections)
    ++(line.find(", head ") == line.npos ? norms : heads);
  return "selections hold for " + words + ": " + std::to_string(heads) +
         (heads == 1 ? " head selects what its contract states, "
                     : " heads select what their contracts state, ") +
         std::to_string(norms) + (norms == 1 ? " norm is what it is" : " norms are what they are") +
         "; what the outputs compute is not certified";
}

/// What is certified, and for which inputs; the kind of a theorem follows from what it has.
std::string scope_of(const Theorem& theorem) {
  const auto up_to = [&](const char* units) {
    return theorem.limit ? "at most " + std::to_string(*theorem.limit) + units : "every length";
  };
  if (!theorem.answers.empty()) return "correct for every input of " + up_to(" tokens");
  const std::string words = "every word of " + up_to(" letters");
  return theorem.selections.empty() ? "correct for " + words : selections_scope(theorem, words);
}

/// The automaton that was read off the file, and what is read of prefixes.
std::string automaton_text(const Theorem& theorem) {
  const Automaton& x = *theorem.automaton;
  std::string out = (theorem.prefixes == "states" ? "states     " : "points     ") +
                    std::to_string(x.points) + "\n";
  for (std::size_t k = 0; k < x.letters.size(); ++k)
    out += "letter     " + quoted(x.letters[k]) + ": " + listed(x.maps[k]) + "\n";
  if (x.initial) {
    out +=
        "initial    " + std::to_string(*x.initial) + "\naccepting  " + listed(x.accepting) + "\n";
  } else {
    out += "accepting  " + std::to_string(x.accepted_products.size()) + " products\n";
    for (const Images& product : x.accepted_products) out += "product    " + listed(product) + "\n";
  }
  return out + "prefixes   " +
         (theorem.prefixes.empty() ? "not read"
                                   : "every prefix is read as its " +
                                         theorem.prefixes.substr(0, theorem.prefixes.size() - 1)) +
         "\n";
}

}  // namespace

std::string statement(const Theorem& theorem, const std::string& file) {
  std::string out = file + ": " + scope_of(theorem) + "\ntheorem    " + theorem.name +
                    (theorem.selections.empty() ? "" : ", tier S") + "\nsha256     " +
                    theorem.weights_sha256 + " of the weights\nsha256     " +
                    theorem.certificate_sha256 + " of the certificate\n";
  if (!theorem.answers.empty())
    return out +
           "for        tokens p = 0, 1, ..., every integer m >= 1, every integer a of each token "
           "with 0 <= a <= p\nwhere      dir(x, y) = (x, y)/sqrt(x^2 + y^2)\n" +
           theorem.answers;
  for (const std::string& line : theorem.selections) out += line + "\n";
  if (!theorem.selections.empty()) return out;
  if (!theorem.program.empty())
    return out + "verdict    accepts exactly what this C-RASP program accepts\n" + theorem.program;
  return out + automaton_text(theorem);
}

std::optional<std::string> difference(const Automaton& x, const Json& dfa) {
  std::map<std::string, std::map<std::string, std::string>> step;
  const auto name = [](const Json& value) {
    return value.kind == Json::Kind::number ? value.text : value.string();
  };
  for (const auto& [state, leaving] : dfa.at("transitions").members) {
    if (leaving.kind != Json::Kind::object)
      throw Malformed("transitions: expected an object for every state");
    for (const auto& [symbol, next] : leaving.members) step[state][symbol] = name(next);
  }
  std::set<std::string> final_states, symbols;
  for (const Json& state : dfa.at("final_states").array()) final_states.insert(name(state));
  for (const Json& symbol : dfa.at("input_symbols").array()) symbols.insert(symbol.string());
  if (symbols != std::set<std::string>(x.letters.begin(), x.letters.end()))
    throw Malformed("input_symbols: expected the letters of the weights file");
  for (const auto& [state, arcs] : step)
    for (const auto& [symbol, next] : arcs)
      if (!symbols.contains(symbol))
        throw Malformed(
            "transitions: expected arcs of a deterministic automaton, with a letter each");
  // Both automata read the same word: pairs of states in the order of their shortest words. A missing transition leads nowhere.
  using Pair = std::pair<Images, std::optional<std::string>>;
  Images begin(static_cast<std::size_t>(x.points));
  std::iota(begin.begin(), begin.end(), 0);
  if (x.initial) begin = {*x.initial};
  std::vector<std::pair<Pair, std::string>> list = {{{begin, name(dfa.at("initial_state"))}, ""}};
  std::set<Pair> seen = {list[0].first};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto [pair, word] = list[i];
    const auto& [mine, other] = pair;
    const bool accepts =
        x.initial ? x.accepting.contains(mine[0]) : x.accepted_products.contains(mine);
    if (accepts != (other && final_states.contains(*other))) return word;
    need(list.size() < 4000000, "--against: too many pairs of states");
    for (std::size_t k = 0; k < x.letters.size(); ++k) {
      Pair next;
      for (const int q : mine) next.first.push_back(x.maps[k][static_cast<std::size_t>(q)]);
      if (other)
        if (const auto leaving = step.find(*other); leaving != step.end())
          if (const auto arc = leaving->second.find(x.letters[k]); arc != leaving->second.end())
            next.second = arc->second;
      const bool apart = !word.empty() && (x.letters[k].size() > 1 || word.find(' ') != word.npos);
      if (seen.insert(next).second)
        list.emplace_back(next, word + (apart ? " " : "") + x.letters[k]);
    }
  }
  return {};
}

namespace {

Theorem prove(const Weights& weights, const Json& certificate) {
  need(certificate.at("sha256").string() == weights.sha256,
       "certificate: of another file; expected sha256 " + weights.sha256);
  const std::string& theorem = certificate.at("theorem").string();
  const std::string& input = weights.input.at("kind").string();
  if (theorem == "reachability")
    throw Refused(
        "logdepth-prove proves this theorem; `certify --kernel` writes the certificate that it "
        "takes");
  if (theorem == "division") {
    certificate.only({"format", "version", "theorem", "sha256", "given"});
    need(input == "cells" && weights.output.at("kind").string() == "cells",
         "not a file of raw inputs and outputs");
    return prove_division(weights, certificate);
  }
  if (theorem == "selections") return prove_selections(weights, certificate);
  const bool tree = theorem == "levels";
  need(input == "word" && !weights.kinds.empty() &&
           weights.kinds[0] == (tree ? "<end>" : "<begin>") &&
           (tree ? weights.input.at("end").boolean()
                 : weights.input.at("begin").boolean() && !weights.input.has("end")),
       std::string("input: expected words ") +
           (tree ? "before <end>, without <begin>" : "after <begin>, without <end>"));
  need(weights.output.at("kind").string() == "accept", "output: expected accept or reject");
  if (tree) return prove_tree(weights, certificate);
  if (theorem == "shift-scan") return prove_shift_scan(weights, certificate);
  if (theorem != "resets" && theorem != "counting") throw Malformed("certificate: unknown theorem");
  certificate.only({"format", "version", "theorem", "sha256"});
  need(weights.unroll.at("kind").string() == "fixed", "unroll: expected no loops");
  return theorem == "resets" ? prove_resets(weights) : prove_counting(weights);
}

}  // namespace

Theorem prove(const Weights& weights, const std::string& certificate) {
  const Json claim = parse_json(certificate);
  if (claim.at("format").string() != "logdepth-certificate")
    claim.fail("certificate: expected format logdepth-certificate");
  claim.at("version").integer(1, 1);
  Theorem theorem = prove(weights, claim);
  theorem.name = claim.at("theorem").string();
  if (!theorem.limit) theorem.limit = weights.limit();
  theorem.weights_sha256 = weights.sha256;
  theorem.certificate_sha256 = sha256_of(certificate);
  return theorem;
}

}  // namespace recheck
