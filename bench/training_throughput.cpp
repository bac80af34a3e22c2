// One contender of training_throughput.py: training steps of the learned core on prepared batches,
// at the command of standard input. "kernels": those of OpenBLAS that are in use, nothing of other
// libraries; "save FILE": the weights; "batches FILE": all batches as int32; "steps K": K steps,
// answers with the seconds and the loss of each.
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "learned/core/device.hpp"
#include "learned/core/finished_run.hpp"
#include "learned/core/network.hpp"
#include "learned/core/parameters.hpp"
#include "learned/records/task.hpp"
#include "learned/word_problems/word_task.hpp"

namespace {

using namespace logdepth;

struct Contender {
  RunConfig config;
  TaskFormat format;
  std::vector<Samples> samples;
  std::vector<Batch> batches;
  std::unique_ptr<Network> network;
  std::unique_ptr<FlatAdamW> optimiser;
  std::size_t step = 0;

  Contender(std::uint32_t depth, std::uint32_t width, std::uint32_t length, std::uint32_t words,
            std::size_t count) {
    config = word_problem("S5", WordModel::stack, depth);
    config.model.width = width;
    config.model.hidden = 4 * width;
    // The block that the other contenders are written for.
    config.model.activation = ModelConfig::Activation::gelu;
    config.model.norm = ModelConfig::NormKind::layernorm;
    config.model.positions = ModelConfig::Positions::none;
    config.model.embedding_deviation = 0.5;
    auto& task_config = config.task.as<WordTaskConfig>();
    task_config.positions = WordTaskConfig::Positions::table;
    task_config.max_length = length;
    task_config.batch_tokens = length * words;
    const auto task = config.task->make_task(1);
    format = task->format();
    for (std::size_t i = 0; i < count; ++i) {
      samples.push_back(task->training_batch(task->stages() - 1, i));
      batches.push_back(to_batch(samples.back(), format, torch::kCPU, torch::kFloat32));
    }
    network = make_network(config, format, torch::kCPU, config.seed);
    optimiser = std::make_unique<FlatAdamW>(config.training, network->parameters());
  }

  double one_step() {
    PassOptions options;
    const Tensor loss =
        supervised_loss(*network, batches[step % batches.size()], options, config.training);
    loss.backward();
    optimiser->step(network->parameters(), config.training.learning_rate);
    ++step;
    return loss.item<double>();
  }
};

}  // namespace

int main(int argc, char** argv) {
  choose_matrix_kernels(argv);  // as logdepth-train
  CLI::App app("training steps of the learned core; see training_throughput.py");
  std::uint32_t depth = 4, width = 64, length = 16, words = 64, count = 64;
  int threads = 1;
  app.add_option("--depth", depth);
  app.add_option("--width", width);
  app.add_option("--length", length);
  app.add_option("--words", words);
  app.add_option("--batches", count);
  app.add_option("--threads", threads);
  CLI11_PARSE(app, argc, argv);
  at::set_num_threads(threads);
  if (void* const symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(symbol)(threads);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // as logdepth-train
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  Contender contender(depth, width, length, words, count);
  for (std::string command; std::cin >> command;) {
    if (command == "kernels") {
      std::cout << matrix_kernels() << std::endl;
      continue;
    }
    std::string argument;
    std::cin >> argument;
    if (command == "save") {
      write_tensor_file({named_tensors(contender.network->parameters()), {}}, argument);
      std::cout << "saved" << std::endl;
    } else if (command == "batches") {
      std::ofstream out(argument, std::ios::binary);
      for (const Samples& samples : contender.samples)
        for (const auto* numbers : {&samples.indices, &samples.targets})
          out.write(reinterpret_cast<const char*>(numbers->data()),
                    static_cast<std::streamsize>(numbers->size() * sizeof(std::int32_t)));
      std::cout << contender.samples.front().count << std::endl;
    } else {
      std::string losses;
      const auto begin = std::chrono::steady_clock::now();
      for (int i = std::stoi(argument); i > 0; --i) {
        char text[40];
        std::snprintf(text, sizeof text, " %.9g", contender.one_step());
        losses += text;
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      std::cout << spent.count() << losses << std::endl;
    }
  }
}
