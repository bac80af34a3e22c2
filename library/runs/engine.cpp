#include "library/runs/engine.hpp"

#include <utility>

#include "compiler/file/carried_program.hpp"
#include "library/runs/column_answers.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline library_runs {
namespace {

class ProgressOfLayers final : public ForwardObserver<ValueId>, public FloatObserver {
 public:
  explicit ProgressOfLayers(std::function<void(const Location&)> progress)
      : progress_(std::move(progress)) {}
  void after(const Location& location, const Stream<ValueId>&) override { progress_(location); }
  bool after(const Location& location, const std::function<FloatStream()>&) override {
    progress_(location);
    return true;
  }

 private:
  std::function<void(const Location&)> progress_;
};

template <class T>
Read<T> certified(Outcome<T> answer) {
  if (!answer.has_value()) return answer.refusal();
  return FloatAnswer<T>{std::move(answer).value(), Certificate::certified, ""};
}

class ExactEngine final : public Engine {
 public:
  ExactEngine(const Model& model, std::size_t threads, const Spectators& spectators,
              std::size_t least_column_tokens)
      : model_(model),
        run_(model, threads),
        columns_(model, run_memory(), threads, least_column_tokens, spectators.progress),
        contracts_(model, arithmetic()),
        progress_(spectators.progress),
        moments_(spectators.moments),
        observers_{&contracts_} {
    if (spectators.progress) observers_.push_back(&progress_);
    if (!moments_) return;
    moments_->arithmetic = &arithmetic();
    observers_.push_back(moments_);
  }

  void announce(const std::vector<std::vector<std::string>>& words) override {
    if (!moments_) columns_.announce(words);
  }
  std::optional<Refusal> run(const Tokens& tokens) override {
    start();
    if (!moments_) answer_ = columns_.run(tokens, run_.bytes());
    return answer_ ? std::nullopt : run_generally(tokens);
  }
  std::optional<Refusal> run_announced(std::size_t word, const Tokens& tokens) override {
    if (moments_) return run(tokens);
    start();
    answer_ = columns_.run_announced(word, tokens, run_.bytes());
    return answer_ ? std::nullopt : run_generally(tokens);
  }
  std::size_t tokens() const override {
    return answer_ ? answer_->logits->period() : run_.tokens();
  }
  Read<bool> accepts(std::size_t token) override {
    return certified(answer_ ? answer_->logits->accepts(answer_->word, token)
                             : run_.accepts(token));
  }
  Read<bool> connected(std::size_t source, std::size_t target) override {
    return certified(answer_ ? answer_->logits->connected(source, target)
                             : run_.connected(source, target));
  }
  Read<PrefixAnswer> prefix(std::size_t letter) override {
    const std::size_t token = first_letter(model_) + letter;
    return certified(answer_ ? answer_->logits->prefix(answer_->word, token) : run_.prefix(token));
  }
  Read<std::vector<ReadNumber>> numbers(std::size_t token) override {
    std::vector<ReadNumber> numbers;
    const auto add = [&](const Real& number) {
      numbers.push_back({number.text(), number.approximate().value});
    };
    if (answer_) {
      for (const Real& number : answer_->logits->logits(answer_->word, token)) add(number);
    } else if (run_.stream()) {
      for (const Real& number : run_.runner().logits(*run_.stream(), token)) add(number);
    } else {
      auto texts = run_.logits(token);
      if (!texts.has_value()) return texts.refusal();
      for (std::string& text : std::move(texts).value()) numbers.push_back({std::move(text)});
    }
    return certified(Outcome(std::move(numbers)));
  }
  std::optional<std::string> left_field() const override {
    if (answer_ || !run_.left_field()) return std::nullopt;
    return run_.left_field()->reason;
  }
  std::optional<std::string> broken_promise() const override { return contracts_.broken(); }
  RunStatistics statistics() const override {
    const ColumnStatistics columns = columns_.statistics();
    AttentionStatistics attention = arithmetic().statistics();
    const auto add = [&](ColumnRule by, AttentionRule as) {
      attention.rows += columns.rows[static_cast<std::size_t>(by)];
      attention.by_rule[static_cast<std::size_t>(as)] += columns.rows[static_cast<std::size_t>(by)];
    };
    add(ColumnRule::uniform, AttentionRule::uniform);
    add(ColumnRule::match, AttentionRule::match);
    add(ColumnRule::angle, AttentionRule::angle);
    add(ColumnRule::projection, AttentionRule::one_query);
    add(ColumnRule::scores, AttentionRule::distinct_keys);
    add(ColumnRule::classes, AttentionRule::distinct_keys);
    add(ColumnRule::planes, AttentionRule::match);
    return ExactStatistics{attention,
                           contracts_.total_evaluated() + columns.contracts,
                           arithmetic().pool().size(),
                           run_.bytes() + columns_.bytes(),
                           run_.nested_statistics(),
                           columns};
  }

 private:
  const Exact& arithmetic() const { return run_.runner().arithmetic(); }
  void start() {
    contracts_.forgive();
    answer_.reset();
  }
  std::optional<Refusal> run_generally(const Tokens& tokens) {
    columns_.forget_large();
    if (auto refusal = run_.run(tokens, observers_)) return refusal;
    if (moments_ && depth_at(model_, tokens.size) == 0)
      moments_->moment(0, "embedding", *run_.stream());
    return std::nullopt;
  }

  const Model& model_;
  DecidedRun run_;
  ColumnAnswers columns_;
  std::optional<ColumnAnswer> answer_;  ///< the latest input's, where columns have one
  ContractCheck contracts_;
  ProgressOfLayers progress_;
  MomentObserver* moments_;
  Runner::Observers observers_;
};

class FloatEngine final : public Engine {
 public:
  FloatEngine(const Model& model, const FloatOptions& options, const Spectators& spectators)
      : model_(model),
        program_(model, Trust::recompiled),
        runner_(model, program_.facts(), options),
        progress_(spectators.progress) {
    if (spectators.progress) observers_.push_back(&progress_);
    if (program_.trust() != Trust::recompiled) total_.unproved = program_.reason();
  }

  std::optional<Refusal> run(const Tokens& tokens) override {
    auto stream = runner_.run(tokens, observers_);
    if (!stream.has_value()) return stream.refusal();
    stream_ = std::move(stream).value();
    total_.heads += runner_.statistics();
    return std::nullopt;
  }
  std::size_t tokens() const override { return stream_.tokens; }
  Read<bool> accepts(std::size_t token) override {
    return with_facts(runner_.accepts(stream_, token));
  }
  Read<bool> connected(std::size_t source, std::size_t target) override {
    return with_facts(runner_.connected(stream_, source, target));
  }
  Read<PrefixAnswer> prefix(std::size_t letter) override {
    return with_facts(runner_.prefix(stream_, first_letter(model_) + letter));
  }
  Read<std::vector<ReadNumber>> numbers(std::size_t token) override {
    const auto read = runner_.numbers(stream_, token);
    std::vector<ReadNumber> numbers;
    for (const FloatNumber& number : read.value)
      numbers.push_back({"", number.value, number.error});
    return with_facts(
        Read<std::vector<ReadNumber>>({std::move(numbers), read.certificate, read.reason}));
  }
  RunStatistics statistics() const override { return total_; }

 private:
  /// An answer that is not certified also says what is not proved.
  template <class T>
  Read<T> with_facts(Read<T> answer) const {
    if (!answer.has_value() || !total_.unproved ||
        answer.value().certificate == Certificate::certified)
      return answer;
    FloatAnswer<T> told = std::move(answer).value();
    told.reason += "; " + *total_.unproved;
    return told;
  }

  const Model& model_;
  const CarriedProgram program_;
  FloatRunner runner_;
  ProgressOfLayers progress_;
  std::vector<FloatObserver*> observers_;
  FloatStream stream_;
  RoundedStatistics total_;
};

}  // namespace

void MomentObserver::before(const Location& location, const Stream<ValueId>& stream) {
  if (location.step == 1 && location.sublayer == Sublayer::attention)
    moment(0, "embedding", stream);
}

void MomentObserver::after(const Location& location, const Stream<ValueId>& stream) {
  moment(location.step, location.sublayer == Sublayer::attention ? "attention" : "feedforward",
         stream);
}

std::unique_ptr<Engine> exact_engine(const Model& model, std::size_t threads,
                                     const Spectators& spectators,
                                     std::size_t least_column_tokens) {
  return std::make_unique<ExactEngine>(model, threads, spectators, least_column_tokens);
}

std::unique_ptr<Engine> float_engine(const Model& model, const FloatOptions& options,
                                     const Spectators& spectators) {
  return std::make_unique<FloatEngine>(model, options, spectators);
}

}  // namespace logdepth::inline library_runs
