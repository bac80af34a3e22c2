#include "runtime/floats/float_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/floats/mpfr_pass.hpp"
#include "runtime/floats/plan_maker.hpp"
#include "runtime/floats/token_steps.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_floats {
namespace {

using float_pass::Ball;
using float_pass::Mpfr;

/// The thread's default precision of MPFR, for the life of this object.
class DefaultPrecision {
 public:
  explicit DefaultPrecision(std::uint32_t bits) : before_(mpfr_get_default_prec()) {
    mpfr_set_default_prec(bits);
  }
  DefaultPrecision(const DefaultPrecision&) = delete;
  DefaultPrecision& operator=(const DefaultPrecision&) = delete;
  ~DefaultPrecision() { mpfr_set_default_prec(before_); }

 private:
  mpfr_prec_t before_;
};

float_pass::Choice choice_of(const FloatOptions& options) {
  return {options.rule, options.tolerance, options.temperature.value_or(0)};
}

/// The N of the file's separations: tokens, or the largest given number.
double run_size(const Tokens& tokens) {
  double size = static_cast<double>(tokens.kinds.size());
  for (const auto& row : tokens.given)
    for (const Real& value : row) {
      const Approximation x = value.approximate();
      size = std::max(size, std::ceil(std::fabs(x.value) + x.bound));
    }
  return size;
}

/// Logits of a float run, for readout.hpp; notes whether the bounds confirm what is read.
struct FloatLogits {
  std::vector<FloatNumber> logits;
  bool confirmed = true;

  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (logits[rows[i]].value > logits[rows[best]].value) best = i;
    const FloatNumber& top = logits[rows[best]];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == best) continue;
      const FloatNumber& other = logits[rows[i]];
      if (other.value == top.value) return std::nullopt;
      confirmed &= top.value - other.value > (top.error + other.error) * (1 + 0x1p-40);
    }
    return best;
  }
  int sign(std::uint32_t row) {
    const FloatNumber& x = logits[row];
    confirmed &= std::fabs(x.value) > x.error;
    return x.value > 0 ? 1 : x.value < 0 ? -1 : 0;
  }
  std::string text(std::uint32_t row) const { return std::to_string(logits[row].value); }
};

}  // namespace

/// A run in one number format.
class FloatRunner::Engine {
 public:
  virtual ~Engine() = default;
  virtual Outcome<FloatStream> run(const Tokens& tokens,
                                   const std::vector<FloatObserver*>& observers) = 0;
  FloatStatistics statistics;
  std::uint64_t unread_searches =
      0;  ///< of contracts_unread, rows that look for what may not be there
  /// The first head of the run that is not seen to keep its contract.
  struct Doubt {
    bool broken = false;  ///< a row of it is seen to break it
    std::string sentence;
  };
  std::optional<Doubt> doubt;
};

namespace {

template <class Real>
class TypedEngine final : public FloatRunner::Engine {
 public:
  TypedEngine(const Model& model, const PrecisionFacts& facts, const FloatOptions& options,
              std::uint32_t bits)
      : model_(model), facts_(facts), options_(options), bits_(bits), rounder_(bits) {}

  Outcome<FloatStream> run(const Tokens& tokens,
                           const std::vector<FloatObserver*>& observers) override {
    const DefaultPrecision precision(bits_);
    prepare(run_size(tokens));
    if (auto refusal = load(tokens)) return *refusal;
    statistics = {};
    unread_searches = 0;
    doubt.reset();
    run_layers(tokens, observers);
    float_pass::Decisions& decided = statistics;
    decided = pass_->counts();
    statistics.rows = decided.single + decided.ties + decided.alike + decided.ambiguous;
    return stream(tokens.kinds.size());
  }

 private:
  void prepare(double size) {
    if (pass_ && size == size_) return;
    size_ = size;
    pass_.reset();
    plan_ = float_pass::PlanMaker<Real>(model_, facts_, rounder_, size,
                                        options_.scores == FloatOptions::Scores::distance)
                .make();
    if constexpr (std::is_same_v<Real, Mpfr>) {
      pass_ = float_pass::mpfr_pass(*plan_, choice_of(options_));
    } else if (options_.device == FloatOptions::Device::cpu) {
      pass_ = float_pass::host_pass<Real>(*plan_, choice_of(options_), options_.threads);
    } else {
#ifdef LOGDEPTH_CUDA
      pass_ = float_pass::cuda_pass<Real>(*plan_, choice_of(options_));
#endif
    }
  }

  /// The embedding is exact; every number is then rounded once.
  std::optional<OutsideHypotheses> load(const Tokens& tokens) {
    Exact exact;
    const std::size_t count = tokens.kinds.size();
    Stream<ValueId> stream(
        std::make_shared<SegmentPools<ValueId>>(segments_of(model_), exact.zero()), count);
    if (auto refusal = embed(model_, tokens, exact, stream)) return refusal;
    std::vector<Real> values(model_.width * count, Real(0));
    std::vector<double> errors(model_.width * count, 0);
    std::unordered_map<ValueId, Ball<Real>> rounded;
    for (std::size_t c = 0; c < model_.width; ++c)
      for (std::size_t t = 0; t < count; ++t) {
        const ValueId id = stream.at(t, c);
        if (exact.is_zero(id)) continue;
        auto known = rounded.find(id);
        if (known == rounded.end())
          known = rounded.emplace(id, rounder_.round(exact.pool()[id])).first;
        values[c * count + t] = known->second.value;
        errors[c * count + t] = known->second.error;
      }
    pass_->load(count, values, errors);
    return std::nullopt;
  }

  void count_scores(const Layer& layer, const float_pass::PlanLayer<Real>& planned,
                    std::uint64_t tokens) {
    for (std::size_t k = 0; k < layer.attention.heads.size(); ++k)
      if (planned.heads[k].compares)
        statistics.scores +=
            layer.attention.heads[k].causal ? tokens * (tokens + 1) / 2 : tokens * tokens;
  }

  /// Reads from the counts of a sublayer which heads kept their contracts. Where one is seen to
  /// break it, that is said, whatever was doubtful before.
  void look_at_contracts(const Location& location) {
    if (options_.rule != FloatOptions::Rule::bounded || options_.temperature) return;
    const auto& counts = pass_->counts().promises;
    for (std::size_t head = 0; head < counts.size(); ++head) {
      const float_pass::ContractCounts& rows = counts[head];
      const Contract& contract = model_.layers[location.layer].attention.heads[head].contract;
      const auto* match = std::get_if<MatchContract>(&contract);
      const bool counts_only =
          std::holds_alternative<UniformContract>(contract) || (match && match->exactly_one);
      const std::uint64_t unread = counts_only ? rows.unread : rows.kept + rows.unread;
      statistics.contracts_kept += rows.kept + rows.unread - unread;
      statistics.contracts_unread += unread;
      if (!std::holds_alternative<RightmostContract>(contract) &&
          !std::holds_alternative<FlaggedContract>(contract))
        unread_searches += unread;
      if (rows.broken + rows.open == 0 || (doubt && (doubt->broken || rows.broken == 0))) continue;
      doubt = {
          rows.broken > 0,
          rows.broken > 0
              ? fmt::format("layer {}, head {}: expected {}; the scores of {} rows contradict it",
                            location.step, head, contract_text(contract), rows.broken)
              : fmt::format(
                    "layer {}, head {}: expected {}; the scores of {} rows do not confirm it",
                    location.step, head, contract_text(contract), rows.open)};
    }
  }

  void run_layers(const Tokens& tokens, const std::vector<FloatObserver*>& observers) {
    const std::size_t count = tokens.kinds.size();
    const std::function<FloatStream()> now = [&] { return stream(count); };
    Location location;
    const auto go_on = [&](Sublayer sublayer) {
      location.sublayer = sublayer;
      bool all = true;
      for (FloatObserver* observer : observers) all &= observer->after(location, now);
      return all;
    };
    const Shape& shape = model_.shape;
    const std::size_t loops = loops_at(model_.unroll, tokens.size);
    const std::size_t depth = shape.initial + shape.repeated * loops + shape.final;
    while (location.step < depth) {
      const std::size_t step = location.step++;
      location.layer = step < shape.initial ? step
                       : step < depth - shape.final
                           ? shape.initial + (step - shape.initial) % shape.repeated
                           : step - shape.repeated * loops + shape.repeated;
      look_for_interruption();
      pass_->attention(location.layer);
      look_at_contracts(location);
      count_scores(model_.layers[location.layer], plan_->layers[location.layer], count);
      if (!go_on(Sublayer::attention)) return;
      look_for_interruption();
      pass_->feedforward(location.layer);
      if (!go_on(Sublayer::feedforward)) return;
    }
  }

  FloatStream stream(std::size_t tokens) const {
    std::vector<Real> values;
    std::vector<double> errors;
    pass_->store(values, errors);
    using float_pass::as_double, float_pass::magnitude,
        float_pass::safely_above;  // Mpfr has its own
    FloatStream out{tokens, model_.width, {}};
    out.numbers.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      double error = errors[i];
      const double size = magnitude(values[i]);
      if (bits_ > 53) error = safely_above(error + 0x1p-53 * size);
      // MPFR has a larger range than double.
      if (size > 0 && size < 0x1p-960) error = safely_above(error + 0x1p-1000);
      const double value = as_double(values[i]);
      out.numbers.push_back(std::isfinite(value) ? FloatNumber{value, error}
                                                 : FloatNumber{0, INFINITY});
    }
    return out;
  }

  const Model& model_;
  const PrecisionFacts& facts_;
  const FloatOptions options_;
  std::uint32_t bits_;
  float_pass::Rounder<Real> rounder_;
  double size_ = 0;
  std::optional<float_pass::Plan<Real>> plan_;
  std::unique_ptr<float_pass::Pass<Real>> pass_;
};

}  // namespace

const char* certificate_name(Certificate certificate) {
  constexpr const char* names[] = {"certified", "ambiguous", "uncertified"};
  return names[static_cast<std::size_t>(certificate)];
}

bool built_with_cuda() {
#ifdef LOGDEPTH_CUDA
  return true;
#else
  return false;
#endif
}

int cuda_devices() {
#ifdef LOGDEPTH_CUDA
  return float_pass::count_cuda_devices();
#else
  return 0;
#endif
}

FloatRunner::FloatRunner(const Model& model, const PrecisionFacts& facts,
                         const FloatOptions& options)
    : model_(model),
      options_(options),
      unembedding_(std::make_unique<float_pass::PlanMatrix<double>>(
          float_pass::PlanMaker<double>(model, facts, float_pass::Rounder<double>(53), 0, false)
              .unembedding())) {
  if (options.device == FloatOptions::Device::cuda) {
    if (!built_with_cuda())
      throw InputError(
          "--device cuda: this logdepth was built without CUDA; build it with -DLOGDEPTH_CUDA=ON, "
          "where nvcc is installed");
    if (options.engine == FloatOptions::Engine::mpfr)
      throw InputError("--device cuda: the mpfr engine runs on the CPU only");
    if (cuda_devices() == 0) throw InputError("--device cuda: no CUDA device found");
  }
  switch (options.engine) {
    case FloatOptions::Engine::float64:
      engine_ = std::make_unique<TypedEngine<double>>(model, facts, options, 53);
      break;
    case FloatOptions::Engine::float32:
      engine_ = std::make_unique<TypedEngine<float>>(model, facts, options, 24);
      break;
    case FloatOptions::Engine::mpfr:
      if (options.bits < FloatOptions::kFewestBits || options.bits > FloatOptions::kMostBits)
        throw InputError(fmt::format("--engine: expected mpfr:{} to mpfr:{}, found mpfr:{}",
                                     FloatOptions::kFewestBits, FloatOptions::kMostBits,
                                     options.bits));
      engine_ = std::make_unique<TypedEngine<Mpfr>>(model, facts, options, options.bits);
      break;
  }
}
FloatRunner::~FloatRunner() = default;

Outcome<FloatStream> FloatRunner::run(const Tokens& tokens,
                                      const std::vector<FloatObserver*>& observers) {
  if (auto refusal = outside_hypotheses(model_, tokens)) return *refusal;
  return engine_->run(tokens, observers);
}

FloatStatistics& FloatStatistics::operator+=(const FloatStatistics& other) {
  rows += other.rows;
  single += other.single;
  ties += other.ties;
  alike += other.alike;
  ambiguous += other.ambiguous;
  tests += other.tests;
  open_tests += other.open_tests;
  scores += other.scores;
  contracts_kept += other.contracts_kept;
  contracts_unread += other.contracts_unread;
  return *this;
}

FloatAnswer<std::vector<FloatNumber>> FloatRunner::numbers(const FloatStream& stream,
                                                           std::size_t token) const {
  auto read = logits(stream, token);
  bool bounded = statistics().ambiguous + statistics().open_tests == 0;
  for (const FloatNumber& number : read) bounded &= number.error <= kLargestCertifiedError;
  return answer(std::move(read), bounded);
}

const FloatStatistics& FloatRunner::statistics() const {
  return engine_->statistics;
}

bool FloatRunner::contracts_shown(bool proved) const {
  const std::optional<Engine::Doubt>& doubt = engine_->doubt;
  // An open doubt takes the certificate away by itself.
  if (proved) return !(doubt && doubt->broken) && engine_->unread_searches == 0;
  return !doubt && statistics().contracts_unread == 0;
}

std::optional<std::string> FloatRunner::broken_contract() const {
  if (!engine_->doubt || !engine_->doubt->broken) return std::nullopt;
  return engine_->doubt->sentence;
}

std::vector<FloatNumber> FloatRunner::logits(const FloatStream& stream, std::size_t token) const {
  // In double whatever the engine, as the stream is.
  std::vector<double> values, errors;
  for (std::size_t c = 0; c < stream.width; ++c) {
    values.push_back(stream.at(token, c).value);
    errors.push_back(stream.at(token, c).error);
  }
  const float_pass::PlanMatrix<double>& m = *unembedding_;
  const float_pass::MatrixView<double> matrix{m.target.data(), m.start.data(),    m.column.data(),
                                              m.weight.data(), m.relative.data(), m.rows()};
  const float_pass::Numbers<double> h{values.data(), errors.data(), 1};
  std::vector<FloatNumber> logits;
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    const Ball<double> logit =
        float_pass::product(matrix, row, h, 0, float_pass::Rounder<double>(53).rounding());
    logits.push_back({logit.value, logit.error});
  }
  return logits;
}

template <class T>
FloatAnswer<T> FloatRunner::answer(T value, bool confirmed) const {
  const auto with = [&](Certificate certificate, std::string reason) {
    return FloatAnswer<T>{std::move(value), certificate, std::move(reason)};
  };
  const FloatStatistics& s = statistics();
  const std::optional<Engine::Doubt>& doubt = engine_->doubt;
  if (options_.temperature)
    return with(Certificate::uncertified, "the weights file has no proof for softmax attention");
  if (options_.rule != FloatOptions::Rule::bounded)
    return with(Certificate::uncertified, "ties and zeros were decided without error bounds");
  if (doubt && doubt->broken) return with(Certificate::uncertified, doubt->sentence);
  if (!confirmed && s.ambiguous + s.open_tests > 0)
    return with(
        Certificate::ambiguous,
        fmt::format("{} rows of attention and {} tests for zero met numbers that the error bounds "
                    "cannot tell apart",
                    s.ambiguous, s.open_tests));
  if (!confirmed)
    return with(Certificate::uncertified, "the error bounds of the logits are too large");
  if (doubt) return with(Certificate::uncertified, doubt->sentence);
  return with(Certificate::certified, "");
}

Outcome<FloatAnswer<bool>> FloatRunner::accepts(const FloatStream& stream,
                                                std::size_t token) const {
  FloatLogits read{logits(stream, token)};
  const auto verdict = read_verdict(model_, read);
  if (!verdict.has_value()) return verdict.refusal();
  return answer(verdict.value(), read.confirmed);
}

Outcome<FloatAnswer<bool>> FloatRunner::relation(const FloatStream& stream, std::size_t from,
                                                 std::size_t to) const {
  check_relation(model_, stream.tokens, from, to);
  FloatLogits read{logits(stream, from)};
  const auto verdict = read_relation(read, from, to);
  if (!verdict.has_value()) return verdict.refusal();
  return answer(verdict.value(), read.confirmed);
}

Outcome<FloatAnswer<bool>> FloatRunner::connected(const FloatStream& stream, std::size_t source,
                                                  std::size_t target) const {
  if (std::holds_alternative<RelationOutput>(model_.output))
    return relation(stream, source, target);
  return accepts(stream, stream.tokens - 1);
}

Outcome<FloatAnswer<PrefixAnswer>> FloatRunner::prefix(const FloatStream& stream,
                                                       std::size_t token) const {
  FloatLogits read{logits(stream, token)};
  auto found = read_prefix(model_, read, token);
  if (!found.has_value()) return found.refusal();
  return answer(std::move(found).value(), read.confirmed);
}

}}  // namespace logdepth::runtime_floats
