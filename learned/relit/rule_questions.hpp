#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/relit/rule_theory.hpp"

namespace logdepth::inline learned_relit {

/// The deepest proofs that can be asked for.
inline constexpr std::uint32_t kDeepestProof = 5;

/// How theories are drawn.
struct RuleSettings {
  enum class Negation { none, facts, rules };

  RuleWorld world = RuleWorld::closed;
  Negation negation = Negation::facts;  ///< where "not" may stand: facts, and rules too
  double second_premise = 0.3;          ///< share of the rules with two premises
  std::uint32_t distractors_least = 4, distractors_most = 10;  ///< sentences beside the proof
  std::uint32_t most_words = 90;  ///< of a prompt; fewer distractors where they would not fit
  bool operator==(const RuleSettings&) const = default;
};

/// The defaults of a world: an open one has "not" in its rules (check_rule_settings says why).
RuleSettings rule_settings(RuleWorld world);

enum class RuleAnswer { yes, no, unknown };
const char* rule_answer_word(RuleAnswer answer);

/// A theory, its sentences in random order, and a question about it.
struct RuleQuestion {
  RuleTheory theory;
  std::vector<std::string> sentences;
  RuleFact asked;
  RuleAnswer answer = RuleAnswer::no;
  std::uint32_t depth = 0;

  /// "Anne is quiet . ... question : Bob is smart . answer :"
  std::string prompt() const;
};

/// Errors: InputError naming the setting, as in task.distractors_most. An open world needs negation
/// in rules: nothing else makes the answer no at a depth.
void check_rule_settings(const RuleSettings& settings);

/// A question in the manner of RuleTaker (closed world) and ProofWriter (open world).
///
/// - Proof: a chain of `depth` rules leads from a fact about a person to the attribute asked for. A
///   second premise of such a rule is told of the person as a fact (with negation in rules, in a
///   closed world, it may also be "not young" and not told at all).
/// - Where the answer does not follow (closed world: no; open world: unknown), the first fact of the
///   chain has changed its person with a fact about somebody else. The search ends without a proof
///   at exactly `depth` then.
/// - In an open world the chain ends in "smart" or in "not smart", and a distractor of the same kind
///   ends the other way round; the question is "is smart" or "is not smart". Both are uniform, and
///   the answer is no where they contradict each other.
/// - Distractors are facts and rules that leave depth and answer as they are. Premises come before
///   conclusions in a random order of the attributes, so that no rule is its own reason, and
///   whatever is negated is decided before (stratified).
///
/// From the same random numbers the questions for all answers have the same words in the same
/// numbers, so that counts of words say nothing about the answer.
///
/// Errors: those of check_rule_settings; InputError naming task.most_words where no question was
/// found in many draws.
RuleQuestion rule_question(const RuleSettings& settings, std::uint32_t depth, RuleAnswer answer,
                           CounterRandom& random);

}  // namespace logdepth::inline learned_relit
