#include "proofs-check/claims/defect_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "objects/phrases.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/test_division.hpp"
#include "runtime/exact/decided_run.hpp"

namespace logdepth {
namespace {

std::string listed(const std::vector<Real>& values) {
  std::string text = "(";
  for (const Real& value : values) text += (text.size() > 1 ? ", " : "") + value.text();
  return text + ")";
}

/// Counts inputs, and says when there have been enough.
class Tries {
 public:
  explicit Tries(SearchBounds bounds) : bounds_(bounds) {}
  bool more() const { return tried_ < bounds_.inputs; }
  void begin() { ++tried_; }

  DefectCounterexample wrong(const std::string& input, const std::string& expected,
                             const std::string& got) const {
    return {input, expected, got, tried_, std::nullopt};
  }
  DefectCounterexample no_answer(const std::string& input, const std::string& expected,
                                 const Refusal& refusal) const {
    return {input, expected, describe(refusal), tried_, refusal};
  }
  /// A counterexample if the logits of a token are not the expected ones, or not decided.
  std::optional<DefectCounterexample> compare(const std::string& input,
                                              const std::vector<Real>& expected, DecidedRun& run,
                                              std::size_t token) const {
    const Outcome<bool> right = run.has_logits(token, expected);
    if (!right.has_value()) return no_answer(input, listed(expected), right.refusal());
    if (right.value()) return std::nullopt;
    const auto got = run.logits(token);
    if (!got.has_value()) return no_answer(input, listed(expected), got.refusal());
    return wrong(input, listed(expected), fmt::format("({})", fmt::join(got.value(), ", ")));
  }

 private:
  SearchBounds bounds_;
  std::size_t tried_ = 0;
};

std::string edge_text(const Graph& graph) {
  std::string text;
  for (Vertex i = 0; i < graph.size(); ++i)
    for (Vertex j = 0; j < graph.size(); ++j)
      if (graph.has_edge(i, j)) text += fmt::format("{}{}->{}", text.empty() ? "" : ", ", i, j);
  return text.empty() ? "no edges" : text;
}

/// All sets of pairs of n vertices as bits, fewest first.
std::vector<std::uint32_t> edge_sets(std::size_t n) {
  std::vector<std::uint32_t> sets(std::size_t{1} << (n * n));
  for (std::uint32_t i = 0; i < sets.size(); ++i) sets[i] = i;
  std::stable_sort(sets.begin(), sets.end(), [](std::uint32_t a, std::uint32_t b) {
    return std::popcount(a) < std::popcount(b);
  });
  return sets;
}

Graph graph_of(std::size_t n, std::uint32_t set) {
  Graph graph;
  for (std::size_t i = 0; i < n; ++i) graph.add_vertex(std::to_string(i));
  for (Vertex i = 0; i < n; ++i)
    for (Vertex j = 0; j < n; ++j)
      if (set >> (i * n + j) & 1) graph.add_edge(i, j);
  return graph;
}

}  // namespace

std::optional<DefectCounterexample> search_division(const Model& model, SearchBounds bounds) {
  const auto* named = std::get_if<CellsOutput>(&model.output);
  if (!named || !std::equal(named->names.begin(), named->names.end(), kDivisionOutputs.begin(),
                            kDivisionOutputs.end()))
    throw std::logic_error("search_division: the outputs are not quotient and remainder");
  DecidedRun run(model);
  Tries tries(bounds);
  for (std::uint64_t i = 0; i <= bounds.size; ++i)
    for (std::uint64_t m = 1; m <= i + 1; ++m)
      for (std::uint64_t back = 0; back <= i && tries.more(); ++back) {
        tries.begin();
        DivisionInput input{m, {}};
        for (std::uint64_t j = 0; j <= i; ++j) input.dividends.push_back(j);
        const std::uint64_t a = input.dividends.back() = i - back;
        const auto right = right_division(a, m);
        const std::vector<Real> expected(right.begin(), right.end());
        const std::string text = fmt::format("{} by {} at position {}", a, m, i);
        if (const auto refusal = run.run(tokens_of(model, division_rows(model, input)).value()))
          return tries.no_answer(text, listed(expected), *refusal);
        if (auto found = tries.compare(text, expected, run, i)) return found;
      }
  return std::nullopt;
}

std::optional<DefectCounterexample> search_graphs(const Model& model, SearchBounds bounds) {
  if (bounds.size > 4) throw std::logic_error("search_graphs: too many graphs");
  Tries tries(bounds);
  for (std::size_t n = 1; n <= bounds.size; ++n) {
    DecidedRun run(model);
    const auto connected = [&](const Graph& graph, Vertex s, Vertex t) -> Outcome<bool> {
      const auto tokens = tokens_of(model, graph, s, t);
      if (!tokens.has_value()) return tokens.refusal();
      if (const auto refusal = run.run(tokens.value())) return *refusal;
      return run.connected(s, t);
    };
    const auto verdict = [](bool path) { return path ? "a path" : "no path"; };
    for (const std::uint32_t set : edge_sets(n)) {
      const Graph graph = graph_of(n, set);
      const ReachabilityOracle oracle(graph);
      for (Vertex s = 0; s < n; ++s)
        for (Vertex t = 0; t < n && tries.more(); ++t) {
          tries.begin();
          const bool wanted = oracle.reaches(s, t);
          const Outcome<bool> got = connected(graph, s, t);
          if (got.has_value() && got.value() == wanted) continue;
          const std::string text = fmt::format(
              "{}, {}, from {} to {}", counted(n, "vertex", "vertices"), edge_text(graph), s, t);
          if (!got.has_value()) return tries.no_answer(text, verdict(wanted), got.refusal());
          return tries.wrong(text, verdict(wanted), verdict(got.value()));
        }
    }
  }
  return std::nullopt;
}

std::optional<DefectCounterexample> search_words(const Model& model, SearchBounds bounds,
                                                 const Action& action) {
  DecidedRun run(model);
  Tries tries(bounds);
  const std::size_t letters = action.alphabet.size();
  for (std::size_t length = 0; length <= bounds.size; ++length) {
    std::size_t words = 1;
    for (std::size_t i = 0; i < length; ++i) words *= letters;
    for (std::size_t number = 0; number < words && tries.more(); ++number) {
      tries.begin();
      std::vector<std::string> word;
      Transformation product = identity_transformation(action.points);
      std::size_t rest = number;
      for (std::size_t i = 0, place = words / letters; i < length; ++i, place /= letters) {
        const auto letter = static_cast<Letter>(rest / place);
        rest %= place;
        word.push_back(action.alphabet.name(letter));
        product = compose(product, action.generators[letter]);
      }
      std::string text = "the empty word";
      for (std::size_t i = 0; i < length; ++i) text = (i == 0 ? "" : text + " ") + word[i];
      const std::string wanted = format_transformation(product);
      const auto tokens = tokens_of(model, word);
      if (!tokens.has_value()) return tries.no_answer(text, wanted, tokens.refusal());
      if (const auto refusal = run.run(tokens.value()))
        return tries.no_answer(text, wanted, *refusal);
      const auto got = run.prefix(run.tokens() - 1);
      if (!got.has_value()) return tries.no_answer(text, wanted, got.refusal());
      if (got.value() != PrefixAnswer(product))
        return tries.wrong(text, wanted, prefix_text(got.value()));
    }
  }
  return std::nullopt;
}

std::optional<DefectCounterexample> search_raw(
    const Model& model, SearchBounds bounds,
    const std::function<std::vector<RawCase>(std::size_t size)>& cases) {
  DecidedRun run(model);
  Tries tries(bounds);
  for (std::size_t size = 0; size <= bounds.size; ++size)
    for (const RawCase& one : cases(size)) {
      if (!tries.more()) return std::nullopt;
      tries.begin();
      if (const auto refusal = run.run(tokens_of(model, one.rows).value()))
        return tries.no_answer(one.input, listed(one.expected), *refusal);
      const std::size_t last = one.rows.size() - 1;
      if (auto found = tries.compare(one.input, one.expected, run, last)) return found;
      for (const std::string& cell : one.blank)
        for (std::size_t token = 0; token <= last; ++token)
          for (const std::uint32_t coordinate : model.cells.at(cell).coordinates)
            if (const auto h = run.nonzero(token, coordinate))
              return tries.wrong(one.input, cell + " is zero at the end",
                                 fmt::format("{} at token {}", *h, token));
    }
  return std::nullopt;
}

std::optional<DefectCounterexample> search_lengths(
    const Model& model, SearchBounds bounds,
    const std::function<std::vector<Real>(std::size_t letters)>& expected) {
  DecidedRun run(model);
  Tries tries(bounds);
  for (std::size_t letters = 1; letters <= bounds.size && tries.more(); ++letters) {
    tries.begin();
    const std::string text = counted(letters, "letter");
    const auto tokens = tokens_of(model, std::vector<std::string>(letters, model.alphabet.front()));
    if (!tokens.has_value())
      return tries.no_answer(text, listed(expected(letters)), tokens.refusal());
    if (const auto refusal = run.run(tokens.value()))
      return tries.no_answer(text, listed(expected(letters)), *refusal);
    if (auto found = tries.compare(text, expected(letters), run, run.tokens() - 1)) return found;
  }
  return std::nullopt;
}

}  // namespace logdepth
