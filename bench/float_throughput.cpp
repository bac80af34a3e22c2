// What one attention score costs: the float runtime's rows beside loops on the same head, or a
// whole run of a weights file. bench/float_throughput.py calls this for every size.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/direct_algorithms.hpp"
#include "bench/lookup_head.hpp"
#include "compiler/file/carried_program.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth {
namespace {

struct Options {
  std::size_t tokens = 1024, keys = 0;
  std::uint32_t dimension = 4;
  std::string number = "float64", device = "cpu", write_head, model, group;
  std::size_t rounds = 3;
  int threads = 1;
  double tolerance = 0;
};

/// Wall seconds, and processor seconds of all threads: these do not grow when others use the
/// machine.
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

Seconds operator-(const Seconds& a, const Seconds& b) {
  return {a.wall - b.wall, a.cpu - b.cpu};
}
Seconds& operator+=(Seconds& a, const Seconds& b) {
  a.wall += b.wall;
  a.cpu += b.cpu;
  return a;
}

/// One answer; a short one is repeated until the clocks can be trusted.
Seconds timed_answer(HeadContender& contender) {
  constexpr double enough = 0.03;
  Seconds sum;
  int repeats = 0;
  for (; repeats == 0 || sum.wall < enough; ++repeats) {
    contender.prepare();
    const Seconds start = now();
    contender.answer();
    sum += now() - start;
  }
  return {sum.wall / repeats, sum.cpu / repeats};
}

/// Rows whose averages are not the right ones, bit by bit. A row averages 29 random bytes of every
/// key that it selects, sums of integers that are exact in both number formats: other keys would
/// give another answer.
template <class Number>
nlohmann::json compare(const HeadContender& contender, const LookupHead& head) {
  const std::vector<double> averages = contender.averages();
  const std::vector<RowDecision> decisions = contender.decisions();
  std::map<RowDecision, std::uint64_t> rows;
  std::uint64_t wrong = 0, wrong_but_decided = 0, first_wrong = 0;
  for (std::size_t i = 0; i < head.tokens; ++i) {
    bool right = true;
    for (std::uint32_t v = 0; v < head.values; ++v)
      right &= static_cast<Number>(averages[v * head.tokens + i]) ==
               static_cast<Number>(head.expected[v * head.tokens + i]) /
                   static_cast<Number>(head.selected[i]);
    if (!right && wrong++ == 0) first_wrong = i + 1;
    if (decisions.empty()) continue;
    ++rows[decisions[i]];
    wrong_but_decided += !right && decisions[i] != RowDecision::ambiguous;
  }
  nlohmann::json result = {{"wrong_rows", wrong}};
  if (wrong > 0) result["first_wrong"] = first_wrong;
  if (!decisions.empty()) {
    result["rows"] = {{"single", rows[RowDecision::single]},
                      {"tie", rows[RowDecision::tie]},
                      {"alike", rows[RowDecision::alike]},
                      {"ambiguous", rows[RowDecision::ambiguous]}};
    result["wrong_but_decided"] = wrong_but_decided;
  }
  return result;
}

template <class Number>
std::vector<std::pair<std::string, HeadContenderPtr>> contenders(const Options& options,
                                                                 const LookupHead& head) {
  std::vector<std::pair<std::string, HeadContenderPtr>> made;
  if (options.device == "cuda") {
    made.emplace_back("runtime", rows_on_cuda<Number>(head));
    return made;
  }
  made.emplace_back("runtime", rows_on_host<Number>(head, options.threads));
  made.emplace_back("plain, products", plain_loop<Number>(head, false, options.tolerance));
  made.emplace_back("plain, distances", plain_loop<Number>(head, true, options.tolerance));
  made.emplace_back("tiled", tiled_loop<Number>(head, options.tolerance));
  return made;
}

template <class Number>
nlohmann::json measure_head(const Options& options, const LookupHead& head) {
  const auto all = contenders<Number>(options, head);
  nlohmann::json results;
  for (const auto& [name, contender] : all) {
    contender->prepare();
    contender->answer();
    results[name] = compare<Number>(*contender, head);
  }
  for (std::size_t round = 0; round < options.rounds; ++round)
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      const auto& [name, contender] = all[(round + turn) % all.size()];
      const Seconds seconds = timed_answer(*contender);
      results[name]["wall"].push_back(seconds.wall);
      results[name]["cpu"].push_back(seconds.cpu);
    }
  return results;
}

/// Query, key, value, expected sums and numbers of selected tokens, one array after the other, for
/// programs in other languages.
void write_head(const LookupHead& head, const std::string& path) {
  std::string bytes;
  for (const auto* numbers :
       {&head.query, &head.key, &head.value, &head.expected, &head.selected}) {
    const std::size_t begin = bytes.size(), size = numbers->size() * sizeof(double);
    bytes.resize(begin + size);
    std::memcpy(bytes.data() + begin, numbers->data(), size);
  }
  write_whole_file(path, bytes);
}

nlohmann::json run_head(const Options& options) {
  const std::size_t keys = options.keys == 0 ? options.tokens : options.keys;
  const LookupHead head = make_lookup_head(options.tokens, options.dimension, keys);
  nlohmann::json result = {
      {"tokens", options.tokens},  {"dimension", options.dimension}, {"keys", keys},
      {"number", options.number},  {"device", options.device},       {"values", head.values},
      {"threads", options.threads}};
  result["scores"] =
      static_cast<double>(options.tokens) * (static_cast<double>(options.tokens) + 1) / 2;
  if (!options.write_head.empty()) {
    write_head(head, options.write_head);
    return result;
  }
  result["contenders"] = options.number == "float32" ? measure_head<float>(options, head)
                                                     : measure_head<double>(options, head);
  return result;
}

/// Where the time of a run goes.
class Watch : public FloatObserver {
 public:
  void start() {
    last_ = now();
    attention = {};
  }
  bool after(const Location& location, const std::function<FloatStream()>&) override {
    const Seconds time = now();
    if (location.sublayer == Sublayer::attention) attention += time - last_;
    last_ = time;
    return true;
  }
  Seconds attention;

 private:
  Seconds last_;
};

template <class T>
T demand(Outcome<T> outcome) {
  if (!outcome.has_value()) throw InputError(describe(outcome.refusal()));
  return std::move(outcome).value();
}

/// How many prefix products of the word are wrong, and how many are certified.
nlohmann::json check_products(const FloatRunner& runner, const FloatStream& stream,
                              const Model& model, const std::string& group, const Word& word) {
  DirectProducts direct(named_monoid(group), ProductTable::matrix);
  direct.run_sequentially(word);
  std::uint64_t wrong = 0, certified = 0, wrong_but_certified = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto answer = runner.prefix(stream, first_letter(model) + i);
    const bool right =
        answer.has_value() && answer.value().value == PrefixAnswer(direct.product(i));
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

nlohmann::json run_model(const Options& options) {
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
  float_options.threads = static_cast<std::size_t>(options.threads);
  FloatRunner runner(model, program.facts(), float_options);
  Watch watch;
  nlohmann::json result = {
      {"tokens", tokens.kinds.size()},
      {"number", options.number},
      {"device", options.device},
      {"threads", options.threads},
      {"facts", program.trust() == Trust::recompiled ? "proved" : program.reason()}};
  for (std::size_t round = 0; round < options.rounds; ++round) {
    watch.start();
    const Seconds start = now();
    const FloatStream stream = demand(runner.run(tokens, {&watch}));
    const Seconds seconds = now() - start;
    result["wall"].push_back(seconds.wall);
    result["cpu"].push_back(seconds.cpu);
    result["attention_wall"].push_back(watch.attention.wall);
    result["attention_cpu"].push_back(watch.attention.cpu);
    if (round > 0) continue;
    result["answers"] = check_products(runner, stream, model, options.group, word);
    const FloatStatistics& s = runner.statistics();
    result["scores"] = s.scores;
    result["rows"] = {
        {"single", s.single}, {"tie", s.ties}, {"alike", s.alike}, {"ambiguous", s.ambiguous}};
  }
  return result;
}

nlohmann::json run_either(const Options& options) {
  if (options.device == "cuda" && !built_with_cuda())
    return {{"refused", "not measured: built without CUDA"}};
  if (options.device == "cuda" && cuda_devices() == 0)
    return {{"refused", "not measured: no CUDA device answered"}};
  nlohmann::json result = options.model.empty() ? run_head(options) : run_model(options);
  result["compiler"] = "GCC " __VERSION__;
  return result;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Times the attention of one head, or of a weights file; prints a JSON object.");
  app.add_option("--tokens", options.tokens)->check(CLI::PositiveNumber);
  app.add_option("--dimension", options.dimension, "of the position codes")
      ->check(CLI::IsMember({2, 4}));
  app.add_option("--keys", options.keys, "different keys; 0: every token has its own");
  app.add_option("--number", options.number)->check(CLI::IsMember({"float64", "float32"}));
  app.add_option("--device", options.device)->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--threads", options.threads, "of the runtime; the loops have one")
      ->check(CLI::Range(1, 256));
  app.add_option("--rounds", options.rounds, "of all contenders in turn")
      ->check(CLI::PositiveNumber);
  app.add_option("--tolerance", options.tolerance,
                 "of the loops: how far below the largest a score ties");
  app.add_option("--write-head", options.write_head, "writes the head's arrays to a file, no more");
  app.add_option("--model", options.model,
                 "times runs of this weights file on a random word instead");
  app.add_option("--group", options.group, "what that file was compiled from");
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << run_either(options).dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_float_throughput: " << error.what() << '\n';
    return 2;
  }
}

}  // namespace
}  // namespace logdepth

int main(int argc, char** argv) {
  return logdepth::run(argc, argv);
}
