#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline learned_word_problems {

/// A word by the numbers of its letters.
struct LabelledWord {
  std::vector<std::uint32_t> letters;
  /// After every letter; Samples::kIgnored where the file has none. Empty: they follow from the letters.
  std::vector<std::int32_t> labels = {};
  std::size_t line = 0;  ///< where it was read, from 1
};

/// What the names of a file mean. `letter` and `label` throw InputError with the end of a sentence for an
/// unknown name.
struct WordNames {
  std::function<std::uint32_t(std::string_view)> letter, label;
  /// The labels after every letter of a word, where they are known without the file; may be empty.
  std::function<std::vector<std::uint32_t>(const std::vector<std::uint32_t>&)> expected = {};
};

struct LabelledWords {
  std::vector<LabelledWord> words;
  bool verdicts = false;  ///< one label per word, after its last letter
};

/// Reads CSV with the columns `input` and `target` among others: names of letters between blanks, and as
/// many labels or one for the word. Errors: InputError with line and column.
LabelledWords parse_labelled_words(std::string_view text, const std::string& source,
                                   const WordNames& names);

}  // namespace logdepth::inline learned_word_problems
