#include "library/exports/weighing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "logdepth/errors.hpp"

namespace logdepth::exports {
namespace {

/// Of hard attention without a proved separation: of the largest score, bits that rounding leaves.
constexpr double kToleranceDouble = 0x1p-40, kToleranceSingle = 0x1p-18;
/// Equal scores may get weights that differ by this share.
constexpr double kTieSpread = 0x1p-12;

/// At this temperature all that is not selected weighs less than half a unit together, and equal
/// scores weigh the same but for a share of kTieSpread.
bool separates(const NetworkHead& head, double temperature, double others, double unit) {
  return head.gap > 8 * head.loss &&
         temperature * (head.gap - 2 * head.loss) >= std::log(2 * others / unit) &&
         (head.selects_one || 2 * temperature * head.loss <= kTieSpread);
}

/// The least power of two that may do so.
double least_temperature(const NetworkHead& head, double others, double unit) {
  return std::exp2(std::ceil(std::log2(std::log(2 * others / unit) / (head.gap - 2 * head.loss))));
}

void set_tolerance(NetworkHead& head, bool single) {
  head.relative = !(head.gap > 8 * head.loss);
  head.tolerance = !head.relative ? head.gap / 2 : single ? kToleranceSingle : kToleranceDouble;
}

std::string no_temperature(const Network& network, std::size_t layer, std::size_t head) {
  const NetworkHead& refused = network.layers[layer].heads[head];
  const std::string why =
      !network.unproved.empty() ? network.unproved
      : refused.gap == 0
          ? "no score separation is proved"
          : fmt::format(
                "at {} tokens its scores are proved to be {:.2g} apart, of which {} can lose "
                "{:.2g}",
                network.most_tokens, refused.gap, network.single ? "float32" : "float64",
                refused.loss);
  return fmt::format(
      "{}: no temperature can be found: {}; set one with --temperature, or export "
      "averaging-hard attention with --temperature hard",
      head_place(network, layer, head), why);
}

/// Above it a temperature may make a score, a difference of two, or a query of TransformerLens, which
/// has twice the temperature, no finite number of the format.
double highest_temperature(const Network& network) {
  double largest = 1;
  for (const NetworkLayer& layer : network.layers)
    for (const NetworkHead& head : layer.heads) largest = std::max(largest, head.largest);
  return (network.single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()) /
         (4 * largest);
}

}  // namespace

void choose_weighing(Network& network, const ExportSettings& settings) {
  const double unit = rounding_unit(network);
  const bool given = settings.attention == ExportAttention::temperature;
  require(!given || (std::isfinite(settings.temperature) && settings.temperature > 0),
          "--temperature: expected auto, hard or a number above 0");
  const double highest = highest_temperature(network);
  if (given && settings.temperature > highest)
    throw InputError(fmt::format(
        "--temperature: expected at most {:.3g}, above which scores of {} would not be finite, "
        "found {}",
        highest, network.single ? "float32" : "float64", settings.temperature));
  const auto others = static_cast<double>(std::max<std::uint64_t>(network.most_tokens, 2) - 1);
  network.separated = true;
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    for (std::size_t k = 0; k < network.layers[l].heads.size(); ++k) {
      NetworkHead& head = network.layers[l].heads[k];
      set_tolerance(head, network.single);
      head.temperature = given           ? settings.temperature
                         : head.compares ? least_temperature(head, others, unit)
                                         : 1;
      if (!head.compares) continue;
      const bool separated =
          network.hard ? !head.relative : separates(head, head.temperature, others, unit);
      if (!separated && !network.hard && !given) throw ExportRefused(no_temperature(network, l, k));
      network.separated = network.separated && separated;
    }
}

}  // namespace logdepth::exports
