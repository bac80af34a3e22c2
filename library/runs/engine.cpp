#include "library/runs/engine.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "logdepth/errors.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { inline namespace library_runs {
namespace {

/// An input that was run by columns: where its logits are.
struct ColumnAnswer {
  std::shared_ptr<const ColumnLogits> logits;
  std::size_t word = 0;  ///< of the logits
};

/// Tokens of a group of words: enough for what is done once to cost nothing, few enough to be held.
constexpr std::size_t kMostGroupTokens = std::size_t{1} << 21;
/// Columns of a file with many segments hold so much of a token.
constexpr std::size_t kBytesOfToken = 256;

/// Runs inputs by columns: long words alone, announced ones in groups of one length, graphs.
class ColumnAnswers {
 public:
  using AnnouncedWords = std::vector<std::vector<std::string>>;

  /// Keeps a reference. Inputs and groups of fewer than `least_tokens` tokens and given values are not run.
  ColumnAnswers(const Model& model, std::size_t memory, std::size_t threads,
                std::size_t least_tokens, const std::function<void(const Location&)>& progress)
      : model_(model),
        takes_words_(std::holds_alternative<WordInput>(model.input)),
        memory_(memory),
        threads_(threads),
        least_tokens_(least_tokens) {
    if (progress)
      progress_ = [progress](const Location& location, const ColumnState&) { progress(location); };
  }

  /// Keeps a reference.
  void announce(const AnnouncedWords& words) {
    announced_ = &words;
    waiting_.clear();
    answers_.clear();
    for (std::size_t w = 0; w < words.size(); ++w) waiting_[words[w].size()].push_back(w);
  }

  /// A single input, or a word that was announced; absent: it is for the general path. `beside`: bytes of the
  /// memory that something else holds.
  std::optional<ColumnAnswer> run(const Tokens& tokens, std::size_t beside) {
    if (!fits(tokens) || outside_hypotheses(model_, tokens)) return std::nullopt;
    ColumnWords words(model_);
    if (!words.add(tokens)) return std::nullopt;  // the general path says why
    auto logits = runner().run(words, loops_at(model_.unroll, tokens.size), beside, progress_);
    if (!logits) return std::nullopt;
    return ColumnAnswer{std::make_shared<const ColumnLogits>(std::move(*logits)), 0};
  }

  std::optional<ColumnAnswer> run_announced(std::size_t word, const Tokens& tokens,
                                            std::size_t beside) {
    if (!takes_words_ || outside_hypotheses(model_, tokens)) return std::nullopt;
    auto found = answers_.find(word);
    if (found == answers_.end()) {
      run_group(word, tokens.size, beside);
      found = answers_.find(word);
    }
    if (found == answers_.end()) return std::nullopt;
    ColumnAnswer answer = std::move(found->second);
    answers_.erase(found);
    return answer;
  }

  /// Drops what is remembered for the next input, where the general path could miss its memory.
  void forget_large() {
    if (runner_ && runner_->bytes() > memory_ / 64) runner_->forget();
  }

  ColumnStatistics statistics() const {
    return runner_ ? runner_->statistics() : ColumnStatistics();
  }
  std::size_t bytes() const { return runner_ ? runner_->bytes() : 0; }

 private:
  bool fits(std::size_t tokens) const {
    return takes_words_ && tokens >= least_tokens_ && tokens > 0;
  }

  /// Rows of a graph: a token is a vertex, and has a value for every vertex. Else a graph is as long as a word.
  bool fits(const Tokens& tokens) const {
    if (takes_words_) return fits(tokens.kinds.size());
    const auto* graph = std::get_if<GraphInput>(&model_.input);
    const std::size_t size = tokens.kinds.size();
    if (!graph || size == 0) return false;
    return (graph->layout == GraphInput::Layout::rows ? size * size : size) >= least_tokens_;
  }

  /// Made when it is first needed: it prepares the whole file.
  ColumnRunner& runner() {
    if (!runner_) runner_.emplace(model_, memory_, threads_);
    return *runner_;
  }

  /// The word and the next ones of its length.
  void run_group(std::size_t first, std::uint64_t size, std::size_t beside) {
    std::deque<std::size_t>& waiting = waiting_[size];
    // Words before it were refused when they were asked for.
    while (!waiting.empty() && waiting.front() < first) waiting.pop_front();
    ColumnWords words(model_);
    std::vector<std::size_t> members;
    const std::size_t most = std::min(kMostGroupTokens, memory_ / kBytesOfToken);
    while (!waiting.empty() && words.tokens() < most) {
      const std::size_t word = waiting.front();
      waiting.pop_front();
      if (words.add_letters((*announced_)[word])) members.push_back(word);
    }
    if (!fits(words.tokens())) return;
    auto run = runner().run(words, loops_at(model_.unroll, size), beside, progress_);
    if (!run) return;
    const auto logits = std::make_shared<const ColumnLogits>(std::move(*run));
    for (std::size_t k = 0; k < members.size(); ++k) answers_[members[k]] = {logits, k};
  }

  const Model& model_;
  bool takes_words_;
  std::size_t memory_, threads_, least_tokens_;
  ColumnRunner::Progress progress_;
  std::optional<ColumnRunner> runner_;
  const AnnouncedWords* announced_ = nullptr;
  /// By their numbers of letters, in order: announced words that were in no group.
  std::unordered_map<std::uint64_t, std::deque<std::size_t>> waiting_;
  std::map<std::size_t, ColumnAnswer> answers_;  ///< of announced words not asked for yet
};

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
  ExactEngine(const Model& model, std::size_t threads, const RunObservers& observers,
              std::size_t least_column_tokens)
      : model_(model),
        run_(model),
        columns_(model, run_memory(), threads, least_column_tokens, observers.progress),
        contracts_(model, arithmetic()),
        progress_(observers.progress),
        moments_(observers.moments),
        observers_{&contracts_} {
    if (observers.progress) observers_.push_back(&progress_);
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
    contracts_.clear_broken();
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

/// Whether the heads of a file keep their contracts on an input, by an exact run.
class ContractsOfInput {
 public:
  ContractsOfInput(const Model& model, std::size_t threads)
      : runner_(model),
        columns_(model, run_memory(), threads, kLeastColumnTokens, {}),
        check_(model, runner_.arithmetic()) {}

  std::optional<std::string> broken, unknown;  ///< the first one; why nothing is known

  void look(const Tokens& tokens) {
    check_.clear_broken();
    broken.reset();
    unknown.reset();
    if (columns_.run(tokens, runner_.bytes())) return;
    columns_.forget_large();
    try {
      const auto stream = runner_.run(tokens, {&check_});
      if (!stream.has_value()) unknown = describe(stream.refusal());
    } catch (const SizeLimit& limit) {
      unknown = limit.what();
    }
    broken = check_.broken();
  }

 private:
  Runner runner_;
  ColumnAnswers columns_;
  ContractCheck check_;
};

class FloatEngine final : public Engine {
 public:
  FloatEngine(const Model& model, const FloatOptions& options, const RunObservers& observers)
      : model_(model),
        threads_(options.threads),
        certifies_(options.rule == FloatOptions::Rule::bounded && !options.temperature),
        program_(model, Trust::recompiled),
        runner_(model, program_.facts(), options),
        progress_(observers.progress) {
    if (observers.progress) observers_.push_back(&progress_);
    if (program_.trust() != Trust::recompiled) total_.unproved = program_.reason();
  }

  std::optional<Refusal> run(const Tokens& tokens) override {
    auto stream = runner_.run(tokens, observers_);
    if (!stream.has_value()) return stream.refusal();
    stream_ = std::move(stream).value();
    total_.heads += runner_.statistics();
    look_at_contracts(tokens);
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
  std::optional<std::string> broken_promise() const override { return broken_; }
  RunStatistics statistics() const override { return total_; }

 private:
  /// Contracts that neither the program proves nor the scores of this run show.
  void look_at_contracts(const Tokens& tokens) {
    broken_ = runner_.broken_contract();
    unknown_.reset();
    if (!certifies_ || runner_.contracts_shown(!total_.unproved)) return;
    ContractsOfInput& contracts = contracts_ ? *contracts_ : contracts_.emplace(model_, threads_);
    contracts.look(tokens);
    if (contracts.broken) broken_ = contracts.broken;
    unknown_ = contracts.unknown;
  }
  /// A contract that is broken, or not known to be kept, takes the certificate away; an answer that is
  /// not certified also says what is not proved.
  template <class T>
  Read<T> with_facts(Read<T> answer) const {
    if (!answer.has_value()) return answer;
    FloatAnswer<T> told = std::move(answer).value();
    if (told.certificate == Certificate::certified && (broken_ || unknown_)) {
      told.certificate = Certificate::uncertified;
      told.reason = broken_ ? "a selection contract is violated"
                            : "selection contracts were not checked: " + *unknown_;
    }
    if (told.certificate != Certificate::certified && total_.unproved)
      told.reason += "; " + *total_.unproved;
    return told;
  }

  const Model& model_;
  const std::size_t threads_;
  const bool certifies_;  ///< some answers
  const CarriedProgram program_;
  FloatRunner runner_;
  ProgressOfLayers progress_;
  std::vector<FloatObserver*> observers_;
  FloatStream stream_;
  RoundedStatistics total_;
  std::optional<ContractsOfInput> contracts_;  ///< made when it is first needed
  std::optional<std::string> broken_, unknown_;
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
                                     const RunObservers& observers,
                                     std::size_t least_column_tokens) {
  return std::make_unique<ExactEngine>(model, threads, observers, least_column_tokens);
}

std::unique_ptr<Engine> float_engine(const Model& model, const FloatOptions& options,
                                     const RunObservers& observers) {
  return std::make_unique<FloatEngine>(model, options, observers);
}

namespace {

/// Words of the most layers that are run.
constexpr std::uint64_t kMostLayers = 4096;

std::uint32_t number_of_states(const Model& model) {
  const auto& readout = std::get<AcceptOutput>(model.output).prefix;
  if (const auto* states = std::get_if<StateReadout>(&readout)) return states->states;
  if (const auto* images = std::get_if<TransformationReadout>(&readout)) return images->points;
  const auto& elements = std::get<ElementReadout>(readout).elements;
  return elements.empty() ? 0 : static_cast<std::uint32_t>(elements.front().size());
}

bool points_are_states(const Model& model) {
  const std::string* automaton = text_in(model.parameters, "automaton");
  return reads_states(model) || (automaton && !automaton->starts_with("group "));
}

/// Where a word leads, and whether it is accepted.
struct Reached {
  std::uint32_t state = 0;
  bool accepted = false;
};

std::optional<Reached> reached(Runner& runner, const std::vector<std::string>& word) {
  const auto stream = runner.run_word(word);
  const std::size_t last = first_letter(runner.model()) + word.size();
  if (!stream.has_value() || last == 0) return std::nullopt;
  const auto verdict = runner.accepts(stream.value(), stream.value().tokens - 1);
  const auto prefix = runner.prefix(stream.value(), last - 1);
  if (!verdict.has_value() || !prefix.has_value()) return std::nullopt;
  const auto* product = std::get_if<std::vector<std::uint32_t>>(&prefix.value());
  return Reached{product ? product->front() : std::get<std::uint32_t>(prefix.value()),
                 verdict.value()};
}

}  // namespace

std::optional<StateNumbers> state_numbers(const Model& model) {
  if (!std::holds_alternative<WordInput>(model.input) || !reads_prefixes(model) ||
      !points_are_states(model))
    return std::nullopt;
  StateNumbers numbers;
  numbers.states = number_of_states(model);
  if (numbers.states == 0 || numbers.states * model.alphabet.size() > kMostNumbered ||
      depth_at(model, numbers.states) > kMostLayers)
    return std::nullopt;
  Runner runner(model);
  const auto empty = reached(runner, {});
  if (!empty) return std::nullopt;
  numbers.initial = empty->state;
  std::map<std::uint32_t, bool> accepts = {{empty->state, empty->accepted}};
  std::vector<std::pair<std::uint32_t, std::vector<std::string>>> shortest = {{empty->state, {}}};
  for (std::size_t i = 0; i < shortest.size(); ++i)
    for (const std::string& letter : model.alphabet) {
      std::vector<std::string> word = shortest[i].second;
      word.push_back(letter);
      if (model.unroll.max_length && word.size() > *model.unroll.max_length) continue;
      const auto next = reached(runner, word);
      if (!next) return std::nullopt;
      const auto [known, inserted] = accepts.try_emplace(next->state, next->accepted);
      if (known->second != next->accepted) return std::nullopt;
      if (inserted) shortest.emplace_back(next->state, std::move(word));
    }
  for (const auto& [state, accepted] : accepts)
    if (accepted) numbers.accepting.push_back(state);
  numbers.names = names_of_states(model);
  if (numbers.names.size() != numbers.states) numbers.names.clear();
  return numbers;
}

}}  // namespace logdepth::library_runs
