#include "learned/report/criterion.hpp"

#include <fmt/core.h>

#include "base/phrases.hpp"
#include "learned/report/seeds.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

/// How many seeds there are, and how many of them pass by themselves: one number hides the others.
std::string seeds_of(const SeriesCriterion& criterion, const std::string& seeds_are) {
  if (criterion.seeds == 0) return "";
  const bool few = criterion.seeds < kSeedsAsked;
  std::string text =
      few ? fmt::format(", {} of {} seeds{}", criterion.seeds, kSeedsAsked,
                        criterion.verdict == Verdict::undecided ? "" : ", so this is preliminary")
          : "";
  const auto& alone = criterion.alone;
  if (!alone || alone->judged < 2)
    return few ? text : fmt::format(", {} of {} seeds", seeds_are, criterion.seeds);
  // Another series that takes part may have fewer seeds.
  text += few ? fmt::format("; {} of its own {} seeds pass", alone->passing, alone->judged)
              : fmt::format(", {} of {} seeds, of which {} pass", seeds_are, alone->judged,
                            alone->passing);
  if (alone->parts < criterion.parts.size())
    text += alone->parts == 1 ? " the first threshold"
                              : fmt::format(" the first {} thresholds", alone->parts);
  return text + " by themselves";
}

}  // namespace

std::string criterion_markdown(const SeriesCriterion& criterion, const std::string& seeds_are) {
  std::string text =
      fmt::format("- {}, {}: **{}**", criterion.name, markdown_text(criterion.series),
                  reproduced_name(criterion.verdict));
  text += seeds_of(criterion, seeds_are);
  if (!criterion.missing.empty()) text += "; missing: " + joined(criterion.missing);
  text += ".\n";
  for (const SeriesCriterion::Part& part : criterion.parts)
    text += fmt::format("  - {}: {}{}.\n", part.asks, part.found,
                        part.verdict ? fmt::format(", **{}**", verdict_name(*part.verdict)) : "");
  return text;
}

nlohmann::ordered_json criterion_json(const SeriesCriterion& criterion) {
  using Json = nlohmann::ordered_json;
  Json parts = Json::array();
  for (const SeriesCriterion::Part& part : criterion.parts)
    parts.push_back({{"asks", part.asks},
                     {"found", part.found},
                     {"verdict", part.verdict ? Json(verdict_name(*part.verdict)) : Json()}});
  Json alone;
  if (const auto& seeds = criterion.alone)
    alone = {{"judged", seeds->judged}, {"passing", seeds->passing}, {"parts", seeds->parts}};
  return {{"name", criterion.name},
          {"series", criterion.series},
          {"verdict", verdict_name(criterion.verdict)},
          {"seeds", criterion.seeds},
          {"seeds_asked", kSeedsAsked},
          {"alone", std::move(alone)},
          {"missing", criterion.missing},
          {"parts", std::move(parts)}};
}

}  // namespace logdepth
