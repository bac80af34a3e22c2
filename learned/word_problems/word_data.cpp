#include "learned/word_problems/word_data.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <ostream>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "learned/word_problems/csv_fields.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

constexpr std::string_view kHeader = "seed,input,target";

ProductOrder other(ProductOrder order) {
  return order == ProductOrder::published ? ProductOrder::first_letter_first
                                          : ProductOrder::published;
}

/// A row as the file has it.
struct RawRow {
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> input, target;
};

/// A target that is not the running product.
struct Mismatch {
  std::size_t row = 0, index = 0;  ///< from 0
  std::uint32_t expected = 0;      ///< as the convention numbers it
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A whole number as programs write it: digits, no sign, no leading zero.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || next != end || (text.size() > 1 && text[0] == '0'))
    return std::nullopt;
  return value;
}

/// The columns of a line as text.
std::vector<std::string> csv_columns(std::string_view line, const std::string& source,
                                     std::size_t number) {
  std::vector<std::string> columns;
  for (CsvField& field : csv_fields(line, source, number)) columns.push_back(std::move(field.text));
  return columns;
}

std::vector<RawRow> raw_rows(std::string_view text, const std::string& source,
                             const MonoidTable& table) {
  const std::vector<std::string_view> lines = lines_of(text);
  const std::string header = lines.empty() ? "" : joined(csv_columns(lines[0], source, 1), ",");
  if (header != kHeader) {
    const std::string_view found = lines.empty() ? std::string_view() : lines[0];
    const std::string note = found == "length,input,target"
                                 ? ", which older published files have: their target is the last "
                                   "product alone"
                                 : "";
    throw InputError(
        source, 1,
        "expected the header " + std::string(kHeader) + ", found " + in_quotes(found) + note);
  }
  std::vector<RawRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t line = i + 1;
    const std::vector<std::string> columns = csv_columns(lines[i], source, line);
    if (columns.size() != 3)
      throw InputError(source, line,
                       fmt::format("expected the 3 columns {}, found {}", kHeader, columns.size()));
    RawRow row;
    const auto seed = whole_number<std::uint64_t>(columns[0]);
    if (!seed)
      throw InputError(source, line,
                       "expected a whole number as seed, found " + in_quotes(columns[0]));
    row.seed = *seed;
    for (const auto& [name, column, elements] : {std::tuple("input", columns[1], &row.input),
                                                 std::tuple("target", columns[2], &row.target)})
      for (const std::string_view number : split(column, ' ')) {
        const auto element = whole_number<std::uint32_t>(number);
        if (!element || *element >= table.size)
          throw InputError(source, line,
                           fmt::format("{} index {}: expected an element of {} from 0 to {}, "
                                       "separated by single spaces, found {}",
                                       name, elements->size() + 1, printable(table.name),
                                       table.size - 1, in_quotes(number)));
        elements->push_back(*element);
      }
    if (row.input.size() != row.target.size())
      throw InputError(source, line,
                       fmt::format("expected as many targets as inputs, found {} for {}",
                                   row.target.size(), row.input.size()));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw InputError(source, 1, "expected rows after the header, found none");
  return rows;
}

/// Numbers of a convention -> elements of the table; empty: they are the same.
std::vector<std::uint32_t> elements_of(const MonoidTable& table, ProductOrder order) {
  std::vector<std::uint32_t> elements;
  if (order == ProductOrder::first_letter_first) return elements;
  elements.resize(table.size);
  for (std::uint32_t e = 0; e < table.size; ++e) elements[table.published[e]] = e;
  return elements;
}

/// The first target that is not what the convention says; `words` receives the elements.
std::optional<Mismatch> first_mismatch(const std::vector<RawRow>& rows, const MonoidTable& table,
                                       ProductOrder order, std::vector<WordRow>& words) {
  const std::vector<std::uint32_t> elements = elements_of(table, order);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    WordRow& row = words.emplace_back(WordRow{rows[i].seed, rows[i].input, i + 2});
    if (!elements.empty())
      for (std::uint32_t& element : row.word) element = elements[element];
    const std::vector<std::uint32_t> products = running_products(table, row.word, order);
    for (std::size_t k = 0; k < products.size(); ++k) {
      const std::uint32_t expected = elements.empty() ? products[k] : table.published[products[k]];
      if (expected != rows[i].target[k]) return Mismatch{i, k, expected};
    }
  }
  return std::nullopt;
}

/// "target index 2 is 17, expected 15 with the first letter first".
std::string mismatch_text(const Mismatch& mismatch, const std::vector<RawRow>& rows,
                          ProductOrder order) {
  return fmt::format("target index {} is {}, expected {} {}", mismatch.index + 1,
                     rows[mismatch.row].target[mismatch.index], mismatch.expected,
                     order_text(order));
}

void require_published(const MonoidTable& table) {
  if (table.published.empty())
    throw InputError("the published word problems have no " + in_quotes(table.name) +
                     ", expected Sk, Ak, Zk or a product of these such as A4_x_Z5");
}

}  // namespace

const char* order_text(ProductOrder order) {
  return order == ProductOrder::published ? "in the published convention"
                                          : "with the first letter first";
}

std::vector<std::uint32_t> running_products(const MonoidTable& table,
                                            const std::vector<std::uint32_t>& word,
                                            ProductOrder order) {
  std::vector<std::uint32_t> products;
  products.reserve(word.size());
  std::uint32_t product = table.identity;
  for (const std::uint32_t element : word) {
    product = order == ProductOrder::published ? table.times(element, product)
                                               : table.times(product, element);
    products.push_back(product);
  }
  return products;
}

WordFile parse_word_file(std::string_view text, const std::string& source, const MonoidTable& table,
                         ProductOrder order) {
  if (order == ProductOrder::published) require_published(table);
  const std::vector<RawRow> rows = raw_rows(text, source, table);
  WordFile file{order, false, {}};
  const auto mismatch = first_mismatch(rows, table, order, file.rows);
  if (!table.published.empty()) {
    std::vector<WordRow> ignored;
    const bool fits_other = !first_mismatch(rows, table, other(order), ignored);
    if (mismatch && fits_other)
      throw WrongTarget(source, mismatch->row + 2,
                        mismatch_text(*mismatch, rows, order) +
                            "; all rows of the file are right " + order_text(other(order)));
    file.either = fits_other;
  }
  if (mismatch) throw WrongTarget(source, mismatch->row + 2, mismatch_text(*mismatch, rows, order));
  return file;
}

WordFile parse_word_file(std::string_view text, const std::string& source,
                         const MonoidTable& table) {
  const std::vector<RawRow> rows = raw_rows(text, source, table);
  constexpr ProductOrder ours = ProductOrder::first_letter_first;
  constexpr ProductOrder theirs = ProductOrder::published;
  std::vector<WordRow> words, published;
  const auto mismatch = first_mismatch(rows, table, ours, words);
  if (table.published.empty()) {
    if (mismatch)
      throw WrongTarget(source, mismatch->row + 2, mismatch_text(*mismatch, rows, ours));
    return {ours, false, std::move(words)};
  }
  const auto published_mismatch = first_mismatch(rows, table, theirs, published);
  if (!mismatch) return {ours, !published_mismatch, std::move(words)};
  if (!published_mismatch) return {theirs, false, std::move(published)};
  // A few wrong targets in a file of one convention: the one that goes further is meant.
  const bool meant = std::pair(published_mismatch->row, published_mismatch->index) >
                     std::pair(mismatch->row, mismatch->index);
  const Mismatch& late = meant ? *published_mismatch : *mismatch;
  const Mismatch& early = meant ? *mismatch : *published_mismatch;
  throw WrongTarget(
      source, late.row + 2,
      fmt::format("{}; {} line {} is wrong too", mismatch_text(late, rows, meant ? theirs : ours),
                  order_text(meant ? ours : theirs), early.row + 2));
}

WordFile read_word_file(const std::string& file, const MonoidTable& table) {
  return parse_word_file(read_text_file(file), file, table);
}

WordFileWriter::WordFileWriter(std::ostream& out, const MonoidTable& table, ProductOrder order)
    : out_(out), table_(table), order_(order) {
  if (order == ProductOrder::published) require_published(table);
  out_ << kHeader << '\n';
}

void WordFileWriter::write(std::uint64_t seed, const std::vector<std::uint32_t>& word) {
  row_ = fmt::format("{},", seed);
  append(word);
  row_ += ',';
  append(running_products(table_, word, order_));
  row_ += '\n';
  out_ << row_;
}

void WordFileWriter::append(const std::vector<std::uint32_t>& elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) row_ += ' ';
    row_ += std::to_string(order_ == ProductOrder::published ? table_.published[elements[i]]
                                                             : elements[i]);
  }
}

}  // namespace logdepth::inline learned_word_problems
