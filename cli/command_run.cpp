#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/trace_writer.hpp"
#include "cli/word_source.hpp"
#include "objects/action.hpp"
#include "objects/input_error.hpp"
#include "runtime/promise_check.hpp"
#include "runtime/run_word.hpp"
#include "runtime/unrolling.hpp"
#include "runtime/weights_file.hpp"
#include "runtime/whole_file.hpp"

namespace logdepth {
namespace {

struct RunOptions {
  std::string model, engine = "exact", trace;
  WordOptions words;
  bool prefixes = false, stats = false, json = false;
};

/// Shows the layers of a long run.
class LayerProgress : public ForwardObserver<ValueId> {
 public:
  explicit LayerProgress(const Model& model) : model_(model) {}
  void set_letters(std::size_t letters) { sublayers_ = 2 * depth_at(model_, letters); }
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

/// Runs the words one after the other and prints as it goes.
class Runs {
 public:
  Runs(const Model& model, const RunOptions& options)
      : model_(model),
        options_(options),
        runner_(model),
        promises_(model, runner_.arithmetic()),
        progress_(model) {
    observers_ = {&promises_, &progress_};
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

  int run(const std::vector<LetterNames>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (options_.prefixes && !options_.json && i > 0) std::cout << '\n';
      which_ = words.size() > 1 ? "word " + std::to_string(i + 1) + ": " : "";
      run_one(words[i]);
    }
    if (options_.json) print_json();
    std::cout.flush();
    if (!std::cout) throw InputError("standard output cannot be written");
    if (trace_file_) trace_file_->commit();
    if (options_.stats) print_statistics();
    if (promises_.broken()) {
      std::cerr << "logdepth: a head broke its promise: " << *promises_.broken() << '\n';
      return kCheckFailed;
    }
    return refused_ ? kNotDecided : kDone;
  }

 private:
  void run_one(const LetterNames& letters) {
    progress_.set_letters(letters.size());
    if (trace_) trace_->begin(letters, hash_);
    nlohmann::json result = {{"input", show_word(letters)}, {"letters", letters.size()}};
    const auto stream = runner_.run(letters, observers_);
    if (!stream.has_value()) {
      refuse(stream.refusal(), result);
    } else {
      result["depth"] = depth_at(model_, letters.size());
      if (trace_ && depth_at(model_, letters.size()) == 0)
        trace_->write_stream(0, "embedding", stream.value());
      answer(stream.value(), letters.size(), result);
    }
    if (options_.json) results_.push_back(std::move(result));
  }

  void answer(const Stream<ValueId>& stream, std::size_t letters, nlohmann::json& result) {
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

  void refuse(const Refusal& refusal, nlohmann::json& result) {
    refused_ = true;
    result["outcome"] = refusal_name(refusal);
    result["reason"] = describe(refusal);
    print(refusal_name(refusal));
    std::cerr << "logdepth: " << which_ << describe(refusal) << '\n';
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
      out["statistics"] = {{"rows", s.rows},
                           {"scores", s.scores},
                           {"decided_in_double", s.decided_in_double},
                           {"decided_exactly", s.decided_exactly},
                           {"exact_ties", s.exact_ties},
                           {"distinct_values", runner_.arithmetic().pool().size()}};
    }
    std::cout << out.dump(1) << '\n';
  }

  void print_statistics() {
    const AttentionStatistics& s = runner_.arithmetic().statistics();
    std::cerr << "attention: " << s.rows << " rows, " << s.scores
              << " scores of distinct queries with distinct keys; comparisons: "
              << s.decided_in_double << " settled in double, " << s.decided_exactly
              << " exactly, of these " << s.exact_ties << " ties\n"
              << "promises: " << promises_.total_evaluated() << " rows checked\n"
              << "numbers: " << runner_.arithmetic().pool().size() << " distinct values\n";
  }

  const Model& model_;
  const RunOptions& options_;
  mutable WordRunner runner_;
  PromiseCheck promises_;
  LayerProgress progress_;
  std::unique_ptr<OutputFile> trace_file_;
  std::unique_ptr<TraceWriter> trace_;
  std::string hash_;  // of the model, for the traces
  std::vector<ForwardObserver<ValueId>*> observers_;
  nlohmann::json results_ = nlohmann::json::array();
  bool refused_ = false;
  std::string which_;  // names the word in messages about a batch
};

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run",
                                         "run words through a weights file, exactly\n"
                                         "Example: logdepth run abb.json --batch words.txt");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->words.add_to(*command, true);
  command->add_option("--engine", options->engine, "arithmetic")->check(CLI::IsMember({"exact"}));
  command->add_flag(
      "--prefixes", options->prefixes,
      "print the product of every non-empty prefix instead of the verdict, one a line");
  command->add_flag("--stats", options->stats, "print what the attention cost");
  command->add_option("--trace", options->trace,
                      "write every value of every cell after every sublayer (JSON lines)");
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] {
    if (!options->trace.empty())
      refuse_overwriting(options->trace,
                         {options->model, options->words.batch, file_of(options->words.input),
                          file_of(options->words.tokens)});
    const Model model = read_weights(options->model);
    const auto words = load_words(options->words, model.alphabet);
    return Runs(model, *options).run(words);
  };
}

}  // namespace logdepth
