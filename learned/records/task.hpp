#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/predictor.hpp"
#include "learned/records/samples.hpp"

namespace logdepth::inline learned_records {

/// What a model must read and answer for a task.
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
  std::uint32_t logits() const;
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

}  // namespace logdepth::inline learned_records
