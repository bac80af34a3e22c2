#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learned/word_problems/labelling.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_word_problems {

/// A field as it is written, in quotation marks where it must be.
std::string csv_field(const std::string& text);

/// A word by the numbers of its letters.
struct LabelledWord {
  std::vector<std::uint32_t> letters;
  /// After every letter; Samples::kIgnored where the file has none. Empty: they follow from the letters.
  std::vector<std::int32_t> labels = {};
  std::size_t line = 0;  ///< where it was read, from 1
};

struct LabelledWords {
  std::vector<LabelledWord> words;
  bool verdicts = false;  ///< one label per word, after its last letter
};

/// Words of a file whose letters and labels nothing but the file defines.
struct OwnWords {
  std::string name;  ///< of the task: the file's, and digits of its hash
  /// By number. Whole numbers are in their order, other names in byte order.
  std::vector<std::string> letters, labels;
  LabelledWords given;

  /// Letters of the longest word.
  std::uint32_t longest() const;
};

/// Reads such a file. Errors: InputError with file, line and column; also for fewer than two labels and for
/// more than kMostElements letters or labels.
OwnWords read_own_words(const std::string& file);

/// The words of a file in two parts: no word of the one is in the other.
struct HeldOutWords {
  std::vector<LabelledWord> trained, held_out;
};

/// Holds every tenth of the different words out, the last of them where they are fewer than ten. Errors:
/// InputError naming the file, for fewer than two different words, and for a word that is there twice with
/// different labels.
HeldOutWords hold_out(std::vector<LabelledWord> words, const std::string& file);

/// "with the first letter first", "in the published convention".
const char* order_text(ProductOrder order);

/// The running products p_1 ... p_n of a word of elements.
std::vector<std::uint32_t> running_products(const MonoidTable& table,
                                            const std::vector<std::uint32_t>& word,
                                            ProductOrder order = ProductOrder::first_letter_first);

/// A file in which a target is not the running product, though its form is right.
class WrongTarget : public InputError {
 public:
  using InputError::InputError;
};

/// Reads words whose labels are those of `moves`, by their numbers: after every letter, or after the last. Errors:
/// InputError with file, line and column; WrongTarget naming the line and the target that is another.
std::vector<LabelledWord> read_labelled_words(const std::string& file, const Alphabet& alphabet,
                                              const Labelling& moves);

/// Words that were read, and how their file multiplies and numbers them.
struct WordFile {
  ProductOrder order = ProductOrder::first_letter_first;
  bool either = false;  ///< the file says the same in both conventions; `order` is the first
  /// By elements of the table: the same maps of points in either convention. Without labels, which follow.
  std::vector<LabelledWord> rows;
};

/// Reads labelled words whose letters and labels are elements of a monoid by their numbers, the labels running
/// products, as word_file_row writes them, or the last one alone. In the published convention numbers are those of
/// MonoidTable::published, else those of the table. `source` names the text in messages.
///
/// Without an order the one that all targets agree with is taken. Errors: InputError naming the
/// line and what was expected there; where the targets are those of the other convention it says
/// so (WrongTarget). Also where the published convention is asked for and has no such monoid.
WordFile parse_word_file(std::string_view text, const std::string& source, const MonoidTable& table,
                         std::optional<ProductOrder> asked = std::nullopt);

/// The first line of a file `seed,input,target`. Errors: InputError where the published convention has no such monoid.
std::string word_file_header(const MonoidTable& table, ProductOrder order);
/// A row of it: a word with its running products as target, numbers separated by single spaces.
std::string word_file_row(const MonoidTable& table, ProductOrder order, std::uint64_t seed,
                          const std::vector<std::uint32_t>& word);

}}  // namespace logdepth::learned_word_problems
