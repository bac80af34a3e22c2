#pragma once

// What is certified, and the automaton X that was read off the file.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recheck/json.hpp"
#include "recheck/weights.hpp"

namespace recheck {

using Images = std::vector<int>;  // of the points 0, 1, ...; -1 where no word leads

struct Automaton {
  std::vector<std::string> letters;
  std::vector<Images> maps;  // of the letters; the first letter of a word acts first
  int points = 0;
  std::optional<int> initial;          // accepted: words that take this point
  std::set<int> accepting;             // to one of these; or, without it,
  std::set<Images> accepted_products;  // words whose product is one of these
};

struct Theorem {
  std::string name;
  std::optional<std::int64_t> limit;    // letters or tokens at most; every length without it
  std::optional<Automaton> automaton;   // of words; counting has a program
  std::string program;                  // of counting: what is accepted, in C-RASP
  std::string answers;                  // of division: what is given, and what each output is
  std::vector<std::string> selections;  // of selections: what each head selects and each norm is
  std::string prefixes;  // what the prefix read-out gives: products, states, or nothing
  std::string steps;     // the proof, a line for every step
  std::string weights_sha256,
      certificate_sha256;  // of the file's content, of the certificate's bytes
};

std::string statement(const Theorem& theorem, const std::string& file);

/// automata-lib's DFA as JSON. A shortest word on which X differs from it, if there is one.
std::optional<std::string> difference(const Automaton& automaton, const Json& dfa);

/// Without name, limit of letters and hashes, which `prove` adds.
Theorem prove_shift_scan(const Weights& weights, const Json& certificate);
Theorem prove_resets(const Weights& weights);
Theorem prove_counting(const Weights& weights);
Theorem prove_division(const Weights& weights, const Json& certificate);
Theorem prove_tree(const Weights& weights, const Json& certificate);
Theorem prove_selections(const Weights& weights, const Json& certificate);
/// The lines of the theorem of selections: what a certificate has to claim.
std::vector<std::string> selections_of(const Weights& weights);

/// The theorem that the certificate (a JSON text) names, of the file that it names; Refused or Malformed otherwise.
Theorem prove(const Weights& weights, const std::string& certificate);

}  // namespace recheck
