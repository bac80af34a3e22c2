#include "learned/word_problems/labelled_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "learned/records/samples.hpp"
#include "learned/word_problems/csv_fields.hpp"
#include "logdepth/errors.hpp"
#include "objects/text_place.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

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

class Reader {
 public:
  Reader(const std::string& source, const WordNames& names) : source_(source), names_(names) {}

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
    if (names_.expected) check_labels(place, word, target);
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

  void check_labels(const TextPlace& place, const LabelledWord& word,
                    const std::vector<Named>& target) const {
    const std::vector<std::uint32_t> expected = names_.expected(word.letters);
    const std::size_t before = expected.size() - target.size();
    for (std::size_t i = 0; i < target.size(); ++i)
      if (word.labels[before + i] != static_cast<std::int32_t>(expected[before + i]))
        throw place.error(
            target[i].part,
            fmt::format("expected the label {} after {}, found {}", expected[before + i],
                        counted(before + i + 1, "letter"), in_quotes(target[i].name)));
  }

  const std::string& source_;
  const WordNames& names_;
  LabelledWords all_;
  std::size_t columns_ = 0, input_ = 0, target_ = 0;
  std::optional<bool> one_label_;  ///< of words of two letters and more
  std::size_t decided_ = 0;        ///< the line that says so
};

}  // namespace

LabelledWords parse_labelled_words(std::string_view text, const std::string& source,
                                   const WordNames& names) {
  return Reader(source, names).read(text);
}

}  // namespace logdepth::inline learned_word_problems
