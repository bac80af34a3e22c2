#include "proofs-check/precision/precision_curves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth { inline namespace proofs_check_precision {
namespace {

constexpr std::size_t kWords = 3, kGraphs = 4;  // per size

std::mt19937_64 dice(std::uint64_t seed, std::uint64_t size) {
  return std::mt19937_64(seed * 1000003 + size);
}

// --- words ---------------------------------------------------------------------------------------

/// The first input is one letter again and again, where all products have a short period; the last
/// has letters drawn one by one; those between are runs of few letters and many lengths.
Word word_of(std::size_t kind, std::uint64_t length, std::size_t letters, std::mt19937_64& random) {
  Word word;
  const auto any = [&] { return static_cast<Letter>(random() % letters); };
  const Letter first = any();
  while (word.size() < length) {
    const std::uint64_t longest = kind == 0            ? length
                                  : kind + 1 == kWords ? 1
                                                       : std::uint64_t{1} << (random() % 5);
    const std::uint64_t run = std::min(longest, length - word.size());
    word.insert(word.end(), run, kind == 0 ? first : any());
  }
  return word;
}

std::vector<FloatQuestion> word_questions(const Model& model, const std::string& group,
                                          std::uint64_t length, std::uint64_t seed) {
  /// The questions, with the oracle that they refer to.
  struct Asked {
    std::unique_ptr<LanguageOracle> oracle;
    WordDomain questions;
    Asked(const Model& of, const std::string& name)
        : oracle(make_action_oracle(named_monoid(name), name)), questions(of, *oracle) {}
  };
  const auto asked = std::make_shared<const Asked>(model, group);
  const std::shared_ptr<const WordDomain> words(asked, &asked->questions);
  std::mt19937_64 random = dice(seed, length);
  std::vector<FloatQuestion> questions;
  for (std::size_t kind = 0; kind < kWords; ++kind)
    questions.push_back(
        float_question(words, word_of(kind, length, model.alphabet.size(), random)));
  return questions;
}

// --- division ------------------------------------------------------------------------------------

std::vector<FloatQuestion> division_questions(const Model& model, std::uint64_t length,
                                              std::uint64_t seed) {
  const auto divisions = std::make_shared<const DivisionDomain>(model);
  std::mt19937_64 random = dice(seed, length);
  // Small divisors have many multiples in sight, the largest none but 0 and one more.
  const std::vector<std::uint64_t> divisors = {1 + random() % 3, 2 + random() % (length / 2),
                                               1 + random() % length, length - 1};
  std::vector<FloatQuestion> questions;
  for (const std::uint64_t divisor : divisors) {
    DivisionInput input{divisor, {}};
    for (std::uint64_t i = 0; i < length; ++i)
      input.dividends.push_back(random() % 2 == 0 ? i : random() % (i + 1));
    questions.push_back(float_question(divisions, std::move(input)));
  }
  return questions;
}

// --- graphs --------------------------------------------------------------------------------------

struct PathGraph {
  Graph graph;
  Vertex first = 0, last = 0;  ///< of the path, if there is one
};

/// A path, a path that is cut, forward edges some of which are missing, and about one edge for
/// every vertex; vertices in any order.
PathGraph path_graph(std::size_t kind, std::uint64_t vertices, std::mt19937_64& random) {
  std::vector<Vertex> name(vertices);
  for (Vertex i = 0; i < vertices; ++i) name[i] = i;
  for (std::size_t i = vertices; i > 1; --i) std::swap(name[i - 1], name[random() % i]);
  PathGraph made{{}, name[0], name[vertices - 1]};
  for (std::size_t i = 0; i < vertices; ++i) made.graph.add_vertex(std::to_string(i));
  const std::size_t cut = kind == 1 ? random() % (vertices - 1) : vertices;
  for (Vertex i = 0; i < vertices; ++i) {
    if (kind <= 1 && i + 1 < vertices && i != cut) made.graph.add_edge(name[i], name[i + 1]);
    if (kind == 2)
      for (Vertex j = i + 1; j < vertices; ++j)
        if (random() % 2 == 0) made.graph.add_edge(name[i], name[j]);
    if (kind == 3) made.graph.add_edge(name[random() % vertices], name[random() % vertices]);
  }
  return made;
}

/// A run answers about one pair, or about all at once. The pairs of one run each: the ends of the
/// path, the same back, and any two.
std::vector<FloatQuestion> graph_questions(const Model& model, std::uint64_t vertices,
                                           std::uint64_t seed) {
  const auto graphs = std::make_shared<const GraphDomain>(model, false);
  std::mt19937_64 random = dice(seed, vertices);
  const auto any = [&] { return static_cast<Vertex>(random() % vertices); };
  std::vector<FloatQuestion> questions;
  for (std::size_t kind = 0; kind < kGraphs; ++kind) {
    const auto [graph, first, last] = path_graph(kind, vertices, random);
    const auto about =
        graphs->about(CaseStage::chosen, graph, {{first, last}, {last, first}, {any(), any()}});
    for (const AskedGraph& question : about.inputs)
      questions.push_back(float_question(graphs, question));
  }
  return questions;
}

// --- the series ----------------------------------------------------------------------------------

PrecisionSeries series_of(const Construction& construction, const PrecisionRow& row) {
  PrecisionSeries series{
      row.name,           row.title,           "letters", construction.problem != Problem::words,
      row.tests_for_zero, row.has_temperature, {},        {},
      row.sizes};
  series.compiled = [&construction, &row](std::uint64_t size) {
    Request request{row.values};
    if (!row.per_size.empty()) request.values[row.per_size] = size;
    if (construction.problem != Problem::words) return compile(construction.make(request));
    const Action action = named_monoid(row.group);
    request.action = &action;
    request.name = row.group;
    return compile(construction.make(request));
  };
  if (construction.problem == Problem::words) {
    series.questions = [group = row.group](const Model& model, std::uint64_t size,
                                           std::uint64_t seed) {
      return word_questions(model, group, size, seed);
    };
  } else {
    const bool graphs = construction.problem == Problem::graphs;
    series.unit = graphs ? "vertices" : "positions";
    series.questions = graphs ? graph_questions : division_questions;
  }
  return series;
}

}  // namespace

std::vector<PrecisionSeries> precision_series_of(const Catalogue& constructions) {
  std::map<unsigned, PrecisionSeries> placed;
  for (const Construction& construction : constructions)
    for (const PrecisionRow& row : construction.precision)
      placed.emplace(row.place, series_of(construction, row));
  std::vector<PrecisionSeries> all;
  for (auto& [place, series] : placed) all.push_back(std::move(series));
  return all;
}

const std::vector<PrecisionSeries>& precision_series() {
  static const std::vector<PrecisionSeries> kSeries = precision_series_of(catalogue());
  return kSeries;
}

const PrecisionSeries& series_named(const std::string& name) {
  return *std::ranges::find(precision_series(), name, &PrecisionSeries::name);
}

std::uint64_t most_tokens(const std::vector<FloatQuestion>& questions) {
  std::uint64_t tokens = 0;
  for (const FloatQuestion& question : questions)
    tokens = std::max<std::uint64_t>(tokens, question.tokens.kinds.size());
  return tokens;
}

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

bool is_asked(const PrecisionOptions& options, const std::string& name) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

bool is_temperature(PrecisionQuantity quantity) {
  return quantity == PrecisionQuantity::temperature ||
         quantity == PrecisionQuantity::temperature_by_tolerance;
}

}  // namespace

const char* quantity_name(PrecisionQuantity quantity) {
  constexpr std::array kNames = {"bits", "certified-bits", "bits-without-tolerance", "temperature",
                                 "temperature-by-tolerance"};
  return kNames[static_cast<std::size_t>(quantity)];
}

const char* scores_name(FloatOptions::Scores scores) {
  return scores == FloatOptions::Scores::product ? "product" : "distance";
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
  const auto asked = [&](const std::string& name) { return is_asked(options, name); };
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

PrecisionPoint PrecisionCurves::measure(PrecisionPoint point, std::uint32_t hint) {
  load(point);
  point.weights = weights_;
  point.tokens = most_tokens(questions_);
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

// --- first wrong positions ------------------------------------------------------------------------
//
// Which keys can win at position p. Write u for the unit roundoff of what goes into a product (that
// of the sums is not larger), s for exact and s' for computed scores of vectors with circles of
// norm 1.
//   Codes. Every component of a code is off by at most 6 u absolutely: squaring, adding, a root or
//   a subtraction, dividing and rounding for the product are at most six operations on numbers of
//   size at most 1, or relative to the result where the numbers are larger. The second component of
//   phi and circle, which is small, is off by at most 6 u relative to itself.
//   Products. |s' - s| <= 64 u for one circle and for two: both codes 6 sqrt(2) u per circle, and
//   at most four roundings of numbers <= 2. A key wins or ties only if s(p, p) - s(p, j) <= 128 u.
//   Distances. Equal codes have distance exactly 0, and no two that differ have: a difference of
//   floating-point numbers is zero only if they are equal, and its square is far above underflow.
//   So j ties only if all components of the two computed codes agree.
//   distance_mixed. Query and key are off by at most 8 u in each component, so that p itself is at
//   a computed distance of at most 24 u. A key wins or ties only if |q - k| <= 64 u.
// Each bound grows with |t - t'| between the codes of one circle (their angles are monotone in t),
// so keys are tried outwards from p until it is passed; for two circles on every level L whose own
// circle allows it. The bounds are generous and cost a few keys; they are no part of the answer.

namespace {

struct NumberFormat {
  const char* name;
  int bits;
};
constexpr std::array<NumberFormat, 4> kFormats = {
    {{"fp64", 53}, {"fp32", 24}, {"tf32", 11}, {"bf16", 8}}};

bool is_phi(PositionKey key) {
  return key == PositionKey::phi || key == PositionKey::phi_averaged;
}

/// 1 - cos of the angle between two codes of a circle, rounded down a little for phi.
double gap(PositionKey key, double t, double other) {
  const double share = (t - other) * (t - other) / ((1 + t * t) * (1 + other * other));
  return is_phi(key) ? share / 2 : 2 * share;
}

/// A code in the arithmetic of `Number`; one circle leaves the last two components zero.
template <class Number>
using Code = std::array<Number, 4>;

template <class Number>
std::array<Number, 2> circle_of(Number t) {
  const Number square = t * t, norm = Number(1) + square;
  return {(Number(1) - square) / norm, Number(2) * t / norm};
}

template <class Number>
std::array<Number, 2> phi_of(Number p) {
  const Number norm = std::sqrt(p * p + Number(1));
  return {p / norm, Number(1) / norm};
}

template <class Number>
std::array<Number, 2> phi_of_averages(Number p) {
  const Number tokens = p + Number(1), rest = p / tokens, first = Number(1) / tokens;
  const Number scale = Number(1) / std::sqrt(rest * rest + first * first);
  return {rest * scale, first * scale};
}

template <class Number>
class Search {
 public:
  Search(PositionKey key, FloatFormat format, ScoreForm form)
      : key_(key),
        form_(form),
        bits_(significand_bits(format)),
        rounded_(format == FloatFormat::tf32 || format == FloatFormat::bf16),
        unit_(std::ldexp(1.0, -bits_)) {}

  bool is_wrong(std::uint64_t position) const {
    const Code<Number> key = code(key_, position);
    const Code<Number> query =
        form_ == ScoreForm::distance_mixed ? code(PositionKey::phi_averaged, position) : key;
    const Number own = score(query, key);
    const std::uint64_t offset = is_phi(key_) ? 0 : 1;  // circles code p + 1
    const std::uint64_t t = position + offset;
    const auto beats = [&](std::uint64_t other) {
      return score(query, code(key_, other - offset)) >= own;
    };
    if (key_ != PositionKey::two_circle) {
      for (std::uint64_t other = t; other-- > offset;) {
        if (!may_win(t, other)) break;
        if (beats(other)) return true;
      }
      return false;
    }
    const int level = std::bit_width(t) - 1;
    for (int l = level; l >= 0; --l) {
      const double of_levels = gap(PositionKey::circle, level + 1, l + 1);
      if (of_levels > budget()) break;
      const std::uint64_t first = std::uint64_t{1} << l;
      const std::uint64_t last = l == level ? t : 2 * first - 1;
      const double turn = std::ldexp(static_cast<double>(t), -level);
      const auto possible = [&](std::uint64_t other) {
        return of_levels +
                   gap(PositionKey::circle, turn, std::ldexp(static_cast<double>(other), -l)) <=
               budget();
      };
      const std::uint64_t nearest = t >> (level - l);
      for (std::uint64_t other = nearest; other >= first && possible(other); --other)
        if (other != t && beats(other)) return true;
      for (std::uint64_t other = nearest + 1; other <= last && possible(other); ++other)
        if (beats(other)) return true;
    }
    return false;
  }

 private:
  /// How large an exact gap a computed score can bridge; that of a distance is its half square.
  double budget() const {
    if (form_ == ScoreForm::product) return 128 * unit_;
    // Distances: codes that agree in all components are at most 4 * 8 u apart.
    return (64 * unit_) * (64 * unit_) / 2;
  }

  bool may_win(std::uint64_t position, std::uint64_t other) const {
    const auto t = static_cast<double>(position), s = static_cast<double>(other);
    if (form_ == ScoreForm::product) return gap(key_, t, s) <= budget();
    if (form_ == ScoreForm::distance_mixed) return gap(key_, t, s) <= budget();
    // The small components, as a ratio less one, rounded down for phi.
    const double apart = is_phi(key_) ? (t - s) * (t + s) / (2 * (1 + t * t))
                                      : (t - s) * (s * t - 1) / (t * (1 + s * s));
    return apart <= 16 * unit_;
  }

  Number fed(Number x) const {
    return rounded_ ? static_cast<Number>(round_to_bits(static_cast<double>(x), bits_)) : x;
  }

  Code<Number> code(PositionKey key, std::uint64_t position) const {
    const auto p = static_cast<Number>(position);
    const std::uint64_t t = position + 1;
    if (key != PositionKey::two_circle) {
      const auto unit = key == PositionKey::phi            ? phi_of(p)
                        : key == PositionKey::phi_averaged ? phi_of_averages(p)
                                                           : circle_of(static_cast<Number>(t));
      return {fed(unit[0]), fed(unit[1]), Number(0), Number(0)};
    }
    const int level = std::bit_width(t) - 1;
    const auto turn = circle_of(std::ldexp(static_cast<Number>(t), -level));
    const auto height = circle_of(static_cast<Number>(level + 1));
    return {fed(turn[0]), fed(turn[1]), fed(height[0]), fed(height[1])};
  }

  /// From the first component to the last; additions of zero change nothing.
  Number score(const Code<Number>& q, const Code<Number>& k) const {
    Number sum = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
      const Number difference = q[c] - k[c];
      sum += form_ == ScoreForm::product ? q[c] * k[c] : difference * difference;
    }
    return form_ == ScoreForm::product ? sum : -sum / 2;
  }

  PositionKey key_;
  ScoreForm form_;
  int bits_;
  bool rounded_;
  double unit_;
};

template <class Number>
std::optional<std::uint64_t> search(const FirstWrong& what) {
  const Search<Number> search(what.key, what.format, what.form);
  for (std::uint64_t position = 0; position < what.limit; ++position)
    if (search.is_wrong(position)) return position;
  return std::nullopt;
}

}  // namespace

const char* float_format_name(FloatFormat format) {
  return kFormats[static_cast<std::size_t>(format)].name;
}

int significand_bits(FloatFormat format) {
  return kFormats[static_cast<std::size_t>(format)].bits;
}

const char* position_key_name(PositionKey key) {
  constexpr std::array kNames = {"phi", "phi of averages", "circle", "two-circle"};
  return kNames[static_cast<std::size_t>(key)];
}

const char* score_form_name(ScoreForm form) {
  constexpr std::array kNames = {"product", "distance", "mixed distance"};
  return kNames[static_cast<std::size_t>(form)];
}

double round_to_bits(double x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

FirstWrong first_wrong_position(PositionKey key, FloatFormat format, ScoreForm form,
                                std::uint64_t limit) {
  FirstWrong result{key, format, form, std::nullopt, limit};
  result.position = format == FloatFormat::fp64 ? search<double>(result) : search<float>(result);
  return result;
}

std::vector<FirstWrong> positions_to_search(const PrecisionOptions& options) {
  std::vector<FirstWrong> all;
  if (!is_asked(options, kPositions)) return all;
  for (const PositionKey key : kPositionKeys)
    for (const FloatFormat format : kFloatFormats)
      for (const ScoreForm form : kScoreForms)
        if (form != ScoreForm::distance_mixed || key == PositionKey::phi)
          all.push_back({key, format, form, std::nullopt, options.positions});
  return all;
}

}}  // namespace logdepth::proofs_check_precision
