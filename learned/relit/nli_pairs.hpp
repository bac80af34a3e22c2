#pragma once

#include <cstdint>
#include <string>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_relit {

/// Pairs of sentences with quantifiers and negation, from templates of our own: small sets in the
/// manner of those on negation and monotonicity.
enum class NliLabel { entailment, contradiction, neutral };
/// "yes", "no", "neutral".
const char* nli_answer_word(NliLabel label);

/// "Not all dogs are not happy ." of nouns of which each has members.
struct QuantifiedSentence {
  enum class Quantifier { all, some, no, not_all };
  Quantifier quantifier = Quantifier::all;
  bool negated = false;
  bool operator==(const QuantifiedSentence&) const = default;
};

/// The noun of the hypothesis beside that of the premise: the same, a wider one (animals for dogs)
/// or a narrower one (dogs for animals).
enum class NliNouns { same, wider, narrower };

/// What two sentences with the same adjective are to each other. "All" and "no" speak of every
/// member, "some" and "not all" of one; a statement about every member carries over to fewer, one
/// about a member to more; a contradiction entails the negation.
NliLabel nli_label(const QuantifiedSentence& premise, const QuantifiedSentence& hypothesis,
                   NliNouns nouns);

struct NliQuestion {
  std::string premise, hypothesis;
  NliLabel label = NliLabel::neutral;

  /// "premise : All dogs are happy . hypothesis : Some animals are not happy . answer :"
  std::string prompt() const;
};

/// A pair with this label, uniform among its templates. One in five combinations of a wider
/// noun and an adjective is `held_out`: no pair is both among these and the others.
NliQuestion nli_question(NliLabel label, bool held_out, CounterRandom& random);

/// The nouns, each narrower one with a wider one beside it: 0 ... kNliNouns - 1.
inline constexpr std::uint32_t kNliNouns = 16;
const char* narrower_noun(std::uint32_t index);
const char* wider_noun(std::uint32_t index);

}  // namespace logdepth::inline learned_relit
