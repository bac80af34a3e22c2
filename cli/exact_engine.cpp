#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/layer_progress.hpp"
#include "cli/run_engine.hpp"
#include "cli/trace_writer.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

class ExactEngine final : public RunEngine {
 public:
  ExactEngine(const Model& model, std::size_t threads, const std::string& trace)
      : model_(model),
        runner_(model, threads),
        promises_(model, runner_.arithmetic()),
        progress_(model),
        observers_{&promises_, &progress_} {
    if (trace.empty()) return;
    trace_file_ = std::make_unique<OutputFile>(trace);
    hash_ = weights_hash(model);
    trace_ = std::make_unique<TraceWriter>(model, runner_.arithmetic(), trace_file_->stream());
    observers_.push_back(trace_.get());
  }

  void begin(const nlohmann::json& question) override {
    if (trace_) trace_->begin(question, hash_);
  }
  std::optional<Refusal> run(const Tokens& tokens) override {
    progress_.set_size(tokens.size);
    auto stream = runner_.run(tokens, observers_);
    if (!stream.has_value()) return stream.refusal();
    if (trace_ && depth_at(model_, tokens.size) == 0)
      trace_->write_stream(0, "embedding", stream.value());
    stream_ = std::move(stream).value();
    return std::nullopt;
  }
  std::size_t tokens() const override { return stream_->tokens; }
  Outcome<bool> accepts(std::size_t token) override { return runner_.accepts(*stream_, token); }
  Outcome<bool> connected(std::size_t source, std::size_t target) override {
    return runner_.connected(*stream_, source, target);
  }
  Outcome<PrefixAnswer> prefix(std::size_t letter) override {
    return runner_.prefix(*stream_, runner_.first_letter() + letter);
  }
  std::vector<std::string> logits(std::size_t token) override {
    std::vector<std::string> texts;
    for (const Real& logit : runner_.logits(*stream_, token)) texts.push_back(logit.text());
    return texts;
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
                         {"bytes", runner_.bytes()}};
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
        << "numbers: " << numbers().pool().size() << " distinct values; " << (runner_.bytes() >> 20)
        << " MiB of tuples, numbers and what is remembered\n";
  }

 private:
  const Exact& numbers() const { return runner_.arithmetic(); }

  const Model& model_;
  Runner runner_;
  PromiseCheck promises_;
  LayerProgress progress_;
  std::unique_ptr<OutputFile> trace_file_;
  std::unique_ptr<TraceWriter> trace_;
  std::string hash_;  // of the model, for the traces
  Runner::Observers observers_;
  std::optional<Stream<ValueId>> stream_;
};

}  // namespace

std::unique_ptr<RunEngine> exact_engine(const Model& model, std::size_t threads,
                                        const std::string& trace) {
  return std::make_unique<ExactEngine>(model, threads, trace);
}

}  // namespace logdepth
