#include "proofs-check/precision/precision_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "logdepth/errors.hpp"
#include "proofs-check/precision/precision_table.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline proofs_check_precision {
namespace {

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

}  // namespace

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

}  // namespace logdepth::inline proofs_check_precision
