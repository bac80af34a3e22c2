#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "learned/papers.hpp"
#include "learned/records/run_record.hpp"
#include "objects/input_error.hpp"

namespace logdepth {
namespace {

struct PaperReportArguments {
  std::string runs, folder;
  CLI::Option* out_given = nullptr;
  bool json = false;
};

int report_paper(const PaperReport& report, const PaperReportArguments& options) {
  if (*options.out_given && options.folder.empty())
    throw InputError("--out: expected the name of a folder");
  const std::string name = report.name;
  for (const char* extension : {".md", ".json", ".svg"})
    if (const std::string file = options.folder + "/" + name + extension;
        !options.folder.empty() && std::filesystem::is_directory(file))
      throw InputError(file + ": a folder stands where the report is to be written");
  const std::vector<RunRecord> records = read_run_records(options.runs);
  if (!options.folder.empty()) report.save(records, options.folder);
  if (options.json) {
    std::cout << report.json(records);
  } else if (options.folder.empty()) {
    std::cout << report.markdown(records);
  } else {
    std::cerr << "wrote " << name << ".md, " << name << ".json and " << name << ".svg to "
              << options.folder << '\n';
  }
  return kDone;
}

Command add_paper_report(CLI::App& parent, const PaperReport& report) {
  auto options = std::make_shared<PaperReportArguments>();
  CLI::App* command = parent.add_subcommand(report.name, report.help);
  command->add_option("RUNS", options->runs, "folder of training runs, with all folders in it")
      ->required();
  options->out_given = command->add_option(
      "--out", options->folder,
      std::string("write ") + report.name + ".md, .json and .svg to this folder");
  command->add_flag("--json", options->json, "print one JSON object");
  return [&report, options] { return report_paper(report, *options); };
}

}  // namespace

std::vector<Command> add_paper_reports(CLI::App& report) {
  std::vector<Command> commands;
  for (const Paper& paper : papers())
    for (const PaperReport& one : paper.reports) commands.push_back(add_paper_report(report, one));
  return commands;
}

}  // namespace logdepth
