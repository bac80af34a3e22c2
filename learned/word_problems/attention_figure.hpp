#pragma once

#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/word_problems/word_attention.hpp"
#include "report/figures/token_bands.hpp"

namespace logdepth::inline learned_word_problems {

/// Less of a position's attention is not drawn.
inline constexpr double kLeastDrawn = 0.05;

/// Who attends where in a trained network on a word: a band per executed layer, a line's share is
/// the attention that a head gives. Under each band the source of every position, on this word and
/// in the mean of `circuit`; at the bottom the prefix products as the network has them, and where
/// they are wrong. Precondition: the run is one of word problems, `letters` and attention are of
/// one word.
TokenBands learned_bands(const RunRecord& record, const std::vector<std::string>& letters,
                         const WordAttention& attention, const PrefixCircuit& circuit);

}  // namespace logdepth::inline learned_word_problems
