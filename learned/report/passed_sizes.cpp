#include "learned/report/passed_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace logdepth::inline learned_report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLargestSize = 0x1p32;

/// After so many steps every size below `beyond` was passed.
struct Evidence {
  std::uint64_t steps = 0, beyond = 0;
};

/// The curriculum of words names its stages "length 8"; 0 for others.
std::uint64_t stage_length(const std::string& stage) {
  constexpr std::string_view kStage = "length ";
  std::uint32_t length = 0;
  if (stage.starts_with(kStage))
    std::from_chars(stage.data() + kStage.size(), stage.data() + stage.size(), length);
  return length;
}

std::vector<Evidence> evidence_of(const RecordFields& training, const LearningCurve& curve) {
  std::vector<Evidence> all;
  if (training.has("promotions"))
    for (const Json& item : training.list("promotions")) {
      const RecordFields promotion = training.entry("promotions", item);
      all.push_back({promotion.count("step"), stage_length(promotion.text("to"))});
    }
  if (curve.score == kSizeScore)
    for (const LearningCurve::Point& point : curve.points) {
      const double size = std::clamp(point.score, 0.0, kLargestSize);
      all.push_back({point.steps, static_cast<std::uint64_t>(size) + 1});
    }
  return all;
}

/// Steps, and the tokens until then, as far as the record counts them. Ascending.
std::vector<std::pair<double, double>> counted_tokens(const RecordFields& training) {
  std::vector<std::pair<double, double>> counts = {{0, 0}};
  const auto add = [&](const RecordFields& fields) {
    if (!fields.has("tokens")) return;
    const double steps = fields.number("steps");
    if (steps > counts.back().first) counts.emplace_back(steps, fields.number("tokens"));
  };
  if (training.has("curve")) {
    const RecordFields curve = training.object("curve");
    for (const Json& item : curve.list("points")) add(curve.entry("points", item));
  }
  add(training);
  return counts;
}

double tokens_at(const std::vector<std::pair<double, double>>& counts, double steps) {
  const auto after = std::ranges::find_if(counts, [&](const auto& c) { return c.first >= steps; });
  if (after == counts.end()) return counts.back().second;
  if (after == counts.begin()) return after->second;
  const auto& [from, fewer] = *(after - 1);
  return fewer + (after->second - fewer) * (steps - from) / (after->first - from);
}

}  // namespace

std::vector<PassedSize> passed_sizes(const RecordFields& training, const LearningCurve& curve) {
  const std::vector<Evidence> evidence = evidence_of(training, curve);
  const auto counts = counted_tokens(training);
  std::vector<PassedSize> passed;
  for (std::uint64_t size = 2;; size *= 2) {
    const Evidence* first = nullptr;
    for (const Evidence& one : evidence)
      if (one.beyond > size && (!first || one.steps < first->steps)) first = &one;
    if (!first) return passed;
    passed.push_back({size, first->steps, tokens_at(counts, static_cast<double>(first->steps))});
  }
}

std::optional<double> tokens_per_doubling(const std::vector<PassedSize>& passed) {
  if (passed.size() < 2 || passed.front().tokens <= 0) return std::nullopt;
  return std::pow(passed.back().tokens / passed.front().tokens,
                  1 / static_cast<double>(passed.size() - 1));
}

}  // namespace logdepth::inline learned_report
