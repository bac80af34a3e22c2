#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "cli/work_part.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/precision/precision_report.hpp"
#include "proofs-check/precision/precision_table.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

/// Scores are compared pair by pair, so time grows with the square.
constexpr std::uint64_t kLongest = 4096;

struct ReportArguments {
  PrecisionRun run;
  CLI::Option* out_given = nullptr;
  ShardOptions shards;
  bool json = false;
};

void print(const PrecisionReport& measured, const std::string& folder, bool json) {
  const report::Report page = precision_page(measured);
  if (!folder.empty())
    for (const report::File& file : files_of(page))
      write_whole_file(folder + "/" + file.name, file.text);
  if (json) {
    std::cout << report::json(page);
  } else if (folder.empty()) {
    std::cout << markdown(page);
  } else {
    std::cerr << "wrote precision.md, precision.csv, precision.json and precision.svg to " << folder
              << '\n';
  }
}

int report_precision(ReportArguments& options) {
  PrecisionRun& run = options.run;
  if (*options.out_given && run.folder.empty())
    throw InputError("--out: expected the name of a folder");
  run.version = LOGDEPTH_VERSION;
  run.shard = options.shards.shard;
  points_to_measure(run.options);  // refuses unknown names before a folder is made
  for (const char* name : {"precision.md", "precision.json", "precision.svg", "precision.csv"})
    if (const std::string file = run.folder + "/" + name;
        !run.folder.empty() && std::filesystem::is_directory(file))
      throw InputError(file + ": is a directory; expected a file name for the report");
  PrecisionReport report;
  {
    Progress progress("report precision", "points");
    run.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    report = measure_precision(run);
  }
  if (options.shards.part.empty()) {
    print(report, run.folder, options.json);
  } else {
    write_part({options.shards.part,
                kPrecisionWork,
                run.shard,
                {{"up_to", run.options.up_to},
                 {"seed", run.options.seed},
                 {"only", run.options.only},
                 {"positions", run.positions}},
                {{"points", print_precision_table({report.points, report.first_wrong},
                                                  run.options.seed, run.version)}}});
  }
  return kDone;
}

}  // namespace

int merge_precision(const std::vector<WorkPart>& parts, bool json, const std::string& out) {
  PrecisionRun run;
  run.version = LOGDEPTH_VERSION;
  std::vector<PrecisionReport> shards;
  for (const WorkPart& part : parts) try {
      run.options.up_to = part.question.at("up_to");
      run.options.seed = part.question.at("seed");
      run.options.only = part.question.at("only");
      run.positions = part.question.at("positions");
      const PrecisionTable table = parse_precision_table(
          part.answer.at("points").get<std::string>(), part.file, run.options.seed, run.version);
      shards.push_back({"", run.options.seed, table.points, table.first_wrong});
    } catch (const nlohmann::json::exception&) {
      throw InputError(part.file + ": expected a shard result of report precision");
    }
  const PrecisionReport report = merge_precision_reports(run, shards);
  std::optional<OutputFolder> folder;
  if (!out.empty()) {
    folder.emplace(out);
    write_whole_file(
        out + "/precision.csv",
        print_precision_table({report.points, report.first_wrong}, report.seed, run.version));
  }
  print(report, out, json);
  return kDone;
}

Command add_report_precision(CLI::App& report) {
  auto options = std::make_shared<ReportArguments>();
  PrecisionRun& run = options->run;
  CLI::App* command = report.add_subcommand(
      "precision",
      "measure where compiled weights stop being correct in floating point: bits, softmax "
      "temperatures, positions\nExample: logdepth report precision --out precision");
  options->out_given = command->add_option("--out", run.folder,
                                           "write precision.md, .csv, .json and .svg to this "
                                           "folder; points in its .csv are not measured again");
  command
      ->add_option("--up-to", run.options.up_to,
                   "largest word length; other inputs have a fraction of it")
      ->check(count_up_to(kLongest))
      ->capture_default_str();
  command->add_option("--seed", run.options.seed, "seed of the random inputs")
      ->check(kCount)
      ->capture_default_str();
  command->add_option(
      "--only", run.options.only,
      "series to measure: names of constructions, temperature, positions (default: all)");
  command
      ->add_option("--positions", run.positions,
                   "search for the first wrong position below this bound")
      ->check(count_up_to(std::uint64_t{1} << 27))
      ->capture_default_str();
  CLI::Option* const json = command->add_flag("--json", options->json, "print one JSON object");
  options->shards.add_to(*command);
  options->shards.option->excludes(json)->excludes(options->out_given);
  add_run_limits(*command);
  return [options] { return report_precision(*options); };
}

}  // namespace logdepth::inline cli
