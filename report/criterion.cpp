#include "report/criterion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/phrases.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::report {
namespace {

/// How many seeds there are, and how many of them pass by themselves: one number hides the others.
std::string seeds_text(const Criterion& criterion, const std::string& seeds_are) {
  if (criterion.seeds == 0) return "";
  const bool few = criterion.seeds < criterion.seeds_asked;
  std::string text =
      few ? fmt::format(", {} of {} seeds{}", criterion.seeds, criterion.seeds_asked,
                        criterion.verdict() == Verdict::undecided ? "" : ", so this is preliminary")
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

const char* verdict_name(Verdict verdict) {
  return verdict == Verdict::passed   ? "passed"
         : verdict == Verdict::failed ? "failed"
                                      : "undecided";
}

const char* reproduced_name(Verdict verdict) {
  return verdict == Verdict::passed   ? "reproduced"
         : verdict == Verdict::failed ? "not reproduced at this scale"
                                      : "undecided";
}

Verdict overall(const std::vector<Verdict>& parts) {
  if (std::ranges::count(parts, Verdict::failed) > 0) return Verdict::failed;
  return parts.empty() || std::ranges::count(parts, Verdict::undecided) > 0 ? Verdict::undecided
                                                                            : Verdict::passed;
}

Verdict judge(const std::optional<double>& number, const Threshold& threshold) {
  if (!number) return Verdict::undecided;
  const double above = *number - threshold.limit;
  switch (threshold.is) {
    case Threshold::Is::at_least:
      return decided(above >= -kRounding);
    case Threshold::Is::at_most:
      return decided(above <= kRounding);
    case Threshold::Is::above:
      return decided(above > kRounding);
    case Threshold::Is::below:
      break;
  }
  return decided(above < -kRounding);
}

Criterion& Criterion::part(std::string asks, std::string found, std::optional<Verdict> verdict) {
  parts.push_back({std::move(asks), std::move(found), verdict});
  return *this;
}

Criterion& Criterion::needs(std::size_t of_seeds, const std::string& what) {
  if (of_seeds == 0)
    missing.push_back(what);
  else
    seeds = seeds == 0 ? of_seeds : std::min(seeds, of_seeds);
  return *this;
}

Verdict Criterion::verdict(std::size_t of_parts) const {
  std::vector<Verdict> verdicts;
  for (const Part& part : parts)
    if (part.verdict && verdicts.size() < of_parts) verdicts.push_back(*part.verdict);
  return overall(verdicts);
}

std::string criterion_markdown(const Criterion& criterion, const std::string& seeds_are) {
  std::string text =
      fmt::format("- {}, {}: **{}**{}", criterion.name, markdown_text(criterion.series),
                  reproduced_name(criterion.verdict()), seeds_text(criterion, seeds_are));
  if (!criterion.missing.empty()) text += "; missing: " + joined(criterion.missing);
  text += ".\n";
  for (const Criterion::Part& part : criterion.parts)
    text += fmt::format("  - {}: {}{}.\n", part.asks, part.found,
                        part.verdict ? fmt::format(", **{}**", verdict_name(*part.verdict)) : "");
  return text;
}

Data data_of(const std::vector<Criterion>& criteria) {
  Data list = Data::array();
  for (const Criterion& criterion : criteria) {
    Data parts = Data::array(), alone;
    for (const Criterion::Part& part : criterion.parts)
      parts.push_back({{"asks", part.asks},
                       {"found", part.found},
                       {"verdict", part.verdict ? Data(verdict_name(*part.verdict)) : Data()}});
    if (const auto& seeds = criterion.alone)
      alone = {{"judged", seeds->judged}, {"passing", seeds->passing}, {"parts", seeds->parts}};
    list.push_back({{"name", criterion.name},
                    {"series", criterion.series},
                    {"verdict", verdict_name(criterion.verdict())},
                    {"seeds", criterion.seeds},
                    {"seeds_asked", criterion.seeds_asked},
                    {"alone", std::move(alone)},
                    {"missing", criterion.missing},
                    {"parts", std::move(parts)}});
  }
  return list;
}

}  // namespace logdepth::report
