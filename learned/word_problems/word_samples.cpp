// The task `words`: its samples, curriculum and measure.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/batch_text.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/word_problems/csv_fields.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/n_star.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/own_crasp.hpp"
#include "learned/word_problems/task_words.hpp"
#include "learned/word_problems/word_task.hpp"
#include "learned/word_problems/word_tokens.hpp"

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

class WordTask final : public Task, public BatchText {
 public:
  WordTask(const WordTaskConfig& config, std::uint64_t seed)
      : config_(config.checked()),
        seed_(seed),
        words_(config_),
        tokens_(config.positions == WordTaskConfig::Positions::begin, labelling_.letters,
                config.max_length) {}

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
    samples.layer_views = views(length);
    samples.review = drawn != stage;
    if (words_.own()) samples.review = true;  // until a word decides
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::training, step, i);
      const bool decides = add_training_word(samples, drawn, length, random) && drawn == stage;
      if (!words_.own()) continue;
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
    const std::uint32_t words = words_.measured(length);
    Json result = {{"kind", "words"}, {"monoid", labelling_.name}, {"size", labelling_.labels}};
    if (words_.automaton()) result["automaton"] = automaton_to_json(*words_.automaton());
    if (words_.crasp()) result["crasp"] = crasp_to_json(*words_.crasp());
    if (words_.own()) {
      result["letters"] = words_.own()->letters;
      result["labels"] = words_.own()->labels;
      result["asked"] = words_.asked(length);
    }
    result.update(reached(after.back()));
    result["length"] = length;
    if (config_.measured_times > 1) result["trained_length"] = lengths_.at(stage);
    result["words"] = words;
    if (!words_.held_out().empty()) result["held_out"] = true;
    result["threshold"] = config_.threshold;
    result["accuracy"] = after.back();
    if (words_.crasp()) result.update(one_verdict(length));
    if (!predictor.own_loops) return result;
    result["by_loops"] = Json::array();
    for (std::size_t loops = 1; loops <= after.size(); ++loops) {
      Json& entry = result["by_loops"].emplace_back(Json{{"loops", loops}});
      entry.update(reached(after[loops - 1]));
      entry["accuracy"] = after[loops - 1];
    }
    return result;
  }

  void write_batch_header(std::ostream& out) const override {
    out << "step,row,decides,input,target\n";
  }
  void write_batch(std::ostream& out, std::size_t stage, std::uint64_t step) const override {
    const Samples samples = training_batch(stage, step);
    for_each_word(samples, [&](std::size_t row, std::size_t first, std::size_t end) {
      const bool decides = samples.labels.empty() ? !samples.review : samples.labels[end - 1] == 1;
      out << step << ',' << row << ',' << decides << ',';
      write_word(out, samples, first, end);
    });
  }
  void write_measured(std::ostream& out, std::size_t stage) const override {
    const std::uint32_t length = config_.measured_times * lengths_.at(stage);
    const std::uint32_t words = words_.measured(length), at_once = measured_at_once(length);
    out << "input,target\n";
    for (std::uint32_t first = 0; first < words; first += at_once) {
      const Samples samples = validation_batch(length, first, std::min(at_once, words - first));
      for_each_word(samples, [&](std::size_t, std::size_t begin, std::size_t end) {
        write_word(out, samples, begin, end);
      });
    }
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
           (result.contains("held_out") ? " words held out of the file" : " words") +
           (result.contains("one_verdict")
                ? ", n* = " + result["one_verdict"].dump() + " of the more frequent verdict alone"
                : "");
  }

 private:
  /// At the indices 1, 2, ... of words, over the words of validation.
  using Accuracies = std::vector<double>;

  /// Visits the words of samples that something is asked of, up to the last letter after which it is, by
  /// their tokens, and the row that each is in.
  template <class Visit>
  void for_each_word(const Samples& samples, Visit visit) const {
    const std::size_t tables = tokens_.tables().size();
    const auto begins = [&](std::size_t i) {
      return i % samples.tokens == 0 ||
             (tokens_.before() > 0 &&
              samples.indices[i * tables] == static_cast<std::int32_t>(labelling_.letters));
    };
    for (std::size_t i = 0; i < samples.targets.size();) {
      const std::size_t row = i / samples.tokens, first = i + tokens_.before();
      std::size_t end = first;
      for (++i; i < samples.targets.size() && !begins(i);) ++i;
      for (std::size_t k = first; k < i; ++k)
        if (samples.targets[k] != Samples::kIgnored) end = k + 1;
      if (end > first) visit(row, first, end);
    }
  }

  void write_word(std::ostream& out, const Samples& samples, std::size_t first,
                  std::size_t end) const {
    const std::size_t tables = tokens_.tables().size();
    std::string input, target;
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) input += ' ';
      input += words_.letter_name(static_cast<std::size_t>(samples.indices[i * tables]));
      if (samples.targets[i] == Samples::kIgnored) continue;
      if (!target.empty()) target += ' ';
      target += words_.label_name(static_cast<std::size_t>(samples.targets[i]));
    }
    out << csv_field(input) << ',' << csv_field(target) << '\n';
  }

  /// What each layer may read in words of so many letters.
  std::vector<std::vector<std::uint8_t>> views(std::uint32_t length) const {
    return config_.edges_of(length).views(length, tokens_.before());
  }

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
    const std::uint32_t at_once = measured_at_once(length), words = words_.measured(length);
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
    const std::vector<std::size_t> of = words_.asked(length);
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

  /// The share of the words that the program accepts at each index, and the n* of a network that answers with the
  /// more frequent verdict there: of many programs it is not 0.
  Json one_verdict(std::uint32_t length) const {
    std::vector<std::size_t> accepted(length);
    const std::uint32_t words = words_.measured(length), at_once = measured_at_once(length);
    for (std::uint32_t first = 0; first < words; first += at_once) {
      const Samples samples = validation_batch(length, first, std::min(at_once, words - first));
      for (std::size_t i = 0; i < samples.targets.size(); ++i)
        if (samples.targets[i] != Samples::kIgnored)
          accepted[i % samples.tokens - tokens_.before()] += samples.targets[i] == 1;
    }
    Accuracies shares, constant;
    for (const std::size_t count : accepted) {
      shares.push_back(static_cast<double>(count) / static_cast<double>(words));
      constant.push_back(std::max(shares.back(), 1 - shares.back()));
    }
    return {{"accepted", shares}, {"one_verdict", n_star(constant, config_.threshold).strict}};
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
              ? words_.table().identity
              : words_.table().letters[static_cast<std::size_t>(samples.indices[i * tables])]);
    for (std::size_t half = 1; samples.taught.size() < config_.taught_levels(); half *= 2) {
      for (std::size_t i = products.size(); i-- > 0;)
        if (i % samples.tokens >= half)
          products[i] = words_.table().times(products[i - half], products[i]);
      auto& level = samples.taught.emplace_back(products.begin(), products.end());
      for (std::size_t i = 0; i < level.size(); ++i)
        if (i % samples.tokens < tokens_.before()) level[i] = Samples::kIgnored;
    }
  }

  Samples validation_batch(std::uint32_t length, std::uint32_t first, std::uint32_t count) const {
    Samples samples = tokens_.samples(count, length);
    samples.layer_views = views(length);
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::validation, 0, first + i);
      if (words_.held_out().empty()) {
        add_word(samples, {words_.draw(length, random)}, length, random);
      } else {
        add_word(samples, words_.held_out()[first + i], length, random);
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
    if (words_.trained().empty()) {
      add_word(samples, {words_.draw(room, random)}, room, random);
      return room == lengths_[stage];
    }
    const LabelledWord& word =
        words_.trained()[random.below(words_.fitting(words_.trained(), lengths_[stage]))];
    add_word(samples, word, room, random);
    const std::size_t whole = std::min<std::size_t>(word.letters.size(), lengths_[stage]);
    return whole > earlier && whole <= room;
  }

  /// The beginning of `word` with its labels, or with drawn ones in their place.
  void add_word(Samples& samples, const LabelledWord& word, std::uint32_t length,
                CounterRandom& random) const {
    const std::size_t letters = std::min<std::size_t>(word.letters.size(), length);
    tokens_.add(samples, word.letters, letters);
    std::vector<std::uint32_t> after;
    if (word.labels.empty()) after = labelling_.after(std::span(word.letters).first(letters));
    for (std::size_t i = 0; i < letters; ++i) {
      std::int32_t target =
          word.labels.empty() ? static_cast<std::int32_t>(after[i]) : word.labels[i];
      if (config_.shuffled_labels && target != Samples::kIgnored)
        target = static_cast<std::int32_t>(random.below(labelling_.labels));
      samples.targets.push_back(target);
    }
  }

  WordTaskConfig config_;
  std::uint64_t seed_;
  TaskWords words_;
  const Labelling& labelling_ = words_.labelling();
  const std::vector<std::uint32_t>& lengths_ = words_.lengths();
  WordTokens tokens_;
};

}  // namespace

std::unique_ptr<Task> WordTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<WordTask>(*this, seed);
}

}  // namespace logdepth::inline learned_word_problems
