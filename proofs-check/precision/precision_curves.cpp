#include "proofs-check/precision/precision_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline proofs_check_precision {
namespace {

using Scores = FloatOptions::Scores;

constexpr std::array kMeasuredScores = {Scores::product, Scores::distance};
constexpr const char* kTemperature = "temperature";
constexpr const char* kPositions = "positions";
/// Snapping within 2^-(p-4) leaves fewer bits than these nothing to tell apart.
constexpr std::uint32_t kFewestSnappedBits = 5;
constexpr std::uint32_t kFewestBits = 2;
/// Halvings of the interval of log2 of a temperature: relative error 2^-11.
constexpr int kHalvings = 11;
constexpr std::size_t kHashCharacters = 12;
constexpr std::size_t kSizesWithoutTolerance = 3;
/// Tests for zero within 2^-k, for these k.
constexpr std::array<std::uint64_t, 4> kTolerances = {10, 20, 40, 80};
/// Enough for two sizes of every series.
constexpr std::uint64_t kAnySize = 1024;

const PrecisionSeries& series_named(const std::string& name) {
  const auto& all = precision_series();
  return *std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; });
}

/// Length of query and key in the first head that is compared with one key per position, at the
/// last token: what a score of the file has to be divided by to become one of unit vectors.
class ScoreScale : public ForwardObserver<ValueId> {
 public:
  explicit ScoreScale(Runner& runner) : runner_(runner) {}

  void on_head(const Location& location, std::size_t head, const HeadRows<ValueId>& rows) override {
    const Head& asked = runner_.model().layers[location.layer].attention.heads[head];
    if (scale || !std::holds_alternative<MatchContract>(asked.contract)) return;
    const std::size_t last = rows.tokens() - 1;
    // Two components are a circle; a code of two circles has twice the square of a unit vector.
    const double circles = static_cast<double>(rows.score_dimension()) / 2;
    scale = length(rows.query(last)) * length(rows.key(last)) / circles;
  }

  std::optional<double> scale;

 private:
  double length(std::span<const ValueId> vector) const {
    double square = 0;
    for (const ValueId id : vector) {
      const double x = runner_.arithmetic().pool()[id].approximate().value;
      square += x * x;
    }
    return std::sqrt(square);
  }

  Runner& runner_;
};

double score_scale(const Model& model, const Tokens& tokens) {
  Runner runner(model);
  ScoreScale found(runner);
  const auto stream = runner.run(tokens, {&found});
  if (!stream.has_value() || !found.scale)
    throw std::logic_error(model.name + ": no head that matches positions was run");
  return *found.scale;
}

bool is_temperature(PrecisionQuantity quantity) {
  return quantity == PrecisionQuantity::temperature ||
         quantity == PrecisionQuantity::temperature_by_tolerance;
}

}  // namespace

const char* quantity_name(PrecisionQuantity quantity) {
  switch (quantity) {
    case PrecisionQuantity::bits:
      return "bits";
    case PrecisionQuantity::certified_bits:
      return "certified-bits";
    case PrecisionQuantity::bits_without_tolerance:
      return "bits-without-tolerance";
    case PrecisionQuantity::temperature:
      return "temperature";
    case PrecisionQuantity::temperature_by_tolerance:
      break;
  }
  return "temperature-by-tolerance";
}

const char* scores_name(FloatOptions::Scores scores) {
  return scores == FloatOptions::Scores::product ? "product" : "distance";
}

std::optional<PrecisionQuantity> quantity_named(const std::string& name) {
  for (const PrecisionQuantity quantity :
       {PrecisionQuantity::bits, PrecisionQuantity::certified_bits,
        PrecisionQuantity::bits_without_tolerance, PrecisionQuantity::temperature,
        PrecisionQuantity::temperature_by_tolerance})
    if (name == quantity_name(quantity)) return quantity;
  return std::nullopt;
}

std::vector<PrecisionPoint> points_to_measure(const PrecisionOptions& options) {
  std::set<std::string> known = {kTemperature, kPositions};
  std::string names;
  for (const PrecisionSeries& series : precision_series()) {
    known.insert(series.name);
    names += series.name + " ";
  }
  for (const std::string& name : options.only)
    if (!known.contains(name))
      throw InputError("--only: unknown series " + in_quotes(name) + "; expected some of " + names +
                       kTemperature + " " + kPositions);
  const auto asked = [&](const std::string& name) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };

  std::vector<PrecisionPoint> points;
  const auto add = [&](const PrecisionSeries& series, PrecisionQuantity quantity, Scores scores,
                       std::uint64_t size) {
    PrecisionPoint point;
    point.series = series.name;
    point.quantity = quantity;
    point.scores = scores;
    point.size = size;
    points.push_back(std::move(point));
  };
  for (const PrecisionSeries& series : precision_series()) {
    if (!asked(series.name)) continue;
    const auto sizes = series.sizes(options.up_to);
    for (const Scores scores : kMeasuredScores)
      for (const std::uint64_t size : sizes) add(series, PrecisionQuantity::bits, scores, size);
    for (const Scores scores : kMeasuredScores)
      for (const std::uint64_t size : sizes)
        add(series, PrecisionQuantity::certified_bits, scores, size);
    if (series.tests_for_zero)
      for (std::size_t i = 0; i < std::min(sizes.size(), kSizesWithoutTolerance); ++i)
        add(series, PrecisionQuantity::bits_without_tolerance, Scores::distance, sizes[i]);
  }
  if (!asked(kTemperature)) return points;
  for (const PrecisionSeries& series : precision_series()) {
    if (series.has_temperature)
      for (const std::uint64_t size : series.sizes(options.up_to))
        add(series, PrecisionQuantity::temperature, Scores::distance, size);
    if (series.tests_for_zero)
      for (const std::uint64_t bits : kTolerances)
        add(series, PrecisionQuantity::temperature_by_tolerance, Scores::distance, bits);
  }
  return points;
}

bool asks_for_positions(const PrecisionOptions& options) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), kPositions) != options.only.end();
}

void PrecisionCurves::load(const PrecisionPoint& point) {
  const PrecisionSeries& series = series_named(point.series);
  const bool tolerance = point.quantity == PrecisionQuantity::temperature_by_tolerance;
  const std::uint64_t size = tolerance ? series.sizes(kAnySize)[1] : point.size;
  if (series_ == &series && size_ == size) return;
  series_ = &series;
  size_ = size;
  Compiled compiled = series_->compiled(size_);
  weights_ = weights_hash(compiled.model).substr(0, kHashCharacters);
  model_ = compiled.model;
  facts_ = std::move(compiled.facts);
  questions_ = series_->questions(model_, size_, seed_);
}

std::string PrecisionCurves::weights_of(const PrecisionPoint& point) {
  load(point);
  return weights_;
}

PrecisionPoint PrecisionCurves::measure(PrecisionPoint point, std::uint32_t hint) {
  load(point);
  point.weights = weights_;
  point.tokens = 0;
  for (const FloatQuestion& question : questions_)
    point.tokens = std::max<std::uint64_t>(point.tokens, question.tokens.kinds.size());
  point.value =
      is_temperature(point.quantity) ? lowest_temperature(point) : fewest_bits(point, hint);
  return point;
}

std::optional<double> PrecisionCurves::fewest_bits(const PrecisionPoint& point,
                                                   std::uint32_t hint) {
  const bool certified = point.quantity == PrecisionQuantity::certified_bits;
  const bool snapped = point.quantity == PrecisionQuantity::bits && series_->tests_for_zero;
  FloatOptions options;
  options.engine = FloatOptions::Engine::mpfr;
  options.scores = point.scores;
  options.rule = certified ? FloatOptions::Rule::bounded
                 : snapped ? FloatOptions::Rule::snapped
                           : FloatOptions::Rule::plain;
  const Answered least = certified ? Answered::certified : Answered::right;
  const auto enough = [&](std::uint32_t p) {
    options.bits = p;
    if (snapped) options.tolerance = std::ldexp(1.0, 4 - static_cast<int>(p));
    FloatRunner runner(model_, facts_, options);
    return ask(runner, questions_, least) >= least;
  };
  const std::uint32_t first = snapped ? kFewestSnappedBits : kFewestBits;
  std::optional<std::uint32_t> bits;
  if (point.quantity != PrecisionQuantity::bits_without_tolerance) {
    bits = first_good(first, kMostBitsTried, kBitsAbove, std::max(first, hint), enough);
  } else {
    // Luck is all there is here, so every number of bits is tried.
    std::uint32_t run = 0;
    for (std::uint32_t p = first; p <= kMostBitsWithoutTolerance && !bits; ++p) {
      run = enough(p) ? run + 1 : 0;
      if (run == kBitsAbove + 1) bits = p - kBitsAbove;
    }
  }
  if (!bits) return std::nullopt;
  return *bits;
}

std::optional<double> PrecisionCurves::lowest_temperature(const PrecisionPoint& point) {
  FloatOptions options;
  options.scores = point.scores;
  options.rule = FloatOptions::Rule::plain;
  double scale = 1;
  if (point.quantity == PrecisionQuantity::temperature) {
    scale = score_scale(model_, questions_.back().tokens);
  } else {
    const int k = static_cast<int>(point.size);
    options.engine = FloatOptions::Engine::mpfr;
    options.bits = static_cast<std::uint32_t>(2 * k + 60);
    options.rule = FloatOptions::Rule::snapped;
    options.tolerance = std::ldexp(1.0, -k);
  }
  // Twice and four times as hard has to be right as well.
  std::map<double, bool> known;
  const auto right = [&](double exponent) {
    for (const double above : {0.0, 1.0, 2.0}) {
      auto found = known.find(exponent + above);
      if (found == known.end()) {
        options.temperature = std::exp2(exponent + above) / scale;
        FloatRunner runner(model_, facts_, options);
        const bool answered = ask(runner, questions_, Answered::right) >= Answered::right;
        found = known.emplace(exponent + above, answered).first;
      }
      if (!found->second) return false;
    }
    return true;
  };
  double high = 0;
  while (!right(high))
    if (++high > kHighestTemperature) return std::nullopt;
  double low = high - 1;
  for (int i = 0; i < kHalvings && high > 0; ++i) {
    const double middle = (low + high) / 2;
    (right(middle) ? high : low) = middle;
  }
  return std::exp2(high);
}

std::optional<std::uint32_t> first_good(std::uint32_t first, std::uint32_t last,
                                        std::uint32_t above, std::uint32_t hint,
                                        const std::function<bool(std::uint32_t)>& good) {
  std::map<std::uint32_t, bool> known;
  const auto is_good = [&](std::uint32_t value) {
    const auto found = known.find(value);
    return found != known.end() ? found->second : known.emplace(value, good(value)).first->second;
  };
  std::uint32_t bad = hint, found = hint;
  for (std::uint32_t step = 1; is_good(bad) && bad > first; step *= 2) {
    found = bad;
    bad -= std::min(step, bad - first);
  }
  for (std::uint32_t step = 1; !is_good(found); step *= 2) {
    if (found == last) return std::nullopt;
    bad = found;
    found += std::min(step, last - found);
  }
  while (found > bad + 1 && !is_good(bad)) {
    const std::uint32_t middle = bad + (found - bad) / 2;
    (is_good(middle) ? found : bad) = middle;
  }
  if (is_good(bad)) found = bad;  // the first of all
  for (std::uint32_t next = found; next <= found + above; ++next) {
    if (next > last) return std::nullopt;
    if (!is_good(next)) found = next + 1;
  }
  return found;
}

double curve_argument(const PrecisionSeries& series, const PrecisionPoint& point) {
  return static_cast<double>(series.in_tokens ? point.tokens : point.size);
}

std::optional<LeastSquares> fit_curve(const std::vector<PrecisionPoint>& points) {
  PlotLine logarithms;
  for (const PrecisionPoint& point : points) {
    if (!point.value) continue;
    logarithms.emplace_back(
        std::log2(curve_argument(series_named(point.series), point)),
        is_temperature(point.quantity) ? std::log2(*point.value) : *point.value);
  }
  return least_squares(logarithms);
}

}  // namespace logdepth::inline proofs_check_precision
