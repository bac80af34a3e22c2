#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/word_problems/prefix_circuit.hpp"
#include "learned/word_problems/word_task.hpp"
#include "report/figures/token_bands.hpp"

namespace logdepth { inline namespace learned_word_problems {

/// The name under which the program with libtorch is asked for the attention of a network.
inline constexpr const char* kWordAttention = "word-attention";

/// Words of more letters are not looked at: attention is a number for every pair of them.
inline constexpr std::uint32_t kMostLookedAt = 1024;
inline std::uint32_t most_looked_at(const WordTaskConfig& task) {
  return std::min(task.longest(), kMostLookedAt);
}

/// What a trained network of word problems is asked about its attention.
struct AttentionQuestion {
  std::vector<std::uint32_t> word;  ///< letters by their numbers
  std::uint32_t words = 64;         ///< random ones of as many letters
  std::uint64_t seed = 1;           ///< that they are drawn from
};
nlohmann::ordered_json to_json(const AttentionQuestion& question);
/// Errors: InputError naming the setting and what was expected.
AttentionQuestion attention_question_from_json(const nlohmann::json& json,
                                               const std::string& source);

/// Its answer.
struct WordAttention {
  std::vector<AttentionLevel> word;    ///< on the word
  std::vector<std::uint32_t> answers;  ///< its prefix products as the network has them: elements
  std::vector<AttentionLevel> mean;    ///< over the random words
  std::vector<std::vector<double>> logits = {};  ///< at each letter of the word, an element each
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WordAttention, word, answers, mean, logits)

/// The letters that a run of word problems reads, by name. Errors: InputError naming the run's
/// record where it is a run of another task.
std::vector<std::string> letters_of_run(const RunRecord& record);

/// Less of a position's attention is not drawn.
inline constexpr double kLeastDrawn = 0.05;

/// Who attends where in a trained network on a word: a band per executed layer, a line's share is
/// the attention that a head gives. Under each band the source of every position, on this word and
/// in the mean of `circuit`; at the bottom the prefix products as the network has them, and where
/// they are wrong. Precondition: the run is one of word problems, `letters` and attention are of
/// one word.
TokenBands learned_bands(const RunRecord& record, const std::vector<std::string>& letters,
                         const WordAttention& attention, const PrefixCircuit& circuit);

}}  // namespace logdepth::learned_word_problems
