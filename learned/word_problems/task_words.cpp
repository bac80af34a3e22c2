#include "learned/word_problems/task_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "learned/records/samples.hpp"
#include "learned/word_problems/held_out_words.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/word_data.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

MonoidTable table_of(const WordTaskConfig& config) {
  const NamedLetters letters = config.named_letters();
  MonoidTable table = [&] {
    try {
      return make_monoid_table(config.monoid, letters);
    } catch (const InputError& error) {
      throw InputError(std::string("task.monoid: ") + error.what());
    } catch (const SizeLimit& error) {
      throw InputError(std::string("task.monoid: ") + error.what());
    }
  }();
  require(table.size > 1,
          "task.monoid: expected at least 2 elements, " + config.monoid + " has one");
  return table;
}

/// 2, 4, 8, ..., and `longest` in the end.
std::vector<std::uint32_t> stage_lengths(std::uint32_t longest) {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t length = 2; length < longest; length *= 2) lengths.push_back(length);
  lengths.push_back(longest);
  return lengths;
}

Labelling labelling_of(const Dfa& automaton, const WordTaskConfig& config) {
  const bool verdicts = config.labels == WordTaskConfig::Labels::verdicts;
  return labelling_of(automaton, name_of_automaton(automaton, config.automaton, verdicts),
                      verdicts);
}

std::optional<Dfa> own_automaton_of(const WordTaskConfig& config) {
  if (!config.monoid.empty() || !config.crasp.empty() || config.own_labels()) return std::nullopt;
  return own_automaton(config.regex, config.automaton);
}

std::optional<OwnCrasp> own_crasp_of(const WordTaskConfig& config) {
  if (!config.monoid.empty() || config.crasp.empty()) return std::nullopt;
  return own_crasp(config.crasp);
}

std::uint32_t count_of(const std::vector<std::string>& names) {
  return static_cast<std::uint32_t>(names.size());
}

std::optional<OwnWords> own_words_of(const WordTaskConfig& config) {
  if (!config.own_labels()) return std::nullopt;
  OwnWords own = read_own_words(config.data);
  const std::size_t letters = std::size_t{config.measured_times} * config.max_length;
  require(letters <= own.longest(),
          fmt::format(
              "task.max_length: expected at most {} letters{}, the longest word of {}, found {}",
              own.longest(),
              config.measured_times > 1
                  ? fmt::format(", task.measured_times = {} times", config.measured_times)
                  : "",
              config.data, letters));
  return own;
}

}  // namespace

TaskWords::TaskWords(const WordTaskConfig& config)
    : config_(config),
      table_(config.monoid.empty() ? MonoidTable() : table_of(config)),
      automaton_(own_automaton_of(config)),
      crasp_(own_crasp_of(config)),
      own_(own_words_of(config)),
      labelling_(own_ ? Labelling{own_->name, count_of(own_->letters), 0, count_of(own_->labels)}
                 : automaton_ ? labelling_of(*automaton_, config)
                 : crasp_     ? labelling_of(*crasp_)
                              : labelling_of(table_)),
      lengths_(stage_lengths(config.max_length)) {
  if (crasp_) verdict_words_.emplace(crasp_->program, config.measured_times * config.max_length);
  if (!config.data.empty()) take_words();
}

void TaskWords::take_words() {
  HeldOutWords parts = hold_out(own_                   ? std::move(own_->given.words)
                                : automaton_ || crasp_ ? words_of_language()
                                                       : words_of_monoid(),
                                "task.data: " + config_.data);
  trained_ = std::move(parts.trained);
  held_out_ = std::move(parts.held_out);
  if (!own_) return;
  const auto letters = [](const LabelledWord& word) { return word.letters.size(); };
  if (own_->given.verdicts)
    for (auto* words : {&trained_, &held_out_}) std::ranges::stable_sort(*words, {}, letters);
  // Every stage has words that are longer than those of the stage before.
  std::size_t longest = 0, earlier = 0;
  for (const LabelledWord& word : trained_) longest = std::max(longest, letters(word));
  std::erase_if(lengths_, [&](std::uint32_t length) {
    const std::size_t fit = fitting(trained_, length);
    const std::size_t reach =
        own_->given.verdicts && fit > 0 ? letters(trained_[fit - 1]) : longest;
    if ((own_->given.verdicts && fit == 0) || reach <= earlier) return true;
    earlier = length;
    return false;
  });
  if (!lengths_.empty()) lengths_.back() = config_.max_length;
  require(
      !lengths_.empty() && measured(config_.max_length) > 0,
      fmt::format("task.data: {}: expected words of at most {} letters, task.max_length, some to "
                  "train on and some held out, since labels are one per word; found none {}",
                  config_.data, config_.max_length,
                  lengths_.empty() ? "to train on" : "among those held out"));
}

std::vector<LabelledWord> TaskWords::cut(std::vector<LabelledWord> words) const {
  const std::size_t letters = std::size_t{config_.measured_times} * config_.max_length;
  for (LabelledWord& word : words) {
    require(word.letters.size() >= letters,
            fmt::format("task.data: {}:{}: expected words of at least {} letters, {}"
                        "task.max_length = {}, found {}",
                        config_.data, word.line, letters,
                        config_.measured_times > 1 ? "task.measured_times times " : "",
                        config_.max_length, word.letters.size()));
    word.letters.resize(letters);
  }
  return words;
}

std::vector<LabelledWord> TaskWords::words_of_language() const {
  const bool states = automaton_ && config_.labels == WordTaskConfig::Labels::states;
  return cut(read_words_of(config_.data, alphabet(), labelling_,
                           {automaton_ ? "automaton" : "program", states ? "state" : "verdict"}));
}

std::vector<std::uint32_t> uniform_word(std::size_t length, std::uint64_t letters,
                                        CounterRandom& random) {
  std::vector<std::uint32_t> word(length);
  for (std::uint32_t& letter : word) letter = static_cast<std::uint32_t>(random.below(letters));
  return word;
}

std::vector<std::uint32_t> TaskWords::draw(std::uint32_t length, CounterRandom& random) const {
  if (verdict_words_) return verdict_words_->draw(length, random);
  return uniform_word(length, labelling_.letters, random);
}

std::vector<LabelledWord> TaskWords::words_of_monoid() const {
  std::vector<std::optional<std::uint32_t>> letter_of(table_.size);
  for (std::size_t letter = table_.letters.size(); letter-- > 0;)
    letter_of[table_.letters[letter]] = static_cast<std::uint32_t>(letter);
  std::vector<LabelledWord> words;
  for (WordRow& row : read_word_file(config_.data, table_).rows)
    words.push_back({std::move(row.word), {}, row.line});
  words = cut(std::move(words));
  for (LabelledWord& word : words)
    for (std::uint32_t& element : word.letters) {
      require(
          letter_of[element].has_value(),
          fmt::format("task.data: {}:{}: expected generators of {}, as in task.letters, found {}",
                      config_.data, word.line, table_.name, table_.element_names[element]));
      element = *letter_of[element];
    }
  return words;
}

std::size_t TaskWords::fitting(const std::vector<LabelledWord>& words, std::uint32_t length) const {
  if (!own_ || !own_->given.verdicts) return words.size();
  const auto end = std::ranges::upper_bound(
      words, length, {}, [](const LabelledWord& word) { return word.letters.size(); });
  return static_cast<std::size_t>(end - words.begin());
}

std::uint32_t TaskWords::measured(std::uint32_t length) const {
  if (held_out_.empty()) return config_.validation;
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(config_.validation, fitting(held_out_, length)));
}

std::vector<std::size_t> TaskWords::asked(std::uint32_t length) const {
  const std::uint32_t words = measured(length);
  if (!own_) return std::vector<std::size_t>(length, words);
  std::vector<std::size_t> counts(length);
  for (std::uint32_t word = 0; word < words; ++word)
    for (std::size_t i = 0; i < std::min<std::size_t>(length, held_out_[word].labels.size()); ++i)
      counts[i] += held_out_[word].labels[i] != Samples::kIgnored;
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  return counts;
}

std::string TaskWords::letter_name(std::size_t letter) const {
  if (own_) return own_->letters.at(letter);
  if (automaton_ || crasp_) return alphabet().name(static_cast<Letter>(letter));
  return std::to_string(table_.letters.at(letter));
}
std::string TaskWords::label_name(std::size_t label) const {
  return own_ ? own_->labels.at(label) : std::to_string(label);
}

}  // namespace logdepth::inline learned_word_problems
