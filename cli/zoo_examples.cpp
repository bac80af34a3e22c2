#include "cli/zoo_examples.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth::inline cli {
namespace {

constexpr std::size_t kShort = 63;   ///< words, all up to some length
constexpr std::size_t kRandom = 32;  ///< longer words, or graphs

/// Below `bound`; the same on every machine, unlike the distributions of the library.
std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
  return random() % bound;
}

/// Every word of the length, one after the other.
std::vector<std::vector<std::string>> longer(const std::vector<std::vector<std::string>>& words,
                                             const std::vector<std::string>& alphabet) {
  std::vector<std::vector<std::string>> all;
  for (const auto& word : words)
    for (const std::string& letter : alphabet) {
      all.push_back(word);
      all.back().push_back(letter);
    }
  return all;
}

std::vector<std::vector<std::string>> example_words(const Model& model, std::uint64_t length) {
  std::vector<std::vector<std::string>> words, layer = {{}};
  for (std::uint64_t n = 0; n <= length && words.size() + layer.size() <= kShort; ++n) {
    words.insert(words.end(), layer.begin(), layer.end());
    layer = longer(layer, model.alphabet);
  }
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kRandom; ++i) {
    std::vector<std::string> word(1 + below(random, length));
    for (std::string& letter : word) letter = model.alphabet[below(random, model.alphabet.size())];
    words.push_back(std::move(word));
  }
  return words;
}

nlohmann::json verdict_of(const RunAnswer& answer) {
  if (answer.limit) throw SizeLimit(*answer.limit);
  return answer.verdict ? nlohmann::json(*answer.verdict) : nlohmann::json();
}

nlohmann::json word_example(const std::vector<std::string>& word, const RunAnswer& answer,
                            const std::optional<StateNumbers>& numbers) {
  nlohmann::json line = {{"word", word}, {"accept", verdict_of(answer)}};
  if (numbers) line["initial_state"] = numbers->initial;
  if (!answer.prefixes) return line;
  for (const Read<PrefixAnswer>& prefix : *answer.prefixes) {
    if (!prefix.has_value()) continue;
    const PrefixAnswer& value = prefix.value().value;
    if (const auto* product = std::get_if<std::vector<std::uint32_t>>(&value)) {
      line["products"].push_back(*product);
      if (numbers) line["states"].push_back(product->at(numbers->initial));
    } else {
      line["states"].push_back(std::get<std::uint32_t>(value));
    }
  }
  return line;
}

std::string graph_examples(const Model& model, std::uint64_t length) {
  RunAnswers answers(model, exact_engine(model), Reading());
  std::mt19937_64 random(1);
  std::string lines;
  for (std::size_t i = 0; i < kRandom; ++i) {
    const std::uint64_t vertices = 1 + below(random, length);
    Graph graph;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (std::uint64_t v = 0; v < vertices; ++v) graph.add_vertex(std::to_string(v));
    for (std::uint64_t from = 0; from < vertices; ++from)
      for (std::uint64_t to = 0; to < vertices; ++to)
        if (from != to && below(random, 3) == 0) {
          graph.add_edge(static_cast<Vertex>(from), static_cast<Vertex>(to));
          edges.emplace_back(from, to);
        }
    const auto source = static_cast<Vertex>(below(random, vertices));
    const auto target = static_cast<Vertex>(below(random, vertices));
    const RunAnswer answer = answers.pair(graph, source, target);
    lines += nlohmann::json{{"vertices", vertices},
                            {"edges", edges},
                            {"source", source},
                            {"target", target},
                            {"connected", verdict_of(answer)}}
                 .dump() +
             "\n";
  }
  return lines;
}

}  // namespace

std::string zoo_examples(const CheckedModel& model, const std::optional<StateNumbers>& numbers,
                         std::uint64_t length) {
  if (std::holds_alternative<GraphInput>(model->input)) return graph_examples(model, length);
  Reading reading;
  reading.prefixes = reads_prefixes(model);
  RunAnswers answers(model, exact_engine(model), reading);
  std::string lines;
  for (const auto& word : example_words(model, length))
    lines += word_example(word, answers.word(word), numbers).dump() + "\n";
  return lines;
}

}  // namespace logdepth::inline cli
