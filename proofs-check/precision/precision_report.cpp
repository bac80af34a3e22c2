#include "proofs-check/precision/precision_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "logdepth/errors.hpp"
#include "proofs-check/precision/precision_figure.hpp"
#include "proofs-check/precision/precision_table.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;
using nlohmann::json;

/// Raw points on their way to and from precision.csv.
class KeptPoints {
 public:
  explicit KeptPoints(const PrecisionRun& run) : run_(run) {
    if (run.folder.empty()) return;
    file_ = run.folder + "/precision.csv";
    folder_.emplace(run.folder);
    if (std::filesystem::exists(file_))
      table_ = parse_precision_table(read_whole_file(file_), file_, run.options.seed, run.version);
  }

  const PrecisionTable& table() const { return table_; }

  void keep(const PrecisionPoint& point) {
    std::erase_if(table_.points, [&](const auto& old) { return old.same_question(point); });
    table_.points.push_back(point);
    save();
  }
  void keep(const FirstWrong& found) {
    table_.first_wrong.push_back(found);
    save();
  }

 private:
  void save() const {
    if (file_.empty()) return;
    write_whole_file(file_, print_precision_table(table_, run_.options.seed, run_.version));
  }

  const PrecisionRun& run_;
  std::optional<OutputFolder> folder_;
  std::string file_;
  PrecisionTable table_;
};

std::string command_of(const PrecisionRun& run) {
  const PrecisionOptions& options = run.options;
  std::string text =
      fmt::format("logdepth report precision --up-to {} --seed {}", options.up_to, options.seed);
  if (run.positions != kPositionsSearched) text += fmt::format(" --positions {}", run.positions);
  if (!options.only.empty()) text += " --only";
  for (const std::string& name : options.only) text += " " + name;
  return text;
}

bool same_curve(const PrecisionPoint& a, const PrecisionPoint& b) {
  return a.series == b.series && a.quantity == b.quantity && a.scores == b.scores;
}

/// The points of a shard: curves as a whole, because the search of a point begins at the one before.
std::vector<PrecisionPoint> points_of_shard(const PrecisionRun& run, NumberedCases& cases) {
  std::vector<PrecisionPoint> points;
  const PrecisionPoint* before = nullptr;
  bool asked = false;
  const std::vector<PrecisionPoint> all = points_to_measure(run.options);
  for (const PrecisionPoint& point : all) {
    if (!before || !same_curve(*before, point)) asked = cases.next();
    if (asked) points.push_back(point);
    before = &point;
  }
  return points;
}

std::vector<FirstWrong> positions_of(const PrecisionRun& run) {
  return asks_for_positions(run.options) ? positions_to_search(run.positions)
                                         : std::vector<FirstWrong>{};
}

json point_json(const PrecisionPoint& point) {
  return {{"construction", point.series},
          {"quantity", quantity_name(point.quantity)},
          {"scores", scores_name(point.scores)},
          {"size", point.size},
          {"tokens", point.tokens},
          {"value", point.value ? json(*point.value) : json()},
          {"weights", point.weights}};
}

json curve_json(const PrecisionSeries& series, const std::vector<PrecisionPoint>& points) {
  const auto fit = fit_curve(points);
  return {{"construction", series.name},
          {"quantity", quantity_name(points.front().quantity)},
          {"scores", scores_name(points.front().scores)},
          {"argument", series.in_tokens ? "tokens" : series.unit},
          {"slope", fit ? json(fit->a) : json()},
          {"intercept", fit ? json(fit->b) : json()},
          {"residual", fit ? json(fit->root_mean_square()) : json()},
          {"points", fit ? json(fit->points) : json(0)}};
}

}  // namespace

const char* scores_name(Scores scores) {
  return scores == Scores::product ? "product" : "distance";
}

std::vector<PrecisionPoint> points_of(const PrecisionReport& report, const std::string& series,
                                      Quantity quantity, Scores scores) {
  std::vector<PrecisionPoint> points;
  for (const PrecisionPoint& point : report.points)
    if (point.series == series && point.quantity == quantity && point.scores == scores)
      points.push_back(point);
  return points;
}

PrecisionReport measure_precision(const PrecisionRun& run) {
  PrecisionReport report;
  report.command = command_of(run);
  report.seed = run.options.seed;
  NumberedCases cases(run.shard);
  const std::vector<PrecisionPoint> questions = points_of_shard(run, cases);
  std::vector<FirstWrong> positions = positions_of(run);
  std::erase_if(positions, [&](const FirstWrong&) { return !cases.next(); });
  const std::size_t total = questions.size() + positions.size();
  const auto show = [&] {
    if (run.progress) run.progress(report.points.size() + report.first_wrong.size(), total);
  };
  KeptPoints kept(run);
  PrecisionCurves curves(run.options.seed);
  for (const PrecisionPoint& question : questions) {
    if (const auto* known = kept.table().find(question, curves.weights_of(question))) {
      report.points.push_back(*known);
    } else {
      // Sizes grow, so the bits of the size before are the ones to begin with.
      std::uint32_t hint = 0;
      if (!report.points.empty()) {
        const PrecisionPoint& before = report.points.back();
        if (same_curve(before, question) && before.value)
          hint = static_cast<std::uint32_t>(std::min(*before.value, double{kMostBitsTried}));
      }
      report.points.push_back(curves.measure(question, hint));
      kept.keep(report.points.back());
    }
    show();
  }
  for (const FirstWrong& question : positions) {
    if (const auto* known = kept.table().find(question)) {
      report.first_wrong.push_back(*known);
    } else {
      report.first_wrong.push_back(
          first_wrong_position(question.key, question.format, question.form, question.limit));
      kept.keep(report.first_wrong.back());
    }
    show();
  }
  return report;
}

PrecisionReport merge_precision_reports(const PrecisionRun& run,
                                        const std::vector<PrecisionReport>& shards) {
  PrecisionTable all;
  for (const PrecisionReport& shard : shards) {
    all.points.insert(all.points.end(), shard.points.begin(), shard.points.end());
    all.first_wrong.insert(all.first_wrong.end(), shard.first_wrong.begin(),
                           shard.first_wrong.end());
  }
  PrecisionReport report;
  report.command = command_of(run);
  report.seed = run.options.seed;
  for (const PrecisionPoint& question : points_to_measure(run.options)) {
    const auto found = std::ranges::find_if(
        all.points, [&](const PrecisionPoint& point) { return point.same_question(question); });
    if (found == all.points.end())
      throw InputError(fmt::format("expected a point of {} at {} in one of the parts",
                                   question.series, question.size));
    report.points.push_back(*found);
  }
  for (const FirstWrong& question : positions_of(run)) {
    const FirstWrong* const found = all.find(question);
    if (!found) throw InputError("expected every first wrong position in one of the parts");
    report.first_wrong.push_back(*found);
  }
  return report;
}

const PrototypeCurve* prototype_curve(const std::string& series, Quantity quantity) {
  static const std::map<std::pair<std::string, Quantity>, PrototypeCurve> kCurves = {
      {{"scan-first-flag", Quantity::bits},
       {{{4, 8}, {8, 11}, {16, 17}, {32, 20}, {64, 25}, {128, 31}, {256, 35}}, "4.5 log2 N - 1"}},
      {{"scan-circle", Quantity::bits},
       {{{4, 6}, {8, 12}, {16, 15}, {32, 18}, {64, 24}, {128, 28}, {256, 33}}, "4.4 log2 N - 2"}},
      {{"scan-two-circle", Quantity::bits},
       {{{4, 7}, {8, 8}, {16, 11}, {32, 13}, {64, 15}, {128, 17}, {256, 19}}, "2 log2 N + 3"}},
      {{"division", Quantity::bits},
       {{{8, 16}, {16, 21}, {32, 25}, {64, 29}, {128, 33}}, "4.25 log2 N + 3.5"}},
      {{"connectivity", Quantity::bits},
       {{{16, 12}, {42, 20}, {88, 25}, {160, 29}}, "5.1 log2 N - 8"}},
      {{"scan-circle", Quantity::temperature},
       {{{8, 3.7e3}, {16, 6.8e4}, {32, 1.5e6}, {64, 2.8e7}, {128, 5.1e8}, {256, 9.5e9}},
        "exponent 4.2 to 4.5"}},
      {{"scan-two-circle", Quantity::temperature},
       {{{8, 342}, {16, 2.1e3}, {32, 9.1e3}, {64, 4.7e4}, {128, 2.0e5}, {256, 1.0e6}},
        "exponent 2.1 to 2.6"}}};
  const auto found = kCurves.find({series, quantity});
  return found == kCurves.end() ? nullptr : &found->second;
}

std::string precision_json(const PrecisionReport& report) {
  json out = {{"schema", "logdepth/report-precision/1"},
              {"command", report.command},
              {"seed", report.seed},
              {"points", json::array()},
              {"laws", json::array()},
              {"first_wrong_positions", json::array()},
              {"prototype", json::array()}};
  for (const PrecisionPoint& point : report.points) out["points"].push_back(point_json(point));
  for (const PrecisionSeries& series : precision_series())
    for (const Quantity quantity :
         {Quantity::bits, Quantity::certified_bits, Quantity::temperature}) {
      for (const Scores scores : {Scores::product, Scores::distance}) {
        const auto points = points_of(report, series.name, quantity, scores);
        if (!points.empty()) out["laws"].push_back(curve_json(series, points));
      }
      if (const PrototypeCurve* curve = prototype_curve(series.name, quantity))
        out["prototype"].push_back({{"construction", series.name},
                                    {"quantity", quantity_name(quantity)},
                                    {"points", curve->points},
                                    {"law", curve->curve}});
    }
  for (const FirstWrong& found : report.first_wrong)
    out["first_wrong_positions"].push_back(
        {{"key", position_key_name(found.key)},
         {"format", float_format_name(found.format)},
         {"scores", score_form_name(found.form)},
         {"searched_below", found.limit},
         {"position", found.position ? json(*found.position) : json()}});
  return out.dump(1) + "\n";
}

void save_precision_report(const PrecisionReport& report, const std::string& folder) {
  write_whole_file(folder + "/precision.md", precision_markdown(report));
  write_whole_file(folder + "/precision.json", precision_json(report));
  write_whole_file(folder + "/precision.svg", precision_svg(report));
}

}  // namespace logdepth
