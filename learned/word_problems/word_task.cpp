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
#include "learned/word_problems/word_data.hpp"
#include "learned/word_problems/word_tokens.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostLength = 1u << 16;
/// Tokens of a batch: more is a mistyped setting.
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 26;

/// Words of so many letters that a predictor is given at once in a measurement: fewer of long ones,
/// since attention has a number for every pair of letters.
std::uint32_t measured_at_once(std::uint32_t length) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 22, kMostWords = 256;
  const std::uint64_t pairs = std::uint64_t{length} * length;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMostPairs / pairs, 1, kMostWords));
}

const WordTaskConfig& checked(const WordTaskConfig& c) {
  require(c.max_length >= 2 && c.max_length <= kMostLength,
          fmt::format("task.max_length: expected 2 to {}, found {}", kMostLength, c.max_length));
  require(c.threshold > 0 && c.threshold <= 1,
          "task.threshold: expected more than 0 and at most 1, found " + Json(c.threshold).dump());
  require(
      c.batch_tokens > 0 && c.batch_tokens <= kMostTokens,
      fmt::format("task.batch_tokens: expected 1 to {}, found {}", kMostTokens, c.batch_tokens));
  require(c.batch_least > 0, "task.batch_least: expected at least 1, found 0");
  require(
      std::uint64_t{c.batch_least} * c.max_length <= kMostTokens,
      fmt::format("task.batch_least: expected at most {} words of task.max_length = {}, found {}",
                  kMostTokens / c.max_length, c.max_length, c.batch_least));
  require(c.validation > 0, "task.validation: expected at least 1, found 0");
  require(c.mixed_lengths >= 0 && c.mixed_lengths <= 1,
          "task.mixed_lengths: expected 0 to 1, found " + Json(c.mixed_lengths).dump());
  require(c.measured_times >= 1 && c.measured_times <= 64,
          fmt::format("task.measured_times: expected 1 to 64, found {}", c.measured_times));
  require(
      c.measured_times == 1 || c.positions == WordTaskConfig::Positions::begin,
      "task.measured_times: expected task.positions begin, since a table has no more positions");
  if (c.packs()) {
    require(c.row_tokens > c.max_length && c.row_tokens <= kMostTokens,
            fmt::format("task.row_tokens: expected at least {}, a word of task.max_length letters "
                        "with its begin token, found {}",
                        c.max_length + 1, c.row_tokens));
    require(c.positions == WordTaskConfig::Positions::begin,
            "task.row_tokens: expected task.positions begin");
    require(c.teach == WordTaskConfig::Teach::none,
            "task.row_tokens: words that share a row are not taught windows, expected task.teach "
            "none");
  }
  if (c.monoid.empty()) {
    require(c.teach == WordTaskConfig::Teach::none,
            "task.teach: windows are products of a monoid, expected task.teach none for an "
            "automaton");
    require(c.data.empty(),
            "task.data: words of a file are labelled by a monoid, expected no file for an "
            "automaton");
    require(c.letters == WordTaskConfig::Letters::all,
            "task.letters: an automaton has its own letters, expected all");
  }
  require(c.teach == WordTaskConfig::Teach::none || !c.shuffled_labels,
          "task.teach: expected labels that are computed, not task.shuffled_labels");
  return c;
}

NamedLetters named_letters(WordTaskConfig::Letters letters) {
  return letters == WordTaskConfig::Letters::all ? NamedLetters::all : NamedLetters::generators;
}

MonoidTable table_of(const WordTaskConfig& config) {
  const NamedLetters letters = named_letters(config.letters);
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
  if (!config.monoid.empty()) return std::nullopt;
  return own_automaton(config.regex, config.automaton);
}

class WordTask final : public Task {
 public:
  WordTask(const WordTaskConfig& config, std::uint64_t seed)
      : config_(checked(config)),
        seed_(seed),
        table_(config.monoid.empty() ? MonoidTable() : table_of(config)),
        automaton_(own_automaton_of(config)),
        labelling_(automaton_ ? labelling_of(*automaton_, config) : labelling_of(table_)),
        tokens_(config.positions == WordTaskConfig::Positions::begin, labelling_.letters,
                config.max_length),
        lengths_(stage_lengths(config.max_length)) {
    if (!config.data.empty()) read_words();
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
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::training, step, i);
      add_training_word(samples, length, random);
    }
    add_windows(samples);
    return samples;
  }

  double promoting_accuracy(const Samples& samples,
                            const std::vector<std::int32_t>& answers) const override {
    std::size_t right = 0;
    if (config_.packs()) {
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
    const std::uint32_t words = measured_words();
    Json result = {{"kind", "words"}, {"monoid", labelling_.name}, {"size", labelling_.labels}};
    if (automaton_) result["automaton"] = automaton_to_json(*automaton_);
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
  /// A word as indices of letters.
  using LetterWord = std::vector<std::uint32_t>;
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
        const std::uint32_t length = std::min(lengths_[drawn], left - 1);
        add_training_word(samples, length, random);
        left -= length + 1;
        samples.segments.insert(samples.segments.end(), length + 1, segment);
        samples.labels.insert(samples.labels.end(), length + 1, 0);
        if (drawn != stage || length != lengths_[stage]) continue;
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
    const std::uint32_t at_once = measured_at_once(length), asked = measured_words();
    for (std::uint32_t first = 0; first < asked; first += at_once) {
      const std::uint32_t count = std::min(at_once, asked - first);
      const Samples samples = validation_batch(length, first, count);
      const std::vector<Answers> after = predictor.own_loops
                                             ? predictor.answers_after(samples, loops)
                                             : std::vector<Answers>{predictor.answers(samples, 0)};
      for (std::size_t loop = 0; loop < loops.size(); ++loop)
        for (std::size_t i = 0; i < samples.targets.size(); ++i)
          if (const std::size_t place = i % samples.tokens; place >= tokens_.before())
            right[loop][place - tokens_.before()] += after.at(loop).at(i) == samples.targets[i];
      if (progress) progress(first + count, asked);
    }
    std::vector<Accuracies> shares;
    for (const std::vector<std::size_t>& words : right)
      for (Accuracies& share = shares.emplace_back(); const std::size_t count : words)
        share.push_back(static_cast<double>(count) / static_cast<double>(asked));
    return shares;
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

  void read_words() {
    std::vector<std::optional<std::uint32_t>> letter_of(table_.size);
    for (std::size_t letter = table_.letters.size(); letter-- > 0;)
      letter_of[table_.letters[letter]] = static_cast<std::uint32_t>(letter);
    WordFile file = read_word_file(config_.data, table_);
    const std::size_t letters = std::size_t{config_.measured_times} * config_.max_length;
    for (WordRow& row : file.rows) {
      require(row.word.size() >= letters,
              fmt::format("task.data: {}:{}: expected words of at least {} letters, {}"
                          "task.max_length = {}, found {}",
                          config_.data, row.line, letters,
                          config_.measured_times > 1 ? "task.measured_times times " : "",
                          config_.max_length, row.word.size()));
      row.word.resize(letters);
      for (std::uint32_t& element : row.word) {
        require(
            letter_of[element].has_value(),
            fmt::format("task.data: {}:{}: expected generators of {}, as in task.letters, found {}",
                        config_.data, row.line, table_.name, table_.element_names[element]));
        element = *letter_of[element];
      }
      words_.push_back(std::move(row.word));
    }
    HeldOutWords parts = hold_out(std::move(words_));
    require(parts.different >= 2,
            fmt::format("task.data: {}: expected at least 2 different words, since one is held out "
                        "for the measure, found {}",
                        config_.data, parts.different));
    words_ = std::move(parts.trained);
    held_out_ = std::move(parts.held_out);
  }

  /// Words of a measurement.
  std::uint32_t measured_words() const {
    if (held_out_.empty()) return config_.validation;
    return static_cast<std::uint32_t>(std::min<std::size_t>(config_.validation, held_out_.size()));
  }

  Samples validation_batch(std::uint32_t length, std::uint32_t first, std::uint32_t count) const {
    Samples samples = tokens_.samples(count, length);
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::validation, 0, first + i);
      if (held_out_.empty()) {
        add_drawn_word(samples, length, random);
      } else {
        add_word(samples, held_out_[first + i], length, random);
      }
    }
    return samples;
  }

  void add_training_word(Samples& samples, std::uint32_t length, CounterRandom& random) const {
    if (words_.empty()) {
      add_drawn_word(samples, length, random);
    } else {
      add_word(samples, words_[random.below(words_.size())], length, random);
    }
  }

  void add_drawn_word(Samples& samples, std::uint32_t length, CounterRandom& random) const {
    LetterWord word(length);
    for (std::uint32_t& letter : word)
      letter = static_cast<std::uint32_t>(random.below(labelling_.letters));
    add_word(samples, word, length, random);
  }

  /// The beginning of `word` with its labels, or with drawn ones in their place.
  void add_word(Samples& samples, const LetterWord& word, std::uint32_t length,
                CounterRandom& random) const {
    tokens_.add(samples, word, length);
    std::uint32_t state = labelling_.start;
    for (std::size_t i = 0; i < length; ++i) {
      state = labelling_.step(state, word[i]);
      const std::uint64_t target =
          config_.shuffled_labels ? random.below(labelling_.labels) : labelling_.label[state];
      samples.targets.push_back(static_cast<std::int32_t>(target));
    }
  }

  WordTaskConfig config_;
  std::uint64_t seed_;
  MonoidTable table_;             ///< empty for an automaton
  std::optional<Dfa> automaton_;  ///< in place of a monoid
  Labelling labelling_;
  WordTokens tokens_;
  std::vector<std::uint32_t> lengths_;
  std::vector<LetterWord> words_;     ///< of `data`, to train on; empty: words are drawn
  std::vector<LetterWord> held_out_;  ///< of `data`, to measure
};

}  // namespace

std::unique_ptr<TaskSettings> WordTaskConfig::clone() const {
  return std::make_unique<WordTaskConfig>(*this);
}

void WordTaskConfig::visit(SettingVisitor& visit) {
  visit("monoid", monoid);
  if (monoid.empty()) {
    visit("regex", regex);
    visit.file("automaton", automaton);
    visit("labels", labels, {"states", "verdicts"});
  }
  visit("letters", letters, {"all", "generators"});
  visit("positions", positions, {"table", "begin"});
  visit("max_length", max_length);
  visit("batch_tokens", batch_tokens);
  visit("batch_least", batch_least);
  visit("row_tokens", row_tokens);
  visit("validation", validation);
  visit("measured_times", measured_times);
  visit("threshold", threshold);
  visit("mixed_lengths", mixed_lengths);
  visit("teach", teach, {"none", "windows"});
  visit.file("data", data);
  visit("shuffled_labels", shuffled_labels);
}

std::uint32_t WordTaskConfig::taught_levels() const {
  return teach == Teach::windows ? static_cast<std::uint32_t>(ceil_log2(max_length)) : 0;
}

std::unique_ptr<Task> WordTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<WordTask>(*this, seed);
}

std::uint32_t WordTaskConfig::longest() const {
  return positions == Positions::table ? max_length : kMostLength;
}

void WordTaskConfig::ask(const MeasureRequest& request) {
  const bool table = positions == Positions::table;
  require(request.length == 0 || (request.length >= 2 && request.length <= longest()),
          fmt::format("--length: expected 2 to {}{}, found {}", longest(),
                      table ? ", the positions that the network has" : "", request.length));
  if (request.length > 0) {
    max_length = request.length;
    measured_times = 1;
    row_tokens = 0;  // nothing is trained
  }
  if (request.samples > 0) validation = request.samples;
  // Words of another length than those of the file are drawn.
  if (request.length > 0) data.clear();
}

bool WordTaskConfig::asks_products() const {
  return !monoid.empty();
}

ProductQuestion WordTaskConfig::products() const {
  const Action generators = named_monoid(monoid, NamedLetters::generators);
  const auto elements = enumerate_monoid(generators.generators, generators.points, kMostElements);
  return {monoid, named_monoid(monoid, named_letters(letters)).alphabet.names(), max_length,
          elements.value().elements};
}

}  // namespace logdepth::inline learned_word_problems
