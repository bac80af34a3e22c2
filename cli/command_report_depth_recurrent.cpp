#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "learned/depth_recurrent/depth_recurrent_report.hpp"
#include "learned/records/run_record.hpp"
#include "objects/input_error.hpp"

namespace logdepth {
namespace {

struct ReportDepthRecurrentArguments {
  std::string runs, folder;
  CLI::Option* out_given = nullptr;
  bool json = false;
};

int report_depth_recurrent(const ReportDepthRecurrentArguments& options) {
  if (*options.out_given && options.folder.empty())
    throw InputError("--out: expected the name of a folder");
  for (const char* name : {"depth-recurrent.md", "depth-recurrent.json", "depth-recurrent.svg"})
    if (const std::string file = options.folder + "/" + name;
        !options.folder.empty() && std::filesystem::is_directory(file))
      throw InputError(file + ": a folder stands where the report is to be written");
  const std::vector<RunRecord> records = read_run_records(options.runs);
  if (!options.folder.empty()) save_depth_recurrent_report(records, options.folder);
  if (options.json) {
    std::cout << depth_recurrent_json(records);
  } else if (options.folder.empty()) {
    std::cout << depth_recurrent_markdown(records);
  } else {
    std::cerr << "wrote depth-recurrent.md, depth-recurrent.json and depth-recurrent.svg to "
              << options.folder << '\n';
  }
  return kDone;
}

}  // namespace

Command add_report_depth_recurrent(CLI::App& report) {
  auto options = std::make_shared<ReportDepthRecurrentArguments>();
  CLI::App* command = report.add_subcommand(
      "depth-recurrent",
      "trained depth-recurrent transformers on graph reachability: accuracy by hops and loops "
      "beside the published figure, the frontier, and the criteria DR-1 to DR-3\n"
      "Example: logdepth report depth-recurrent runs --out depth-recurrent");
  command->add_option("RUNS", options->runs, "folder of training runs, with all folders in it")
      ->required();
  options->out_given = command->add_option(
      "--out", options->folder, "write depth-recurrent.md, .json and .svg to this folder");
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return report_depth_recurrent(*options); };
}

}  // namespace logdepth
