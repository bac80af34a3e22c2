#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/input_source.hpp"
#include "cli/progress.hpp"
#include "cli/trace_writer.hpp"
#include "compiler/interpret.hpp"
#include "objects/action.hpp"
#include "objects/input_error.hpp"
#include "objects/overload.hpp"
#include "proofs-check/first_difference.hpp"
#include "runtime/promise_check.hpp"
#include "runtime/run_model.hpp"
#include "runtime/unrolling.hpp"
#include "runtime/weights_file.hpp"
#include "runtime/whole_file.hpp"

namespace logdepth {
namespace {

constexpr double kMostMemory = 65536;  // GiB

struct RunOptions {
  std::string model, engine = "exact", trace;
  InputOptions input;
  bool prefixes = false, stats = false, json = false;
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  double memory = 8;  // GiB

  std::size_t bytes() const { return static_cast<std::size_t>(memory * (std::size_t{1} << 30)); }
};

/// Shows the layers of a long run.
class LayerProgress : public ForwardObserver<ValueId> {
 public:
  explicit LayerProgress(const Model& model) : model_(model) {}
  void set_size(std::uint64_t size) { sublayers_ = 2 * depth_at(model_, size); }
  void after(const Location& location, const Stream<ValueId>&) override {
    progress_.update(2 * location.step - (location.sublayer == Sublayer::attention ? 1 : 0),
                     sublayers_);
  }

 private:
  const Model& model_;
  Progress progress_{"run", "sublayers"};
  std::size_t sublayers_ = 0;
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
  Runs(const Model& model, const RunOptions& options)
      : model_(model),
        options_(options),
        runner_(model, options.threads, options.bytes()),
        promises_(model, runner_.arithmetic()),
        progress_(model) {
    observers_ = {&promises_, &progress_};
    if (options.prefixes && !std::holds_alternative<WordInput>(model.input))
      throw InputError("--prefixes: the weights file '" + model.name + "' does not take words");
    if (options.prefixes && !runner_.has_prefixes())
      throw InputError("--prefixes: the weights file '" + model.name +
                       "' does not say how to read prefix products");
    if (!options.trace.empty()) {
      trace_file_ = std::make_unique<OutputFile>(options.trace);
      hash_ = weights_hash(model);
      trace_ = std::make_unique<TraceWriter>(model, runner_.arithmetic(), trace_file_->stream());
      observers_.push_back(trace_.get());
    }
  }

  int run(const Questions& questions) {
    std::visit(Overload{[&](const std::vector<LetterNames>& words) { run_words(words); },
                        [&](const GraphQuestions& graph) { run_graph(graph); },
                        [&](const CellRows& rows) { run_cells(rows); }},
               questions);
    if (options_.json) print_json();
    std::cout.flush();
    if (!std::cout) throw InputError("standard output cannot be written");
    if (trace_file_) trace_file_->commit();
    if (options_.stats && !options_.json) print_statistics();
    if (promises_.broken()) {
      std::cerr << "logdepth: a head broke its promise: " << *promises_.broken() << '\n';
      return kCheckFailed;
    }
    return refused_ ? kNotDecided : kDone;
  }

 private:
  void run_words(const std::vector<LetterNames>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (options_.prefixes && !options_.json && i > 0) std::cout << '\n';
      which_ = words.size() > 1 ? "word " + std::to_string(i + 1) + ": " : "";
      nlohmann::json result = {{"input", show_word(words[i])}, {"letters", words[i].size()}};
      within_limits(result, [&] {
        const auto stream =
            run_tokens(tokens_of(model_, words[i]), {{"letters", words[i]}}, result);
        if (!stream.has_value()) {
          refuse(stream.refusal(), result);
        } else {
          answer_word(stream.value(), words[i].size(), result);
        }
      });
      results_.push_back(std::move(result));
    }
  }

  void run_graph(const GraphQuestions& questions) {
    const Graph& graph = questions.graph;
    const bool once = std::get<GraphInput>(model_.input).layout == GraphInput::Layout::rows;
    std::optional<Outcome<Stream<ValueId>>> stream;
    nlohmann::json run = {{"vertices", graph.size()}};  // what all pairs of one run share
    for (std::size_t i = 0; i < questions.pairs.size(); ++i) {
      const auto [source, target] = questions.pairs[i];
      which_ = questions.pairs.size() > 1 ? "pair " + std::to_string(i + 1) + ": " : "";
      nlohmann::json result = run;
      result["source"] = graph.names()[source];
      result["target"] = graph.names()[target];
      within_limits(result, [&] {
        if (!stream || !once) {
          nlohmann::json question = {{"vertices", graph.names()}};
          if (!once) {
            question["source"] = graph.names()[source];
            question["target"] = graph.names()[target];
          }
          stream.emplace(run_tokens(tokens_of(model_, graph, source, target), question, run));
        }
        result.update(run);
        if (!stream->has_value()) {
          refuse(stream->refusal(), result);
        } else if (std::holds_alternative<CellsOutput>(model_.output)) {
          if (i > 0) print("");
          print_cells(stream->value(), result);
        } else {
          answer_pair(stream->value(), source, target, result);
        }
      });
      results_.push_back(std::move(result));
    }
  }

  void run_cells(const CellRows& rows) {
    nlohmann::json result = {{"tokens", rows.size()}};
    const auto stream =
        run_tokens(as_declared(tokens_of(model_, rows)), {{"tokens", rows.size()}}, result);
    if (!stream.has_value()) {
      refuse(stream.refusal(), result);
    } else if (std::holds_alternative<CellsOutput>(model_.output)) {
      print_cells(stream.value(), result);
    } else {
      answer_word(stream.value(), rows.size(), result);
    }
    results_.push_back(std::move(result));
  }

  /// Raw streams have to be what the file's program says of its input, if the file carries it: all
  /// proofs start from that.
  Outcome<Tokens> as_declared(Outcome<Tokens> tokens) const {
    std::optional<Program> program;
    try {
      program = program_of(model_);
    } catch (const InputError&) {
      return tokens;  // weights of another origin say nothing about their input
    }
    if (!tokens.has_value()) return tokens;
    try {
      start_states(*program, tokens.value());
    } catch (const InputError& error) {
      return OutsideHypotheses{error.what()};
    }
    return tokens;
  }

  Outcome<Stream<ValueId>> run_tokens(const Outcome<Tokens>& tokens, const nlohmann::json& question,
                                      nlohmann::json& result) {
    if (trace_) trace_->begin(question, hash_);
    if (!tokens.has_value()) return tokens.refusal();
    progress_.set_size(tokens.value().size);
    auto stream = runner_.run(tokens.value(), observers_);
    if (!stream.has_value()) return stream;
    const std::uint64_t depth = depth_at(model_, tokens.value().size);
    result["depth"] = depth;
    if (trace_ && depth == 0) trace_->write_stream(0, "embedding", stream.value());
    return stream;
  }

  /// The verdict of the last token; of a word also its values, on one line, and prefix products.
  void answer_word(const Stream<ValueId>& stream, std::size_t letters, nlohmann::json& result) {
    const std::size_t last = stream.tokens - 1;
    if (const auto* cells = std::get_if<CellsOutput>(&model_.output)) {
      const auto logits = runner_.logits(stream, last);
      std::string line;
      for (std::size_t i = 0; i < logits.size(); ++i) {
        line += (line.empty() ? "" : " ") + cells->names[i] + "=" + logits[i].text();
        result["cells"][cells->names[i]] = logits[i].text();
      }
      result["outcome"] = "value";
      print(line);
      return;
    }
    if (options_.prefixes) {
      result["prefixes"] = nlohmann::json::array();
      for (std::size_t i = 0; i < letters; ++i) {
        const auto product = runner_.prefix(stream, runner_.first_letter() + i);
        if (!product.has_value()) return refuse(product.refusal(), result);
        result["prefixes"].push_back(product.value());
        print(format_transformation(product.value()));
      }
    }
    const auto verdict = runner_.accepts(stream, last);
    if (!verdict.has_value()) return refuse(verdict.refusal(), result);
    result["outcome"] = verdict.value() ? "accept" : "reject";
    if (!options_.prefixes) print(verdict.value() ? "accept" : "reject");
  }

  void answer_pair(const Stream<ValueId>& stream, Vertex source, Vertex target,
                   nlohmann::json& result) {
    const auto verdict = runner_.connected(stream, source, target);
    if (!verdict.has_value()) return refuse(verdict.refusal(), result);
    const char* const answer = verdict.value() ? "connected" : "not connected";
    result["outcome"] = answer;
    print(answer);
  }

  /// A line of names, then a line of values for every token, in a form that --cells reads again.
  void print_cells(const Stream<ValueId>& stream, nlohmann::json& result) {
    const auto& names = std::get<CellsOutput>(model_.output).names;
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "" : " ") + name;
    print(line);
    result["cells"] = nlohmann::json::array();
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      const auto logits = runner_.logits(stream, token);
      line.clear();
      auto& values = result["cells"].emplace_back(nlohmann::json::object());
      for (std::size_t i = 0; i < logits.size(); ++i) {
        const std::string text = logits[i].text();
        values[names[i]] = text;
        if (i > 0) line += ' ';
        for (const char c : text)
          if (c != ' ') line += c;
      }
      print(line);
    }
    result["outcome"] = "value";
  }

  void refuse(const Refusal& refusal, nlohmann::json& result) {
    refuse(refusal_name(refusal), describe(refusal), result);
  }
  void refuse(const char* outcome, const std::string& reason, nlohmann::json& result) {
    refused_ = true;
    result["outcome"] = outcome;
    result["reason"] = reason;
    print(outcome);
    std::cerr << "logdepth: " << which_ << reason << '\n';
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
    if (!options_.json) std::cout << line << '\n';
  }

  void print_json() const {
    nlohmann::json out = {{"schema", "logdepth/run/1"},
                          {"model", model_.name},
                          {"engine", "exact"},
                          {"results", results_}};
    out["promises"]["evaluated"] = promises_.total_evaluated();
    if (promises_.broken()) out["promises"]["broken"] = *promises_.broken();
    if (options_.stats) {
      const AttentionStatistics& s = runner_.arithmetic().statistics();
      nlohmann::json rules;
      for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
        rules[attention_rule_name(static_cast<AttentionRule>(rule))] = s.by_rule[rule];
      out["statistics"] = {{"rows", s.rows},
                           {"rows_by_rule", rules},
                           {"scores", s.scores},
                           {"decided_in_double", s.decided_in_double},
                           {"decided_exactly", s.decided_exactly},
                           {"exact_ties", s.exact_ties},
                           {"distinct_values", runner_.arithmetic().pool().size()},
                           {"bytes", runner_.bytes()}};
    }
    std::cout << out.dump(1) << '\n';
  }

  void print_statistics() {
    const AttentionStatistics& s = runner_.arithmetic().statistics();
    std::cerr << "attention: " << s.rows << " rows";
    for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
      if (s.by_rule[rule] > 0)
        std::cerr << ", " << s.by_rule[rule] << " by "
                  << attention_rule_name(static_cast<AttentionRule>(rule));
    std::cerr << "\nscores: " << s.scores << " of distinct queries with distinct keys; "
              << s.decided_in_double << " comparisons in double, " << s.decided_exactly
              << " exactly, of these " << s.exact_ties << " ties\n"
              << "promises: " << promises_.total_evaluated() << " rows checked\n"
              << "numbers: " << runner_.arithmetic().pool().size() << " distinct values; "
              << (runner_.bytes() >> 20) << " MiB of tuples, numbers and what is remembered\n";
  }

  const Model& model_;
  const RunOptions& options_;
  mutable Runner runner_;
  PromiseCheck promises_;
  LayerProgress progress_;
  std::unique_ptr<OutputFile> trace_file_;
  std::unique_ptr<TraceWriter> trace_;
  std::string hash_;  // of the model, for the traces
  std::vector<ForwardObserver<ValueId>*> observers_;
  nlohmann::json results_ = nlohmann::json::array();
  bool refused_ = false;
  std::string which_;  // names the question in messages about a batch
};

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run",
                                         "run words, a graph or raw streams through a weights "
                                         "file, exactly\n"
                                         "Example: logdepth run abb.json --batch words.txt");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->input.add_to(*command, true);
  command->add_option("--engine", options->engine, "arithmetic")->check(CLI::IsMember({"exact"}));
  command->add_flag(
      "--prefixes", options->prefixes,
      "print the product of every non-empty prefix instead of the verdict, one a line");
  command->add_flag("--stats", options->stats,
                    "print which rules answered the attention, and what was remembered");
  command
      ->add_option("--threads", options->threads,
                   "threads to use where it pays; the answers are the same")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command
      ->add_option("--memory", options->memory,
                   "GiB that a run may hold; an input that needs more is refused, exit status 3")
      ->check(CLI::Validator(
          [](std::string& text) {
            double gib = 0;
            const bool number = CLI::detail::lexical_cast(text, gib);
            return number && gib > 0 && gib <= kMostMemory
                       ? std::string()
                       : "expected a number of GiB above 0 and at most 65536, got '" + text + "'";
          },
          "GIB"))
      ->capture_default_str();
  command->add_option("--trace", options->trace,
                      "write every value of every cell after every sublayer (JSON lines)");
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] {
    if (!options->trace.empty()) {
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
