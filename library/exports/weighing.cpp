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

/// Why `auto` has no temperature for a head.
std::string unproved(const Network& network, std::size_t layer, std::size_t head) {
  const NetworkHead& refused = network.layers[layer].heads[head];
  const char* const format = network.single ? "float32" : "float64";
  const std::string place = head_place(network, layer, head) + ": no temperature is proved: ";
  if (!network.unproved.empty()) return place + network.unproved;
  if (refused.gap == 0) return place + "no score separation is proved";
  if (!(refused.gap > 8 * refused.loss))
    return place + fmt::format(
                       "at {} tokens its scores are proved to be {:.2g} apart, of which {} can "
                       "lose {:.2g}; expected a separation of more than 8 times that loss, {:.2g}",
                       network.most_tokens, refused.gap, format, refused.loss, 8 * refused.loss);
  return place + fmt::format(
                     "it averages equal scores, and at the temperature {} that its separation "
                     "needs, {} can change their weights by a factor of exp({:.2g}); expected at "
                     "most exp({:.2g})",
                     refused.temperature, format, 2 * refused.temperature * refused.loss,
                     kTieSpread);
}

}  // namespace

double highest_temperature(const Network& network) {
  double largest = 1;
  for (const NetworkLayer& layer : network.layers)
    for (const NetworkHead& head : layer.heads) largest = std::max(largest, head.largest);
  return (network.single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()) /
         (4 * largest);
}

std::optional<std::string> choose_weighing(Network& network, const ExportSettings& settings) {
  const double unit = rounding_unit(network);
  const bool given = settings.attention == ExportAttention::temperature;
  require(!given || (std::isfinite(settings.temperature) && settings.temperature > 0),
          "--temperature: expected auto, tested, hard or a number above 0");
  const double highest = highest_temperature(network);
  if (given && settings.temperature > highest)
    throw InputError(fmt::format(
        "--temperature: expected at most {:.3g}, above which scores of {} would not be finite, "
        "found {}",
        highest, network.single ? "float32" : "float64", settings.temperature));
  const auto others = static_cast<double>(std::max<std::uint64_t>(network.most_tokens, 2) - 1);
  network.separated = true;
  std::optional<std::string> refusal;
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
      if (!separated && !network.hard && !given && !refusal) refusal = unproved(network, l, k);
      network.separated = network.separated && separated;
    }
  return refusal;
}

}  // namespace logdepth::exports
