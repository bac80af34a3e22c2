#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "learned/records/reading.hpp"
#include "learned/records/settings.hpp"
#include "objects/automaton.hpp"

namespace logdepth { inline namespace learned_records {

/// A batch of samples as plain numbers, padded to one length.
struct Samples {
  static constexpr std::int32_t kIgnored = -1;  ///< a target that is not asked for

  std::size_t count = 0;              ///< samples
  std::size_t tokens = 0;             ///< per sample, padding included
  std::size_t size = 0;               ///< n of log n: letters of a word, vertices of a graph
  std::uint32_t loops = 0;            ///< that these samples ask for (LoopRule::Kind::asked)
  std::vector<std::int32_t> lengths;  ///< [count] tokens before the padding; empty: no padding
  std::vector<std::int32_t> indices;  ///< [count, tokens, tables]
  std::vector<float> features;        ///< [count, tokens, features]
  std::vector<std::uint8_t> view;     ///< [count, tokens, tokens] of View::given: row i may read j
  /// [count, tokens]: which of the texts that share a row each token is of; it reads those of its own
  /// text only. Empty: a row is one text. Every batch of such a task has one shape.
  std::vector<std::int32_t> segments;
  /// For every layer that runs, the last for all behind it, [tokens, tokens] of all samples: row i may
  /// read j. Empty: layers are alike. Of causal samples without segments.
  std::vector<std::vector<std::uint8_t>> layer_views;
  std::vector<std::int32_t> read;  ///< tokens read out: [count] of one_token, [count, 2] of pair
  /// [count, tokens, heads], or [count, heads] of one_token and pair; kIgnored where padding is.
  std::vector<std::int32_t> targets;
  /// The loop, from 1 on, after which each target is first asked for (Supervision::when_due), in
  /// the layout of `targets`; empty: the first.
  std::vector<std::int32_t> due;
  /// What a measure sorts answers by, one per target or empty: distances of vertices. Of packed
  /// training samples, and of words of many lengths: 1 where the target decides about promotion.
  std::vector<std::int32_t> labels;
  /// Of training samples, for each level that the format teaches: targets of the readout after so
  /// many layers, in the layout of `targets`.
  std::vector<std::vector<std::int32_t>> taught;
  /// Of training samples: of an earlier stage, so that they decide nothing about promotion.
  bool review = false;

  /// Tokens of a sample before the padding.
  std::size_t length(std::size_t sample) const {
    return lengths.empty() ? tokens : static_cast<std::size_t>(lengths[sample]);
  }
};

/// The samples of several seeds one after another, of one shape. Precondition: nothing but indices,
/// targets, segments and labels.
Samples joined_samples(const std::vector<Samples>& of_seeds);

/// 0 of nothing.
inline double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Texts of one table of tokens and one head of answers as samples, the shorter ones padded; nothing
/// is asked of them.
Samples samples_of_texts(const std::vector<std::vector<std::int32_t>>& texts,
                         std::int32_t padding = 0);

/// Answers of a model, in the layout of Samples::targets.
using Answers = std::vector<std::int32_t>;
/// `loops`: how often the repeated block runs; 0: as often as the model's own rule says.
using Predict = std::function<Answers(const Samples&, std::uint32_t loops)>;

/// A model as measures see it: functions, so that a measure can be tried on predictors whose result
/// is known. Made from `answers` alone it does the rest in the plain way.
struct Predictor {
  template <class F>
  requires std::is_invocable_r_v<Answers, F, const Samples&, std::uint32_t> Predictor(F predict)
      : answers(std::move(predict)),
        answers_after(
            [one = answers](const Samples& samples, const std::vector<std::uint32_t>& loops) {
              std::vector<Answers> all;
              for (const std::uint32_t count : loops) all.push_back(one(samples, count));
              return all;
            }) {}

  Predict answers;
  /// The answers after several numbers of loops, growing: one pass gives all of them.
  std::function<std::vector<Answers>(const Samples&, const std::vector<std::uint32_t>& loops)>
      answers_after;
  /// Greedy decoding of a causal model with one table and one head of answers, whose classes are
  /// the table's rows: each sample goes on from its `lengths` tokens with the likeliest next token
  /// until `end` was written or it has `most` tokens. Result: the tokens of each sample, those
  /// given first.
  /// Empty of a predictor that is a function alone.
  std::function<std::vector<std::vector<std::int32_t>>(const Samples& prompts, std::int32_t end,
                                                       std::size_t most)>
      continued;
  /// How often the repeated block runs on inputs of a size by the model's own rule; empty where there
  /// is no block to repeat.
  std::function<std::uint32_t(std::size_t size)> own_loops;
};

/// What a model must read and answer for a task; by itself a class of two at each token, from those up to it.
struct TaskFormat {
  /// Who attends to whom: the tokens up to oneself, all, or what each sample says.
  enum class View { causal, everything, given };
  /// Answers of every token, or of each sample: from one of its tokens, or from two.
  enum class Readout { each_token, one_token, pair };
  /// One of so many classes per head of answers, or so many bits.
  enum class Answer { one_class, bits };
  /// The class of a head that says "not known yet".
  struct Empty {
    std::uint32_t head = 0, value = 0;
    bool operator==(const Empty&) const = default;
  };

  std::vector<std::uint32_t> tables;  ///< rows of each embedding table; every token looks up in all
  std::uint32_t features = 0;         ///< numbers per token, read by a linear map
  View view = View::causal;
  Readout readout = Readout::each_token;
  Answer answer = Answer::one_class;
  /// Classes of every head of answers; of bits one entry, their number.
  std::vector<std::uint32_t> outputs = {2};
  std::optional<Empty> empty;  ///< what an empty-discounted loss discounts
  /// What is taught beside the answers (Samples::taught): so many levels, a readout of its own for
  /// each, after that many executed layers.
  std::uint32_t taught = 0;

  /// Numbers that an answer is read off: the logits of all heads side by side.
  std::uint32_t logits() const { return std::accumulate(outputs.begin(), outputs.end(), 0U); }
  /// Targets per token, or per sample of one_token and pair.
  std::size_t heads() const { return answer == Answer::bits ? outputs.front() : outputs.size(); }
  bool operator==(const TaskFormat&) const = default;
};

/// A point of a learning curve: one number that grows with success, and where a task has indices
/// (letters of a word) the accuracy at each; where the network can be run fewer times than it is, the
/// number after 1, 2, ... loops.
struct Score {
  double value = 0;
  std::vector<double> accuracy = {};
  std::vector<double> by_loops = {};
};

/// Told how much of a measurement is done.
using MeasureProgress = std::function<void(std::size_t done, std::size_t total)>;

/// Samples of one problem and the measure of success. Knows nothing of the model: a measure sees
/// answers only, so that it can be tried on predictors whose result is known.
class Task {
 public:
  virtual ~Task() = default;
  virtual TaskFormat format() const = 0;
  /// Stages of the curriculum; a stage is left when `promoting_accuracy` is high for long.
  virtual std::size_t stages() const { return 1; }
  virtual std::string stage_name(std::size_t) const { return "all"; }
  virtual Samples training_batch(std::size_t stage, std::uint64_t step) const = 0;
  /// Share of the targets that decide about promotion which are answered right.
  virtual double promoting_accuracy(const Samples& samples,
                                    const std::vector<std::int32_t>& answers) const;
  /// The result of a model that was trained up to `stage`, on validation samples.
  virtual nlohmann::ordered_json measure(const Predictor& predictor, std::size_t stage,
                                         const MeasureProgress& progress) const = 0;
  /// One number that grows with success, on validation samples: a point of the learning curve,
  /// taken in a fraction of the time of `measure`.
  virtual Score score(const Predictor& predictor, std::size_t stage) const = 0;
  /// What the score is, as in "share of right answers, 1 to 5 hops at T = 20".
  virtual std::string score_name() const = 0;
  /// The result as a sentence for people.
  virtual std::string summary(const nlohmann::ordered_json& result) const = 0;
};

/// What a measurement without training asks for; 0: as the run has it.
struct MeasureRequest {
  std::uint32_t length = 0;   ///< letters of the words
  std::uint32_t samples = 0;  ///< how many words
  std::uint32_t loops = 0;    ///< how often the repeated block runs
  /// Radices of a scan, one per layer that runs: between letters, attention keeps its edges only, or
  /// loses them. Empty: attention has every edge.
  std::vector<std::uint32_t> keep_edges, cut_edges;
};

nlohmann::ordered_json to_json(const MeasureRequest& request);
/// What is missing keeps its default. Errors: InputError naming the setting and what was expected.
MeasureRequest measure_request_from_json(const nlohmann::json& json, const std::string& source);

struct ModelConfig;

/// Running products of maps of points, as a network made from a weights file is asked for them.
struct ProductQuestion {
  std::string name;                      ///< of the monoid, for messages
  std::vector<std::string> letters;      ///< what words are made of
  std::uint32_t longest = 0;             ///< letters of the longest word
  std::vector<Transformation> elements;  ///< what each answer stands for
};

/// The settings of one kind of task. They stand with the task in the folder of the paper that it
/// comes from; everything else sees this class only.
class TaskSettings {
 public:
  virtual ~TaskSettings() = default;
  virtual std::unique_ptr<TaskSettings> clone() const = 0;

  /// The word for tasks of this kind in configurations and results.
  virtual const char* kind() const = 0;
  virtual void visit(SettingVisitor& visit) = 0;
  /// Errors: InputError where a setting is out of range that a model depends on; all others are
  /// looked at by `make_task`.
  virtual void validate() const {}
  /// The largest number of loops that a measure asks for; 0: it leaves them to the model.
  virtual std::uint32_t most_loops() const { return 0; }
  /// TaskFormat::taught.
  virtual std::uint32_t taught_levels() const { return 0; }
  /// Layers that samples of the largest size have edges of attention for (Samples::layer_views); 0: layers
  /// are alike.
  virtual std::uint32_t edge_levels() const { return 0; }
  /// Whether samples share rows (Samples::segments), so that every training batch has one shape.
  virtual bool packs() const { return false; }
  /// The task of these settings. Errors: InputError naming the setting and what was expected.
  virtual std::unique_ptr<Task> make_task(std::uint64_t seed) const = 0;

  /// Takes what a measurement asks for of its samples. Errors: InputError naming the option of
  /// `logdepth measure` that is out of range, or has no place in this kind of task.
  virtual void ask(const MeasureRequest& request);

  /// Whether the task asks for products of maps, so that a weights file may be its model.
  virtual bool asks_products() const { return false; }
  /// Precondition: asks_products(), and the task can be made.
  virtual ProductQuestion products() const;
  /// What reports read off a result of this task (Task::measure) of such a model, layers not counted yet. Errors:
  /// those of RecordFields.
  virtual RunReadings readings(const RecordFields& result, const ModelConfig& model) const = 0;
};

/// Those of a kind of task, which is a copy of itself; `Base`: what it has in common with others.
template <class Own, class Base = TaskSettings>
struct SettingsOf : Base {
  std::unique_ptr<TaskSettings> clone() const override {
    return std::make_unique<Own>(static_cast<const Own&>(*this));
  }
};

/// Settings of a task of any kind, as a value.
class TaskConfig {
 public:
  /// The defaults of the first kind.
  TaskConfig();
  template <std::derived_from<TaskSettings> T>
  TaskConfig(T settings) : settings_(std::make_unique<T>(std::move(settings))) {}
  TaskConfig(const TaskConfig& other) : settings_(other.settings_->clone()) {}
  TaskConfig(TaskConfig&&) noexcept = default;
  TaskConfig& operator=(TaskConfig other) noexcept {
    settings_ = std::move(other.settings_);
    return *this;
  }

  TaskSettings* operator->() { return settings_.get(); }
  const TaskSettings* operator->() const { return settings_.get(); }

  /// The settings as those of one kind, null if they are of another.
  template <std::derived_from<TaskSettings> T>
  const T* try_as() const {
    return dynamic_cast<const T*>(settings_.get());
  }
  /// The same, and std::bad_cast if they are of another.
  template <std::derived_from<TaskSettings> T>
  const T& as() const {
    return dynamic_cast<const T&>(*settings_);
  }
  template <std::derived_from<TaskSettings> T>
  T& as() {
    return dynamic_cast<T&>(*settings_);
  }

  /// Visits `kind`, then the settings of that kind: another one begins with its defaults.
  void visit(SettingVisitor& visit);

 private:
  std::unique_ptr<TaskSettings> settings_;
};

/// The defaults of every kind of task, gathered from the list of papers (learned/papers.cpp).
const std::vector<TaskConfig>& known_tasks();

}}  // namespace logdepth::learned_records
