#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "cli/commands.hpp"
#include "cli/left_out.hpp"
#include "learned/jobs/training_program.hpp"
#include "learned/papers.hpp"
#include "learned/report/report_files.hpp"
#include "learned/report/report_runs.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/computation_graph_run.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline cli {
namespace {

struct PaperReportArguments {
  std::string runs, probed, folder, constructed;
  CLI::Option *runs_given = nullptr, *probe_given = nullptr, *out_given = nullptr;
  CLI::Option* constructed_given = nullptr;
  bool json = false;
};

/// A weights file of computation graphs; other ones have no report.
ExactFile exact_file(const std::string& path) {
  const Model model = read_weights(path);
  const auto run = std::make_shared<ComputationGraphRun>(model);
  ExactFile file;
  file.name = path;
  file.letters = model.alphabet;
  file.outputs = std::get<CellsOutput>(model.output).names;
  file.layers_per_iteration = run->layers_per_iteration();
  file.layers_beside = run->layers_beside();
  file.most_operands = computation_graph_file(model).operands;
  file.answers = [run, path](const std::vector<std::string>& word) {
    std::optional<Failure> found;
    if (auto values = run->values(word, 1, found)) return *values;
    throw InputError(path + ": expected " + expected_text(*found) + ", found " + got_text(*found));
  };
  return file;
}

/// Errors: InputError where the files cannot be written.
void check_folder(const PaperReportArguments& options, const std::string& name) {
  if (*options.out_given && options.folder.empty())
    throw InputError("--out: expected the name of a folder");
  for (const char* extension : {".md", ".json", ".svg"})
    if (const std::string file = options.folder + "/" + name + extension;
        !options.folder.empty() && std::filesystem::is_directory(file))
      throw InputError(file + ": is a directory; expected a file name for the report");
}

void say_what_was_written(const PaperReportArguments& options,
                          const std::vector<std::string>& files) {
  const std::vector<std::string> before(files.begin(), files.end() - 1);
  std::cerr << "wrote " << joined(before) << " and " << files.back() << " to " << options.folder
            << '\n';
}

int report_runs(const PaperReport& paper, const PaperReportArguments& options) {
  const std::string name = paper.name;
  check_folder(options, name);
  ReportRuns runs = read_report_runs(options.runs);
  say_left_out(runs.unreadable);
  if (options.constructed_given && *options.constructed_given)
    runs.records = paper.with_constructed(runs.records, exact_file(options.constructed));
  const report::Report page = paper.make(runs);
  std::vector<std::string> files;
  if (!options.folder.empty()) files = write_report_files(files_of(page), options.folder);
  if (options.json) {
    std::cout << report::json(page);
  } else if (options.folder.empty()) {
    std::cout << markdown(page);
  } else {
    say_what_was_written(options, files);
  }
  return runs.unreadable.empty() ? kDone : kCheckFailed;
}

int report_probe(const PaperProbe& probe, const PaperReportArguments& options) {
  const std::string name = std::string(probe.name) + "-probe";
  check_folder(options, name);
  const ProgramOutput output =
      output_of_training_program({options.probed, "--inspect", probe.name});
  if (output.status != kDone) return output.status;  // it has said why itself
  const auto measured = nlohmann::ordered_json::parse(output.text);
  const std::string json = measured.dump(1) + "\n", markdown = probe.markdown(measured);
  std::vector<std::string> files;
  if (!options.folder.empty())
    files = write_report_files(
        {{name + ".md", markdown}, {name + ".json", json}, {name + ".svg", probe.svg(measured)}},
        options.folder);
  if (options.json) {
    std::cout << json;
  } else if (options.folder.empty()) {
    std::cout << markdown;
  } else {
    say_what_was_written(options, files);
  }
  return kDone;
}

/// What stands under one name: a report on runs, a probe of one run, or both.
struct PaperCommand {
  const PaperReport* report = nullptr;
  const PaperProbe* probe = nullptr;
};

int report_paper(const PaperCommand& what, const PaperReportArguments& options) {
  if (!what.probe) return report_runs(*what.report, options);
  if (!what.report) return report_probe(*what.probe, options);
  if (options.runs_given->empty() == options.probe_given->empty())
    throw InputError("expected either RUNS, a folder of training runs, or --probe RUN");
  if (options.probe_given->empty()) return report_runs(*what.report, options);
  if (options.constructed_given && *options.constructed_given)
    throw InputError("--constructed: expected RUNS beside it, a probe looks at one network alone");
  return report_probe(*what.probe, options);
}

Command add_paper_report(CLI::App& parent, const PaperCommand& what) {
  auto options = std::make_shared<PaperReportArguments>();
  const std::string name = what.report ? what.report->name : what.probe->name;
  std::string help, files;
  if (what.report) {
    help = what.report->help;
    files = name + ".md, .json and pictures";
  }
  if (what.probe) {
    help += (help.empty() ? "" : "\n") + std::string(what.probe->help);
    files += (files.empty() ? "" : ", or ") + name + "-probe.md, .json and .svg";
  }
  CLI::App* command = parent.add_subcommand(name, help);
  if (what.report)
    options->runs_given =
        command->add_option("RUNS", options->runs, "folder of training runs, searched recursively");
  if (what.probe)
    options->probe_given =
        command->add_option("--probe", options->probed, "folder of one training run");
  if (!what.probe) options->runs_given->required();
  if (!what.report) options->probe_given->required();
  options->out_given =
      command->add_option("--out", options->folder, "write " + files + " to this folder");
  if (what.report && what.report->with_constructed)
    options->constructed_given =
        command->add_option("--constructed", options->constructed,
                            "compiled weights file to measure exactly, next to the runs");
  command->add_flag("--json", options->json, "print one JSON object");
  return [what, options] { return report_paper(what, *options); };
}

}  // namespace

std::vector<Command> add_paper_reports(CLI::App& report) {
  std::vector<PaperCommand> all;
  for (const Paper& paper : papers()) {
    for (const PaperReport& one : paper.reports) all.push_back({.report = &one});
    for (const PaperProbe& probe : paper.probes) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const PaperCommand& command) {
        return command.report && std::string(command.report->name) == probe.name;
      });
      if (same == all.end()) {
        all.push_back({.probe = &probe});
      } else {
        same->probe = &probe;
      }
    }
  }
  std::vector<Command> commands;
  for (const PaperCommand& one : all) commands.push_back(add_paper_report(report, one));
  return commands;
}

}  // namespace logdepth::inline cli
