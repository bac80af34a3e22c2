#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/layer_progress.hpp"
#include "cli/run_engine.hpp"
#include "cli/trace_writer.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

class ExactEngine final : public RunEngine {
 public:
  ExactEngine(const Model& model, std::size_t threads, const std::string& trace)
      : model_(model),
        run_(model, threads),
        promises_(model, numbers()),
        progress_(model),
        observers_{&promises_, &progress_} {
    if (trace.empty()) return;
    trace_file_ = std::make_unique<OutputFile>(trace);
    hash_ = weights_hash(model);
    trace_ = std::make_unique<TraceWriter>(model, numbers(), trace_file_->stream());
    observers_.push_back(trace_.get());
  }

  void begin(const nlohmann::json& question) override {
    if (trace_) trace_->begin(question, hash_);
  }
  std::optional<Refusal> run(const Tokens& tokens) override {
    progress_.set_size(tokens.size);
    if (auto refusal = run_.run(tokens, observers_)) return refusal;
    if (trace_ && depth_at(model_, tokens.size) == 0)
      trace_->write_stream(0, "embedding", *run_.stream());
    return std::nullopt;
  }
  std::size_t tokens() const override { return run_.tokens(); }
  Outcome<bool> accepts(std::size_t token) override { return run_.accepts(token); }
  Outcome<bool> connected(std::size_t source, std::size_t target) override {
    return run_.connected(source, target);
  }
  Outcome<PrefixAnswer> prefix(std::size_t letter) override {
    return run_.prefix(run_.runner().first_letter() + letter);
  }
  Outcome<std::vector<std::string>> logits(std::size_t token) override {
    return run_.logits(token);
  }
  std::optional<std::string> left_field() const override {
    if (!run_.left_field()) return std::nullopt;
    return run_.left_field()->reason;
  }
  std::optional<Confidence> certificate() const override { return std::nullopt; }
  std::optional<std::string> broken_promise() const override { return promises_.broken(); }
  void finish() override {
    if (trace_file_) trace_file_->commit();
  }

  void report(nlohmann::json& out, bool statistics) const override {
    out["promises"]["evaluated"] = promises_.total_evaluated();
    if (promises_.broken()) out["promises"]["broken"] = *promises_.broken();
    if (!statistics) return;
    const AttentionStatistics& s = numbers().statistics();
    nlohmann::json rules;
    for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
      rules[attention_rule_name(static_cast<AttentionRule>(rule))] = s.by_rule[rule];
    out["statistics"] = {{"rows", s.rows},
                         {"rows_by_rule", rules},
                         {"scores", s.scores},
                         {"decided_in_double", s.decided_in_double},
                         {"decided_exactly", s.decided_exactly},
                         {"exact_ties", s.exact_ties},
                         {"distinct_values", numbers().pool().size()},
                         {"bytes", run_.bytes()}};
    const RadicalTower::Statistics nested = run_.nested_statistics();
    if (nested.roots > 0)
      out["statistics"]["roots_of_roots"] = {{"roots", nested.roots},
                                             {"decided_by_enclosure", nested.by_enclosure},
                                             {"decided_by_elimination", nested.by_elimination},
                                             {"zeros", nested.zeros}};
  }

  void print_statistics(std::ostream& out) const override {
    const AttentionStatistics& s = numbers().statistics();
    out << "attention: " << s.rows << " rows";
    for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
      if (s.by_rule[rule] > 0)
        out << ", " << s.by_rule[rule] << " by "
            << attention_rule_name(static_cast<AttentionRule>(rule));
    out << "\nscores: " << s.scores << " of distinct queries with distinct keys; "
        << s.decided_in_double << " comparisons in double, " << s.decided_exactly
        << " exactly, of these " << s.exact_ties << " ties\n"
        << "promises: " << promises_.total_evaluated() << " rows checked\n"
        << "numbers: " << numbers().pool().size() << " distinct values; " << (run_.bytes() >> 20)
        << " MiB of tuples, numbers and what is remembered\n";
    const RadicalTower::Statistics nested = run_.nested_statistics();
    if (nested.roots > 0)
      out << "roots of roots: " << nested.roots << "; " << nested.by_enclosure
          << " signs by enclosures, " << nested.by_elimination << " by elimination, of these "
          << nested.zeros << " zero\n";
  }

 private:
  const Exact& numbers() const { return run_.runner().arithmetic(); }

  const Model& model_;
  DecidedRun run_;
  PromiseCheck promises_;
  LayerProgress progress_;
  std::unique_ptr<OutputFile> trace_file_;
  std::unique_ptr<TraceWriter> trace_;
  std::string hash_;  // of the model, for the traces
  Runner::Observers observers_;
};

}  // namespace

std::unique_ptr<RunEngine> exact_engine(const Model& model, std::size_t threads,
                                        const std::string& trace) {
  return std::make_unique<ExactEngine>(model, threads, trace);
}

}  // namespace logdepth
