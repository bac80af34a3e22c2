#include "learned/word_problems/own_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "base/quoted_text.hpp"
#include "learned/word_problems/monoid_table.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

bool is_whole_number(std::string_view text) {
  return text.size() < 19 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == 1 || text[0] != '0');
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
  own.given = parse_labelled_words(text, file,
                                   {[&](std::string_view name) { return letters.number(name); },
                                    [&](std::string_view name) { return labels.number(name); }});
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

std::vector<LabelledWord> read_words_of(const std::string& file, const Alphabet& alphabet,
                                        const Labelling& moves, const LabellingNames& called) {
  WordNames names;
  names.letter = [&](std::string_view name) {
    if (const auto letter = alphabet.find(name)) return *letter;
    throw InputError(
        fmt::format("expected a letter of the {}, found {}", called.language, in_quotes(name)));
  };
  names.label = [&](std::string_view name) {
    std::uint32_t label = moves.labels;
    if (is_whole_number(name)) std::from_chars(name.data(), name.data() + name.size(), label);
    if (label < moves.labels) return label;
    throw InputError(fmt::format("expected a {} from 0 to {}, found {}", called.label,
                                 moves.labels - 1, in_quotes(name)));
  };
  names.expected = [&](const std::vector<std::uint32_t>& word) { return moves.after(word); };
  std::vector<LabelledWord> words = parse_labelled_words(read_text_file(file), file, names).words;
  for (LabelledWord& word : words) word.labels.clear();
  return words;
}

}  // namespace logdepth::inline learned_word_problems
