#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "learned/word_problems/monoid_table.hpp"
#include "learned/word_problems/published_elements.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {

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

/// A word of a file, as elements of the table: the same maps of points in either convention.
/// Targets are not kept, they follow from the word and the order.
struct WordRow {
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> word;
  std::size_t line = 0;  ///< where it was read, from 1; 0: not from a file

  bool operator==(const WordRow&) const = default;
};

/// Words that were read, and how their file multiplies and numbers them.
struct WordFile {
  ProductOrder order = ProductOrder::first_letter_first;
  bool either = false;  ///< the file says the same in both conventions; `order` is the first
  std::vector<WordRow> rows;
};

/// Files `seed,input,target`: a header, then a row per word with the running products as target;
/// element indices are separated by single spaces. In the published convention they are the numbers
/// of published_elements.hpp, else those of the table. `source` names the text in messages.
///
/// Without an order the one that all targets agree with is taken. Errors: InputError naming the
/// line and what was expected there; where the targets are those of the other convention it says
/// so (WrongTarget). Also where the published convention is asked for and has no such monoid.
WordFile parse_word_file(std::string_view text, const std::string& source,
                         const MonoidTable& table);
WordFile parse_word_file(std::string_view text, const std::string& source, const MonoidTable& table,
                         ProductOrder order);
/// The same for a file. Errors also where it cannot be read.
WordFile read_word_file(const std::string& file, const MonoidTable& table);

/// Writes such a file. Errors: InputError where the published convention has no such monoid.
class WordFileWriter {
 public:
  WordFileWriter(std::ostream& out, const MonoidTable& table, ProductOrder order);
  void write(std::uint64_t seed, const std::vector<std::uint32_t>& word);

 private:
  void append(const std::vector<std::uint32_t>& elements);

  std::ostream& out_;
  const MonoidTable& table_;
  ProductOrder order_;
  std::string row_;
};

}  // namespace logdepth::inline learned_word_problems
