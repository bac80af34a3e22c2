#include "library/exports/test_inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::exports {
namespace {

using Letters = std::vector<std::string>;

constexpr std::size_t kShortWords = 200;  ///< asked exhaustively, at most
constexpr std::size_t kTokens = 30000;    ///< asked at random, about; of powers of letters at most
constexpr std::size_t kFewestWords = 2;   ///< of full length, however long

class Choice {
 public:
  explicit Choice(std::uint64_t seed) : generator_(seed) {}
  /// 0 ... limit - 1; the same everywhere, which distributions of the library are not.
  std::uint64_t below(std::uint64_t limit) { return generator_() % limit; }

 private:
  std::mt19937_64 generator_;
};

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
    std::vector<Letters> longer;
    for (const Letters& word : words)
      for (const std::string& letter : model.alphabet) {
        longer.push_back(word);
        longer.back().push_back(letter);
      }
    words = std::move(longer);
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
         tokens_of(model, graph, source, target).value(), source, target});
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

}  // namespace

TestInputs test_inputs(const Model& model, std::uint64_t length, std::uint64_t seed) {
  Choice choice(seed);
  if (std::holds_alternative<WordInput>(model.input)) return word_inputs(model, length, choice);
  if (std::holds_alternative<GraphInput>(model.input)) return graph_inputs(model, length, choice);
  return division_inputs(model, length, choice);
}

}  // namespace logdepth::exports
