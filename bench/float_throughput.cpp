// Float runs of a weights file on a random word: the time of all attention, and every prefix product beside
// the direct one. bench/float_throughput.py calls this for every size.
#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/prefix_products.hpp"
#include "compiler/file/carried_program.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { namespace {

struct Options {
  std::size_t tokens = 1024, rounds = 3;
  std::string number = "float64", device = "cpu", model, group;
};

/// Wall seconds, and processor seconds of all threads: these do not grow when others use the machine.
struct Seconds {
  double wall = 0, cpu = 0;
};

Seconds now() {
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(),
      static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec)};
}

/// What attention takes of a run: its projections, scores, averages and bounds.
class Watch : public FloatObserver {
 public:
  Watch() : last_(now()) {}
  bool after(const Location& location, const std::function<FloatStream()>&) override {
    const Seconds time = now();
    if (location.sublayer == Sublayer::attention) {
      attention.wall += time.wall - last_.wall;
      attention.cpu += time.cpu - last_.cpu;
    }
    last_ = time;
    return true;
  }
  Seconds attention;

 private:
  Seconds last_;
};

/// How many prefix products of the word are wrong, and how many are certified.
nlohmann::json check_products(const FloatRunner& runner, const FloatStream& stream,
                              std::size_t first, const std::string& group, const Word& word) {
  PrefixProducts direct(named_monoid(group));
  direct.run(word);
  std::uint64_t wrong = 0, certified = 0, wrong_but_certified = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto answer = runner.prefix(stream, first + i);
    const bool right = answer.has_value() && answer.value().value == PrefixAnswer(direct.at(i));
    const bool sure = answer.has_value() && answer.value().certificate == Certificate::certified;
    wrong += !right;
    certified += sure;
    wrong_but_certified += sure && !right;
  }
  return {{"wrong", wrong},
          {"certified", certified},
          {"wrong_but_certified", wrong_but_certified},
          {"products", word.size()}};
}

nlohmann::json measure(const Options& options) {
  if (options.device == "cuda" && !built_with_cuda())
    return {{"refused", "not measured: built without CUDA"}};
  if (options.device == "cuda" && cuda_devices() == 0)
    return {{"refused", "not measured: no CUDA device answered"}};
  const Model model = read_weights(options.model);
  const CarriedProgram program(model, Trust::recompiled);
  const Alphabet alphabet(model.alphabet);
  Word word;
  std::vector<std::string> letters;
  std::uint64_t state = options.tokens;
  for (std::size_t i = first_letter(model); i < options.tokens; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    word.push_back(static_cast<Letter>((state >> 33) % model.alphabet.size()));
    letters.push_back(alphabet.name(word.back()));
  }
  const Tokens tokens = demand(tokens_of(model, letters));
  FloatOptions float_options;
  float_options.engine =
      options.number == "float32" ? FloatOptions::Engine::float32 : FloatOptions::Engine::float64;
  float_options.device =
      options.device == "cuda" ? FloatOptions::Device::cuda : FloatOptions::Device::cpu;
  FloatRunner runner(model, program.facts(), float_options);
  nlohmann::json result = {{"program", "GCC " __VERSION__}};
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const Seconds start = now();
    Watch watch;
    const FloatStream stream = demand(runner.run(tokens, {&watch}));
    const Seconds end = now();
    result["wall"].push_back(end.wall - start.wall);
    result["cpu"].push_back(end.cpu - start.cpu);
    result["attention_wall"].push_back(watch.attention.wall);
    result["attention_cpu"].push_back(watch.attention.cpu);
    if (round > 0) continue;
    result["answers"] = check_products(runner, stream, first_letter(model), options.group, word);
    result["scores"] = runner.statistics().scores;
  }
  return result;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Times float runs of a weights file on a random word; prints a JSON object.");
  app.add_option("--model", options.model, "weights file");
  app.add_option("--group", options.group, "what it was compiled from");
  app.add_option("--tokens", options.tokens)->check(CLI::PositiveNumber);
  app.add_option("--number", options.number)->check(CLI::IsMember({"float64", "float32"}));
  app.add_option("--device", options.device)->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--rounds", options.rounds)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << measure(options).dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_float_throughput: " << error.what() << '\n';
    return 2;
  }
}

}}  // namespace logdepth

int main(int argc, char** argv) {
  return logdepth::run(argc, argv);
}
