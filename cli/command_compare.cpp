#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/left_out.hpp"
#include "cli/progress.hpp"
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "learned/papers.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/depth_figure.hpp"
#include "learned/report/depth_table.hpp"
#include "learned/report/need_report.hpp"
#include "learned/report/report_files.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/own_crasp.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "proofs-check/ledger/constructed_depths.hpp"
#include "runtime/file/output_folder.hpp"

namespace logdepth::inline cli {
namespace {

/// Depths are counted, not run, but claims and files are evaluated at every doubling up to here.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 20;

struct CompareArguments {
  std::vector<std::string> runs;
  std::string folder;
  CLI::Option* out_given = nullptr;
  std::uint64_t up_to = 512;
  bool json = false, need = false;
};

ConstructedCurve handed_over(const ConstructedDepths& counted) {
  ConstructedCurve curve;
  curve.problem = counted.problem;
  curve.form = counted.form == Form::as_written ? ConstructedCurve::Form::claimed
               : counted.form == Form::repaired ? ConstructedCurve::Form::repaired
                                                : ConstructedCurve::Form::optimised;
  curve.construction = counted.construction;
  curve.encoding = counted.encoding;
  curve.formula = counted.formula;
  curve.depths = counted.depths;
  curve.slope = counted.slope;
  curve.width = counted.width;
  curve.numbers = counted.numbers;
  curve.file_of = counted.file_of;
  curve.verification = counted.verification;
  return curve;
}

/// The groups of the specification, from easy to hard as theory suggests, then those of the runs.
std::vector<std::string> groups(const std::vector<RunRecord>& records) {
  std::vector<std::string> names = {"Z2", "S3", "A4", "A5", "S5"};
  std::set<std::string> more;
  for (const RunRecord& record : records)
    if (const auto* words = record.config.task.try_as<WordTaskConfig>())
      if (!words->monoid.empty() &&
          std::find(names.begin(), names.end(), words->monoid) == names.end())
        more.insert(words->monoid);
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// The automata that runs were trained on, from their results.
std::map<std::string, Action> own_automata(const std::vector<RunRecord>& records) {
  std::map<std::string, Action> automata;
  for (const RunRecord& record : records)
    if (const auto* words = record.config.task.try_as<WordTaskConfig>();
        words && words->monoid.empty() && record.result.contains("automaton"))
      if (const auto automaton = automaton_from_json(record.result["automaton"]))
        automata.emplace(record.result.value("monoid", ""), to_action(*automaton));
  return automata;
}

/// The C-RASP programs that runs were trained on.
std::map<std::string, CraspProgram> own_programs(const std::vector<RunRecord>& records) {
  std::map<std::string, CraspProgram> programs;
  for (const RunRecord& record : records)
    if (record.config.task.try_as<WordTaskConfig>() && record.result.contains("crasp"))
      if (auto program = crasp_from_json(record.result["crasp"]))
        programs.emplace(record.result.value("monoid", ""), std::move(*program));
  return programs;
}

std::string command_of(const CompareArguments& options) {
  std::string text = "logdepth compare depth";
  for (const std::string& run : options.runs) text += " " + run;
  return fmt::format("{}{} --up-to {}", text, options.need ? " --need" : "", options.up_to);
}

/// Result: the names of the files.
std::vector<std::string> save(const DepthTable& table, const std::string& folder) {
  const std::vector<DepthFigure> figures = depth_figures(table);
  std::vector<report::File> files = {{"depth.md", depth_table_markdown(table, figures)},
                                     {"depth.html", depth_table_html(table, figures)},
                                     {"depth.json", depth_table_json(table)}};
  for (const DepthFigure& figure : figures) files.push_back({figure.file, figure.svg});
  return write_report_files(files, folder);
}

/// Before anything is computed; the folder of --out, with it.
std::optional<OutputFolder> prepare(const CompareArguments& options) {
  if (options.up_to < 4)
    throw InputError(
        fmt::format("--up-to: expected at least 4 (two sizes), found {}", options.up_to));
  if (options.out_given->count() == 0) return std::nullopt;
  if (options.folder.empty()) throw InputError("--out: expected the name of a folder");
  return std::optional<OutputFolder>(std::in_place, options.folder);
}

/// Every run once, also where folders hold one another.
std::vector<RunRecord> read_runs(const std::vector<std::string>& folders,
                                 std::vector<std::string>& unreadable) {
  std::vector<RunRecord> records;
  std::set<std::filesystem::path> seen;
  for (const std::string& folder : folders) {
    const std::size_t before = unreadable.size();
    std::vector<RunRecord> found = read_run_records(folder, &unreadable);
    if (found.empty() && unreadable.size() == before)
      throw InputError(folder + ": expected a folder of training runs, found no " + kRecordFile);
    for (RunRecord& record : found)
      if (seen.insert(std::filesystem::weakly_canonical(record.folder)).second)
        records.push_back(std::move(record));
  }
  if (records.empty() && !unreadable.empty()) throw InputError(unreadable.front());
  return records;
}

/// The names of groups stand first in the page of need too.
std::vector<NeedSeries> checked_need(const std::vector<RunRecord>& records) {
  std::vector<NeedSeries> series = need_series(records, groups(records));
  if (series.empty())
    throw InputError(
        "--need: expected runs of packed words (train word-problem --packed), found none");
  return series;
}

std::vector<std::string> written_need(const DepthTable& table,
                                      const std::vector<NeedSeries>& series,
                                      const CompareArguments& options) {
  const report::Report page = need_report(table, series, table.command);
  if (options.json) {
    std::cout << report::json(page);
  } else if (options.folder.empty()) {
    std::cout << report::markdown(page);
  }
  if (options.folder.empty()) return {};
  return write_report_files(report::files_of(page), options.folder);
}

/// The page and its files, or what of them is to be printed. Result: the files.
std::vector<std::string> write_depth(const DepthTable& table, const CompareArguments& options) {
  std::vector<std::string> written;
  if (!options.folder.empty()) written = save(table, options.folder);
  if (options.json) {
    std::cout << depth_table_json(table);
  } else if (options.folder.empty()) {
    std::cout << depth_table_markdown(table, {});
  }
  return written;
}

int compare_depth(const CompareArguments& options) {
  std::vector<std::string> unreadable;
  const std::vector<RunRecord> records = read_runs(options.runs, unreadable);
  say_left_out(unreadable);
  depth_series(records);  // refuses broken results before anything is compiled
  std::vector<NeedSeries> need;
  if (options.need) need = checked_need(records);
  const auto folder = prepare(options);
  ConstructedOptions how;
  how.groups = groups(records);
  how.automata = own_automata(records);
  how.counting = own_programs(records);
  how.up_to = options.up_to;
  std::vector<ConstructedDepths> counted;
  {
    Progress progress("compare depth", "forms");
    how.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    counted = constructed_depths(how);
  }
  std::vector<ConstructedCurve> curves;
  for (const ConstructedDepths& form : counted) curves.push_back(handed_over(form));
  DepthTable table = depth_table(records, curves, published_lines());
  table.command = command_of(options);
  std::vector<std::string> written =
      options.need ? written_need(table, need, options) : write_depth(table, options);
  if (!options.json && !options.folder.empty()) {
    const std::string last = written.back();
    written.pop_back();
    std::cerr << "wrote " << joined(written) << " and " << last << " to " << options.folder << '\n';
  }
  if (!unreadable.empty() || std::ranges::any_of(counted, &ConstructedDepths::failed))
    return kCheckFailed;
  const auto open = std::ranges::find_if(counted, &ConstructedDepths::unverified);
  if (open == counted.end()) return kDone;
  std::cerr << "logdepth: " << open->construction << " of " << open->problem << ": "
            << printable(open->verification, kMostPrinted) << '\n';
  return kNotDecided;
}

}  // namespace

Command add_compare_depth(CLI::App& compare) {
  auto options = std::make_shared<CompareArguments>();
  CLI::App* command = compare.add_subcommand(
      "depth",
      "compare learned depth with the published, claimed, repaired and optimised constructed "
      "depth\nExample: logdepth compare depth runs --out depth");
  command->add_option("RUNS", options->runs,
                      "folders of training runs (default: none, constructed depths only)");
  options->out_given = command->add_option(
      "--out", options->folder,
      "write depth.md, depth.html, depth.json and one figure per problem to this folder");
  command
      ->add_option("--up-to", options->up_to,
                   "count the layers of constructions for sizes 2, 4, 8, ... up to this size")
      ->check(count_up_to(kLargest))
      ->capture_default_str();
  command->add_flag(
      "--need", options->need,
      "write need.md, need.json and need.svg instead: the layers that a length needs, "
      "learned with a fixed depth and a free length (train word-problem --packed)");
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] { return compare_depth(*options); };
}

}  // namespace logdepth::inline cli
