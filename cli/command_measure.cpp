#include <fmt/core.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/validators.hpp"
#include "learned/jobs/training_program.hpp"
#include "learned/records/measure_request.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/task.hpp"
#include "learned/word_problems/word_task.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

using nlohmann::ordered_json;

struct MeasureArguments {
  MeasureRequest request;
  std::string run, output, device = "cpu";
  bool json = false;
};

/// The result as a sentence, of words also the accuracy at every index.
std::string text(const RunConfig& config, const ordered_json& result) {
  std::string text = config.task->make_task(config.seed)->summary(result) + "\n";
  if (!config.task.try_as<WordTaskConfig>()) return text;
  text += "index  accuracy\n";
  for (std::size_t i = 0; i < result["accuracy"].size(); ++i)
    text += fmt::format("{:>5}  {:>8.4f}\n", i + 1, result["accuracy"][i].get<double>());
  return text;
}

int measure(const MeasureArguments& options) {
  const std::string folder = options.run + "/";
  refuse_overwriting(options.output,
                     {folder + kRunConfigFile, folder + kRecordFile, folder + kWeightsFile});
  ProgramOutput output;
  {
    Progress line("measure", "samples");
    output = output_of_training_program(
        {options.run, "--measure", to_json(options.request).dump(), "--device", options.device},
        [&](std::size_t done, std::size_t total) { line.update(done, total); });
  }
  if (output.status != kDone) return output.status;  // it has said why itself
  const auto measured = ordered_json::parse(output.text);
  if (!options.output.empty()) {
    write_whole_file(options.output, measured.dump(1) + "\n");
    std::cerr << "wrote " << options.output << '\n';
  }
  if (options.json) {
    std::cout << measured.dump(1) << '\n';
  } else {
    std::cout << text(read_run(options.run).config, measured["result"]);
  }
  return kDone;
}

}  // namespace

Command add_measure(CLI::App& app) {
  auto options = std::make_shared<MeasureArguments>();
  MeasureRequest& request = options->request;
  CLI::App* command = app.add_subcommand(
      "measure",
      "re-evaluate the network of a finished training run, without training\nExample: logdepth "
      "measure runs/A5/adaptive-loop-1/seed-1 --length 12 --loops 4");
  command->add_option("RUN", options->run, "folder of one training run")->required();
  command
      ->add_option("--length", request.length,
                   "sequence length in tokens (default: the length reached in training)")
      ->check(CLI::Range(2U, 1U << 16));
  command
      ->add_option("--loops", request.loops,
                   "iterations of the repeated block (default: as trained)")
      ->check(CLI::Range(1U, kLoopLimit));
  command
      ->add_option("--words", request.samples, "number of test sequences (default: as in the run)")
      ->check(CLI::Range(1U, 10000000U));
  const auto edges = [&](const char* name, std::vector<std::uint32_t>& radices,
                         const std::string& what) {
    return command
        ->add_option(
            name, radices,
            what +
                " of the scan with these radices, one for each layer that runs: with 2,2,2 "
                "layer l reads 2^(l-1) letters back")
        ->delimiter(',')
        ->check(CLI::Range(2U, 1U << 16));
  };
  CLI::Option* keep =
      edges("--keep-edges", request.keep_edges, "attention between letters keeps only the edges");
  edges("--cut-edges", request.cut_edges, "attention loses the edges")->excludes(keep);
  command->add_option("-o,--output", options->output, "also write the result as JSON to this file")
      ->check(kInAFolder);
  command->add_option("--device", options->device, "device to run on")
      ->check(choice_of({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return measure(*options); };
}

}  // namespace logdepth::inline cli
