#include "learned/word_problems/word_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/word_problems/held_out_words.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/monoid_table.hpp"
#include "learned/word_problems/n_star.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/own_words.hpp"
#include "learned/word_problems/word_data.hpp"
#include "learned/word_problems/word_tokens.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;

/// Words of so many letters that a predictor is given at once in a measurement: fewer of long ones,
/// since attention has a number for every pair of letters.
std::uint32_t measured_at_once(std::uint32_t length) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 22, kMostWords = 256;
  const std::uint64_t pairs = std::uint64_t{length} * length;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMostPairs / pairs, 1, kMostWords));
}

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
  if (!config.monoid.empty() || config.own_labels()) return std::nullopt;
  return own_automaton(config.regex, config.automaton);
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

class WordTask final : public Task {
 public:
  WordTask(const WordTaskConfig& config, std::uint64_t seed)
      : config_(config.checked()),
        seed_(seed),
        table_(config.monoid.empty() ? MonoidTable() : table_of(config)),
        automaton_(own_automaton_of(config)),
        own_(own_words_of(config)),
        labelling_(own_ ? Labelling{own_->name, count_of(own_->letters), 0, count_of(own_->labels)}
                   : automaton_ ? labelling_of(*automaton_, config)
                                : labelling_of(table_)),
        tokens_(config.positions == WordTaskConfig::Positions::begin, labelling_.letters,
                config.max_length),
        lengths_(stage_lengths(config.max_length)) {
    if (!config.data.empty()) take_words();
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = tokens_.tables();
    format.view = TaskFormat::View::causal;
    format.readout = TaskFormat::Readout::each_token;
    format.answer = TaskFormat::Answer::one_class;
    format.outputs = {labelling_.labels};
    format.taught = config_.taught_levels();
    return format;
  }

  std::size_t stages() const override { return lengths_.size(); }
  std::string stage_name(std::size_t stage) const override {
    return fmt::format("length {}", lengths_.at(stage));
  }

  Samples training_batch(std::size_t stage, std::uint64_t step) const override {
    if (config_.packs()) return packed_batch(stage, step);
    const std::size_t drawn = drawn_stage(stage, step);
    const std::uint32_t length = lengths_.at(drawn);
    const std::uint32_t count = std::max(config_.batch_least, config_.batch_tokens / length);
    Samples samples = tokens_.samples(count, length);
    samples.review = drawn != stage;
    if (own_) samples.review = true;  // until a word decides
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::training, step, i);
      const bool decides = add_training_word(samples, drawn, length, random) && drawn == stage;
      if (!own_) continue;
      const std::size_t end = samples.targets.size();
      samples.labels.resize(end);
      samples.labels.back() = decides;
      if (decides) samples.review = false;
      tokens_.pad(samples, samples.tokens * (i + 1) - end);
      samples.labels.resize(samples.targets.size());
    }
    add_windows(samples);
    return samples;
  }

  double promoting_accuracy(const Samples& samples,
                            const std::vector<std::int32_t>& answers) const override {
    std::size_t right = 0;
    if (!samples.labels.empty()) {
      std::size_t asked = 0;
      for (std::size_t i = 0; i < samples.targets.size(); ++i) {
        if (samples.labels[i] == 0) continue;
        ++asked;
        right += answers.at(i) == samples.targets[i];
      }
      return asked == 0 ? 0 : static_cast<double>(right) / static_cast<double>(asked);
    }
    for (std::size_t i = 1; i <= samples.count; ++i)
      right += answers.at(i * samples.tokens - 1) == samples.targets[i * samples.tokens - 1];
    return samples.count == 0 ? 0 : static_cast<double>(right) / static_cast<double>(samples.count);
  }

  Json measure(const Predictor& predictor, std::size_t stage,
               const MeasureProgress& progress) const override {
    const std::uint32_t length = config_.measured_times * lengths_.at(stage);
    const std::vector<Accuracies> after = accuracies(predictor, length, progress);
    const std::uint32_t words = measured_words(length);
    Json result = {{"kind", "words"}, {"monoid", labelling_.name}, {"size", labelling_.labels}};
    if (automaton_) result["automaton"] = automaton_to_json(*automaton_);
    if (own_) {
      result["letters"] = own_->letters;
      result["labels"] = own_->labels;
      result["asked"] = asked(length);
    }
    result.update(reached(after.back()));
    result["length"] = length;
    if (config_.measured_times > 1) result["trained_length"] = lengths_.at(stage);
    result["words"] = words;
    if (!held_out_.empty()) result["held_out"] = true;
    result["threshold"] = config_.threshold;
    result["accuracy"] = after.back();
    if (!predictor.own_loops) return result;
    result["by_loops"] = Json::array();
    for (std::size_t loops = 1; loops <= after.size(); ++loops) {
      Json& entry = result["by_loops"].emplace_back(Json{{"loops", loops}});
      entry.update(reached(after[loops - 1]));
      entry["accuracy"] = after[loops - 1];
    }
    return result;
  }

  Score score(const Predictor& predictor, std::size_t stage) const override {
    const std::vector<Accuracies> after =
        accuracies(predictor, config_.measured_times * lengths_.at(stage), {});
    std::vector<double> reached;
    for (const Accuracies& accuracy : after)
      reached.push_back(static_cast<double>(n_star(accuracy, config_.threshold).strict));
    const double own = reached.back();
    if (!predictor.own_loops) reached.clear();
    return {own, after.back(), std::move(reached)};
  }
  std::string score_name() const override { return "n*"; }

  std::string summary(const Json& result) const override {
    return result["monoid"].get<std::string>() + ": n* = " + result["strict"].dump() + " (strict" +
           (result["censored"].get<bool>() ? ", censored" : "") + "), " + result["loose"].dump() +
           " (loose) of " + result["length"].dump() + ", threshold " + result["threshold"].dump() +
           ", " + result["words"].dump() +
           (result.contains("held_out") ? " words held out of the file" : " words");
  }

 private:
  /// At the indices 1, 2, ... of words, over the words of validation.
  using Accuracies = std::vector<double>;

  /// The stage that a batch is of: the present one, or one drawn up to it.
  std::size_t drawn_stage(std::size_t stage, std::uint64_t step) const {
    if (config_.mixed_lengths == 0) return stage;
    CounterRandom random(seed_, RandomStream::lengths, step);
    return random.chance(config_.mixed_lengths) ? random.below(stage + 1) : stage;
  }

  /// Rows of words of one length each; what decides about promotion is the last letter of whole words
  /// of the present stage.
  Samples packed_batch(std::size_t stage, std::uint64_t step) const {
    const std::uint32_t tokens = config_.row_tokens;
    const std::uint32_t rows = std::max<std::uint32_t>(1, config_.batch_tokens / tokens);
    Samples samples = tokens_.samples(rows, tokens - 1);
    samples.review = true;
    for (std::uint32_t row = 0; row < rows; ++row) {
      CounterRandom lengths(seed_, RandomStream::lengths, step, row);
      CounterRandom random(seed_, RandomStream::training, step, row);
      const std::size_t drawn =
          lengths.chance(config_.mixed_lengths) ? lengths.below(stage + 1) : stage;
      std::int32_t segment = 0;
      for (std::uint32_t left = tokens; left > 0; ++segment) {
        const std::size_t before = samples.targets.size();
        const std::uint32_t room = std::min(lengths_[drawn], left - 1);
        const bool decides = add_training_word(samples, drawn, room, random);
        const std::size_t added = samples.targets.size() - before;
        left -= static_cast<std::uint32_t>(added);
        samples.segments.insert(samples.segments.end(), added, segment);
        samples.labels.insert(samples.labels.end(), added, 0);
        if (drawn != stage || !decides) continue;
        samples.labels.back() = 1;
        samples.review = false;
      }
    }
    return samples;
  }

  /// After 1, 2, ... loops up to the model's own number; of a network without a loop one entry.
  std::vector<Accuracies> accuracies(const Predictor& predictor, std::uint32_t length,
                                     const MeasureProgress& progress) const {
    std::vector<std::uint32_t> loops(predictor.own_loops ? predictor.own_loops(length) : 1);
    std::iota(loops.begin(), loops.end(), 1U);
    std::vector<std::vector<std::size_t>> right(loops.size(), std::vector<std::size_t>(length));
    const std::uint32_t at_once = measured_at_once(length), words = measured_words(length);
    for (std::uint32_t first = 0; first < words; first += at_once) {
      const std::uint32_t count = std::min(at_once, words - first);
      const Samples samples = validation_batch(length, first, count);
      const std::vector<Answers> after = predictor.own_loops
                                             ? predictor.answers_after(samples, loops)
                                             : std::vector<Answers>{predictor.answers(samples, 0)};
      for (std::size_t loop = 0; loop < loops.size(); ++loop)
        for (std::size_t i = 0; i < samples.targets.size(); ++i)
          if (samples.targets[i] != Samples::kIgnored)
            right[loop][i % samples.tokens - tokens_.before()] +=
                after.at(loop).at(i) == samples.targets[i];
      if (progress) progress(first + count, words);
    }
    const std::vector<std::size_t> of = asked(length);
    std::vector<Accuracies> shares;
    for (const std::vector<std::size_t>& counts : right) {
      Accuracies& share = shares.emplace_back(of.size());
      // An index that no word is asked at is as good as the next that is.
      for (std::size_t i = of.size(); i-- > 0;)
        share[i] =
            of[i] == 0 ? share[i + 1] : static_cast<double>(counts[i]) / static_cast<double>(of[i]);
    }
    return shares;
  }

  /// Words that a measurement asks about at the indices 1, 2, ..., up to the last that it asks at.
  std::vector<std::size_t> asked(std::uint32_t length) const {
    const std::uint32_t words = measured_words(length);
    if (!own_) return std::vector<std::size_t>(length, words);
    std::vector<std::size_t> counts(length);
    for (std::uint32_t word = 0; word < words; ++word)
      for (std::size_t i = 0; i < std::min<std::size_t>(length, held_out_[word].labels.size()); ++i)
        counts[i] += held_out_[word].labels[i] != Samples::kIgnored;
    while (!counts.empty() && counts.back() == 0) counts.pop_back();
    return counts;
  }

  Json reached(const Accuracies& accuracy) const {
    const NStar result = n_star(accuracy, config_.threshold);
    return {{"strict", result.strict}, {"loose", result.loose}, {"censored", result.censored}};
  }

  /// Targets of the readouts after layers 1, 2, ...: products of the last 2, 4, ... letters, each of
  /// two windows half as long. A token before the word is the empty product, which changes none.
  void add_windows(Samples& samples) const {
    if (config_.taught_levels() == 0) return;
    const std::size_t tables = tokens_.tables().size();
    std::vector<std::uint32_t> products;
    for (std::size_t i = 0; i < samples.targets.size(); ++i)
      products.push_back(
          i % samples.tokens < tokens_.before()
              ? table_.identity
              : table_.letters[static_cast<std::size_t>(samples.indices[i * tables])]);
    for (std::size_t half = 1; samples.taught.size() < config_.taught_levels(); half *= 2) {
      for (std::size_t i = products.size(); i-- > 0;)
        if (i % samples.tokens >= half) products[i] = table_.times(products[i - half], products[i]);
      auto& level = samples.taught.emplace_back(products.begin(), products.end());
      for (std::size_t i = 0; i < level.size(); ++i)
        if (i % samples.tokens < tokens_.before()) level[i] = Samples::kIgnored;
    }
  }

  /// Those of the file, some of them held out.
  void take_words() {
    HeldOutWords parts = hold_out(own_         ? std::move(own_->given.words)
                                  : automaton_ ? words_of_automaton()
                                               : words_of_monoid(),
                                  "task.data: " + config_.data);
    words_ = std::move(parts.trained);
    held_out_ = std::move(parts.held_out);
    if (!own_) return;
    const auto letters = [](const LabelledWord& word) { return word.letters.size(); };
    if (own_->given.verdicts)
      for (auto* words : {&words_, &held_out_}) std::ranges::stable_sort(*words, {}, letters);
    // Every stage has words that are longer than those of the stage before.
    std::size_t longest = 0, earlier = 0;
    for (const LabelledWord& word : words_) longest = std::max(longest, letters(word));
    std::erase_if(lengths_, [&](std::uint32_t length) {
      const std::size_t fit = fitting(words_, length);
      const std::size_t reach =
          own_->given.verdicts && fit > 0 ? letters(words_[fit - 1]) : longest;
      if ((own_->given.verdicts && fit == 0) || reach <= earlier) return true;
      earlier = length;
      return false;
    });
    if (!lengths_.empty()) lengths_.back() = config_.max_length;
    require(
        !lengths_.empty() && measured_words(config_.max_length) > 0,
        fmt::format("task.data: {}: expected words of at most {} letters, task.max_length, some to "
                    "train on and some held out, since labels are one per word; found none {}",
                    config_.data, config_.max_length,
                    lengths_.empty() ? "to train on" : "among those held out"));
  }

  void require_letters(const LabelledWord& word) const {
    const std::size_t letters = std::size_t{config_.measured_times} * config_.max_length;
    require(word.letters.size() >= letters,
            fmt::format("task.data: {}:{}: expected words of at least {} letters, {}"
                        "task.max_length = {}, found {}",
                        config_.data, word.line, letters,
                        config_.measured_times > 1 ? "task.measured_times times " : "",
                        config_.max_length, word.letters.size()));
  }

  /// The words of the file as far as they are read.
  std::vector<LabelledWord> cut(std::vector<LabelledWord> words) const {
    for (LabelledWord& word : words) {
      require_letters(word);
      word.letters.resize(std::size_t{config_.measured_times} * config_.max_length);
    }
    return words;
  }

  std::vector<LabelledWord> words_of_automaton() const {
    return cut(read_words_of_automaton(config_.data, *automaton_,
                                       config_.labels == WordTaskConfig::Labels::verdicts));
  }

  std::vector<LabelledWord> words_of_monoid() const {
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

  /// How many of the words may be read in so many letters: with a label per word the whole ones, which come
  /// first.
  std::size_t fitting(const std::vector<LabelledWord>& words, std::uint32_t length) const {
    if (!own_ || !own_->given.verdicts) return words.size();
    const auto end = std::ranges::upper_bound(
        words, length, {}, [](const LabelledWord& word) { return word.letters.size(); });
    return static_cast<std::size_t>(end - words.begin());
  }

  /// Words of a measurement.
  std::uint32_t measured_words(std::uint32_t length) const {
    if (held_out_.empty()) return config_.validation;
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(config_.validation, fitting(held_out_, length)));
  }

  Samples validation_batch(std::uint32_t length, std::uint32_t first, std::uint32_t count) const {
    Samples samples = tokens_.samples(count, length);
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::validation, 0, first + i);
      if (held_out_.empty()) {
        add_word(samples, drawn_word(length, random), length, random);
      } else {
        add_word(samples, held_out_[first + i], length, random);
      }
      tokens_.pad(samples, samples.tokens * (i + 1) - samples.targets.size());
    }
    return samples;
  }

  /// A word of a stage, as much of it as there is room for. Result: whether its last letter is there and
  /// no earlier stage has it, so that it decides about promotion.
  bool add_training_word(Samples& samples, std::size_t stage, std::uint32_t room,
                         CounterRandom& random) const {
    const std::uint32_t earlier = stage == 0 ? 0 : lengths_[stage - 1];
    if (words_.empty()) {
      add_word(samples, drawn_word(room, random), room, random);
      return room == lengths_[stage];
    }
    const LabelledWord& word = words_[random.below(fitting(words_, lengths_[stage]))];
    add_word(samples, word, room, random);
    const std::size_t whole = std::min<std::size_t>(word.letters.size(), lengths_[stage]);
    return whole > earlier && whole <= room;
  }

  LabelledWord drawn_word(std::uint32_t length, CounterRandom& random) const {
    LabelledWord word{std::vector<std::uint32_t>(length)};
    for (std::uint32_t& letter : word.letters)
      letter = static_cast<std::uint32_t>(random.below(labelling_.letters));
    return word;
  }

  /// The beginning of `word` with its labels, or with drawn ones in their place.
  void add_word(Samples& samples, const LabelledWord& word, std::uint32_t length,
                CounterRandom& random) const {
    const std::size_t letters = std::min<std::size_t>(word.letters.size(), length);
    tokens_.add(samples, word.letters, letters);
    std::uint32_t state = labelling_.start;
    for (std::size_t i = 0; i < letters; ++i) {
      std::int32_t target = Samples::kIgnored;
      if (!word.labels.empty()) {
        target = word.labels[i];
      } else {
        state = labelling_.step(state, word.letters[i]);
        target = static_cast<std::int32_t>(labelling_.label[state]);
      }
      if (config_.shuffled_labels && target != Samples::kIgnored)
        target = static_cast<std::int32_t>(random.below(labelling_.labels));
      samples.targets.push_back(target);
    }
  }

  WordTaskConfig config_;
  std::uint64_t seed_;
  MonoidTable table_;             ///< empty for an automaton
  std::optional<Dfa> automaton_;  ///< in place of a monoid
  std::optional<OwnWords> own_;   ///< in place of both
  Labelling labelling_;
  WordTokens tokens_;
  std::vector<std::uint32_t> lengths_;
  std::vector<LabelledWord> words_;     ///< of `data`, to train on; empty: words are drawn
  std::vector<LabelledWord> held_out_;  ///< of `data`, to measure
};

}  // namespace

std::unique_ptr<Task> WordTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<WordTask>(*this, seed);
}

}  // namespace logdepth::inline learned_word_problems
