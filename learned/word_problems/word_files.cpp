#include "learned/word_problems/word_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "learned/records/task.hpp"
#include "objects/text_format.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_word_problems {

namespace {

/// A field of a line of a CSV file, without its quotation marks.
struct CsvField {
  std::string text;
  std::size_t begin = 0;  ///< of the text in the line, in bytes
};

/// The fields of a line, also those in quotation marks, in which a doubled mark is one. Errors:
/// InputError for a quoted field without an end.
std::vector<CsvField> csv_fields(std::string_view line, const std::string& source,
                                 std::size_t number) {
  std::vector<CsvField> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    CsvField& field = fields.back();
    if (line[i] == ',') {
      fields.push_back({"", i + 1});
    } else if (line[i] == '"' && field.text.empty() && i == field.begin) {
      field.begin = i + 1;
      for (++i; i < line.size() && (line[i] != '"' || line.substr(i).starts_with("\"\"")); ++i) {
        if (line[i] == '"') ++i;
        field.text += line[i];
      }
      if (i == line.size() || (i + 1 < line.size() && line[i + 1] != ','))
        throw InputError(
            source, number,
            fmt::format("column {}: expected '\"' to end the quoted field", fields.size()));
    } else {
      field.text += line[i];
    }
  }
  return fields;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

namespace {

/// What the names of a file mean. `letter` and `label` throw InputError with the end of a sentence for an
/// unknown name.
struct WordNames {
  std::function<std::uint32_t(std::string_view)> letter, label;
};

/// A name of the file and the part of the line that it is.
struct Named {
  std::string_view name, part;
};

/// The names between the blanks of a field.
std::vector<Named> names_of(const CsvField& field, std::string_view line) {
  std::vector<Named> names;
  for (const std::string_view name : fields_of(field.text)) {
    const auto at = field.begin + static_cast<std::size_t>(name.data() - field.text.data());
    names.push_back({name, line.substr(std::min(at, line.size()))});
  }
  return names;
}

/// Reads CSV with the columns `input` and `target` among others: names of letters between blanks, and as
/// many labels or one for the word. Errors: InputError with line and column.
class Reader {
 public:
  Reader(const std::string& source, WordNames names) : source_(source), names_(std::move(names)) {}

  LabelledWords read(std::string_view text) {
    const std::vector<std::string_view> lines = lines_of(text);
    read_header(lines.empty() ? std::string_view() : lines[0]);
    for (std::size_t i = 1; i < lines.size(); ++i) read_row({source_, i + 1, lines[i]});
    if (all_.words.empty())
      throw InputError(source_, 1, "expected rows after the header, found none");
    all_.verdicts = one_label_.value_or(false);
    return std::move(all_);
  }

 private:
  void read_header(std::string_view line) {
    const std::vector<CsvField> header = csv_fields(line, source_, 1);
    const auto place = [&](const char* name) {
      const auto at = std::ranges::find(header, name, &CsvField::text);
      if (at == header.end())
        throw InputError(
            source_, 1,
            "expected a header with the columns input and target, found " + in_quotes(line));
      return static_cast<std::size_t>(at - header.begin());
    };
    columns_ = header.size();
    input_ = place("input");
    target_ = place("target");
  }

  void read_row(const TextPlace& place) {
    const std::vector<CsvField> fields = csv_fields(place.text, source_, place.line);
    if (fields.size() != columns_)
      throw place.error(fmt::format("expected the {} of the header, found {}",
                                    counted(columns_, "column"), fields.size()));
    const std::vector<Named> input = names_of(fields[input_], place.text);
    const std::vector<Named> target = names_of(fields[target_], place.text);
    if (input.empty())
      throw place.error(place.text.substr(fields[input_].begin),
                        "expected a letter as input, found an empty word");
    LabelledWord& word = all_.words.emplace_back();
    word.line = place.line;
    word.letters = numbers(place, input, names_.letter);
    check_count(place, place.text.substr(fields[target_].begin), input.size(), target.size());
    const std::vector<std::uint32_t> labels = numbers(place, target, names_.label);
    word.labels.assign(input.size() - labels.size(), Samples::kIgnored);
    word.labels.insert(word.labels.end(), labels.begin(), labels.end());
  }

  static std::vector<std::uint32_t> numbers(
      const TextPlace& place, const std::vector<Named>& names,
      const std::function<std::uint32_t(std::string_view)>& number) {
    std::vector<std::uint32_t> found;
    found.reserve(names.size());
    for (const Named& named : names) try {
        found.push_back(number(named.name));
      } catch (const InputError& error) {
        throw place.error(named.part, error.what());
      }
    return found;
  }

  /// All rows have a label per letter, or all have one per word; words of one letter have both.
  void check_count(const TextPlace& place, std::string_view target, std::size_t letters,
                   std::size_t labels) {
    if (labels != letters && labels != 1)
      throw place.error(target, fmt::format("expected a label for each of {}, or one for the word, "
                                            "found {}",
                                            counted(letters, "letter"), labels));
    if (letters == 1) return;
    if (!one_label_) decided_ = place.line;
    if (one_label_.value_or(labels == 1) != (labels == 1))
      throw place.error(
          target, fmt::format("expected {}, as in line {}, found {}",
                              *one_label_ ? std::string("one label for the word")
                                          : fmt::format("a label for each of {} letters", letters),
                              decided_, labels));
    one_label_ = labels == 1;
  }

  const std::string& source_;
  WordNames names_;
  LabelledWords all_;
  std::size_t columns_ = 0, input_ = 0, target_ = 0;
  std::optional<bool> one_label_;  ///< of words of two letters and more
  std::size_t decided_ = 0;        ///< the line that says so
};

bool is_whole_number(std::string_view text) {
  return text.size() < 19 && whole_number(text) && (text.size() == 1 || text[0] != '0');
}

/// What a name says. Errors: InputError calling it `what`.
std::uint32_t number_below(std::uint32_t end, std::string_view name, const std::string& what) {
  if (is_whole_number(name) && *whole_number(name) < end)
    return static_cast<std::uint32_t>(*whole_number(name));
  throw InputError(
      fmt::format("expected {} from 0 to {}, found {}", what, end - 1, in_quotes(name)));
}

/// Numbers for names, in the order in which they are met.
class Numbering {
 public:
  explicit Numbering(const char* what) : what_(what) {}

  std::uint32_t number(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    require(numbers_.size() < kMostElements,
            fmt::format("expected at most {} {}, found one more: {}", kMostElements, what_,
                        in_quotes(name)));
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    numbers_.emplace(name, next);
    return next;
  }

  /// The names in their order; `renumbered` receives the new number of each old one.
  std::vector<std::string> sorted(std::vector<std::uint32_t>& renumbered) const {
    std::vector<std::pair<std::string, std::uint32_t>> names(numbers_.begin(), numbers_.end());
    if (std::ranges::all_of(names, [](const auto& one) { return is_whole_number(one.first); }))
      std::ranges::sort(names, {}, [](const auto& one) {
        return std::pair(one.first.size(), one.first);  // no leading zeros
      });
    renumbered.resize(names.size());
    std::vector<std::string> sorted;
    for (auto& [name, old] : names) {
      renumbered[old] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(name));
    }
    return sorted;
  }

 private:
  const char* what_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace

std::uint32_t OwnWords::longest() const {
  std::size_t most = 0;
  for (const LabelledWord& word : given.words) most = std::max(most, word.letters.size());
  return static_cast<std::uint32_t>(most);
}

OwnWords read_own_words(const std::string& file) {
  Numbering letters("letters"), labels("labels");
  const std::string text = read_text_file(file);
  OwnWords own;
  own.given = Reader(file, {[&](std::string_view name) { return letters.number(name); },
                            [&](std::string_view name) { return labels.number(name); }})
                  .read(text);
  own.name = name_with_digits(file, text);
  std::vector<std::uint32_t> letter, label;
  own.letters = letters.sorted(letter);
  own.labels = labels.sorted(label);
  if (own.labels.size() < 2)
    throw InputError(file + ": expected at least 2 different labels, found " +
                     in_quotes(own.labels[0]) + " in every row");
  for (LabelledWord& word : own.given.words) {
    for (std::uint32_t& one : word.letters) one = letter[one];
    for (std::int32_t& one : word.labels)
      if (one >= 0) one = static_cast<std::int32_t>(label[static_cast<std::size_t>(one)]);
  }
  return own;
}

namespace {

/// One of so many different words of a file is held out.
constexpr std::size_t kHeldOutOf = 10;

}  // namespace

HeldOutWords hold_out(std::vector<LabelledWord> words, const std::string& file) {
  struct Seen {
    std::size_t word = 0;
    bool held_out = false;
  };
  HeldOutWords parts;
  std::map<std::vector<std::uint32_t>, Seen> seen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LabelledWord& word = words[i];
    const auto [at, added] = seen.emplace(word.letters, Seen{i});
    if (!added) {
      const LabelledWord& first = words[at->second.word];
      if (first.labels != word.labels)
        throw InputError(
            file, word.line,
            fmt::format("expected the labels of the same word in line {}, found others",
                        first.line));
      continue;
    }
    at->second.held_out = seen.size() % kHeldOutOf == 0;
    if (at->second.held_out) parts.held_out.push_back(word);
  }
  require(seen.size() >= 2,
          fmt::format("{}: expected at least 2 different words, since one is held out for the "
                      "measure, found {}",
                      file, seen.size()));
  if (parts.held_out.empty()) {
    parts.held_out.push_back(words.back());
    seen.at(words.back().letters).held_out = true;
  }
  std::erase_if(words, [&](const LabelledWord& word) { return seen.at(word.letters).held_out; });
  parts.trained = std::move(words);
  return parts;
}

namespace {

ProductOrder other(ProductOrder order) {
  return order == ProductOrder::published ? ProductOrder::first_letter_first
                                          : ProductOrder::published;
}

/// A target that its word does not give.
struct Mismatch {
  std::size_t line = 0, index = 0;  ///< from 1
  std::int32_t found = 0;
  std::uint32_t expected = 0;              ///< as the convention numbers it
  std::optional<ProductOrder> order = {};  ///< of running products

  /// "target index 2 is 17, expected 15 with the first letter first".
  std::string text() const {
    return fmt::format("target index {} is {}, expected {}{}", index, found, expected,
                       order ? fmt::format(" {}", order_text(*order)) : "");
  }
};

/// The first label of the word that is there and not the expected one.
std::optional<Mismatch> mismatch(const LabelledWord& word,
                                 const std::vector<std::uint32_t>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (word.labels[k] != Samples::kIgnored &&
        word.labels[k] != static_cast<std::int32_t>(expected[k]))
      return Mismatch{word.line, k + 1, word.labels[k], expected[k]};
  return std::nullopt;
}

/// Numbers of a convention -> elements of the table; empty: they are the same.
std::vector<std::uint32_t> elements_of(const MonoidTable& table, ProductOrder order) {
  std::vector<std::uint32_t> elements;
  if (order == ProductOrder::first_letter_first) return elements;
  elements.resize(table.size);
  for (std::uint32_t e = 0; e < table.size; ++e) elements[table.published[e]] = e;
  return elements;
}

/// Makes the letters elements, as the convention has them, and leaves no labels. Result: the first that is not
/// what it says.
std::optional<Mismatch> read_as(ProductOrder order, const MonoidTable& table,
                                std::vector<LabelledWord>& words) {
  const std::vector<std::uint32_t> elements = elements_of(table, order);
  for (LabelledWord& word : words) {
    if (!elements.empty())
      for (std::uint32_t& element : word.letters) element = elements[element];
    std::vector<std::uint32_t> products = running_products(table, word.letters, order);
    if (!elements.empty())
      for (std::uint32_t& product : products) product = table.published[product];
    if (auto wrong = mismatch(word, products)) {
      wrong->order = order;
      return wrong;
    }
    word.labels.clear();
  }
  return std::nullopt;
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

std::vector<LabelledWord> read_labelled_words(const std::string& file, const Alphabet& alphabet,
                                              const Labelling& moves) {
  const auto letter = [&](std::string_view name) {
    if (const auto found = alphabet.find(name)) return *found;
    throw InputError(fmt::format("expected a letter of {}, found {}", moves.name, in_quotes(name)));
  };
  const auto label = [&](std::string_view name) {
    return number_below(moves.labels, name, "a label");
  };
  std::vector<LabelledWord> words = Reader(file, {letter, label}).read(read_text_file(file)).words;
  for (const LabelledWord& word : words)
    if (const auto wrong = mismatch(word, moves.after(word.letters)))
      throw WrongTarget(file, word.line, wrong->text());
  return words;
}

WordFile parse_word_file(std::string_view text, const std::string& source, const MonoidTable& table,
                         std::optional<ProductOrder> asked) {
  if (asked == ProductOrder::published) require_published(table);
  const auto element = [&](std::string_view name) {
    return number_below(static_cast<std::uint32_t>(table.size), name,
                        "an element of " + printable(table.name));
  };
  WordFile file{asked.value_or(ProductOrder::first_letter_first), false,
                Reader(source, {element, element}).read(text).words};
  std::vector<LabelledWord> turned = file.rows;
  const std::optional<Mismatch> wrong = read_as(file.order, table, file.rows);
  std::optional<Mismatch> wrong_turned;
  if (!table.published.empty()) wrong_turned = read_as(other(file.order), table, turned);
  file.either = !table.published.empty() && !wrong_turned;
  if (!wrong) return file;
  if (file.either && !asked) return {other(file.order), false, std::move(turned)};
  if (file.either)
    throw WrongTarget(
        source, wrong->line,
        wrong->text() + "; all rows of the file are right " + order_text(other(file.order)));
  if (asked || !wrong_turned) throw WrongTarget(source, wrong->line, wrong->text());
  // A few wrong targets in a file of one convention: the one that goes further is meant.
  const bool meant =
      std::pair(wrong_turned->line, wrong_turned->index) > std::pair(wrong->line, wrong->index);
  const Mismatch &late = meant ? *wrong_turned : *wrong, &early = meant ? *wrong : *wrong_turned;
  throw WrongTarget(source, late.line,
                    fmt::format("{}; {} line {} is wrong too", late.text(),
                                order_text(*early.order), early.line));
}

std::string word_file_header(const MonoidTable& table, ProductOrder order) {
  if (order == ProductOrder::published) require_published(table);
  return "seed,input,target\n";
}

std::string word_file_row(const MonoidTable& table, ProductOrder order, std::uint64_t seed,
                          const std::vector<std::uint32_t>& word) {
  const auto numbers = [&](std::vector<std::uint32_t> elements) {
    if (order == ProductOrder::published)
      for (std::uint32_t& element : elements) element = table.published[element];
    return fmt::format("{}", fmt::join(elements, " "));
  };
  return fmt::format("{},{},{}\n", seed, numbers(word),
                     numbers(running_products(table, word, order)));
}

}}  // namespace logdepth::learned_word_problems
