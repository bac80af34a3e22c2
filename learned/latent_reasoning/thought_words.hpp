#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learned/latent_reasoning/computation_graphs.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Computation graphs as plain words, for chains of thought (the paper, appendix B.2): the
/// equations of the graph as in factored_tokens.hpp, then <CoT>, then for every node in their order
/// how its value comes about, then <end>.

/// What a thought says of a node; a leaf is `x = v ;` in all of them.
enum class ThoughtFormat {
  val,       ///< x = v ;
  eq_val,    ///< x = a o b o c = v ;
  eq_op_val  ///< x = a o b o c = (value of a) o (value of b) o (value of c) = v ;
};

/// The words and their numbers: values, names, operations, and the four others.
struct ThoughtVocabulary {
  std::uint32_t modulus = 3, names = 32;

  std::int32_t value(std::uint32_t v) const { return static_cast<std::int32_t>(v); }
  std::int32_t variable(std::uint32_t k) const { return static_cast<std::int32_t>(modulus + k); }
  std::int32_t operation(GraphOperation o) const {
    return static_cast<std::int32_t>(modulus + names) + static_cast<std::int32_t>(o);
  }
  std::int32_t equals() const { return static_cast<std::int32_t>(modulus + names) + 3; }
  std::int32_t separator() const { return equals() + 1; }
  std::int32_t begin_thought() const { return equals() + 2; }
  std::int32_t end() const { return equals() + 3; }
  std::uint32_t size() const { return modulus + names + 7; }

  bool is_value(std::int32_t word) const {
    return word >= 0 && word < static_cast<std::int32_t>(modulus);
  }
};

using WordText = std::vector<std::int32_t>;
/// The equations and <CoT>.
WordText question_words(const ComputationGraph& graph, const ThoughtVocabulary& words);
/// The thought and <end>.
WordText thought_words(const ComputationGraph& graph, const ThoughtVocabulary& words,
                       ThoughtFormat format);

/// For each node whether a thought gives it its value: the last word of the first part (between
/// separators) that begins with its name.
std::vector<bool> right_in_thought(const WordText& thought, const ComputationGraph& graph,
                                   const ThoughtVocabulary& words);
/// Whether two thoughts are the same except that values may be other values.
bool same_structure(const WordText& a, const WordText& b, const ThoughtVocabulary& words);

}  // namespace logdepth::inline learned_latent_reasoning
