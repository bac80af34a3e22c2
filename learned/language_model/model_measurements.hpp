#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/language_model/layer_cut.hpp"

namespace logdepth::inline learned_language_model {

/// What is measured on a language model without training it, as files: NAME.measurement.json, read
/// by reports, and NAME.csv.

struct MeasuredModel {
  std::string name,
      architecture;  ///< "SmolLM2-135M-Instruct", "llama"; of training runs "logdepth"
  std::uint32_t layers = 0;
  std::uint64_t parameters = 0;
  bool operator==(const MeasuredModel&) const = default;
};
struct MeasuredText {
  std::string name;
  std::uint32_t sequences = 0, length = 0;  ///< tokens of a sequence at most
};

/// How far each layer turns the residual stream of the last token: the angle between the stream
/// before and behind the layer, as a share of a half turn.
struct AngularDistances {
  MeasuredModel model;
  MeasuredText text;
  std::vector<double> distances, standard_errors;  ///< of each layer, over the sequences

  LayerCut cut() const { return layer_cut(distances); }
};

/// A model with its layers from `encoder` on passed `loops` times, `think` of them.
struct LoopedShape {
  std::uint32_t encoder = 0, think = 0, loops = 0, decoder = 0;
  double loss = 0, standard_error = 0;
  /// To the loss of the plain model, over the same sequences one by one.
  double difference = 0, difference_error = 0;
};
/// "11-10*2-9".
std::string looped_shape_text(const LoopedShape& shape);

/// The loss per token (nats) of a pretrained model, of blocks of it looped without training.
struct LoopsWithoutTraining {
  MeasuredModel model;
  MeasuredText text;
  std::uint64_t tokens = 0;             ///< predicted, of all sequences
  double loss = 0, standard_error = 0;  ///< of the plain model
  std::vector<LoopedShape> shapes;
};

inline constexpr const char* kAngularMeasurement = "angular-distance";
inline constexpr const char* kLoopsMeasurement = "loops-without-training";

nlohmann::ordered_json to_json(const AngularDistances& measured);
nlohmann::ordered_json to_json(const LoopsWithoutTraining& measured);
/// Errors: InputError naming the file and what was expected: numbers that cannot be distances or
/// losses, others than one for each layer, a cut that is not that of the distances, shapes of other
/// layers, one shape twice.
AngularDistances angular_distances_from_json(const nlohmann::ordered_json& json,
                                             const std::string& file);
LoopsWithoutTraining loops_from_json(const nlohmann::ordered_json& json, const std::string& file);

/// A line for each layer: its number, the distance and its standard error, the part that it belongs
/// to, and the differences of Kneedle (kneedle.hpp) from the first layer on, and from the last.
std::string angular_csv(const AngularDistances& measured);
/// A line for each shape, the plain model first.
std::string loops_csv(const LoopsWithoutTraining& measured);

}  // namespace logdepth::inline learned_language_model
