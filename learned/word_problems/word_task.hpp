#pragma once

#include <cstdint>
#include <memory>

#include "learned/records/task.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth {

/// Running products of words over a finite monoid, the first letter first: a causal model reads a
/// letter and a position per token and answers with an element at every token. The curriculum goes
/// through lengths 2, 4, 8, ..., max_length; promotion asks for the last product. `measure` is n*
/// (n_star.hpp) on words that depend on the seed alone, those of a shorter stage being beginnings
/// of those of a longer one.
///
/// With `data` the words come from that file, in either convention, and are labelled first letter
/// first; words of the measure are drawn all the same.
///
/// Errors: InputError naming the setting and what was expected.
std::unique_ptr<Task> make_word_task(const WordTaskConfig& config, std::uint64_t seed);

}  // namespace logdepth
