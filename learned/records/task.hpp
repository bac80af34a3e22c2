#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace logdepth {

/// What a model must read and answer for a task.
struct TaskFormat {
  /// Who attends to whom: the tokens up to oneself, all, or what each sample says.
  enum class View { causal, everything, given };
  /// One answer per token, or one per sample from a pair of its tokens.
  enum class Readout { each_token, pair };
  /// One of `outputs` classes, or `outputs` bits.
  enum class Answer { one_class, bits };

  std::vector<std::uint32_t> tables;  ///< rows of each embedding table; every token looks up in all
  std::uint32_t features = 0;         ///< numbers per token, read by a linear map
  View view = View::causal;
  Readout readout = Readout::each_token;
  Answer answer = Answer::one_class;
  std::uint32_t outputs = 2;

  bool operator==(const TaskFormat&) const = default;
};

/// A batch of samples as plain numbers, all of one length.
struct Samples {
  static constexpr std::int32_t kIgnored = -1;  ///< a target that is not asked for

  std::size_t count = 0;              ///< samples
  std::size_t tokens = 0;             ///< per sample
  std::size_t size = 0;               ///< n of log n: letters of a word, vertices of a graph
  std::vector<std::int32_t> indices;  ///< [count, tokens, tables]
  std::vector<float> features;        ///< [count, tokens, features]
  std::vector<std::uint8_t> view;     ///< [count, tokens, tokens] of View::given: row i may read j
  std::vector<std::int32_t> pairs;    ///< [count, 2] of Readout::pair: tokens
  /// [count, tokens] or [count] classes; [count, tokens, outputs] bits; or kIgnored.
  std::vector<std::int32_t> targets;
  /// What a measure sorts answers by, one per target or empty: distances of vertices.
  std::vector<std::int32_t> labels;
};

/// The answers of a model, in the layout of `targets`. `loops`: how often its repeated block runs;
/// 0: as often as the model's own rule says.
using Predict = std::function<std::vector<std::int32_t>(const Samples&, std::uint32_t loops)>;
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
  virtual nlohmann::ordered_json measure(const Predict& predict, std::size_t stage,
                                         const MeasureProgress& progress) const = 0;
  /// The result as a sentence for people.
  virtual std::string summary(const nlohmann::ordered_json& result) const = 0;
};

}  // namespace logdepth
