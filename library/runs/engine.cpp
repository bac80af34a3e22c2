#include "library/runs/engine.hpp"

#include <utility>

#include "compiler/file/carried_program.hpp"
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
  ExactEngine(const Model& model, std::size_t threads, const Spectators& spectators)
      : model_(model),
        run_(model, threads),
        contracts_(model, arithmetic()),
        progress_(spectators.progress),
        moments_(spectators.moments),
        observers_{&contracts_} {
    if (spectators.progress) observers_.push_back(&progress_);
    if (!moments_) return;
    moments_->arithmetic = &arithmetic();
    observers_.push_back(moments_);
  }

  std::optional<Refusal> run(const Tokens& tokens) override {
    contracts_.forgive();
    if (auto refusal = run_.run(tokens, observers_)) return refusal;
    if (moments_ && depth_at(model_, tokens.size) == 0)
      moments_->moment(0, "embedding", *run_.stream());
    return std::nullopt;
  }
  std::size_t tokens() const override { return run_.tokens(); }
  Read<bool> accepts(std::size_t token) override { return certified(run_.accepts(token)); }
  Read<bool> connected(std::size_t source, std::size_t target) override {
    return certified(run_.connected(source, target));
  }
  Read<PrefixAnswer> prefix(std::size_t letter) override {
    return certified(run_.prefix(first_letter(model_) + letter));
  }
  Read<std::vector<ReadNumber>> numbers(std::size_t token) override {
    std::vector<ReadNumber> numbers;
    if (run_.stream()) {
      for (const Real& number : run_.runner().logits(*run_.stream(), token))
        numbers.push_back({number.text(), number.approximate().value});
    } else {
      auto texts = run_.logits(token);
      if (!texts.has_value()) return texts.refusal();
      for (std::string& text : std::move(texts).value()) numbers.push_back({std::move(text)});
    }
    return certified(Outcome(std::move(numbers)));
  }
  std::optional<std::string> left_field() const override {
    return run_.left_field() ? std::optional(run_.left_field()->reason) : std::nullopt;
  }
  std::optional<std::string> broken_promise() const override { return contracts_.broken(); }
  RunStatistics statistics() const override {
    return ExactStatistics{arithmetic().statistics(), contracts_.total_evaluated(),
                           arithmetic().pool().size(), run_.bytes(), run_.nested_statistics()};
  }

 private:
  const Exact& arithmetic() const { return run_.runner().arithmetic(); }

  const Model& model_;
  DecidedRun run_;
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
                                     const Spectators& spectators) {
  return std::make_unique<ExactEngine>(model, threads, spectators);
}

std::unique_ptr<Engine> float_engine(const Model& model, const FloatOptions& options,
                                     const Spectators& spectators) {
  return std::make_unique<FloatEngine>(model, options, spectators);
}

}  // namespace logdepth::inline library_runs
