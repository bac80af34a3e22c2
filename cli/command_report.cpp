#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/precision/precision_report.hpp"

namespace logdepth {
namespace {

/// Scores are compared pair by pair, so time grows with the square.
constexpr std::uint64_t kLongest = 4096;

struct ReportArguments {
  PrecisionRun run;
  CLI::Option* out_given = nullptr;
  bool json = false;
};

int report_precision(ReportArguments& options) {
  PrecisionRun& run = options.run;
  if (*options.out_given && run.folder.empty())
    throw InputError("--out: expected the name of a folder");
  run.version = LOGDEPTH_VERSION;
  points_to_measure(run.options);  // refuses unknown names before a folder is made
  for (const char* name : {"precision.md", "precision.json", "precision.svg", "precision.csv"})
    if (const std::string file = run.folder + "/" + name;
        !run.folder.empty() && std::filesystem::is_directory(file))
      throw InputError(file + ": a folder stands where the report is to be written");
  PrecisionReport report;
  {
    Progress progress("report precision", "points");
    run.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    report = measure_precision(run);
  }
  if (!run.folder.empty()) save_precision_report(report, run.folder);
  if (options.json) {
    std::cout << precision_json(report);
  } else if (run.folder.empty()) {
    std::cout << precision_markdown(report);
  } else {
    std::cerr << "wrote precision.md, precision.csv, precision.json and precision.svg to "
              << run.folder << '\n';
  }
  return kDone;
}

}  // namespace

Command add_report_precision(CLI::App& report) {
  auto options = std::make_shared<ReportArguments>();
  PrecisionRun& run = options->run;
  CLI::App* command = report.add_subcommand(
      "precision",
      "the laws of precision: bits, softmax temperatures and positions at which compiled weights "
      "stop being right in floating point\nExample: logdepth report precision --out precision");
  options->out_given =
      command->add_option("--out", run.folder,
                          "write precision.md, .csv, .json and .svg there; points that the .csv "
                          "has are not measured again");
  command
      ->add_option("--up-to", run.options.up_to,
                   "words of at most so many letters, and a part of it for the others")
      ->check(count_up_to(kLongest))
      ->capture_default_str();
  command->add_option("--seed", run.options.seed, "seed of the random inputs")
      ->check(kCount)
      ->capture_default_str();
  command->add_option("--only", run.options.only,
                      "some of the constructions, temperature, positions; all without it");
  command
      ->add_option("--positions", run.positions, "search the first wrong position below this one")
      ->check(count_up_to(std::uint64_t{1} << 27))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return report_precision(*options); };
}

}  // namespace logdepth
