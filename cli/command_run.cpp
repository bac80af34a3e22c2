#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/answers.hpp"
#include "cli/commands.hpp"
#include "cli/engine_options.hpp"
#include "cli/input_source.hpp"
#include "cli/progress.hpp"
#include "cli/run_answer.hpp"
#include "cli/run_limits.hpp"
#include "cli/trace_writer.hpp"
#include "library/requests/stream_request.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

constexpr std::size_t kManyPairs = 10;

struct RunOptions {
  std::string model, trace;
  EngineOptions engine;
  InputOptions input;
  bool prefixes = false, stats = false, json = false;
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
};

void check_prefixes(const Model& model) {
  const std::string file = "--prefixes: the weights file " + in_quotes(model.name) + " ";
  require(std::holds_alternative<WordInput>(model.input), file + "does not take words");
  require(reads_prefixes(model), file + "has no prefix readout");
}

/// Runs the inputs one after the other and prints as it goes.
/// Of one interval number by another, in seconds: 0.3 to 0.4 microseconds were measured from 80 to
/// 500 bits, on a word of 400 letters of A5.
constexpr double kMpfrMultiplication = 3e-7;
/// Shorter runs, in seconds, need no forecast.
constexpr double kForecast = 10;

/// Every weight that is not 0 at every token, and the scores of all visible pairs.
double mpfr_multiplications(const Model& model, const Tokens& tokens) {
  const double n = static_cast<double>(tokens.kinds.size());
  double once = 0, repeated = 0;
  std::uint64_t repeated_layers = 0, other_layers = 0;
  for (const Layer& layer : model.layers) {
    double count = n * static_cast<double>(layer.feedforward.in.entries.size() +
                                           layer.feedforward.out.entries.size());
    for (const Head& head : layer.attention.heads) {
      count += n * static_cast<double>(head.query.entries.size() + head.key.entries.size() +
                                       head.value.entries.size() + head.output.entries.size());
      count += n * n * (head.causal ? 0.5 : 1.0) * head.query.rows;
    }
    (layer.block == Block::repeated ? repeated : once) += count;
    ++(layer.block == Block::repeated ? repeated_layers : other_layers);
  }
  const std::uint64_t depth = depth_at(model, tokens.size);
  const double loops = repeated_layers == 0 ? 0
                                            : static_cast<double>(depth - other_layers) /
                                                  static_cast<double>(repeated_layers);
  return once + loops * repeated;
}

class Runs {
 public:
  Runs(const CheckedModel& model, const RunOptions& options)
      : model_(model),
        options_(options),
        text_(model, !options.engine.exact, !options.trace.empty(), options.json) {
    if (options.prefixes) check_prefixes(model);
    if (!options.trace.empty()) trace_.emplace(model, options.trace);
    const Spectators spectators{[this](const Location& location) { show_progress(location); },
                                trace_ ? &*trace_ : nullptr};
    answers_.emplace(model,
                     options.engine.exact ? exact_engine(model, options.threads, spectators)
                                          : float_engine(model, options.engine.options, spectators),
                     Reading{options.prefixes, false, true});
    answers_->before_runs([this](const Outcome<Tokens>& tokens) {
      if (trace_) trace_->begin(question_());
      if (!tokens.has_value()) return;
      sublayers_ = static_cast<std::size_t>(2 * depth_at(model_, tokens.value().size));
      if (!options_.engine.exact && options_.engine.options.engine == FloatOptions::Engine::mpfr)
        forecast(tokens.value());
    });
  }

  int run(const Questions& questions) {
    std::visit(Overload{[&](const std::vector<LetterNames>& words) { run_words(words); },
                        [&](const GraphQuestions& graph) { run_graph(graph); },
                        [&](const CellRows& rows) {
                          run_streams(rows, SaidAnswer::Of::streams, [&] {
                            return answers_->streams([&] { return declared_tokens(model_, rows); });
                          });
                        },
                        [&](const DivisionQuestion& division) {
                          run_streams(division.rows, SaidAnswer::Of::division,
                                      [&] { return answers_->division(division.rows); });
                        }},
               questions);
    if (options_.json) print_json();
    write_out_answers();
    if (trace_) trace_->finish();
    if (options_.stats && !options_.json)
      print_statistics(answers_->engine().statistics(), std::cerr);
    if (broken_contract_) {
      std::cerr << "logdepth: selection contract violated: "
                << printable(*broken_contract_, kMostPrinted) << '\n';
      return kCheckFailed;
    }
    return text_.refused() ? kNotDecided : kDone;
  }

 private:
  /// Says once how long a long run in MPFR takes.
  void forecast(const Tokens& tokens) {
    const double multiplications = mpfr_multiplications(model_, tokens);
    const double seconds = multiplications * kMpfrMultiplication;
    if (seconds < kForecast || forecast_) return;
    forecast_ = true;
    std::cerr << fmt::format(
        "logdepth: --engine {}: an input of {} takes about {:.1e} multiplications, some {} on one "
        "core; float64 is faster\n",
        options_.engine.name, counted(tokens.kinds.size(), "token"), multiplications,
        seconds < 120 ? counted(static_cast<std::uint64_t>(seconds), "second")
                      : counted(static_cast<std::uint64_t>(seconds / 60), "minute"));
  }

  void run_words(const std::vector<LetterNames>& words) {
    if (words.size() > 1) answers_->announce(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      question_ = [&] { return nlohmann::json{{"letters", words[i]}}; };
      SaidAnswer said{SaidAnswer::Of::word, answers_->word(words[i])};
      if (words.size() > 1) said.which = fmt::format("word {}: ", i + 1);
      if (options_.json)
        said.input = {{"input", show_word(words[i])}, {"letters", words[i].size()}};
      said.separated = options_.prefixes && i > 0;
      print(said);
    }
  }

  void run_graph(const GraphQuestions& questions) {
    const Graph& graph = questions.graph;
    const bool once = answers_all_pairs(model_);
    if (!once && questions.pairs.size() >= kManyPairs)
      std::cerr << fmt::format(
          "logdepth: {} pairs require {} runs of this network; one made by `compile connectivity "
          "--construction rows --size {}` decides all pairs in one run\n",
          questions.pairs.size(), questions.pairs.size(), graph.size());
    for (std::size_t i = 0; i < questions.pairs.size(); ++i) {
      const auto [source, target] = questions.pairs[i];
      const nlohmann::json pair = {{"source", graph.names()[source]},
                                   {"target", graph.names()[target]}};
      question_ = [&] {
        nlohmann::json question = once ? nlohmann::json() : pair;
        question["vertices"] = graph.names();
        return question;
      };
      SaidAnswer said{SaidAnswer::Of::pair, answers_->pair(graph, source, target, i > 0)};
      if (questions.pairs.size() > 1) said.which = fmt::format("pair {}: ", i + 1);
      said.input = pair;
      said.input["vertices"] = graph.size();
      said.separated =
          i > 0 && said.answer.depth && std::holds_alternative<CellsOutput>(model_.output);
      print(said);
    }
  }

  template <class Ask>
  void run_streams(const CellRows& rows, SaidAnswer::Of of, const Ask& ask) {
    const nlohmann::json input = {{"tokens", rows.size()}};
    question_ = [&] { return input; };
    SaidAnswer said{of, ask(), input};
    if (said.answer.limit) throw SizeLimit(*said.answer.limit);
    print(said);
  }

  void print(const SaidAnswer& said) {
    if (!broken_contract_) broken_contract_ = said.answer.broken_promise;
    text_.print(said);
    if (options_.json) results_.push_back(to_json(model_, said, !options_.engine.exact));
  }

  void print_json() const {
    nlohmann::json out = {{"schema", "logdepth/run/1"},
                          {"model", model_.name},
                          {"engine", options_.engine.name},
                          {"results", results_}};
    add_statistics(answers_->engine().statistics(), options_.stats, out);
    if (broken_contract_) out["promises"]["broken"] = *broken_contract_;
    std::cout << out.dump(1) << '\n';
  }
  void show_progress(const Location& location) {
    progress_.update(2 * location.step - (location.sublayer == Sublayer::attention ? 1 : 0),
                     sublayers_);
  }

  const Model& model_;
  const RunOptions& options_;
  Progress progress_{"run", "sublayers"};
  std::size_t sublayers_ = 0;
  bool forecast_ = false;  ///< was printed
  std::optional<TraceWriter> trace_;
  std::optional<RunAnswers> answers_;
  std::function<nlohmann::json()> question_;  ///< the input, as a trace says it
  RunText text_;
  nlohmann::json results_ = nlohmann::json::array();
  std::optional<std::string> broken_contract_;  ///< the first
};

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run",
                         "run a weights file on words, a graph or raw input, exactly or in "
                         "floating point\nExample: logdepth run abb.json --batch words.txt");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->input.add_to(*command, true);
  options->engine.add_to(*command);
  command->add_flag("--prefixes", options->prefixes,
                    "print one prefix product (or state) per line instead of the decision");
  command->add_flag("--stats", options->stats, "print attention-rule and cache statistics");
  command->add_option("--threads", options->threads, "number of threads; does not change results")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option(
      "--trace", options->trace,
      "write every value of every cell after every sublayer to this file (JSON lines)");
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] {
    options->engine.settle(options->threads);
    if (!options->trace.empty()) {
      if (!options->engine.exact) throw InputError("--trace: only the exact engine writes a trace");
      auto inputs = options->input.files();
      inputs.push_back(options->model);
      refuse_overwriting(options->trace, inputs);
    }
    const CheckedModel model = read_weights(options->model);
    const Questions questions = load_questions(options->input, model);
    return Runs(model, *options).run(questions);
  };
}

}  // namespace logdepth::inline cli
