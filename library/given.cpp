#include "library/given.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/requests/compile_request.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth {
namespace {

Decision decision_of(const RunAnswer& read) {
  if (read.refusal)
    return std::visit(
        Overload{[](const Undecided&) { return Decision::undecided; },
                 [](const OutsideField&) { return Decision::outside_field; },
                 [](const OutsideHypotheses&) { return Decision::outside_hypotheses; }},
        *read.refusal);
  if (!read.verdict) return Decision::computed;
  return *read.verdict ? Decision::accepted : Decision::rejected;
}

/// Nothing where one of them has no answer.
template <class Given>
void give_prefixes(const Model& model, const RunAnswer& read, Given& answer) {
  if (!read.prefixes ||
      !std::ranges::all_of(*read.prefixes, [](const auto& prefix) { return prefix.has_value(); }))
    return;
  if (reads_states(model)) {
    answer.states.emplace();
  } else {
    answer.products.emplace();
  }
  for (const Read<PrefixAnswer>& prefix : *read.prefixes)
    std::visit(Overload{[&](std::uint32_t state) { answer.states->push_back(state); },
                        [&](const std::vector<std::uint32_t>& product) {
                          answer.products->push_back(product);
                        }},
               prefix.value().value);
}

/// What all answers have; `number` makes a number of one that was read.
template <class Given, class Number>
void give_all(const Model& model, RunAnswer& read, Given& answer, const Number& number) {
  if (read.limit) throw SizeLimit(*read.limit);
  answer.decision = decision_of(read);
  answer.reason = read.refusal ? describe(*read.refusal) : std::move(read.reason);
  answer.depth = read.depth.value_or(0);
  for (std::vector<ReadNumber>& logits : read.numbers)
    for (std::size_t i = 0; i < logits.size(); ++i)
      answer.numbers[std::get<CellsOutput>(model.output).names[i]].push_back(
          number(std::move(logits[i])));
  answer.broken_promise = std::move(read.broken_promise);
  give_prefixes(model, read, answer);
}

}  // namespace

Graph graph_of(const DirectedGraph& graph) {
  Graph named;
  for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex)
    named.add_vertex(std::to_string(vertex));
  for (const auto& [from, to] : graph.edges) {
    require(from < graph.vertices && to < graph.vertices,
            "the edge from " + std::to_string(from) + " to " + std::to_string(to) +
                " is not in a graph of " + std::to_string(graph.vertices) + " vertices");
    named.add_edge(from, to);
  }
  return named;
}

void require_vertices(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  require(source < graph.vertices && target < graph.vertices,
          "expected source and target among the " + std::to_string(graph.vertices) +
              " vertices of the graph");
}

Graph graph_of(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  require_vertices(graph, source, target);
  return graph_of(graph);
}

Outcome<Tokens> tokens_of_streams(const Model& model, const RawStreams& streams) {
  const auto* input = std::get_if<CellsInput>(&model.input);
  require(input != nullptr,
          "the weights file " + in_quotes(model.name) + " does not take raw streams");
  const std::string where = "raw streams: ";
  std::size_t tokens = 0;
  for (const auto& [name, numbers] : streams.numbers) tokens = numbers.size();
  std::vector<std::vector<Real>> rows(tokens, std::vector<Real>(input->names.size()));
  std::size_t known = 0;
  for (std::size_t i = 0; i < input->names.size(); ++i) {
    const auto found = streams.numbers.find(input->names[i]);
    if (found == streams.numbers.end()) continue;
    ++known;
    const std::vector<std::string>& numbers = found->second;
    require(numbers.size() == tokens,
            where + in_quotes(found->first) + " has " + counted(numbers.size(), "number") +
                ", expected one for " + "each of " + counted(tokens, "token"));
    for (std::size_t token = 0; token < tokens; ++token) {
      auto number = parse_real(numbers[token]);
      if (!number)
        throw InputError(
            where + in_quotes(found->first) + ", token " + std::to_string(token) +
            ": expected an exact number such as 3/5, sqrt(2/5) or 1/2-sqrt(3), found " +
            in_quotes(numbers[token]));
      rows[token][i] = std::move(*number);
    }
  }
  require(known == input->names.size() && known == streams.numbers.size(),
          where + "expected numbers for " + joined(input->names));
  return declared_tokens(model, std::move(rows));
}

OneQuestion question_of(const Model& model, const Letters& word) {
  return {tokens_of(model, word), std::nullopt, std::nullopt, word};
}
OneQuestion question_of(const Model& model, const DirectedGraph& graph, std::uint32_t source,
                        std::uint32_t target) {
  Graph named = graph_of(graph, source, target);
  Outcome<Tokens> tokens = tokens_of(model, named, source, target);
  return {std::move(tokens), VertexPair(source, target), std::move(named)};
}
OneQuestion question_of(const Model& model, const RawStreams& streams) {
  return {tokens_of_streams(model, streams), std::nullopt};
}

RunReview review_of(const RunComparison& comparison, const Model& model,
                    const OneQuestion& question) {
  ReviewRequest request;
  if (!comparison.against.empty()) request.oracle = OracleRequest{comparison.against, {}};
  if (comparison.program) request.program = comparison.program->program();
  return review_of(request, model, question, [&](const std::string& note) {
    if (comparison.note) comparison.note(note);
  });
}

void give(const Model& model, RunAnswer read, Answer& answer) {
  give_all(model, read, answer, [](ReadNumber number) {
    return ExactNumber{std::move(number.exact), number.value};
  });
  answer.left_field = std::move(read.left_field);
}

void give(const Model& model, RunAnswer read, RoundedAnswer& answer) {
  give_all(model, read, answer, [](const ReadNumber& number) {
    return RoundedNumber{number.value, number.error};
  });
  if (!read.refusal) answer.certainty = read.certificate;
  if (answer.products || answer.states)
    for (const Read<PrefixAnswer>& prefix : *read.prefixes)
      answer.prefixes.push_back(prefix.value().certificate);
}

std::string text(Certainty certainty) {
  return certificate_name(certainty);
}

}  // namespace logdepth
