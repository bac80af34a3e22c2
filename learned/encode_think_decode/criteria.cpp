#include "learned/encode_think_decode/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/encode_think_decode/published.hpp"

namespace logdepth::etd {
namespace {

using report::Criterion;
using report::Mean;
using report::Threshold;
using report::Verdict;

/// Of models that were trained here (model_file.hpp).
constexpr const char* kOwnArchitecture = "logdepth";

bool enough_seeds(const std::optional<Change>& change) {
  return change && change->difference.seeds >= kEffectSeeds;
}

Verdict judge_gain(const Mean& gain) {
  return report::overall(
      {report::judge(gain.mean, {Threshold::Is::above, 0}),
       report::judge(gain.mean - kStandardErrors * *gain.error, {Threshold::Is::at_least, 0})});
}

std::string change_text(const std::optional<Change>& change) {
  if (!change) return "not measured";
  return fmt::format("{} ({} against {})", difference_text(change->difference),
                     mean_text(change->changed), mean_text(change->once));
}

Criterion effect_criterion(const Section& section) {
  const EffectVerdict effect = judge_effect(section);
  const auto seeds = [](const std::optional<Change>& change) {
    return change ? change->difference.seeds : 0;
  };
  Criterion criterion{"ETD-4", layer_cut_text(section.cut)};
  criterion.seeds_asked = kEffectSeeds;
  criterion
      .part(fmt::format(
                "k = 1, 2 and 3 are right on ever more multi-hop and arithmetic lines, and k = "
                "3 on more than k = 1 by {} standard errors",
                short_text(kStandardErrors, 2)),
            fmt::format("k = 2: {}; k = 3: {}", change_text(effect.two), change_text(effect.three)),
            effect.gains())
      .part(fmt::format("recall changes by less than {} there", short_text(kRecallChange, 2)),
            fmt::format("k = {}: {}", effect.better(), change_text(effect.recall)),
            effect.keeps_recall())
      .needs(seeds(effect.two), "multi-hop and arithmetic lines at k = 1 and 2, with one seed")
      .needs(seeds(effect.three), "multi-hop and arithmetic lines at k = 1 and 3, with one seed")
      .needs(seeds(effect.recall), "lines of the kind recall");
  return criterion;
}

Criterion halting_criterion(const Section& section, const Series& series) {
  std::vector<std::string> means, largest;
  for (const std::string& kind : section.kinds)
    if (const auto loops = series.loops(kind))
      means.push_back(fmt::format("{} {}", kind, mean_text(*loops)));
  bool halt = true;
  for (const Run& run : series.runs) {
    largest.push_back(std::to_string(*run.largest_loops));
    halt = halt && *run.largest_loops < kAdaptiveCap;
  }
  const auto recall = series.loops("recall"), worked_out = series.loops(kCompositional);
  Criterion criterion{"ETD-5", shape_name(series.shape)};
  criterion
      .part(fmt::format("every token halts before the cap of {} passes", kAdaptiveCap),
            "at most " + joined(largest), report::decided(halt))
      .part("mean passes by kind", joined(means), std::nullopt);
  std::optional<double> most;
  for (const std::string& kind : section.kinds)
    if (const auto loops = series.loops(kind)) most = std::max(most.value_or(0), loops->mean);
  criterion.part(
      fmt::format("of some kind more than {} passes in the mean, so that there is thinking "
                  "to adapt",
                  short_text(kMeanPasses, 2)),
      most ? "at most " + fixed_text(*most, 3) : "not measured",
      report::judge(most, {Threshold::Is::above, kMeanPasses}));
  if (recall && worked_out)
    criterion.part(
        "multi-hop and arithmetic take at least as many passes as recall",
        fmt::format(
            "{} against {}, {}", mean_text(*worked_out), mean_text(*recall),
            worked_out->mean >= recall->mean - report::kRounding ? "they do" : "they take fewer"),
        std::nullopt);
  return criterion.needs(series.runs.size(), "");
}

/// The paper's comparison of the chosen cut at k = 2 with another shape: `ours` is to be right on at
/// least as many multi-hop and arithmetic lines, seed by seed in the mean.
Criterion comparison_criterion(const char* name, const std::string& title, const std::string& asks,
                               const Section& section, const std::vector<const Series*>& others,
                               const std::string& missing) {
  Criterion criterion{name, title};
  const Series* const ours = section.loops(2);
  const auto accuracy = [](const Run& run) { return run.accuracy(kCompositional); };
  std::vector<std::string> found;
  std::vector<Verdict> verdicts;
  for (const Series* other : others) {
    const auto difference =
        ours ? report::mean_of(paired_differences(*ours, *other, accuracy)) : std::nullopt;
    if (!difference) continue;
    found.push_back(
        fmt::format("{} against {}", difference_text(*difference), shape_name(other->shape)));
    verdicts.push_back(difference->seeds < report::kSeedsAsked
                           ? Verdict::undecided
                           : report::judge(difference->mean, {Threshold::Is::at_least, 0}));
    criterion.needs(difference->seeds, missing);
  }
  criterion.part(asks, found.empty() ? "not measured" : joined(found), report::overall(verdicts));
  if (found.empty()) criterion.needs(0, missing);
  return criterion;
}

std::vector<Criterion> comparisons(const Section& section) {
  std::vector<const Series*> untied, moved;
  for (const Series& series : section.series) {
    const ThinkShape& shape = series.shape;
    if (shape.passes != 2 || shape.think != section.cut.think) continue;
    const bool chosen = shape.encoder == section.cut.encoder;
    if (shape.block == ThinkShape::Block::untied && chosen) untied.push_back(&series);
    if (shape.block == ThinkShape::Block::looped && !chosen) moved.push_back(&series);
  }
  return {
      comparison_criterion("ETD-6", "untied layers",
                           "k = 2 is right on as many multi-hop and arithmetic lines as the block "
                           "written twice with layers of their own",
                           section, untied, "runs of --series untied"),
      comparison_criterion("ETD-7", "position of the block",
                           "k = 2 of the chosen cut is right on as many multi-hop and arithmetic "
                           "lines as k = 2 of a block of as many layers elsewhere",
                           section, moved, "runs of --series position")};
}

}  // namespace

std::uint32_t EffectVerdict::better() const {
  if (!two) return 3;
  return three && three->changed.mean > two->changed.mean ? 3 : 2;
}

Verdict EffectVerdict::gains() const {
  if (!enough_seeds(two) || !enough_seeds(three)) return Verdict::undecided;
  return report::overall(
      {report::judge(two->difference.mean, {Threshold::Is::at_least, 0}),
       report::judge(three->changed.mean - two->changed.mean, {Threshold::Is::at_least, 0}),
       judge_gain(three->difference)});
}

Verdict EffectVerdict::keeps_recall() const {
  if (!recall || recall->difference.seeds < report::kSeedsAsked) return Verdict::undecided;
  const double change = recall->difference.mean;
  return report::overall({report::judge(change, {Threshold::Is::below, kRecallChange}),
                          report::judge(change, {Threshold::Is::above, -kRecallChange})});
}

EffectVerdict judge_effect(const Section& section) {
  const auto change = [&](std::uint32_t passes, const std::string& kind) {
    const Series* series = section.loops(passes);
    return series ? section.change(*series, kind) : std::nullopt;
  };
  EffectVerdict effect{change(2, kCompositional), change(3, kCompositional), std::nullopt};
  effect.recall = change(effect.better(), "recall");
  return effect;
}

Criterion cut_criterion(const std::vector<AngularDistances>& measured) {
  Criterion criterion{"ETD-3", "the cut by angular distances"};
  std::vector<std::string> published_cuts;
  const report::Data cuts = published().at("cuts");
  for (const report::Data& cut : cuts)
    published_cuts.push_back(fmt::format("{} of {}", cut.at("cut").get<std::string>(),
                                         cut.at("model").get<std::string>()));
  std::size_t own = 0;
  for (const AngularDistances& one : measured) {
    const bool of_base = one.model.architecture == kOwnArchitecture;
    own += of_base;
    criterion.part(fmt::format("the curve of {} and its cut are compared with {}", one.model.name,
                               joined(published_cuts, " and ")),
                   layer_cut_text(one.cut()),
                   of_base ? std::optional(Verdict::passed) : std::nullopt);
  }
  if (own == 0) criterion.needs(0, "angular distances of a base of ours, 'lm angular' on its run");
  return criterion;
}

std::vector<Criterion> criteria_of(const Section& section) {
  std::vector<Criterion> criteria = {effect_criterion(section)};
  for (const Series* series : section.adaptive())
    criteria.push_back(halting_criterion(section, *series));
  if (section.adaptive().empty())
    criteria.push_back(Criterion{"ETD-5", "adaptive depth"}.needs(0, "runs with --router"));
  for (Criterion& comparison : comparisons(section)) criteria.push_back(std::move(comparison));
  return criteria;
}

}  // namespace logdepth::etd
