#include "learned/word_problems/task_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/phrases.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/word_files.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"

namespace logdepth { inline namespace learned_word_problems {
namespace {

/// Steps of the program from one length to the next; fewer states are kept of large alphabets.
constexpr std::size_t kMostSteps = 12288;

/// One of a list, drawn by probability; the last where all are too small for a double.
template <class Arcs>
const auto& drawn(const Arcs& arcs, CounterRandom& random) {
  const double at = random.unit() * arcs.back().upto;
  const auto found =
      std::ranges::upper_bound(arcs, at, {}, [](const auto& arc) { return arc.upto; });
  return found == arcs.end() ? arcs.back() : *found;
}

template <class Arcs>
void add(Arcs& arcs, std::uint32_t from, std::uint32_t letter, double probability) {
  arcs.push_back({from, letter, probability + (arcs.empty() ? 0 : arcs.back().upto)});
}

}  // namespace

VerdictWords::VerdictWords(const CraspProgram& program, std::uint32_t longest)
    : program_(&program), longest_(std::min(longest, kLongest)) {
  levels_.emplace_back().states.push_back({1});
  runs_.emplace_back(program);
  bool seen[2] = {false, false};
  while (levels_.size() <= longest_ && !(seen[0] && seen[1])) {
    extend();
    for (const int verdict : {0, 1}) seen[verdict] |= !levels_.back().with[verdict].empty();
  }
  if (seen[0] && seen[1]) return;
  throw InputError(fmt::format(
      "{}: expected a program that accepts some words of at most {} letters and rejects some, "
      "found {} accepted",
      program.source, longest_, seen[1] ? "all" : "none"));
}

void VerdictWords::extend() const {
  const auto letters = static_cast<std::uint32_t>(program_->alphabet.size());
  const std::size_t most = std::clamp<std::size_t>(kMostSteps / letters, 16, kMostStates);
  const Level& last = levels_.back();
  std::vector<Reached> reached;
  std::vector<CraspRun> runs;
  std::map<std::pair<std::vector<std::int64_t>, bool>, std::size_t> known;
  for (std::uint32_t from = 0; from < runs_.size(); ++from)
    for (std::uint32_t letter = 0; letter < letters; ++letter) {
      CraspRun run = runs_[from];
      run.read(letter);
      const auto [at, added] = known.emplace(std::pair(run.memory(), run.accepts()), runs.size());
      if (added) {
        runs.push_back(std::move(run));
        reached.emplace_back();
      }
      Reached& state = reached[at->second];
      state.probability += last.states[from].probability / letters;
      add(state.arcs, from, letter, last.states[from].probability);
    }

  std::vector<std::uint32_t> kept(runs.size());
  std::iota(kept.begin(), kept.end(), 0u);
  if (kept.size() > most) {
    kept = CounterRandom(0, RandomStream::beginnings, levels_.size()).permutation(kept.size());
    std::ranges::stable_sort(kept, {}, [&](std::uint32_t i) { return reached[i].probability; });
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(most / 2),
               kept.end() - static_cast<std::ptrdiff_t>(most - most / 2));
  }
  Level next;
  std::vector<CraspRun> next_runs;
  for (const std::uint32_t i : kept) {
    add(next.with[runs[i].accepts()], static_cast<std::uint32_t>(next.states.size()), 0,
        reached[i].probability);
    next.states.push_back(std::move(reached[i]));
    next_runs.push_back(std::move(runs[i]));
  }
  levels_.push_back(std::move(next));
  runs_ = std::move(next_runs);
}

std::vector<std::uint32_t> VerdictWords::word_to(std::uint32_t length, bool verdict,
                                                 CounterRandom& random) const {
  std::uint32_t state = drawn(levels_[length].with[verdict], random).from;
  std::vector<std::uint32_t> word(length);
  for (std::uint32_t at = length; at > 0; --at) {
    const Arc& arc = drawn(levels_[at].states[state].arcs, random);
    word[at - 1] = arc.letter;
    state = arc.from;
  }
  return word;
}

std::vector<std::uint32_t> VerdictWords::draw(std::uint32_t length, CounterRandom& random) const {
  std::call_once(extended_, [&] {
    while (levels_.size() <= longest_) extend();
    runs_.clear();
  });
  const std::uint32_t most = std::min(length, longest_);
  std::uint32_t at = most;
  if (random.chance(0.5)) at = 1 + static_cast<std::uint32_t>(random.below(most));
  bool verdict = random.chance(0.5);
  if (levels_[at].with[verdict].empty()) verdict = !verdict;
  std::vector<std::uint32_t> word = word_to(at, verdict, random);
  while (word.size() < length)
    word.push_back(static_cast<std::uint32_t>(random.below(program_->alphabet.size())));
  return word;
}

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
  if (!config.monoid.empty() || !config.crasp.empty() || !config.data.empty()) return std::nullopt;
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
  if (config.data.empty()) return std::nullopt;
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

std::vector<std::uint32_t> uniform_word(std::size_t length, std::uint64_t letters,
                                        CounterRandom& random) {
  std::vector<std::uint32_t> word(length);
  for (std::uint32_t& letter : word) letter = static_cast<std::uint32_t>(random.below(letters));
  return word;
}

// The task `words`: its samples, curriculum and measure.

namespace {

using Json = nlohmann::ordered_json;

/// What the words of a task are made of and labelled by, the words of its file, and the lengths of its
/// curriculum.
class TaskWords {
 public:
  /// Errors: InputError naming the setting, or the file with its line.
  explicit TaskWords(const WordTaskConfig& config)
      : table(config.monoid.empty() ? MonoidTable() : table_of(config)),
        automaton(own_automaton_of(config)),
        crasp(own_crasp_of(config)),
        own(own_words_of(config)),
        labelling(own ? Labelling{own->name, count_of(own->letters), 0, count_of(own->labels)}
                  : automaton ? labelling_of(*automaton, config)
                  : crasp     ? labelling_of(*crasp)
                              : labelling_of(table)),
        lengths(stage_lengths(config.max_length)),
        config_(config) {
    if (crasp) verdict_words_.emplace(crasp->program, config.measured_times * config.max_length);
    if (own) take_words();
  }

  /// The letters of a word that no file has.
  std::vector<std::uint32_t> draw(std::uint32_t length, CounterRandom& random) const {
    if (verdict_words_) return verdict_words_->draw(length, random);
    return uniform_word(length, labelling.letters, random);
  }
  /// How many of the words may be read in so many letters: with a label per word the whole ones, which
  /// come first.
  std::size_t fitting(const std::vector<LabelledWord>& words, std::uint32_t length) const {
    if (!own->given.verdicts) return words.size();
    const auto end = std::ranges::upper_bound(
        words, length, {}, [](const LabelledWord& word) { return word.letters.size(); });
    return static_cast<std::size_t>(end - words.begin());
  }
  /// Words of a measurement.
  std::uint32_t measured(std::uint32_t length) const {
    if (held_out.empty()) return config_.validation;
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(config_.validation, fitting(held_out, length)));
  }
  /// Of these, those that something is asked of at the indices 1, 2, ..., up to the last that is asked at.
  std::vector<std::size_t> asked(std::uint32_t length) const {
    const std::uint32_t words = measured(length);
    if (!own) return std::vector<std::size_t>(length, words);
    std::vector<std::size_t> counts(length);
    for (std::uint32_t word = 0; word < words; ++word)
      for (std::size_t i = 0; i < std::min<std::size_t>(length, held_out[word].labels.size()); ++i)
        counts[i] += held_out[word].labels[i] != Samples::kIgnored;
    while (!counts.empty() && counts.back() == 0) counts.pop_back();
    return counts;
  }

  MonoidTable table;              ///< empty without a monoid
  std::optional<Dfa> automaton;   ///< in place of a monoid
  std::optional<OwnCrasp> crasp;  ///< in place of both
  std::optional<OwnWords> own;    ///< in place of all
  Labelling labelling;
  std::vector<std::uint32_t> lengths;           ///< of the stages
  std::vector<LabelledWord> trained, held_out;  ///< of a file; empty: words are drawn

 private:
  void take_words() {
    HeldOutWords parts = hold_out(std::move(own->given.words), "task.data: " + config_.data);
    trained = std::move(parts.trained);
    held_out = std::move(parts.held_out);
    const auto letters = [](const LabelledWord& word) { return word.letters.size(); };
    if (own->given.verdicts)
      for (auto* words : {&trained, &held_out}) std::ranges::stable_sort(*words, {}, letters);
    // Every stage has words that are longer than those of the stage before.
    std::size_t longest = 0, earlier = 0;
    for (const LabelledWord& word : trained) longest = std::max(longest, letters(word));
    std::erase_if(lengths, [&](std::uint32_t length) {
      const std::size_t fit = fitting(trained, length);
      const std::size_t reach =
          own->given.verdicts && fit > 0 ? letters(trained[fit - 1]) : longest;
      if ((own->given.verdicts && fit == 0) || reach <= earlier) return true;
      earlier = length;
      return false;
    });
    if (!lengths.empty()) lengths.back() = config_.max_length;
    require(
        !lengths.empty() && measured(config_.max_length) > 0,
        fmt::format("task.data: {}: expected words of at most {} letters, task.max_length, some to "
                    "train on and some held out, since labels are one per word; found none {}",
                    config_.data, config_.max_length,
                    lengths.empty() ? "to train on" : "among those held out"));
  }

  const WordTaskConfig& config_;
  std::optional<VerdictWords> verdict_words_;  ///< of the program
};

/// Words of so many letters that a predictor is given at once in a measurement: fewer of long ones,
/// since attention has a number for every pair of letters.
std::uint32_t measured_at_once(std::uint32_t length) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 22, kMostWords = 256;
  const std::uint64_t pairs = std::uint64_t{length} * length;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMostPairs / pairs, 1, kMostWords));
}

class WordTask final : public Task {
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
    samples.review = true;  // until a word decides
    for (std::uint32_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::training, step, i);
      const bool decides = add_training_word(samples, drawn, length, random) && drawn == stage;
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
    std::size_t asked = 0, right = 0;
    for (std::size_t i = 0; i < samples.targets.size(); ++i) {
      if (samples.labels[i] == 0) continue;
      ++asked;
      right += answers.at(i) == samples.targets[i];
    }
    return share_of(right, asked);
  }

  Json measure(const Predictor& predictor, std::size_t stage,
               const MeasureProgress& progress) const override {
    const std::uint32_t length = config_.measured_times * lengths_.at(stage);
    const std::vector<Accuracies> after = accuracies(predictor, length, progress);
    const std::uint32_t words = words_.measured(length);
    Json result = {{"kind", "words"}, {"monoid", labelling_.name}, {"size", labelling_.labels}};
    if (words_.automaton) result["automaton"] = automaton_to_json(*words_.automaton);
    if (words_.crasp) result["crasp"] = crasp_to_json(*words_.crasp);
    if (words_.own) {
      result["letters"] = words_.own->letters;
      result["labels"] = words_.own->labels;
      result["asked"] = words_.asked(length);
    }
    result.update(reached(after.back()));
    result["length"] = length;
    if (config_.measured_times > 1) result["trained_length"] = lengths_.at(stage);
    result["words"] = words;
    if (!words_.held_out.empty()) result["held_out"] = true;
    result["threshold"] = config_.threshold;
    result["accuracy"] = after.back();
    if (words_.crasp) result.update(one_verdict(length));
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
           ", " + counted(result["words"].get<std::size_t>(), "word") +
           (result.contains("held_out") ? " held out of the file" : "") +
           (result.contains("one_verdict")
                ? ", n* = " + result["one_verdict"].dump() + " of the more frequent verdict alone"
                : "");
  }

 private:
  /// At the indices 1, 2, ... of words, over the words of validation.
  using Accuracies = std::vector<double>;

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
        share[i] = of[i] == 0 ? share[i + 1] : share_of(counts[i], of[i]);
    }
    return shares;
  }

  /// The share of the words that the program accepts at each index, and the n* of a network that answers with the
  /// more frequent verdict there: of many programs it is not 0.
  Json one_verdict(std::uint32_t length) const {
    const Predict always = [](const Samples& samples, std::uint32_t) {
      return Answers(samples.targets.size(), 1);
    };
    const Accuracies shares = accuracies(always, length, {}).front();
    Accuracies constant;
    for (const double share : shares) constant.push_back(std::max(share, 1 - share));
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
              ? words_.table.identity
              : words_.table.letters[static_cast<std::size_t>(samples.indices[i * tables])]);
    for (std::size_t half = 1; samples.taught.size() < config_.taught_levels(); half *= 2) {
      for (std::size_t i = products.size(); i-- > 0;)
        if (i % samples.tokens >= half)
          products[i] = words_.table.times(products[i - half], products[i]);
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
      if (words_.held_out.empty()) {
        add_word(samples, {words_.draw(length, random)}, length, random);
      } else {
        add_word(samples, words_.held_out[first + i], length, random);
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
    if (words_.trained.empty()) {
      add_word(samples, {words_.draw(room, random)}, room, random);
      return room == lengths_[stage];
    }
    const LabelledWord& word =
        words_.trained[random.below(words_.fitting(words_.trained, lengths_[stage]))];
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
  const Labelling& labelling_ = words_.labelling;
  const std::vector<std::uint32_t>& lengths_ = words_.lengths;
  WordTokens tokens_;
};

}  // namespace

std::unique_ptr<Task> WordTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<WordTask>(*this, seed);
}

}}  // namespace logdepth::learned_word_problems
