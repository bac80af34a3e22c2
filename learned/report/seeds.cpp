#include "learned/report/seeds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number_text.hpp"
#include "base/phrases.hpp"

namespace logdepth {
namespace {

/// More seeds are counted only.
constexpr std::size_t kSeedsNamed = 6;

}  // namespace

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<SeedRange> seed_range(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return SeedRange{*median(values), *least, *most, values.size()};
}

std::optional<SeedMean> seed_mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  SeedMean result{std::accumulate(values.begin(), values.end(), 0.0) / count, {}, values.size()};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.error = std::sqrt(squares / (count - 1) / count);
  return result;
}

std::string mean_text(const SeedMean& mean) {
  return fixed_text(mean.mean, 3) + (mean.error ? " ± " + fixed_text(*mean.error, 3) : "");
}

std::string difference_text(const SeedMean& mean) {
  return signed_text(mean.mean, 3) + (mean.error ? " ± " + fixed_text(*mean.error, 3) : "");
}

std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  if (seeds.size() == 1) return fmt::format("seed {}", seeds.front());
  if (seeds.size() > kSeedsNamed) return fmt::format("median of {} seeds", seeds.size());
  std::string text = "median of seeds ";
  for (std::size_t i = 0; i < seeds.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", seeds[i]);
  return text;
}

std::string ends_text(const std::vector<RunEnd>& runs) {
  std::vector<std::string> parts;
  for (const RunEnd& run : runs)
    if (!run.early_end.empty())
      parts.push_back((runs.size() > 1 ? fmt::format("seed {} ", run.seed) : "") + run.early_end);
  const auto rising = static_cast<std::size_t>(std::ranges::count_if(runs, &RunEnd::rising));
  if (rising == runs.size()) return "still rising";
  if (rising > 0) parts.push_back("still rising: " + share_text(rising, runs.size()));
  return parts.empty() ? "measured" : joined(parts);
}

nlohmann::ordered_json settings_of_series(const RunConfig& config) {
  nlohmann::ordered_json json = to_json(config);
  json.erase("preset");
  json.erase("seed");
  json["training"].erase("curve_first");
  return json;
}

void flatten(const nlohmann::ordered_json& json, const std::string& path, FlatSettings& settings) {
  if (!json.is_object()) {
    settings[path] = json.is_string() ? json.get<std::string>() : json.dump();
    return;
  }
  for (const auto& item : json.items())
    flatten(item.value(), path.empty() ? item.key() : path + "." + item.key(), settings);
}

}  // namespace logdepth
