// The program logdepth-train: one training run in one process, or one question about a network.
// `logdepth train` makes its configuration and starts it, as `report` and `lm` do.
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <malloc.h>
#include <torch/version.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/worker_threads.hpp"
#include "learned/core/device.hpp"
#include "learned/core/finished_run.hpp"
#include "learned/core/trainer.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_core { namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> interrupting_signal = 0;

extern "C" void interrupt(int signal) {
  interrupting_signal = signal;
  interrupted = true;
  std::signal(signal, SIG_DFL);  // a second one ends the program at once
}

struct Options {
  std::string config, out, inspection, question, measure, device = "cpu";
  std::vector<std::string> beside;
  bool told = false;
  int threads = 1;
};

/// "OpenBLAS (SkylakeX)", "reference BLAS /usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0".
std::string matrix_library_text() {
  const MatrixLibrary library = matrix_library();
  const std::string kernels = matrix_kernels();
  return library.name + (kernels.empty() ? " " + library.file : " (" + kernels + ")");
}

/// Where training on this CPU would take ten times as long as it need.
void say_slow_library(const Options& options) {
  if (options.told || options.device != "cpu" || !matrix_library().reference) return;
  std::cerr << "logdepth: matrix products are computed by " << matrix_library_text()
            << ", with which a run takes about ten times as long as with OpenBLAS (Debian: apt-get "
               "install libopenblas0-pthread)\n";
}

/// One line on standard output, which is a pipe to the program that shows it, twice a second.
class Line {
 public:
  void show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    std::cout << text << std::endl;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Of a stack the numbers are those of its first seed.
std::string progress_text(const Trainer& trainer, const TrainingConfig& training) {
  const TrainingState& state = trainer.state();
  const double rate = state.seconds > 0 ? static_cast<double>(state.step) / state.seconds : 0;
  double left = rate > 0 ? static_cast<double>(training.steps - state.step) / rate : 0;
  if (training.seconds > 0) left = std::min(left, training.seconds - state.seconds);
  const std::string seeds = trainer.seeds() == 1 ? "" : fmt::format("{} seeds, ", trainer.seeds());
  return fmt::format(
      "{}step {} of {}, stage {}, loss {}, accuracy {}, {:.1f} steps/s, {:.0f} s left", seeds,
      state.step, training.steps, trainer.task().stage_name(state.stage), fixed_text(state.loss, 4),
      fixed_text(state.accuracy, 3), rate, left);
}

/// libtorch sets its own threads; OpenBLAS, where it is the one behind matrix products, has more.
/// Their library ends the program where the system refuses one, so no more are asked for.
void set_threads(int wanted) {
  const int threads = static_cast<int>(startable_threads(static_cast<std::size_t>(wanted)));
  at::set_num_threads(threads);
  if (void* const symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(symbol)(threads);
}

/// Activations are freed at the end of a step and needed again in the next; given back to the
/// system, every page of them would be cleared anew.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int train(const Options& options) {
  say_slow_library(options);
  keep_freed_memory();
  set_threads(options.threads);
  std::vector<RunConfig> configs = {read_run_config(options.config)};
  std::vector<std::string> folders = {options.out};
  for (const std::string& folder : options.beside) {
    configs.push_back(read_run_config(folder + "/" + kRunConfigFile));
    folders.push_back(folder);
  }
  Trainer trainer(configs, torch::Device(options.device));
  std::filesystem::create_directories(options.out);
  const auto each_seed = [&](const auto& what) {
    for (std::size_t seed = 0; seed < folders.size(); ++seed) what(seed, folders[seed] + "/");
  };
  if (std::ranges::any_of(folders, [](const std::string& folder) {
        return std::filesystem::exists(folder + "/" + kCheckpointFile);
      })) {
    trainer.resume(folders);
  } else if (!configs.front().initial_weights.empty()) {
    trainer.load_weights();
  }

  Line line;
  std::vector<LossHistory> losses;
  each_seed([&](std::size_t seed, const std::string& folder) {
    losses.emplace_back(folder, configs[seed].training, trainer.state(seed));
  });
  const auto save = [&] {
    each_seed([&](std::size_t seed, const std::string& folder) {
      losses[seed].write();
      // What diverged is nothing to go on from.
      if (!trainer.state(seed).diverged) trainer.save_checkpoint(folder + kCheckpointFile, seed);
    });
  };
  const Trainer::Stop stop = trainer.train(
      interrupted,
      [&](const TrainingState&) {
        for (std::size_t seed = 0; seed < losses.size(); ++seed)
          losses[seed].add(trainer.state(seed),
                           trainer.task(seed).stage_name(trainer.state(seed).stage));
        line.show(progress_text(trainer, configs.front().training));
      },
      save, folders);
  save();
  if (stop == Trainer::Stop::interrupted) {
    std::cerr << "logdepth: interrupted after " << trainer.state().step
              << " steps; the same command continues from " << folders.front() << '/'
              << kCheckpointFile << '\n';
    raise(interrupting_signal);
  }
  each_seed([&](std::size_t seed, const std::string& folder) {
    if (!trainer.state(seed).diverged) trainer.save_weights(folder + kWeightsFile, seed);
    const RunRecord record = trainer.record(
        stop,
        [&](std::size_t done, std::size_t total) {
          if (interrupted) raise(interrupting_signal);  // the checkpoint is there
          line.show(fmt::format("measuring, {} of {}", done, total));
        },
        seed);
    write_run_record(record, folder + kRecordFile);
  });
  return 0;
}

/// What an option says in JSON.
nlohmann::json object_of(const std::string& text, const char* option) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) throw InputError(std::string(option) + ": expected a JSON object");
  return json;
}

int inspect(const Options& options) {
  set_threads(options.threads);
  expect_device(torch::Device(options.device));
  const nlohmann::json question =
      options.question.empty() ? nlohmann::json() : object_of(options.question, "--question");
  std::cout << inspect_run(options.inspection, question, options.config,
                           torch::Device(options.device))
                   .dump(1)
            << std::endl;
  return 0;
}

/// Says "DONE TOTAL" on a line now and then, and the result at the end.
int measure(const Options& options) {
  set_threads(options.threads);
  expect_device(torch::Device(options.device));
  Line line;
  const nlohmann::ordered_json measured = measure_run(
      measure_request_from_json(object_of(options.measure, "--measure"), "--measure"),
      options.config, torch::Device(options.device),
      [&](std::size_t done, std::size_t total) { line.show(fmt::format("{} {}", done, total)); });
  std::cout << measured.dump(1) << std::endl;
  return 0;
}

int run(int argc, char** argv) {
  choose_matrix_kernels(argv);
  CLI::App app("carry out one training run of logdepth (see logdepth train --help)",
               "logdepth-train");
  Options options;
  app.set_version_flag("--version", std::string("logdepth-train ") + LOGDEPTH_VERSION +
                                        ", libtorch " + TORCH_VERSION + ", " +
                                        matrix_library_text());
  app.add_option("config", options.config,
                 "configuration file (JSON); for --inspect and --measure the folder of a run")
      ->required();
  CLI::Option* out = app.add_option("--out", options.out, "folder of the run");
  const CLI::Option* inspection = app.add_option(
      "--inspect", options.inspection,
      "print the analysis that this paper makes of the network of a finished run, as JSON");
  app.add_option(
         "--beside", options.beside,
         "folder of another seed, with its config.json, that is trained together with --out")
      ->needs(out);
  app.add_flag("--told", options.told, "do not warn of a slow library of matrix products again");
  app.add_option("--question", options.question, "input of --inspect, as JSON");
  const CLI::Option* measured = app.add_option(
      "--measure", options.measure,
      "measure the network of a finished run, print the result as JSON; see logdepth measure");
  app.add_option("--device", options.device, "device to run on")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--threads", options.threads, "threads for tensor operations")
      ->check(CLI::Range(1, 1024));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw InputError(std::string(error.what()) + " (see logdepth-train --help)");
  }
  if (out->count() + inspection->count() + measured->count() != 1)
    throw InputError("expected exactly one of --out (to train), --inspect, --measure");
  std::signal(SIGPIPE, SIG_IGN);  // nobody may be listening to the progress
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is one that cannot be written
  if (!inspection->empty()) return inspect(options);
  if (!measured->empty()) return measure(options);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, interrupt);
  return train(options);
}

/// libtorch says in words only that its memory, or that of a device, is used up.
bool says_out_of_memory(const std::exception& error) {
  const std::string_view text = error.what();
  return dynamic_cast<const std::bad_alloc*>(&error) ||
         text.find("can't allocate memory") != std::string_view::npos ||
         text.find("out of memory") != std::string_view::npos;
}

}}}  // namespace logdepth::learned_core

int main(int argc, char** argv) {
  try {
    return logdepth::run(argc, argv);
  } catch (const logdepth::InputError& error) {
    std::cerr << "logdepth: " << logdepth::printable(error.what(), logdepth::kMostPrinted) << '\n';
    return 2;
  } catch (const logdepth::SizeLimit& error) {
    std::cerr << "logdepth: " << logdepth::printable(error.what(), logdepth::kMostPrinted) << '\n';
    return 3;
  } catch (const std::exception& error) {
    if (logdepth::says_out_of_memory(error)) {
      std::cerr << "logdepth: out of memory\n";
      return 3;
    }
    std::cerr << "logdepth: internal error, please report it: " << error.what() << '\n';
    return 70;
  }
}
