// The significant bits and the softmax temperatures that compiled weights need in floating point, on inputs of
// growing size, and the first positions that a head takes for others. One JSON object a line; for
// bench/required_precision.py.
#include "bench/required_precision.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proofs-check/precision/float_inputs.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth { namespace {

using Scores = FloatOptions::Scores;

constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kMostBits = 400, kFewestBits = 2;
/// Snapping within 2^-(p-4) leaves fewer bits than these nothing to tell apart.
constexpr std::uint32_t kFewestSnappedBits = 5;
/// How many bits more than the smallest number are seen to be right as well.
constexpr std::uint32_t kBitsAbove = 3;
constexpr int kHighestTemperature = 80;  // its logarithm to the base 2
/// Halvings of the interval of log2 of a temperature: relative error 2^-11.
constexpr int kHalvings = 11;
constexpr std::size_t kHashCharacters = 12;

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

/// A network with its inputs of one size.
struct Measured {
  Model model;
  PrecisionFacts facts;
  std::vector<FloatQuestion> questions;
  bool tests_for_zero;

  bool answers(const FloatOptions& options, Answered least) const {
    FloatRunner runner(model, facts, options);
    return ask(runner, questions, least) >= least;
  }
};

/// `hint`: those of the size before, where the search begins.
std::optional<std::uint32_t> fewest_bits(const Measured& network, Scores scores, Answered least,
                                         std::optional<std::uint32_t> hint) {
  const bool snapped = least == Answered::right && network.tests_for_zero;
  FloatOptions options;
  options.engine = FloatOptions::Engine::mpfr;
  options.scores = scores;
  options.rule = least == Answered::certified ? FloatOptions::Rule::bounded
                 : snapped                    ? FloatOptions::Rule::snapped
                                              : FloatOptions::Rule::plain;
  const std::uint32_t first = snapped ? kFewestSnappedBits : kFewestBits;
  return first_good(first, kMostBits, kBitsAbove, hint.value_or(first), [&](std::uint32_t p) {
    options.bits = p;
    if (snapped) options.tolerance = std::ldexp(1.0, 4 - static_cast<int>(p));
    return network.answers(options, least);
  });
}

/// The smallest with which all answers are right, and with twice and four times it as well.
std::optional<double> lowest_temperature(const Measured& network) {
  const double scale = score_scale(network.model, network.questions.back().tokens);
  FloatOptions options;
  options.rule = FloatOptions::Rule::plain;
  std::map<double, bool> known;
  const auto right = [&](double exponent) {
    for (const double above : {0.0, 1.0, 2.0}) {
      auto found = known.find(exponent + above);
      if (found == known.end()) {
        options.temperature = std::exp2(exponent + above) / scale;
        found = known.emplace(exponent + above, network.answers(options, Answered::right)).first;
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

template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

void print(const nlohmann::ordered_json& object) {
  std::cout << object.dump() << std::endl;
}

void measure(const PrecisionSeries& series, std::uint64_t up_to) {
  std::map<std::pair<Answered, Scores>, std::optional<std::uint32_t>> bits;
  for (const std::uint64_t size : series.row.sizes(up_to)) {
    const Compiled compiled = series.compiled(size);
    Measured network{compiled.model, compiled.facts, {}, series.row.tests_for_zero};
    network.questions = series.questions(network.model, size, kSeed);
    const std::uint64_t tokens = most_tokens(network.questions);
    nlohmann::ordered_json point = {
        {"series", series.row.name},
        {"title", series.row.title},
        {"size", size},
        {"tokens", tokens},
        {"n", series.in_tokens() ? tokens : size},
        {"weights", weights_hash(compiled.model).substr(0, kHashCharacters)}};
    for (const auto& [kind, least] :
         {std::pair("right", Answered::right), std::pair("certified", Answered::certified)})
      for (const auto& [form, scores] :
           {std::pair("product", Scores::product), std::pair("distance", Scores::distance)}) {
        std::optional<std::uint32_t>& found = bits[{least, scores}];
        found = fewest_bits(network, scores, least, found);
        point[kind][form] = or_null(found);
      }
    if (series.row.has_temperature) point["temperature"] = or_null(lowest_temperature(network));
    print(point);
  }
}

void search(std::uint64_t limit) {
  for (const auto& [form, scores] :
       {std::pair("product", ScoreBy::product), std::pair("distance", ScoreBy::distance)})
    for (const auto& [way, by] :
         {std::pair("root", PhiBy::root), std::pair("averages", PhiBy::averages)})
      print({{"scores", form},
             {"phi", way},
             {"searched_below", limit},
             {"fp32", or_null(first_wrong_position<float>(by, scores, limit))},
             {"fp64", or_null(first_wrong_position<double>(by, scores, limit))}});
}

int run(int argc, char** argv) {
  std::uint64_t up_to = 256, positions = std::uint64_t{1} << 26;
  CLI::App app("Measures the precision that compiled weights need; prints a JSON object a line.");
  app.add_option("--up-to", up_to, "letters of the longest words; other inputs have a fraction");
  app.add_option("--positions", positions, "the first wrong one is looked for below");
  CLI11_PARSE(app, argc, argv);
  try {
    for (const PrecisionSeries& series : precision_series()) measure(series, up_to);
    search(positions);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_required_precision: " << error.what() << '\n';
    return 2;
  }
}

}}  // namespace logdepth

int main(int argc, char** argv) {
  return logdepth::run(argc, argv);
}
