#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "cli/options.hpp"
#include "compiler/file/cell_names.hpp"
#include "library/requests/compile_request.hpp"
#include "library/runs/engine.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttentionStatistics, rows, scores, decided_in_double,
                                   decided_exactly, exact_ties)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FloatStatistics, rows, single, ties, alike, ambiguous, tests,
                                   open_tests, scores)

namespace {

/// An answer of `run`, with what is said of its input.
struct SaidAnswer {
  enum class Of { word, pair, streams, division };
  Of of = Of::word;
  RunAnswer answer;
  nlohmann::json input = {};  ///< the members of --json
  std::string which = {};     ///< names the input in messages about a batch
  bool separated = false;     ///< by an empty line from the one before
};

/// How sure an answer of floating point is, all that was read taken together.
struct Confidence {
  Certificate certificate = Certificate::certified;
  std::string reason;
  std::optional<double>
      bound;  ///< of the numbers as printed, on their distance from the exact ones
};

/// The first that is not certified stands for all.
Confidence confidence(const RunAnswer& answer) {
  Confidence found;
  const auto take = [&](Certificate certificate, const std::string& reason) {
    if (found.certificate != Certificate::certified) return;
    found.certificate = certificate;
    found.reason = reason;
  };
  if (answer.prefixes)
    for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
      if (prefix.has_value()) take(prefix.value().certificate, prefix.value().reason);
  take(answer.certificate, answer.reason);
  for (const std::vector<ReadNumber>& logits : answer.numbers)
    for (const ReadNumber& number : logits)
      found.bound =
          std::max(found.bound.value_or(0), sum_of_bounds(number.error, text_error(number.value)));
  return found;
}

const char* refusal_name(const Refusal& refusal) {
  return std::holds_alternative<Undecided>(refusal)      ? "undecided"
         : std::holds_alternative<OutsideField>(refusal) ? "outside the field"
                                                         : "outside the hypotheses";
}

std::string outcome(const SaidAnswer& said) {
  const RunAnswer& answer = said.answer;
  if (answer.limit) return "resource limit exceeded";
  if (answer.refusal) return refusal_name(*answer.refusal);
  if (!answer.verdict) return "value";
  if (said.of == SaidAnswer::Of::pair) return *answer.verdict ? "connected" : "not connected";
  return *answer.verdict ? "accept" : "reject";
}

void put(const ExactStatistics& statistics, bool all, nlohmann::json& out) {
  out["promises"]["evaluated"] = statistics.promises;
  if (!all) return;
  const AttentionStatistics& s = statistics.attention;
  nlohmann::json rules;
  for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
    rules[attention_rule_name(static_cast<AttentionRule>(rule))] = s.by_rule[rule];
  out["statistics"] = s;
  out["statistics"].update({{"rows_by_rule", rules},
                            {"distinct_values", statistics.values},
                            {"bytes", statistics.bytes}});
  const ColumnStatistics& columns = statistics.columns;
  if (columns.inputs + columns.handed_over > 0) {
    auto& of = out["statistics"]["columns"] = {
        {"inputs", columns.inputs}, {"tokens", columns.tokens},
        {"passes", columns.passes}, {"evaluations", columns.evaluations},
        {"bytes", columns.bytes},   {"general_path", columns.handed_over}};
    if (columns.handed_over > 0) of["reason"] = columns.reason;
  }
  const RadicalTower::Statistics& nested = statistics.nested;
  if (nested.roots > 0)
    out["statistics"]["roots_of_roots"] = {{"roots", nested.roots},
                                           {"decided_by_enclosure", nested.by_enclosure},
                                           {"decided_by_elimination", nested.by_elimination},
                                           {"zeros", nested.zeros}};
}

void put(const RoundedStatistics& statistics, bool all, nlohmann::json& out) {
  const FloatStatistics& s = statistics.heads;
  out["facts"] = statistics.unproved.value_or("proved");
  out["promises"] = {{"confirmed", s.contracts_kept}, {"unread", s.contracts_unread}};
  if (all) out["statistics"] = s;
}

/// Prints answers as they come: on standard output what was asked for, a line or a table for each,
/// on standard error why there is none and how sure it is. With `only_messages` nothing is printed on
/// standard output.
class RunText {
 public:
  /// Keeps a reference. `trace_ends`: a trace is written, which ends where numbers leave the field.
  RunText(const Model& model, bool rounded, bool trace_ends, bool only_messages)
      : model_(model),
        rounded_(rounded),
        trace_ends_(trace_ends),
        only_messages_(only_messages),
        state_names_(names_of_states(model)) {}

  void print(const SaidAnswer& said) {
    const RunAnswer& answer = said.answer;
    which_ = said.which;
    if (said.separated) line("");
    if (answer.prefixes) {
      for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
        if (prefix.has_value()) {
          line(named_text(prefix.value().value));
        } else {
          refuse(refusal_name(prefix.refusal()), describe(prefix.refusal()));
        }
    }
    if (answer.limit) {
      refuse(outcome(said), *answer.limit);
    } else if (!answer.refusal) {
      print_answer(said);
    } else if (answer.prefixes && !only_messages_) {
      say_sure(answer);  // no verdict was asked for
    } else {
      if (answer.depth) say_left_field(answer);
      refuse(outcome(said), describe(*answer.refusal));
    }
    std::cout << std::flush;
  }

  /// Whether an answer so far was refused, or is not certified.
  bool refused() const { return refused_; }

 private:
  /// A verdict, or the numbers of the last token on one line; a table where every token has some.
  void print_answer(const SaidAnswer& said) {
    const RunAnswer& answer = said.answer;
    const bool table = said.of == SaidAnswer::Of::pair || said.of == SaidAnswer::Of::streams;
    if (!answer.numbers.empty() && table) {
      print_table(answer.numbers);
      return say_sure(answer);
    }
    say_sure(answer);
    if (answer.prefixes) return;
    if (answer.divided)
      return line(answer.divided->quotient + " remainder " + answer.divided->remainder);
    if (answer.numbers.empty()) return line(outcome(said));
    const std::vector<std::string>& names = std::get<CellsOutput>(model_.output).names;
    std::string fields;
    for (std::size_t i = 0; i < names.size(); ++i)
      fields +=
          (fields.empty() ? "" : " ") + printable(names[i]) + "=" + text(answer.numbers.back()[i]);
    line(fields);
  }

  /// A line of names, then a line of values for every token, in a form that --cells reads again where
  /// no value is a root of roots.
  void print_table(const std::vector<std::vector<ReadNumber>>& numbers) const {
    std::vector<std::string> names;
    for (const std::string& name : std::get<CellsOutput>(model_.output).names)
      names.push_back(printable(name));
    line(joined(names, " "));
    for (const std::vector<ReadNumber>& logits : numbers) {
      std::vector<std::string> values;
      for (const ReadNumber& number : logits) {
        values.push_back(text(number));
        std::erase(values.back(), ' ');
      }
      line(joined(values, " "));
    }
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

  /// Where the numbers of an exact run left the field, if it was finished with nested radicals.
  void say_left_field(const RunAnswer& answer) {
    if (!answer.left_field) return;
    say("decided with nested radicals; the values leave the number field at " +
        printable(*answer.left_field, kMostPrinted) +
        (trace_ends_ ? ", where the trace ends" : ""));
  }

  /// An answer of floating point comes with its certificate; without one the run counts as not decided.
  void say_sure(const RunAnswer& answer) {
    say_left_field(answer);
    if (!rounded_) return;
    const Confidence sure = confidence(answer);
    std::string reason = sure.reason;
    if (sure.bound)
      reason += (reason.empty() ? "" : "; ") + ("numbers within " + bound_text(*sure.bound));
    if (sure.certificate != Certificate::certified) refused_ = true;
    say(certificate_name(sure.certificate) +
        (reason.empty() ? "" : ": " + printable(reason, kMostPrinted)));
  }

  void refuse(const std::string& name, const std::string& reason) {
    refused_ = true;
    line(name);
    say(printable(reason, kMostPrinted));
  }

  void say(const std::string& text) const {
    std::cout << std::flush;
    std::cerr << "logdepth: " << which_ << text << '\n';
  }

  void line(const std::string& text) const {
    if (!only_messages_) std::cout << text << '\n';
  }

  const Model& model_;
  const bool rounded_, trace_ends_, only_messages_;
  const std::vector<std::string> state_names_;
  std::string which_;
  bool refused_ = false;
};

/// The same as JSON: an answer, and what `run` says of all of them.
nlohmann::json to_json(const Model& model, const SaidAnswer& said, bool rounded) {
  const RunAnswer& answer = said.answer;
  nlohmann::json out = said.input;
  out["outcome"] = answer.limit ? "beyond a limit" : outcome(said);
  if (answer.depth) out["depth"] = *answer.depth;
  if (answer.prefixes) {
    auto& prefixes = out["prefixes"] = nlohmann::json::array();
    for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
      if (prefix.has_value()) {
        std::visit([&](const auto& value) { prefixes.push_back(value); }, prefix.value().value);
      } else {
        prefixes.push_back(nullptr);
      }
  }
  if (answer.left_field && answer.depth) out["left_field"] = *answer.left_field;
  if (answer.limit || answer.refusal) {
    out["reason"] = answer.limit ? *answer.limit : describe(*answer.refusal);
    return out;
  }
  if (answer.divided) {
    out["quotient"] = answer.divided->quotient;
    out["remainder"] = answer.divided->remainder;
  } else if (!answer.numbers.empty()) {
    std::vector<nlohmann::json> tokens;
    for (const std::vector<ReadNumber>& logits : answer.numbers) {
      auto& cells = tokens.emplace_back(nlohmann::json::object());
      for (std::size_t i = 0; i < logits.size(); ++i)
        cells[std::get<CellsOutput>(model.output).names[i]] = text(logits[i]);
    }
    const bool last = said.of == SaidAnswer::Of::word || said.of == SaidAnswer::Of::division;
    out["cells"] = last ? tokens.back() : nlohmann::json(tokens);
  }
  if (!rounded) return out;
  const Confidence sure = confidence(answer);
  out["certificate"] = certificate_name(sure.certificate);
  if (!sure.reason.empty()) out["reason"] = sure.reason;
  if (sure.bound) out["error_bound"] = *sure.bound;
  return out;
}

void add_statistics(const RunStatistics& statistics, bool all, nlohmann::json& out) {
  std::visit([&](const auto& of) { put(of, all, out); }, statistics);
}

/// Writes exact runs as JSON lines: every value of every cell at every token after the embedding
/// and after every sublayer, and what every head selected. The format is in runtime/README.md.
class TraceWriter : public MomentObserver {
 public:
  TraceWriter(const CheckedModel& model, const std::string& file)
      : model_(model), file_(file), hash_(weights_hash(model)) {}

  /// Begins the trace of one input; `question` says which, as an object.
  void begin(const nlohmann::json& question) {
    nlohmann::json line = question;
    line["schema"] = "logdepth/trace/1";
    line["model"] = model_.name;
    line["sha256"] = hash_;
    file_.stream() << line.dump() << '\n';
    rows_.clear();
  }

  /// All inputs have been run: the file is put in place.
  void finish() { file_.commit(); }

  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    auto& lines = rows_[head];
    if (lines.size() <= row.row) lines.resize(row.row + 1);
    const nlohmann::json line = {{"layer", location.step},
                                 {"head", head},
                                 {"token", row.row},
                                 {"selected", (*row.positions)()}};
    lines[row.row] = line.dump();
  }

  void moment(std::size_t step, const char* sublayer, const Stream<ValueId>& stream) override {
    for (const auto& [head, lines] : rows_)
      for (const std::string& line : lines) file_.stream() << line << '\n';
    rows_.clear();
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      nlohmann::json cells = nlohmann::json::object();
      const auto text = [&](std::uint32_t coordinate) {
        return number(stream.at(token, coordinate)).text();
      };
      if (model_.cells.empty()) {
        for (std::uint32_t i = 0; i < stream.width; ++i)
          if (!arithmetic->is_zero(stream.at(token, i))) cells[std::to_string(i)] = {text(i)};
      } else {
        for (const auto& [name, cell] : model_.cells) {
          auto& values = cells[name] = nlohmann::json::array();
          for (const std::uint32_t coordinate : cell.coordinates)
            values.push_back(text(coordinate));
        }
      }
      const nlohmann::json line = {
          {"layer", step}, {"sublayer", sublayer}, {"token", token}, {"cells", std::move(cells)}};
      file_.stream() << line.dump() << '\n';
    }
  }

 private:
  const Model& model_;
  OutputFile file_;
  const std::string hash_;
  std::map<std::size_t, std::vector<std::string>> rows_;  // head -> lines by token
};

constexpr std::size_t kManyPairs = 10;

/// --engine, --device and --temperature.
struct EngineOptions {
  std::string name = "exact", device = "cpu";
  std::optional<double> temperature;

  // After settle():
  bool exact = true;
  FloatOptions options;

  void add_to(CLI::App& command) {
    command
        .add_option("--engine", name,
                    "arithmetic: exact, float64, float32, or mpfr:BITS (2 to 500, slow); "
                    "floating-point answers have a certificate")
        ->capture_default_str();
    command.add_option("--device", device, "device for floating point")
        ->check(choice_of(kFloatDevices))
        ->capture_default_str();
    command
        .add_option(
            "--temperature", temperature,
            "use the softmax of TAU * score instead of averaging-hard attention, in floating point")
        ->option_text("TAU");
  }

  /// Errors: InputError for options that do not go together.
  void settle(std::size_t threads) {
    exact = name == "exact";
    if (exact) {
      if (temperature) throw InputError("--temperature requires a floating-point --engine");
      if (device != "cpu") throw InputError("--device: the exact engine runs on the CPU only");
      return;
    }
    options = requested_engine(
        {.engine = name, .device = device, .temperature = temperature, .threads = threads});
  }
};

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
class Runs {
 public:
  Runs(const CheckedModel& model, const RunOptions& options)
      : model_(model),
        options_(options),
        text_(model, !options.engine.exact, !options.trace.empty(), options.json) {
    if (options.prefixes) check_prefixes(model);
    if (!options.trace.empty()) trace_.emplace(model, options.trace);
    const auto show_progress = [this](const Location& location) {
      progress_(2 * location.step - (location.sublayer == Sublayer::attention ? 1 : 0), sublayers_);
    };
    const RunObservers observers{show_progress, trace_ ? &*trace_ : nullptr};
    answers_.emplace(model,
                     options.engine.exact ? exact_engine(model, options.threads, observers)
                                          : float_engine(model, options.engine.options, observers),
                     Reading{options.prefixes, false, true});
    answers_->before_runs([this](const Outcome<Tokens>& tokens) {
      if (trace_) trace_->begin(question_());
      if (tokens.has_value())
        sublayers_ = static_cast<std::size_t>(2 * depth_at(model_, tokens.value().size));
    });
  }

  int run(const Questions& questions) {
    std::visit(Overload{[&](const std::vector<Letters>& words) { run_words(words); },
                        [&](const GraphQuestions& graph) { run_graph(graph); },
                        [&](const StreamQuestion& streams) { run_streams(streams); }},
               questions);
    if (options_.json) print_json();
    write_out_answers();
    if (trace_) trace_->finish();
    if (options_.stats && !options_.json) {
      nlohmann::json counts;
      add_statistics(answers_->engine().statistics(), true, counts);
      std::cerr << counts.dump(1, ' ', true) << '\n';
    }
    if (broken_contract_) {
      std::cerr << "logdepth: selection contract violated: "
                << printable(*broken_contract_, kMostPrinted) << '\n';
      return kCheckFailed;
    }
    return text_.refused() ? kNotDecided : kDone;
  }

 private:
  void run_words(const std::vector<Letters>& words) {
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

  void run_streams(const StreamQuestion& question) {
    const nlohmann::json input = {{"tokens", question.rows.size()}};
    question_ = [&] { return input; };
    const auto tokens = [&] { return declared_tokens(model_, question.rows); };
    SaidAnswer said{
        question.divides ? SaidAnswer::Of::division : SaidAnswer::Of::streams,
        question.divides ? answers_->division(question.rows) : answers_->streams(tokens), input};
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

  const Model& model_;
  const RunOptions& options_;
  Progress progress_{"run", "sublayers"};
  std::size_t sublayers_ = 0;
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

}}  // namespace logdepth::cli
