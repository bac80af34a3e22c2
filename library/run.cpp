// Exact answers: run.hpp.
#include "logdepth/run.hpp"

#include "library/transformer_inside.hpp"
#include "objects/overload.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

ExactNumber exact_number(const Real& number) {
  return {number.text(), number.approximate().value};
}

void refuse(const Refusal& refusal, Answer& answer) {
  answer.decision =
      std::visit(Overload{[](const Undecided&) { return Decision::undecided; },
                          [](const OutsideField&) { return Decision::outside_field; },
                          [](const OutsideHypotheses&) { return Decision::outside_hypotheses; }},
                 refusal);
  answer.reason = describe(refusal);
}

void decide(const Outcome<bool>& verdict, Answer& answer) {
  if (!verdict.has_value()) return refuse(verdict.refusal(), answer);
  answer.decision = verdict.value() ? Decision::accepted : Decision::rejected;
}

/// One input after the other, its promises checked.
class CheckedAnswers {
 public:
  explicit CheckedAnswers(const Transformer& transformer)
      : model_(transformer.hidden().model),
        runner_(model_),
        promises_(model_, runner_.arithmetic()) {}

  /// `read` reads the answer from the stream.
  template <class Read>
  Answer answer(const Outcome<Tokens>& tokens, const Read& read) {
    Answer answer;
    if (!tokens.has_value()) {
      refuse(tokens.refusal(), answer);
      return answer;
    }
    promises_.forgive();
    const auto stream = runner_.run(tokens.value(), {&promises_});
    answer.broken_promise = promises_.broken();
    if (!stream.has_value()) {
      refuse(stream.refusal(), answer);
      return answer;
    }
    answer.depth = depth_at(model_, tokens.value().size);
    if (const auto* named = std::get_if<CellsOutput>(&model_.output)) {
      answer.decision = Decision::computed;
      answer.numbers = numbers(*named, stream.value());
    } else {
      read(stream.value(), answer);
    }
    return answer;
  }

  Answer word(const Letters& letters) {
    return answer(tokens_of(model_, letters), [&](const Stream<ValueId>& stream, Answer& answer) {
      decide(runner_.accepts(stream, stream.tokens - 1), answer);
      if (reads_states(model_)) {
        answer.states = prefixes<std::uint32_t>(stream, letters.size());
      } else if (runner_.has_prefixes()) {
        answer.products = prefixes<std::vector<std::uint32_t>>(stream, letters.size());
      }
    });
  }

  Answer pair(const Graph& graph, Vertex source, Vertex target) {
    return answer(tokens_of(model_, graph, source, target),
                  [&](const Stream<ValueId>& stream, Answer& answer) {
                    decide(runner_.connected(stream, source, target), answer);
                  });
  }

 private:
  std::map<std::string, std::vector<ExactNumber>> numbers(const CellsOutput& output,
                                                          const Stream<ValueId>& stream) {
    std::map<std::string, std::vector<ExactNumber>> found;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      const std::vector<Real> logits = runner_.logits(stream, token);
      for (std::size_t i = 0; i < logits.size(); ++i)
        found[output.names[i]].push_back(exact_number(logits[i]));
    }
    return found;
  }

  /// A list of images for each letter, or a state.
  template <class One>
  std::optional<std::vector<One>> prefixes(const Stream<ValueId>& stream, std::size_t letters) {
    std::vector<One> found;
    for (std::size_t i = 0; i < letters; ++i) {
      auto prefix = runner_.prefix(stream, runner_.first_letter() + i);
      if (!prefix.has_value()) return std::nullopt;
      found.push_back(std::get<One>(std::move(prefix).value()));
    }
    return found;
  }

  const Model& model_;
  Runner runner_;
  PromiseCheck promises_;
};

/// Vertices are called by their numbers.
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

}  // namespace

Answer run(const Transformer& transformer, const Letters& word) {
  return CheckedAnswers(transformer).word(word);
}

std::vector<Answer> run_all(const Transformer& transformer, const std::vector<Letters>& words) {
  CheckedAnswers answers(transformer);
  std::vector<Answer> found;
  for (const Letters& word : words) found.push_back(answers.word(word));
  return found;
}

Answer run(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
           std::uint32_t target) {
  require(source < graph.vertices && target < graph.vertices,
          "expected source and target among the " + std::to_string(graph.vertices) +
              " vertices of the graph");
  return CheckedAnswers(transformer).pair(graph_of(graph), source, target);
}

}  // namespace logdepth
