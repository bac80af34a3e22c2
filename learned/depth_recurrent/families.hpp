#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// How many names there are to choose from.
inline constexpr std::uint32_t kFamilyNamePool = 40;

/// How family text is drawn.
struct FamilySettings {
  std::uint32_t names = 12;             ///< people there can be, at most kFamilyNamePool
  double sibling = 0.2;                 ///< probability that one step of the chain is a sibling
  std::uint32_t distractors_least = 1;  ///< sentences beside the chain, by step of the chain
  std::uint32_t distractors_most = 2;   ///< as many at most, or fewer where names run out
  bool operator==(const FamilySettings&) const = default;
};

/// Facts on a family in random order and a question about two people.
struct FamilyQuestion {
  std::vector<std::int32_t> tokens;             ///< [CLS], the facts, the question
  std::size_t first_name = 0, second_name = 0;  ///< where the question's names are in `tokens`
  bool answer = false;
  std::uint32_t depth = 0;  ///< facts on the path that joins the two people
  bool operator==(const FamilyQuestion&) const = default;
};

/// Whether questions of this depth can be drawn: a chain has depth + 1 people, each distractor
/// brings one more, and one is a stranger. Errors: InputError naming the setting, as in task.names.
void check_family_settings(const FamilySettings& settings, std::uint32_t depth);

/// A question of relational composition after section 4.3 of Chen 2026 (arXiv 2603.21676v1), which
/// leaves most of it open. "A is the R of B" says that A lives as many generations above B as R
/// names: 1 for a parent, 0 for a sibling, -3 for a great-grandchild; nothing else is meant by it.
///
/// - Chain: `depth` facts lead from B to A, first up to an ancestor, then down ("apex routing"). The
///   number of steps up is uniform; from depth 2 on, one step anywhere is a sibling with probability
///   `sibling`. A chain of one sibling would have no wrong relation that another chain makes true.
/// - Decoys: an outsider is to a person of the chain what the next one is not, child in place of
///   parent. Who turns off there and goes on as the chain does is wrong by two generations. The first
///   distractor is a decoy, each further one with probability 1/2.
/// - The other distractors join a new outsider to an earlier one, which may be a decoy or the
///   stranger whom nothing joins to the chain.
/// - Every fact brings one new person, so the facts are a forest and the path is the only one. Each
///   is told from either side with probability 1/2: A is the parent of B, or B the child of A.
///
/// A chain of m steps up or down has one of the offsets -m, -m+2 ... m, all equally likely. The false
/// answer to an offset is the next one or the previous one of that list, closed to a ring: two
/// generations off, or the negated offset at the ends. The asked relation is therefore uniform on
/// the same list whatever the answer, and facts do not depend on the answer. Nor does the undirected
/// graph of the facts depend on the number of steps up; neither do counts of words and names, so
/// that these, together with the question, have the same distribution for both answers.
///
/// Errors: those of check_family_settings.
FamilyQuestion family_question(const FamilySettings& settings, std::uint32_t depth, bool answer,
                               CounterRandom& random);

/// The word of each token; 0 is [PAD], 1 is [CLS], names come last. "great-" is a word of its own.
std::vector<std::string> family_vocabulary(const FamilySettings& settings);

/// The words of tokens with blanks between them, none after "great-". Precondition: all tokens are
/// of the vocabulary.
std::string family_text(const std::vector<std::int32_t>& tokens, const FamilySettings& settings);

}  // namespace logdepth::inline learned_depth_recurrent
