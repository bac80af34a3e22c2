#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/compile.hpp"

namespace logdepth {

/// What becomes of an input. Nothing is guessed: what is not decided has a name.
enum class Decision {
  accepted,           ///< of a graph: connected
  rejected,           ///< of a graph: not connected
  computed,           ///< the transformer answers with named numbers, not with a verdict
  undecided,          ///< the two logits are equal
  outside_field,      ///< a norm is no sum of square roots: an exact run ends there
  outside_hypotheses  ///< the input is none that the file is made for, as a word too long for it
};

/// A rational, or a rational and square roots of rationals.
struct ExactNumber {
  std::string text;        ///< exactly: "3/5", "sqrt(2/5)", "1/2 - sqrt(3)"
  double approximate = 0;  ///< near it; infinite where a double has no room for it
  /// Exactly.
  bool operator==(const ExactNumber& other) const { return text == other.text; }
};

/// What an exact run has to say of an input.
struct Answer {
  Decision decision = Decision::undecided;  ///< what became of it
  std::string reason;                       ///< a sentence where nothing was decided
  /// Of `computed`: by name, a number for each token, the tokens that begin and end a word among
  /// them; the last of a list is the answer to the word.
  std::map<std::string, std::vector<ExactNumber>> numbers;
  /// The products of the first 1, 2, ... letters, each as the images of the points 0, 1, ...; absent
  /// where the file does not say how to read them, or where one of them is undecided.
  std::optional<std::vector<std::vector<std::uint32_t>>> products;
  /// The states after the first 1, 2, ... letters, where the file reads these in place of products.
  std::optional<std::vector<std::uint32_t>> states;
  /// The first place where a head did not select what it promises, as a sentence; then the file is
  /// not what it claims to be, whatever was decided.
  std::optional<std::string> broken_promise;
  std::uint64_t depth = 0;  ///< layers that were run

  /// False for all that is not decided as well.
  bool accepted() const { return decision == Decision::accepted; }
};

/// Runs a word through the transformer: exact numbers, ties found, every promise of every head
/// checked. Errors: InputError where it reads no words, and for a letter outside its alphabet;
/// SizeLimit for a word that needs more than 8 GiB.
Answer run(const Transformer& transformer, const Letters& word);
/// Many words. What was computed for one is remembered for the next, so this is faster.
std::vector<Answer> run_all(const Transformer& transformer, const std::vector<Letters>& words);

/// Vertices are 0, 1, ..., vertices - 1; an edge leads from its first to its second vertex.
struct DirectedGraph {
  std::uint32_t vertices = 0;                                  ///< their number
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< from, to; twice is once
};
/// Whether `target` can be reached from `source`. Errors: InputError where the transformer reads no
/// graphs, and for a vertex that is not there; SizeLimit as above.
Answer run(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
           std::uint32_t target);

}  // namespace logdepth
