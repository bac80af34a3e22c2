#include "proofs-check/precision/precision_questions.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "compiler/passes/compile.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"

namespace logdepth {
namespace {

constexpr std::size_t kWords = 3, kGraphs = 4;  // per size
/// The scan constructions and the tree are measured with a group that is not solvable; radix
/// with a smaller one, because its tables grow with the fourth power of the points.
constexpr const char* kGroup = "A5";
constexpr const char* kRadixGroup = "S3";
constexpr unsigned kRadix = 4;
constexpr const char* kCascadeGroup = "S4";  ///< the largest of four points, of derived length 3

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
    WordInquiry questions;
    Asked(const Model& of, const std::string& name)
        : oracle(make_action_oracle(named_monoid(name), name)), questions(of, *oracle) {}
  };
  const auto asked = std::make_shared<const Asked>(model, group);
  const std::shared_ptr<const WordInquiry> words(asked, &asked->questions);
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
  const auto divisions = std::make_shared<const DivisionInquiry>(model);
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
  const auto graphs = std::make_shared<const GraphInquiry>(model, false);
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

std::function<std::vector<std::uint64_t>(std::uint64_t)> doubling(std::uint64_t first,
                                                                  std::uint64_t share) {
  return [first, share](std::uint64_t up_to) {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t size = first; size <= up_to / share; size *= 2) sizes.push_back(size);
    return sizes;
  };
}

PrecisionSeries scan(const std::string& name, const std::string& title, ScanPositions positions) {
  return {name,
          title,
          "letters",
          false,
          false,
          true,
          [positions](std::uint64_t) {
            return compile(regular_language_scan_MS25_thm4_1(named_monoid(kGroup), kGroup,
                                                             {positions, ScanTable::automatic}));
          },
          [](const Model& model, std::uint64_t size, std::uint64_t seed) {
            return word_questions(model, kGroup, size, seed);
          },
          doubling(4, 1)};
}

PrecisionSeries radix() {
  PrecisionSeries series =
      scan("radix", "Cor. 4.2, radix 4, S3, two-circle positions", ScanPositions::two_circle);
  series.has_temperature = false;
  series.compiled = [](std::uint64_t size) {
    return compile(regular_language_radix_MS25_cor4_2(
        named_monoid(kRadixGroup), kRadixGroup,
        {kRadix, size, ScanPositions::two_circle, ScanTable::automatic}));
  };
  series.questions = [](const Model& model, std::uint64_t size, std::uint64_t seed) {
    return word_questions(model, kRadixGroup, size, seed);
  };
  return series;
}

PrecisionSeries cascade(const std::string& name, const std::string& title,
                        ScanPositions positions) {
  PrecisionSeries series = scan(name, title, positions);
  series.tests_for_zero = positions == ScanPositions::first_flag;  // whether a position is even
  series.has_temperature = false;
  series.compiled = [positions](std::uint64_t) {
    return compile(regular_language_cascade_KR65(cascade_of(named_monoid(kCascadeGroup)),
                                                 kCascadeGroup, {positions}));
  };
  series.questions = [](const Model& model, std::uint64_t size, std::uint64_t seed) {
    return word_questions(model, kCascadeGroup, size, seed);
  };
  return series;
}

PrecisionSeries tree() {
  PrecisionSeries series =
      scan("tree", "Thm 4.1, tree, A5, positions from the first-flag", ScanPositions::first_flag);
  series.has_temperature = false;
  series.compiled = [](std::uint64_t) {
    return compile(regular_language_tree_MS25_thm4_1(named_monoid(kGroup), kGroup));
  };
  series.sizes = doubling(4, 4);
  return series;
}

PrecisionSeries rows() {
  return {"rows",
          "Thm 5.1, a network per size, one token per vertex",
          "vertices",
          true,
          false,
          false,
          [](std::uint64_t size) {
            return compile(graph_connectivity_rows_MS25_thm5_1(static_cast<std::uint32_t>(size)));
          },
          graph_questions,
          doubling(4, 8)};
}

PrecisionSeries division() {
  return {"division",
          "Lemma 3.1, compact",
          "positions",
          true,
          true,
          false,
          [](std::uint64_t) { return compile(division_MS25_lem3_1()); },
          division_questions,
          doubling(8, 2)};
}

PrecisionSeries connectivity() {
  return {"connectivity",
          "Thm 5.1, compact",
          "vertices",
          true,
          true,
          false,
          [](std::uint64_t) {
            return compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact,
                                                          GraphInput::Padding::n3_minus_n2));
          },
          graph_questions,
          [](std::uint64_t up_to) {
            std::vector<std::uint64_t> sizes;
            for (std::uint64_t n = 2; 3 * (n * n * n + 2 * n) <= 2 * up_to; ++n) sizes.push_back(n);
            return sizes;
          }};
}

}  // namespace

const std::vector<PrecisionSeries>& precision_series() {
  static const std::vector<PrecisionSeries> kSeries = {
      scan("scan-first-flag", "Thm 4.1, scan, A5, positions from the first-flag",
           ScanPositions::first_flag),
      scan("scan-circle", "Thm 4.1, scan, A5, circle positions", ScanPositions::circle),
      scan("scan-two-circle", "Thm 4.1, scan, A5, two-circle positions", ScanPositions::two_circle),
      radix(),
      tree(),
      cascade("cascade-first-flag", "Cascade, S4, positions from the first-flag",
              ScanPositions::first_flag),
      cascade("cascade-fine", "Cascade, S4, fine positions", ScanPositions::fine),
      rows(),
      division(),
      connectivity()};
  return kSeries;
}

}  // namespace logdepth
