#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/language_oracle.hpp"
#include "proofs-check/check/checked_run.hpp"
#include "proofs-check/check/shard.hpp"
#include "runtime/file/head_place.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

struct TestOptions {
  std::size_t up_to = 6;     ///< every word of at most this many letters
  std::size_t random = 200;  ///< random words beyond, of at most `max_length` letters
  std::size_t max_length = 100;
  std::uint64_t seed = 1;
  Shard shard;
  /// Called now and then with words done and words in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

struct Counterexample {
  std::vector<std::string> word;  ///< shrunk: no letter can be left out or made the first letter
  TestedProperty property = TestedProperty::answer;
  std::string expected, got;
  std::size_t original_length = 0;  ///< of the word first found
  std::uint64_t number = 0;         ///< of that word in the whole test
};

struct [[nodiscard]] TestReport {
  std::size_t exhaustive_words = 0, random_words = 0;
  std::size_t up_to = 0, max_length = 0;  ///< as asked, or the file's own limit if that is less
  std::uint64_t seed = 0;
  std::size_t accepted = 0;            ///< words of the language among those tested
  std::size_t prefixes = 0;            ///< prefix products, or states after prefixes, compared
  std::size_t values = 0;              ///< named values compared
  const char* prefix_kind = "";        ///< "prefix product" or "state": what the file reads
  std::string prefix_note;             ///< why none were, where the file can be asked for them
  std::uint64_t promises = 0;          ///< rows at which a head's promise was checked
  std::vector<HeadPlace> unevaluated;  ///< heads whose promise was never checked
  std::optional<Counterexample> counterexample;
};

/// Property test of any weights file that takes words, from the file and the oracle alone: exact
/// verdict against the oracle's, prefix products or states where both have them, in place of a verdict the
/// named values of the last token where the file has such, promises at every row, as
/// many layers as claimed, and a refusal one letter beyond the file's own limit.
/// Every word up to a length, then random ones, half of them long runs of few letters, lengths
/// around powers of two included. The same seed tests the same words. Errors: InputError when the
/// alphabets do not fit, when the oracle answers one word in two ways, when up_to is more than 2^24 words for each
/// shard.
TestReport test_language(const Model& model, const LanguageOracle& oracle,
                         const TestOptions& options);

/// The same questions of one word: what is not as the oracle says, if anything. Errors as above.
std::optional<Mismatch> mismatch_on(const Model& model, const LanguageOracle& oracle,
                                    const std::vector<std::string>& word);

}  // namespace logdepth
