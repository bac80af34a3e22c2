#include "library/exports/self_test.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/exports/python_modules.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "objects/graph.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/started_program.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::exports {
namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 26;

template <class Number>
SafeTensor tensor(const char* type, const SparseMatrix& shape, const std::vector<Number>& numbers) {
  static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
  const auto* const bytes = reinterpret_cast<const char*>(numbers.data());
  return {type, {shape.rows, shape.columns}, {bytes, bytes + numbers.size() * sizeof(Number)}};
}

/// The arrays that are written, calculated with as plainly as other programs do: products and sums
/// in the precision of the export, softmax or averaging-hard attention, nothing known of errors.
template <class Real>
class PlainEvaluation {
 public:
  /// Keeps references. `mirror`: where given values are negated (GivenPlace). `at_random`: every term of
  /// a sum is off by about a rounding, up or down, for other programs round in ways of their own.
  PlainEvaluation(const Network& network, const FloatArrays& arrays, std::size_t mirror,
                  bool at_random)
      : network_(network), arrays_(arrays), mirror_(mirror), at_random_(at_random) {
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
      PlainLayer& layer = layers_.emplace_back();
      const std::string at = fmt::format("layers.{}.", l);
      for (std::size_t k = 0; k < network.layers[l].heads.size(); ++k) {
        const std::string head = at + fmt::format("heads.{}.", k);
        layer.heads.push_back({factors(arrays.at(head + "query")), factors(arrays.at(head + "key")),
                               factors(arrays.at(head + "value")),
                               factors(arrays.at(head + "output"))});
      }
      layer.in = factors(arrays.at(at + "in"));
      layer.out = factors(arrays.at(at + "out"));
    }
    unembedding_ = factors(arrays.at("unembedding"));
  }

  /// The logits of every token. Precondition: no more tokens than the network has positions for.
  std::vector<std::vector<double>> logits(const Tokens& tokens, std::uint64_t loops) const {
    const auto& embedding = arrays_.at("embedding").numbers;
    const auto& positions = arrays_.at("positions").numbers;
    const std::size_t width = network_.width;
    const std::size_t count = std::max(tokens.kinds.size(), tokens.given.size());
    Rows h(count, Row(width));
    for (std::size_t t = 0; t < count; ++t) {
      if (!network_.tokens.empty()) {
        const auto kind =
            std::find(network_.tokens.begin(), network_.tokens.end(), tokens.kinds[t]);
        const auto row = static_cast<std::size_t>(kind - network_.tokens.begin());
        for (std::size_t c = 0; c < width; ++c)
          h[t][c] = static_cast<Real>(embedding[row * width + c]);
      }
      for (std::size_t c = 0; c < width; ++c)
        h[t][c] += static_cast<Real>(positions[t * width + c]);
      for (std::size_t i = 0; t < tokens.given.size() && i < tokens.given[t].size(); ++i) {
        const auto given = static_cast<Real>(tokens.given[t][i].approximate().value);
        h[t][i] += given;
        if (mirror_ > 0) h[t][i + mirror_] -= given;
      }
    }
    const auto run_block = [&](Block block) {
      for (std::size_t l = 0; l < network_.layers.size(); ++l)
        if (network_.layers[l].block == block) run_layer(l, h);
    };
    run_block(Block::initial);
    for (std::uint64_t loop = 0; loop < loops; ++loop) run_block(Block::repeated);
    run_block(Block::final);
    std::vector<std::vector<double>> logits;
    for (const Row& row : h) {
      const Row read = product(unembedding_, row);
      logits.emplace_back(read.begin(), read.end());
    }
    return logits;
  }

 private:
  static constexpr Real kUnit = std::numeric_limits<Real>::epsilon();
  using Row = std::vector<Real>;
  using Rows = std::vector<Row>;
  struct Factor {
    std::size_t column;
    Real value;
  };
  /// A dense matrix row by row, its zeros skipped: adding nothing changes no sum.
  using Factors = std::vector<std::vector<Factor>>;
  struct PlainHead {
    Factors query, key, value, output;
  };
  struct PlainLayer {
    std::vector<PlainHead> heads;
    Factors in, out;
  };

  /// 1, or at random the next larger or smaller number.
  Real one() const {
    if (!at_random_) return 1;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;  // its first bit is good
    return 1 + (random_ >> 63 ? kUnit : -kUnit);
  }
  /// The sum of the terms 0 ... count - 1.
  template <class Term>
  Real sum(std::size_t count, const Term& term) const {
    Real total = 0;
    for (std::size_t i = 0; i < count; ++i) total += term(i) * one();
    return total;
  }

  static Factors factors(const FloatArray& array) {
    Factors found;
    for (std::size_t row = 0; row < array.rows; ++row) {
      auto& kept = found.emplace_back();
      for (std::size_t column = 0; column < array.columns; ++column)
        if (const auto value = static_cast<Real>(array.numbers[row * array.columns + column]);
            value != 0)
          kept.push_back({column, value});
    }
    return found;
  }

  Row product(const Factors& matrix, const Row& x) const {
    Row found;
    for (const auto& row : matrix)
      found.push_back(
          sum(row.size(), [&](std::size_t i) { return row[i].value * x[row[i].column]; }));
    return found;
  }

  Row read(const Row& h, const NetworkNorm& norm, const std::string& mask) const {
    if (norm.folded) return h;
    Row x = h;
    Real largest = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      x[c] *= static_cast<Real>(arrays_.at(mask).numbers[c]);
      largest = std::max(largest, std::abs(x[c]));
    }
    if (largest == 0 || largest < norm.zero_below) return Row(x.size());
    const auto width = static_cast<Real>(network_.width);
    if (network_.subtract_mean) {
      const Real mean = sum(x.size(), [&](std::size_t c) { return x[c]; }) / width;
      for (Real& number : x) number -= mean;
    }
    const Real squares = sum(x.size(), [&](std::size_t c) { return x[c] * x[c]; });
    for (Real& number : x) number *= std::sqrt(width) / std::sqrt(squares);
    return x;
  }

  /// Turns scores into weights.
  void weigh(const NetworkHead& head, Row& scores) const {
    const Real largest = *std::max_element(scores.begin(), scores.end());
    Real size = 0;
    for (const Real score : scores) size = std::max(size, std::abs(score));
    const Real tolerance = static_cast<Real>(head.tolerance) * (head.relative ? size : Real(1));
    for (Real& score : scores) {
      score = network_.hard ? (score >= largest - tolerance ? Real(1) : Real(0))
                            : std::exp(static_cast<Real>(head.temperature) * (score - largest));
    }
    const Real whole = sum(scores.size(), [&](std::size_t j) { return scores[j]; });
    for (Real& score : scores) score /= whole;
  }

  void attend(const NetworkLayer& layer, const PlainLayer& plain, const Rows& z, Rows& h) const {
    for (std::size_t k = 0; k < plain.heads.size(); ++k) {
      const PlainHead& head = plain.heads[k];
      Rows queries, keys, values;
      for (const Row& row : z) {
        queries.push_back(product(head.query, row));
        keys.push_back(product(head.key, row));
        values.push_back(product(head.value, row));
      }
      for (std::size_t i = 0; i < z.size(); ++i) {
        const std::size_t visible = layer.heads[k].causal ? i + 1 : z.size();
        Row weights(visible);
        for (std::size_t j = 0; j < visible; ++j)
          weights[j] =
              sum(queries[i].size(), [&](std::size_t d) { return queries[i][d] * keys[j][d]; });
        weigh(layer.heads[k], weights);
        Row average;
        for (std::size_t d = 0; d < head.value.size(); ++d)
          average.push_back(sum(visible, [&](std::size_t j) { return weights[j] * values[j][d]; }));
        const Row written = product(head.output, average);
        for (std::size_t c = 0; c < written.size(); ++c) h[i][c] += written[c];
      }
    }
  }

  void run_layer(std::size_t l, Rows& h) const {
    look_for_interruption();
    const NetworkLayer& layer = network_.layers[l];
    const std::string at = fmt::format("layers.{}.", l);
    if (!layer.heads.empty()) {
      Rows z;
      for (const Row& row : h) z.push_back(read(row, layer.attention, at + "attention.mask"));
      attend(layer, layers_[l], z, h);
    }
    for (Row& row : h) {
      Row units = product(layers_[l].in, read(row, layer.feedforward, at + "feedforward.mask"));
      for (Real& unit : units) unit = std::max(unit, Real(0));
      const Row written = product(layers_[l].out, units);
      for (std::size_t c = 0; c < written.size(); ++c) row[c] += written[c];
    }
  }

  const Network& network_;
  const FloatArrays& arrays_;
  std::size_t mirror_;
  bool at_random_;
  mutable std::uint64_t random_ = 1;
  std::vector<PlainLayer> layers_;
  Factors unembedding_;
};

}  // namespace

FloatArrays float_arrays(const Network& network) {
  FloatArrays arrays;
  for (const auto& [name, matrix] : matrices(network)) {
    const std::uint64_t count = std::uint64_t{matrix->rows} * matrix->columns;
    if (count > kMostNumbers)
      throw SizeLimit(fmt::format("the matrix {} has {} numbers, more than the limit of {}", name,
                                  count, kMostNumbers));
    FloatArray& array = arrays[name];
    array = {matrix->rows, matrix->columns, std::vector<double>(count)};
    for (const MatrixEntry& e : matrix->entries) {
      const double value = e.value.approximate();
      array.numbers[std::size_t{e.row} * matrix->columns + e.column] =
          network.single ? static_cast<float>(value) : value;
    }
  }
  return arrays;
}

SafeTensors tensors_of(const Network& network, const FloatArrays& arrays) {
  SafeTensors tensors;
  for (const auto& [name, matrix] : matrices(network)) {
    const std::size_t count = arrays.at(name).numbers.size();
    std::vector<std::int64_t> numerators(count), denominators(count, 1);
    for (const MatrixEntry& e : matrix->entries) {
      const auto small = e.value.small();
      if (!small)
        throw ExportRefused(
            fmt::format("{}: the exact weight {} does not fit in two integers of 64 "
                        "bits",
                        name, e.value.text()));
      const std::size_t at = std::size_t{e.row} * matrix->columns + e.column;
      numerators[at] = small->numerator;
      denominators[at] = small->denominator;
    }
    const std::vector<double>& numbers = arrays.at(name).numbers;
    tensors.arrays[name] =
        network.single ? tensor("F32", *matrix, std::vector<float>(numbers.begin(), numbers.end()))
                       : tensor("F64", *matrix, numbers);
    tensors.arrays[name + ".numerator"] = tensor("I64", *matrix, numerators);
    tensors.arrays[name + ".denominator"] = tensor("I64", *matrix, denominators);
  }
  return tensors;
}

std::vector<Letters> longer_words(const std::vector<Letters>& words, const Letters& alphabet) {
  std::vector<Letters> longer;
  for (const Letters& word : words)
    for (const std::string& letter : alphabet) {
      longer.push_back(word);
      longer.back().push_back(letter);
    }
  return longer;
}

namespace {

/// An input of the self-test.
struct TestInput {
  std::string text;  ///< for people: "the word 'a b a'"
  Tokens tokens;
};
struct TestInputs {
  std::vector<TestInput> inputs;
  std::uint64_t exhaustive = 0;    ///< all words of at most that many letters
  std::uint64_t every_length = 0;  ///< words of every length up to that one
};

constexpr std::size_t kShortWords = 200;  ///< asked exhaustively, at most
constexpr std::size_t kTokens = 30000;    ///< asked at random, about; of powers of letters at most
constexpr std::size_t kFewestWords = 2;   ///< of full length, however long

void add_word(const Model& model, const Letters& word, std::vector<TestInput>& inputs) {
  auto tokens = tokens_of(model, word);
  if (tokens.has_value())  // else it has no token at all
    inputs.push_back({"the word " + in_quotes(joined(word, " ")), std::move(tokens).value()});
}

/// All words of 0, 1, ... letters as long as they are few; the length that was reached.
std::uint64_t add_short_words(const Model& model, std::uint64_t length,
                              std::vector<TestInput>& inputs) {
  std::vector<Letters> words = {{}};
  std::size_t asked = 0;
  for (std::uint64_t letters = 0;; ++letters) {
    for (const Letters& word : words) add_word(model, word, inputs);
    asked += words.size();
    if (letters == length || asked + words.size() * model.alphabet.size() > kShortWords)
      return letters;
    words = longer_words(words, model.alphabet);
  }
}

/// Powers of one letter, the longest first: what counts is furthest from 0 there, and what is equal is
/// equal everywhere.
void add_powers(const Model& model, std::uint64_t length, std::vector<TestInput>& inputs) {
  std::size_t tokens = 0;
  for (std::uint64_t letters = length; letters > 0; --letters)
    for (const std::string& letter : model.alphabet) {
      tokens += letters + 1;
      if (tokens > kTokens && letters < length) return;
      add_word(model, Letters(letters, letter), inputs);
    }
}

TestInputs word_inputs(const Model& model, std::uint64_t length, Choice& choice) {
  TestInputs found;
  found.exhaustive = add_short_words(model, length, found.inputs);
  add_powers(model, length, found.inputs);
  const auto random_letter = [&] { return model.alphabet[choice.below(model.alphabet.size())]; };
  const auto random_word = [&](std::uint64_t letters) {
    Letters word;
    for (std::uint64_t i = 0; i < letters; ++i) word.push_back(random_letter());
    return word;
  };
  const auto repeating_word = [&](std::uint64_t letters) {
    Letters word = random_word(std::min<std::uint64_t>(letters, 1 + choice.below(6)));
    for (std::size_t i = 0; word.size() < letters; ++i) word.push_back(std::string(word[i]));
    return word;
  };
  for (std::size_t words = 0; words < kFewestWords; ++words)
    add_word(model, random_word(length), found.inputs);
  // Just around powers of two, where the number of loops changes.
  for (std::uint64_t power = 2; power <= length; power *= 2)
    for (const std::uint64_t letters : {power - 1, power, power + 1})
      if (letters <= length) add_word(model, random_word(letters), found.inputs);
  // Random words, every third of them one that repeats itself, and their prefixes, shortest first, as
  // long as they are cheap.
  found.every_length = found.exhaustive;
  for (std::size_t words = 0, tokens = 0; tokens < kTokens; ++words) {
    const std::uint64_t size = words % 2 == 0 ? length : 1 + choice.below(length);
    const Letters word = words % 3 == 2 ? repeating_word(size) : random_word(size);
    for (std::size_t letters = 1; letters <= word.size() && tokens < kTokens; ++letters) {
      add_word(model, {word.begin(), word.begin() + static_cast<std::ptrdiff_t>(letters)},
               found.inputs);
      tokens += letters + 1;
      found.every_length = std::max<std::uint64_t>(found.every_length, letters);
    }
  }
  return found;
}

TestInputs graph_inputs(const Model& model, std::uint64_t length, Choice& choice) {
  TestInputs found;
  for (std::size_t tokens = 0; tokens < kTokens || found.inputs.size() < kFewestWords;) {
    Graph graph;
    const std::uint64_t n = found.inputs.empty() ? length : 1 + choice.below(length);
    for (std::uint64_t i = 0; i < n; ++i) graph.add_vertex(std::to_string(i));
    std::vector<std::string> edges;
    for (std::uint64_t i = 0, all = choice.below(2 * n + 1); i < all; ++i) {
      const auto from = static_cast<Vertex>(choice.below(n));
      const auto to = static_cast<Vertex>(choice.below(n));
      graph.add_edge(from, to);
      edges.push_back(fmt::format("{}-{}", from, to));
    }
    const std::size_t source = choice.below(n), target = choice.below(n);
    found.inputs.push_back(
        {fmt::format("the graph of {} with the edges {}, from {} to {}",
                     counted(n, "vertex", "vertices"), joined(edges, " "), source, target),
         tokens_of(model, graph, source, target).value()});
    tokens += found.inputs.back().tokens.kinds.size() * length;
  }
  return found;
}

void require_divisions(const Model& model) {
  try {
    (void)division_rows(model, {1, {0}});
  } catch (const InputError&) {
    throw ExportRefused("the weights file " + in_quotes(model.name) +
                        " takes raw streams of an unknown format: it cannot be self-tested, so it "
                        "cannot be exported");
  }
}

TestInputs division_inputs(const Model& model, std::uint64_t length, Choice& choice) {
  require_divisions(model);
  TestInputs found;
  for (std::size_t tokens = 0; tokens < kTokens / 4 || found.inputs.size() < kFewestWords;) {
    const std::uint64_t count = found.inputs.empty() ? length : 1 + choice.below(length);
    DivisionInput input{1 + choice.below(count), {}};
    std::string dividends;
    for (std::uint64_t i = 0; i < count; ++i) {
      input.dividends.push_back(choice.below(i + 1));
      dividends += fmt::format(" {}", input.dividends.back());
    }
    found.inputs.push_back({fmt::format("the dividends{} by {}", dividends, input.divisor),
                            tokens_of(model, division_rows(model, input)).value()});
    tokens += count;
  }
  return found;
}

/// Named numbers are codes, directions and flags (FloatRunner::kLargestCertifiedError).
constexpr double kLargestDifference = 0x1p-8;
constexpr std::size_t kExamples = 8;

/// For readout.hpp.
struct PlainLogits {
  const std::vector<double>& logits;

  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (logits[rows[i]] > logits[rows[best]]) best = i;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i != best && !(logits[rows[i]] < logits[rows[best]])) return std::nullopt;
    return best;
  }
  int sign(std::uint32_t row) const { return (logits[row] > 0) - (logits[row] < 0); }
  std::string text(std::uint32_t row) const { return fmt::format("{}", logits[row]); }
};

/// One input's answers beside those of the exact run.
class Comparison {
 public:
  Comparison(const Model& model, Runner& runner, SelfTest& test, const char* otherwise)
      : model_(model), runner_(runner), test_(test), otherwise_(otherwise) {}

  void compare(const TestInput& input, const Stream<ValueId>& exact,
               const std::vector<std::vector<double>>& logits) {
    input_ = &input;
    if (std::holds_alternative<CellsOutput>(model_.output)) {
      for (std::size_t t = 0; t < logits.size(); ++t) compare_numbers(exact, t, logits[t]);
    } else if (std::holds_alternative<RelationOutput>(model_.output)) {
      for (std::size_t t = 0; t < logits.size(); ++t)
        for (std::size_t to = 0; to < model_.unembedding.rows; ++to) {
          PlainLogits plain{logits[t]};
          same(runner_.relation(exact, t, to), read_relation(plain, t, to), t);
        }
    } else {
      const std::size_t last = logits.size() - 1;
      PlainLogits plain{logits[last]};
      same(runner_.accepts(exact, last), read_verdict(model_, plain), last);
      if (reads_prefixes(model_)) compare_prefixes(exact, logits);
    }
  }

 private:
  void compare_prefixes(const Stream<ValueId>& exact,
                        const std::vector<std::vector<double>>& logits) {
    const std::size_t first = first_letter(runner_.model());
    for (std::size_t t = first; t < first + input_->tokens.size; ++t) {
      PlainLogits plain{logits[t]};
      same(runner_.prefix(exact, t), read_prefix(model_, plain, t), t);
    }
  }

  /// What the exact run leaves undecided is nobody's to decide.
  template <class Answer>
  void same(const Outcome<Answer>& right, const Outcome<Answer>& got, std::size_t token) {
    if (!right.has_value()) return;
    ++test_.answers;
    if (!got.has_value() || !(got.value() == right.value())) wrong(token, otherwise_);
  }

  void compare_numbers(const Stream<ValueId>& exact, std::size_t token,
                       const std::vector<double>& logits) {
    const auto right = runner_.logits(exact, token);
    for (std::size_t row = 0; row < logits.size(); ++row) {
      ++test_.answers;
      const double difference = std::abs(logits[row] - right[row].approximate().value);
      if (!(difference <= kLargestDifference))
        wrong(token, fmt::format("{} is {} and not {}",
                                 in_quotes(std::get<CellsOutput>(model_.output).names[row]),
                                 logits[row], right[row].text()));
      test_.largest_difference = std::max(test_.largest_difference, difference);
    }
  }

  [[noreturn]] void wrong(std::size_t token, const std::string& what) const {
    throw ExportWrong(
        fmt::format("nothing was written: on {}, token {}, {}", input_->text, token, what));
  }

  const Model& model_;
  Runner& runner_;
  SelfTest& test_;
  const char* otherwise_;  ///< said of a wrong answer
  const TestInput* input_ = nullptr;
};

/// Errors: ExportRefused for raw streams of other names than those of the division lemma.
TestInputs test_inputs(const Model& model, std::uint64_t length, std::uint64_t seed) {
  Choice choice{std::mt19937_64(seed)};
  if (std::holds_alternative<WordInput>(model.input)) return word_inputs(model, length, choice);
  if (std::holds_alternative<GraphInput>(model.input)) return graph_inputs(model, length, choice);
  return division_inputs(model, length, choice);
}

template <class Real>
SelfTest tested(const Model& model, const Network& network, const FloatArrays& arrays,
                std::uint64_t seed, bool unrolled) {
  const std::size_t mirror = given_place(model).mirror;
  const PlainEvaluation<Real> plain(network, arrays, mirror, false),
      at_random(network, arrays, mirror, true);
  const TestInputs asked = test_inputs(model, network.length, seed);
  Runner runner(model);
  SelfTest test, again;
  test.exhaustive = asked.exhaustive;
  test.every_length = asked.every_length;
  Comparison comparison(model, runner, test, "the answer is not that of the exact run");
  Comparison rounded(model, runner, again, "the answer depends on how sums are rounded");
  for (const TestInput& input : asked.inputs) {
    const auto exact = runner.run(input.tokens);
    if (!exact.has_value()) continue;  // outside the field
    const std::uint64_t loops =
        unrolled ? network.loops : loops_at(model.unroll, input.tokens.size);
    const auto logits = plain.logits(input.tokens, loops);
    comparison.compare(input, exact.value(), logits);
    // Where nothing is proved, a temperature may be right by luck. Averaging-hard attention has none, and its equal
    // scores are equal as they are summed.
    if (!network.separated && !network.hard)
      rounded.compare(input, exact.value(), at_random.logits(input.tokens, loops));
    ++test.inputs;
    // The first ones are short.
    const bool longest = input.tokens.size == network.length;
    if (test.examples.size() < (longest ? kExamples : kExamples / 2)) {
      ExportExample& example = test.examples.emplace_back(ExportExample{.tokens = input.tokens});
      for (std::size_t t = 0; t < logits.size(); ++t) {
        auto& row = example.logits.emplace_back();
        for (const auto& logit : runner.logits(exact.value(), t))
          row.push_back(logit.approximate().value);
      }
    }
  }
  if (test.inputs == 0)
    throw ExportRefused("the exact run decides none of the self-test inputs of " +
                        in_quotes(model.name) + ", so the export cannot be tested");
  return test;
}

}  // namespace

SelfTest self_test(const Model& model, const Network& network, const FloatArrays& arrays,
                   std::uint64_t seed, bool unrolled) {
  return network.single ? tested<float>(model, network, arrays, seed, unrolled)
                        : tested<double>(model, network, arrays, seed, unrolled);
}

std::optional<TestedTemperature> tested_temperature(const Model& model, Network& network,
                                                    const FloatArrays& arrays, std::uint64_t seed,
                                                    bool unrolled) {
  ExportSettings tried;
  tried.attention = ExportAttention::temperature;
  const double highest = std::min(highest_temperature(network), 0x1p60);
  for (tried.temperature = 1; tried.temperature <= highest; tried.temperature *= 2) {
    choose_weighing(network, tried);
    try {
      return TestedTemperature{tried.temperature,
                               self_test(model, network, arrays, seed, unrolled)};
    } catch (const ExportWrong&) {
      continue;  // a wrong answer, mostly among the first words
    }
  }
  return std::nullopt;
}

namespace {

/// That of the script.
constexpr std::uint64_t kMostLength = 4096;

/// Of a certificate, which the script wrote.
double number(const nlohmann::json& text) {
  return Rational::parse(text.get<std::string>()).value().approximate();
}

std::vector<std::string> measured_norms(const Network& network) {
  std::vector<std::string> measured;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const NetworkLayer& layer = network.layers[l];
    if (!layer.attention.folded && !layer.heads.empty())
      measured.push_back(fmt::format("layer {}, attention", l + 1));
    if (!layer.feedforward.folded && layer.in.rows > 0)
      measured.push_back(fmt::format("layer {}, feed-forward", l + 1));
  }
  return measured;
}

std::string temperatures(const Network& network) {
  std::vector<std::string> listed;
  for (const NetworkLayer& layer : network.layers)
    for (const NetworkHead& head : layer.heads)
      listed.push_back(Rational(mpq_class(head.temperature)).text());
  return joined(listed, ",");
}

/// What recheck/float_recheck.py writes, or ExportWrong with the step that it does not show.
nlohmann::json written_certificate(const Model& model, const Network& network,
                                   const std::string& weighing) {
  const char* const format = network.single ? "float32" : "float64";
  const TemporaryFolder folder;
  const std::string script = folder.file("float_recheck.py"), file = folder.file("weights.json");
  write_whole_file(script, kFloatRecheck);
  write_whole_file(file, write_weights(model));
  std::vector<std::string> command = {
      "python3", "-I", script, "--write", file, std::to_string(network.length), format, weighing};
  for (std::string& norm : measured_norms(network)) command.push_back(std::move(norm));
  const StartedProgram program = start_program(std::move(command), {}, ProgramErrors::pipe);
  std::string said = read_to_end(program);
  const int status = wait_for_end(program);
  if (status == 0) return nlohmann::json::parse(said);
  if (!said.empty() && said.back() == '\n') said.pop_back();
  if (status == 1)
    throw ExportWrong(
        fmt::format("no certificate of floating-point answers up to length {} in {}: {}",
                    network.length, format, said));
  if (status == kNotLoaded)
    throw InputError(
        "a certificate of floating-point answers needs the program python3, which is missing");
  throw InputError(fmt::format(
      "a certificate of floating-point answers needs the program python3, which ended with status "
      "{}: {}",
      status, said));
}

/// An export tests for zero where a norm may be; the script covers norms that are not.
void refuse_tests_for_zero(const Network& network) {
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    for (const auto& [norm, part] : {std::pair(&network.layers[l].attention, "attention"),
                                     std::pair(&network.layers[l].feedforward, "feed-forward")})
      if (norm->zero_below > 0)
        throw ExportWrong(
            fmt::format("no certificate of floating-point answers: layer {}, {}: tests for zero; "
                        "expected a norm without one",
                        l + 1, part));
}

}  // namespace

namespace {

/// From the temperature that the separations ask for, by halves, to the last at which bounds show every
/// answer: the softest attention that is proved, and so the one with the largest gradients.
CertifiedNetwork least_certified(const Model& model, ExportSettings settings) {
  settings.attention = ExportAttention::separated;
  CertifiedNetwork least = certified_network(model, settings);
  double highest = 0;
  for (const NetworkLayer& layer : least.network.layers)
    for (const NetworkHead& head : layer.heads)
      if (head.compares) highest = std::max(highest, head.temperature);
  settings.attention = ExportAttention::temperature;
  settings.temperature = std::exp2(std::ceil(std::log2(highest)));
  while (highest > 0) try {
      settings.temperature /= 2;
      least = certified_network(model, settings);
    } catch (const ExportWrong&) {
      break;
    }
  return least;
}

}  // namespace

CertifiedNetwork certified_network(const Model& model, const ExportSettings& settings) {
  if (settings.attention == ExportAttention::tested) return least_certified(model, settings);
  CertifiedNetwork found{network_of(model, settings), {}};
  std::vector<std::pair<NetworkHead*, double>> tolerances;
  Network& network = found.network;
  if (!network.unproved.empty())
    throw ExportWrong("no certificate of floating-point answers: " + network.unproved);
  if (network.length > kMostLength)
    throw InputError(fmt::format("--length: expected at most {} for a certificate, found {}",
                                 kMostLength, network.length));
  found.certificate = written_certificate(model, network, "hard");
  refuse_tests_for_zero(network);
  for (const nlohmann::json& stated : found.certificate.at("heads")) {
    NetworkHead& head = network.layers[stated.at("layer").get<std::size_t>() - 1]
                            .heads[stated.at("head").get<std::size_t>() - 1];
    const double left = number(stated.at("left"));
    head.loss = number(stated.at("rounding"));
    head.gap = left > 0 ? left + 2 * head.loss : 0;
    tolerances.emplace_back(&head, number(stated.at("tolerance")));
  }
  if (const auto refusal = choose_weighing(network, settings))
    throw ExportRefused(*refusal + "; --temperature hard exports averaging-hard attention");
  if (network.hard) {
    for (const auto& [head, tolerance] : tolerances) {
      head->relative = false;
      head->tolerance = tolerance;
    }
  } else {
    found.certificate = written_certificate(model, network, temperatures(network));
  }
  network.separated = true;
  return found;
}

std::string float_certificate(const CertifiedNetwork& certified, const std::string& tensors) {
  nlohmann::json certificate = certified.certificate;
  if (!tensors.empty()) certificate["tensors"] = tensors;
  return certificate.dump(1) + "\n";
}

}  // namespace logdepth::exports
