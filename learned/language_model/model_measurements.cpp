#include "learned/language_model/model_measurements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/phrases.hpp"
#include "learned/records/depth_reading.hpp"
#include "runtime/numbers/float_text.hpp"

namespace logdepth::inline learned_language_model {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::uint32_t kMostLayers = 512;
constexpr double kMostLoss = 1e6;

OrderedJson model_json(const MeasuredModel& model) {
  return {{"name", model.name},
          {"architecture", model.architecture},
          {"layers", model.layers},
          {"parameters", model.parameters}};
}

OrderedJson text_json(const MeasuredText& text) {
  return {{"name", text.name}, {"sequences", text.sequences}, {"length", text.length}};
}

OrderedJson cut_json(const LayerCut& cut) {
  return {{"encoder", cut.encoder},
          {"think", cut.think},
          {"decoder", cut.decoder},
          {"encoder_knee", cut.encoder_knee},
          {"decoder_knee", cut.decoder_knee}};
}

MeasuredModel model_of(const RecordFields& fields) {
  MeasuredModel model{fields.text("name"), fields.text("architecture"), fields.count("layers"), 0};
  if (model.layers > kMostLayers) fields.refuse("layers", fmt::format("at most {}", kMostLayers));
  const double parameters = fields.number("parameters");
  if (parameters < 1 || parameters != std::floor(parameters))
    fields.refuse("parameters", "a whole number of at least 1");
  model.parameters = static_cast<std::uint64_t>(parameters);
  return model;
}

MeasuredText text_of(const RecordFields& fields) {
  return {fields.text("name"), fields.count("sequences"), fields.count("length")};
}

/// A number from 0 to 1 for each layer.
std::vector<double> by_layer(const RecordFields& fields, const char* name, std::uint32_t layers) {
  const OrderedJson& list = fields.list(name);
  std::vector<double> values;
  for (const OrderedJson& item : list)
    if (item.is_number() && item.get<double>() >= 0 && item.get<double>() <= 1)
      values.push_back(item.get<double>());
  if (values.size() != layers || list.size() != layers)
    fields.refuse(name, "a number from 0 to 1 for each of " + counted(layers, "layer"));
  return values;
}

double loss_of(const RecordFields& fields, const char* name) {
  const double value = fields.number(name);
  if (value < 0 || value > kMostLoss) fields.refuse(name, "a number from 0 to 1e6");
  return value;
}

double difference_of(const RecordFields& fields, const char* name) {
  const double value = fields.number(name);
  if (std::abs(value) > kMostLoss) fields.refuse(name, "a number from -1e6 to 1e6");
  return value;
}

/// A number of layers, which may be 0.
std::uint32_t layers_of(const RecordFields& fields, const char* name) {
  const double value = fields.number(name);
  if (value < 0 || value > kMostLayers || value != std::floor(value))
    fields.refuse(name, "a number of layers");
  return static_cast<std::uint32_t>(value);
}

LoopedShape shape_of(const RecordFields& fields, std::uint32_t layers) {
  LoopedShape shape{layers_of(fields, "encoder"), layers_of(fields, "think"), fields.count("loops"),
                    layers_of(fields, "decoder")};
  if (shape.think == 0 || shape.encoder + shape.think + shape.decoder != layers)
    fields.refuse("think", "a block of at least one of " + counted(layers, "layer"));
  shape.loss = loss_of(fields, "loss");
  shape.standard_error = loss_of(fields, "standard_error");
  shape.difference = difference_of(fields, "difference");
  shape.difference_error = loss_of(fields, "difference_error");
  return shape;
}

auto order_of(const LoopedShape& shape) {
  return std::tuple(shape.think, shape.loops, shape.encoder);
}

const char* part_of(const LayerCut& cut, std::size_t layer) {
  if (layer < cut.encoder) return "encoder";
  return layer < cut.encoder + cut.think ? "think" : "decoder";
}

}  // namespace

std::string looped_shape_text(const LoopedShape& shape) {
  return fmt::format("{}-{}*{}-{}", shape.encoder, shape.think, shape.loops, shape.decoder);
}

OrderedJson to_json(const AngularDistances& measured) {
  return {{"measurement", kAngularMeasurement},
          {"model", model_json(measured.model)},
          {"text", text_json(measured.text)},
          {"distances", measured.distances},
          {"standard_errors", measured.standard_errors},
          {"cut", cut_json(measured.cut())}};
}

OrderedJson to_json(const LoopsWithoutTraining& measured) {
  OrderedJson text = text_json(measured.text), shapes = OrderedJson::array();
  text["tokens"] = measured.tokens;
  for (const LoopedShape& shape : measured.shapes)
    shapes.push_back({{"encoder", shape.encoder},
                      {"think", shape.think},
                      {"loops", shape.loops},
                      {"decoder", shape.decoder},
                      {"loss", shape.loss},
                      {"standard_error", shape.standard_error},
                      {"difference", shape.difference},
                      {"difference_error", shape.difference_error}});
  return {{"measurement", kLoopsMeasurement},
          {"model", model_json(measured.model)},
          {"text", std::move(text)},
          {"loss", measured.loss},
          {"standard_error", measured.standard_error},
          {"shapes", std::move(shapes)}};
}

AngularDistances angular_distances_from_json(const OrderedJson& json, const std::string& file) {
  const RecordFields fields(json, file + ": measurement");
  AngularDistances measured{
      model_of(fields.object("model")), text_of(fields.object("text")), {}, {}};
  measured.distances = by_layer(fields, "distances", measured.model.layers);
  measured.standard_errors = by_layer(fields, "standard_errors", measured.model.layers);
  const RecordFields stored = fields.object("cut");
  const LayerCut cut = measured.cut();
  if (LayerCut{layers_of(stored, "encoder"), layers_of(stored, "think"),
               layers_of(stored, "decoder"), stored.truth("encoder_knee"),
               stored.truth("decoder_knee")} != cut)
    fields.refuse("cut", fmt::format("{}, the cut of its distances", cut_json(cut).dump()));
  return measured;
}

LoopsWithoutTraining loops_from_json(const OrderedJson& json, const std::string& file) {
  const RecordFields fields(json, file + ": measurement");
  const RecordFields text = fields.object("text");
  LoopsWithoutTraining measured{model_of(fields.object("model")),
                                text_of(text),
                                text.count("tokens"),
                                loss_of(fields, "loss"),
                                loss_of(fields, "standard_error"),
                                {}};
  for (const OrderedJson& item : fields.list("shapes"))
    measured.shapes.push_back(shape_of(fields.entry("shapes", item), measured.model.layers));
  std::ranges::sort(measured.shapes, {}, order_of);
  if (std::ranges::adjacent_find(measured.shapes, {}, order_of) != measured.shapes.end())
    fields.refuse("shapes", "every shape once");
  return measured;
}

std::string angular_csv(const AngularDistances& measured) {
  const std::vector<double>& distances = measured.distances;
  const LayerCut cut = measured.cut();
  const std::vector<double> forwards = knee_difference(distances),
                            backwards = knee_difference(decoder_curve(distances));
  const auto number = [](const std::vector<double>& values, std::size_t at) {
    return at < values.size() ? shortest_text(values[at]) : "";
  };
  std::string text =
      "layer,distance,standard_error,part,difference_from_first,difference_from_last\n";
  for (std::size_t layer = 0; layer < distances.size(); ++layer)
    text += fmt::format("{},{},{},{},{},{}\n", layer, shortest_text(distances[layer]),
                        shortest_text(measured.standard_errors[layer]), part_of(cut, layer),
                        number(forwards, layer), number(backwards, distances.size() - 1 - layer));
  return text;
}

std::string loops_csv(const LoopsWithoutTraining& measured) {
  std::string text =
      "encoder,think,loops,decoder,loss,standard_error,difference,difference_error\n";
  text += fmt::format("{},0,1,0,{},{},0,0\n", measured.model.layers, shortest_text(measured.loss),
                      shortest_text(measured.standard_error));
  for (const LoopedShape& shape : measured.shapes)
    text +=
        fmt::format("{},{},{},{},{},{},{},{}\n", shape.encoder, shape.think, shape.loops,
                    shape.decoder, shortest_text(shape.loss), shortest_text(shape.standard_error),
                    shortest_text(shape.difference), shortest_text(shape.difference_error));
  return text;
}

}  // namespace logdepth::inline learned_language_model
