#include "proofs-check/precision/float_inputs.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "objects/named_monoids.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"

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
  PathGraph made{graph_of(vertices, {}, false), name[0], name[vertices - 1]};
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

}  // namespace

Compiled PrecisionSeries::compiled() const {
  Request request{row.values};
  if (in_tokens()) return compile(construction.make(request));
  const Action action = named_monoid(row.group);
  request.action = &action;
  request.name = row.group;
  return compile(construction.make(request));
}

std::vector<FloatQuestion> PrecisionSeries::questions(const Model& model, std::uint64_t size,
                                                      std::uint64_t seed) const {
  if (!in_tokens()) return word_questions(model, row.group, size, seed);
  return construction.problem == Problem::graphs ? graph_questions(model, size, seed)
                                                 : division_questions(model, size, seed);
}

std::vector<PrecisionSeries> precision_series(const Catalogue& constructions) {
  std::vector<PrecisionSeries> all;
  for (const Construction& construction : constructions)
    for (const PrecisionRow& row : construction.precision) all.push_back({construction, row});
  return all;
}

PrecisionSeries series_named(const std::string& name) {
  const auto all = precision_series();
  return *std::ranges::find(all, name, [](const auto& series) { return series.row.name; });
}

std::uint64_t most_tokens(const std::vector<FloatQuestion>& questions) {
  std::uint64_t tokens = 0;
  for (const FloatQuestion& question : questions)
    tokens = std::max<std::uint64_t>(tokens, question.tokens.kinds.size());
  return tokens;
}

}}  // namespace logdepth::proofs_check_precision
