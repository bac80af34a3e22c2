#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "cli/answers.hpp"
#include "cli/commands.hpp"
#include "cli/engine_options.hpp"
#include "cli/input_source.hpp"
#include "cli/run_engine.hpp"
#include "cli/run_limits.hpp"
#include "compiler/file/names_of_states.hpp"
#include "library/requests/stream_request.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/numbers/float_text.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth {
namespace {

constexpr std::size_t kManyPairs = 10;

struct RunOptions {
  std::string model, trace;
  EngineOptions engine;
  InputOptions input;
  bool prefixes = false, stats = false, json = false;
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
};

/// The word printed for a refusal, in the place of the answer.
const char* refusal_name(const Refusal& refusal) {
  return std::holds_alternative<Undecided>(refusal)      ? "undecided"
         : std::holds_alternative<OutsideField>(refusal) ? "outside the field"
                                                         : "outside the hypotheses";
}

/// Runs the inputs one after the other and prints as it goes.
class Runs {
 public:
  Runs(const Model& model, const RunOptions& options) : model_(model), options_(options) {
    if (options.prefixes && !std::holds_alternative<WordInput>(model.input))
      throw InputError("--prefixes: the weights file " + in_quotes(model.name) +
                       " does not take words");
    if (options.prefixes && !reads_prefixes(model))
      throw InputError("--prefixes: the weights file " + in_quotes(model.name) +
                       " does not say how to read prefixes");
    if (options.engine.exact) {
      engine_ = exact_engine(model, options.threads, options.trace);
    } else {
      engine_ = float_engine(model, options.engine.options);
    }
  }

  int run(const Questions& questions) {
    std::visit(Overload{[&](const std::vector<LetterNames>& words) { run_words(words); },
                        [&](const GraphQuestions& graph) { run_graph(graph); },
                        [&](const CellRows& rows) { run_cells(rows); },
                        [&](const DivisionQuestion& division) { run_division(division.rows); }},
               questions);
    if (options_.json) print_json();
    write_out_answers();
    engine_->finish();
    if (options_.stats && !options_.json) engine_->print_statistics(std::cerr);
    if (const auto broken = engine_->broken_promise()) {
      std::cerr << "logdepth: a head broke its promise: " << printable(*broken, kMostPrinted)
                << '\n';
      return kCheckFailed;
    }
    return refused_ ? kNotDecided : kDone;
  }

 private:
  void run_words(const std::vector<LetterNames>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (options_.prefixes && i > 0) print("");
      which_ = words.size() > 1 ? fmt::format("word {}: ", i + 1) : "";
      nlohmann::json result = {{"input", show_word(words[i])}, {"letters", words[i].size()}};
      within_limits(result, [&] {
        const auto refusal =
            run_tokens(tokens_of(model_, words[i]), {{"letters", words[i]}}, result);
        if (refusal) {
          refuse(*refusal, result);
        } else {
          answer_word(words[i].size(), result);
        }
      });
      results_.push_back(std::move(result));
    }
  }

  void run_graph(const GraphQuestions& questions) {
    const Graph& graph = questions.graph;
    const bool once = std::get<GraphInput>(model_.input).layout == GraphInput::Layout::rows;
    if (!once && questions.pairs.size() >= kManyPairs)
      std::cerr << fmt::format(
          "logdepth: {} pairs mean {} runs of this file; one of `compile connectivity "
          "--construction rows --size {}` answers all pairs in one run\n",
          questions.pairs.size(), questions.pairs.size(), graph.size());
    bool has_run = false;
    std::optional<Refusal> refusal;
    nlohmann::json run = {{"vertices", graph.size()}};  // what all pairs of one run share
    for (std::size_t i = 0; i < questions.pairs.size(); ++i) {
      const Vertex source = questions.pairs[i].first, target = questions.pairs[i].second;
      which_ = questions.pairs.size() > 1 ? fmt::format("pair {}: ", i + 1) : "";
      nlohmann::json result = run;
      result["source"] = graph.names()[source];
      result["target"] = graph.names()[target];
      within_limits(result, [&] {
        if (!has_run || !once) {
          nlohmann::json question = {{"vertices", graph.names()}};
          if (!once) {
            question["source"] = graph.names()[source];
            question["target"] = graph.names()[target];
          }
          refusal = run_tokens(tokens_of(model_, graph, source, target), question, run);
          has_run = true;
        }
        result.update(run);
        if (refusal) {
          refuse(*refusal, result);
        } else if (std::holds_alternative<CellsOutput>(model_.output)) {
          if (i > 0) print("");
          print_cells(result);
        } else {
          answer_pair(source, target, result);
        }
      });
      results_.push_back(std::move(result));
    }
  }

  /// `answer` prints what a run of these streams has to say.
  void run_streams(const CellRows& rows, const std::function<void(nlohmann::json&)>& answer) {
    nlohmann::json result = {{"tokens", rows.size()}};
    const auto refusal =
        run_tokens(declared_tokens(model_, rows), {{"tokens", rows.size()}}, result);
    if (refusal) {
      refuse(*refusal, result);
    } else {
      answer(result);
    }
    results_.push_back(std::move(result));
  }

  void run_cells(const CellRows& rows) {
    run_streams(rows, [&](nlohmann::json& result) {
      if (std::holds_alternative<CellsOutput>(model_.output)) {
        print_cells(result);
      } else {
        answer_word(rows.size(), result);
      }
    });
  }

  /// The last token's quotient and remainder as numbers; as named values where they are none, as in
  /// floating point.
  void run_division(const CellRows& rows) {
    run_streams(rows, [&](nlohmann::json& result) {
      const auto logits = engine_->logits(rows.size() - 1);
      if (!logits.has_value()) return refuse(logits.refusal(), result);
      const auto numbers = divided_numbers(model_, logits.value());
      if (!numbers) return answer_word(rows.size(), result);
      result["quotient"] = numbers->quotient;
      result["remainder"] = numbers->remainder;
      answered("value", result);
      print(numbers->quotient + " remainder " + numbers->remainder);
    });
  }

  std::optional<Refusal> run_tokens(const Outcome<Tokens>& tokens, const nlohmann::json& question,
                                    nlohmann::json& result) {
    engine_->begin(question);
    if (!tokens.has_value()) return tokens.refusal();
    if (auto refusal = engine_->run(tokens.value())) return refusal;
    result["depth"] = depth_at(model_, tokens.value().size);
    return std::nullopt;
  }

  /// The verdict of the last token; of a word also its values, on one line, and what is read of its
  /// prefixes.
  void answer_word(std::size_t letters, nlohmann::json& result) {
    const std::size_t last = engine_->tokens() - 1;
    if (const auto* cells = std::get_if<CellsOutput>(&model_.output)) {
      const auto outcome = engine_->logits(last);
      if (!outcome.has_value()) return refuse(outcome.refusal(), result);
      const std::vector<std::string>& logits = outcome.value();
      std::string line;
      for (std::size_t i = 0; i < logits.size(); ++i) {
        line += (line.empty() ? "" : " ") + printable(cells->names[i]) + "=" + logits[i];
        result["cells"][cells->names[i]] = logits[i];
      }
      answered("value", result);
      print(line);
      return;
    }
    if (options_.prefixes) {
      result["prefixes"] = nlohmann::json::array();
      for (std::size_t i = 0; i < letters; ++i) {
        const auto prefix = engine_->prefix(i);
        if (!prefix.has_value()) {
          result["prefixes"].push_back(nullptr);
          say_refused(refusal_name(prefix.refusal()), describe(prefix.refusal()));
          continue;
        }
        std::visit([&](const auto& value) { result["prefixes"].push_back(value); }, prefix.value());
        print(named_text(prefix.value()));
      }
    }
    const auto verdict = engine_->accepts(last);
    if (!verdict.has_value()) {
      // With --prefixes a verdict is no answer that was asked for, except in the object.
      if (options_.prefixes && !options_.json)
        return answered(refusal_name(verdict.refusal()), result);
      return refuse(verdict.refusal(), result);
    }
    answered(verdict.value() ? "accept" : "reject", result);
    if (!options_.prefixes) print(verdict.value() ? "accept" : "reject");
  }

  /// The images of the points, or the state; a user's states by their names, in quotes.
  std::string named_text(const PrefixAnswer& prefix) const {
    if (const auto* state = std::get_if<std::uint32_t>(&prefix))
      return *state < state_names_.size() ? nlohmann::json(state_names_[*state]).dump()
                                          : prefix_text(prefix);
    const auto& product = std::get<std::vector<std::uint32_t>>(prefix);
    if (state_names_.size() != product.size()) return prefix_text(prefix);
    nlohmann::json images = nlohmann::json::array();
    for (const std::uint32_t point : product) images.push_back(state_names_[point]);
    return images.dump();
  }

  void answer_pair(Vertex source, Vertex target, nlohmann::json& result) {
    const auto verdict = engine_->connected(source, target);
    if (!verdict.has_value()) return refuse(verdict.refusal(), result);
    const char* const answer = verdict.value() ? "connected" : "not connected";
    answered(answer, result);
    print(answer);
  }

  /// A line of names, then a line of values for every token, in a form that --cells reads again
  /// where no value is a root of roots.
  void print_cells(nlohmann::json& result) {
    const auto& names = std::get<CellsOutput>(model_.output).names;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t token = 0; token < engine_->tokens(); ++token) {
      auto logits = engine_->logits(token);
      if (!logits.has_value()) return refuse(logits.refusal(), result);
      rows.push_back(std::move(logits).value());
    }
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "" : " ") + printable(name);
    print(line);
    result["cells"] = nlohmann::json::array();
    for (const auto& logits : rows) {
      line.clear();
      auto& values = result["cells"].emplace_back(nlohmann::json::object());
      for (std::size_t i = 0; i < logits.size(); ++i) {
        values[names[i]] = logits[i];
        if (i > 0) line += ' ';
        for (const char c : logits[i])
          if (c != ' ') line += c;
      }
      print(line);
    }
    answered("value", result);
  }

  /// An answer of floating point comes with its certificate; without one the run counts as not
  /// decided. An exact one whose numbers left the field says where.
  void answered(const char* outcome, nlohmann::json& result) {
    result["outcome"] = outcome;
    if (const auto left = engine_->left_field()) {
      result["left_field"] = *left;
      std::cerr << "logdepth: " << which_
                << "answered with roots of roots, every comparison decided; the numbers leave the "
                   "field at "
                << printable(*left, kMostPrinted)
                << (options_.trace.empty() ? "" : ", where the trace ends") << '\n';
    }
    const auto certificate = engine_->certificate();
    if (!certificate) return;
    result["certificate"] = certificate_name(certificate->certificate);
    std::string reason = certificate->reason;
    if (!reason.empty()) result["reason"] = reason;
    if (certificate->bound) {
      result["error_bound"] = *certificate->bound;
      reason +=
          (reason.empty() ? "" : "; ") + ("numbers within " + bound_text(*certificate->bound));
    }
    if (certificate->certificate != Certificate::certified) refused_ = true;
    std::cerr << "logdepth: " << which_ << certificate_name(certificate->certificate)
              << (reason.empty() ? "" : ": ") << printable(reason, kMostPrinted) << '\n';
  }

  void refuse(const Refusal& refusal, nlohmann::json& result) {
    refuse(refusal_name(refusal), describe(refusal), result);
  }
  void refuse(const char* outcome, const std::string& reason, nlohmann::json& result) {
    result["outcome"] = outcome;
    result["reason"] = reason;
    say_refused(outcome, reason);
  }
  void say_refused(const char* outcome, const std::string& reason) {
    refused_ = true;
    print(outcome);
    std::cerr << "logdepth: " << which_ << printable(reason, kMostPrinted) << '\n';
  }
  /// An input that is too large for a limit is refused like any other, and the next one is run.
  template <class Answer>
  void within_limits(nlohmann::json& result, Answer answer) {
    try {
      answer();
    } catch (const SizeLimit& limit) {
      refuse("beyond a limit", limit.what(), result);
    }
  }

  void print(const std::string& line) const {
    if (!options_.json) std::cout << line << '\n' << std::flush;
  }

  void print_json() const {
    nlohmann::json out = {{"schema", "logdepth/run/1"},
                          {"model", model_.name},
                          {"engine", options_.engine.name},
                          {"results", results_}};
    engine_->report(out, options_.stats);
    std::cout << out.dump(1) << '\n';
  }

  const Model& model_;
  const RunOptions& options_;
  std::unique_ptr<RunEngine> engine_;
  nlohmann::json results_ = nlohmann::json::array();
  bool refused_ = false;
  const std::vector<std::string> state_names_ = names_of_states(model_);
  std::string which_;  // names the question in messages about a batch
};

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run",
                                         "run words, a graph or raw streams through a weights "
                                         "file, exactly or in floating point\n"
                                         "Example: logdepth run abb.json --batch words.txt");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->input.add_to(*command, true);
  options->engine.add_to(*command);
  command->add_flag(
      "--prefixes", options->prefixes,
      "print the product of every non-empty prefix, or the state that it leads to, as the file "
      "reads it, instead of the verdict, one a line");
  command->add_flag("--stats", options->stats,
                    "print which rules answered the attention, and what was remembered");
  command
      ->add_option("--threads", options->threads,
                   "threads to use where it pays; the answers are the same")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--trace", options->trace,
                      "write every value of every cell after every sublayer (JSON lines)");
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
    const Model model = read_weights(options->model);
    const Questions questions = load_questions(options->input, model);
    return Runs(model, *options).run(questions);
  };
}

}  // namespace logdepth
