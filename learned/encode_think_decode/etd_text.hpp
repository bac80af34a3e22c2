#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_encode_think_decode {

/// Lines of words, each a question and its answer, of five kinds (specification of
/// Encode-Think-Decode, section 7). The first two ask for what was seen in training, the others for
/// what has to be worked out of the question.
enum class LineKind { recall, common, reading, multi_hop, arithmetic };
inline constexpr LineKind kLineKinds[] = {LineKind::recall, LineKind::common, LineKind::reading,
                                          LineKind::multi_hop, LineKind::arithmetic};
/// "recall", "common", "reading", "multi-hop", "arithmetic".
const char* line_kind_name(LineKind kind);

/// What is hard about a line: 1 of recall and common, else sentences, hops, terms.
struct LineDifficulties {
  std::uint32_t least, most;
};
LineDifficulties line_difficulties(LineKind kind);

/// All words of the corpus, in the order of their tokens; word 0 is "<end>", which ends a line.
const std::vector<std::string>& etd_words();
inline constexpr std::int32_t kEndOfLine = 0;
/// The most tokens of a line with its end.
std::uint32_t longest_etd_line();

/// A line as tokens: the question, then the answer, then kEndOfLine, which stands in neither.
struct EtdLine {
  std::vector<std::int32_t> question, answer;
  std::vector<std::size_t> told = {};  ///< places in the question of answers that it tells
  bool operator==(const EtdLine&) const = default;
};

/// Which lines are drawn: those that are trained on, or those that are measured.
enum class LineUse { training, test };

/// The corpus. Its facts and classes are the same for all runs of one `world`:
/// - recall: "ann adler : ? colour red": an entity has a first and a last name and a value of 16 for
///   each of 5 attributes, drawn once for each world: 2000 facts.
/// - common: "fork sink pan belong to kitchen": three words of one of 16 classes, and its name.
/// - reading: "bob is in bank . ann is in farm . where is bob bank": 3 to 8 people, no two in the
///   same place, so that neither order nor frequency tells more than one in as many as there are.
/// - multi-hop: "a -> b c -> a ... ? 2 steps from c b": eight letters on one ring, told in random
///   order; every letter stands once before and once behind an arrow, and fewer steps than asked
///   lead to another letter.
/// - arithmetic: "mod 3 : ? 2 + 2 - 0 = 1": 2 to 6 terms from 0 to 2. Given all terms but one and
///   all signs, the answer is uniform.
/// What a question names last stands right before its answer: one head that looks for an equal
/// token finds what is told of it.
/// Lines that are measured ask one question. Three of four that are trained on tell others with
/// their answers before it, as many as there is room for, so that little of a batch is padding:
/// "ann adler : also city rome , also pet cat , ? colour red".
///
/// Questions of reading, multi-hop and arithmetic that are measured are never trained on
/// (`held_out`), but for the 18 of arithmetic with two terms. Those of recall and common are the
/// same in both by design.
class EtdText {
 public:
  explicit EtdText(std::uint64_t world);
  /// Precondition: the difficulty is one of the kind.
  EtdLine line(LineKind kind, std::uint32_t difficulty, LineUse use, CounterRandom& random) const;

 private:
  std::vector<std::uint32_t> facts_;  ///< [entities, attributes] the value's index
};

/// Whether a question is kept for measuring: one in eight, by its text alone.
bool held_out(std::string_view question);

}  // namespace logdepth::inline learned_encode_think_decode
