#include "library/exact_answers.hpp"

#include "library/given_inputs.hpp"
#include "library/transformer_inside.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

void refuse(const Refusal& refusal, Answer& answer) {
  answer.decision = decision_of(refusal);
  answer.reason = describe(refusal);
}

void decide(const Outcome<bool>& verdict, Answer& answer) {
  if (!verdict.has_value()) return refuse(verdict.refusal(), answer);
  answer.decision = decision_of(verdict.value());
}

}  // namespace

ExactNumber exact_number(const Real& number) {
  return {number.text(), number.approximate().value};
}

ExactAnswers::ExactAnswers(const Transformer& transformer)
    : model_(transformer.hidden().model),
      runner_(model_),
      promises_(model_, runner_.arithmetic()),
      observers_{&promises_} {}

Answer ExactAnswers::answer(const Outcome<Tokens>& tokens, const Read& read) {
  Answer answer;
  stream_.reset();
  if (!tokens.has_value()) {
    refuse(tokens.refusal(), answer);
    return answer;
  }
  if (before_runs_) before_runs_(tokens.value());
  promises_.forgive();
  auto stream = runner_.run(tokens.value(), observers_);
  answer.broken_promise = promises_.broken();
  if (!stream.has_value()) {
    refuse(stream.refusal(), answer);
    return answer;
  }
  answer.depth = depth_at(model_, tokens.value().size);
  stream_ = std::move(stream).value();
  if (const auto* named = std::get_if<CellsOutput>(&model_.output)) {
    answer.decision = Decision::computed;
    answer.numbers = numbers(*named, *stream_);
  } else {
    read(*stream_, answer);
  }
  return answer;
}

Answer ExactAnswers::word(const Letters& letters, bool with_prefixes) {
  return answer(tokens_of(model_, letters), [&](const Stream<ValueId>& stream, Answer& answer) {
    decide(runner_.accepts(stream, stream.tokens - 1), answer);
    if (!with_prefixes) return;
    if (reads_states(model_)) {
      answer.states = prefixes<std::uint32_t>(stream, letters.size());
    } else if (runner_.has_prefixes()) {
      answer.products = prefixes<std::vector<std::uint32_t>>(stream, letters.size());
    }
  });
}

Answer ExactAnswers::pair(const Graph& graph, Vertex source, Vertex target) {
  return answer(tokens_of(model_, graph, source, target),
                [&](const Stream<ValueId>& stream, Answer& answer) {
                  decide(runner_.connected(stream, source, target), answer);
                });
}

Answer ExactAnswers::streams(const Outcome<Tokens>& tokens) {
  return answer(tokens, [&](const Stream<ValueId>& stream, Answer& answer) {
    decide(runner_.accepts(stream, stream.tokens - 1), answer);
  });
}

std::map<std::string, std::vector<ExactNumber>> ExactAnswers::numbers(
    const CellsOutput& output, const Stream<ValueId>& stream) {
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
std::optional<std::vector<One>> ExactAnswers::prefixes(const Stream<ValueId>& stream,
                                                       std::size_t letters) {
  std::vector<One> found;
  for (std::size_t i = 0; i < letters; ++i) {
    auto prefix = runner_.prefix(stream, runner_.first_letter() + i);
    if (!prefix.has_value()) return std::nullopt;
    found.push_back(std::get<One>(std::move(prefix).value()));
  }
  return found;
}

}  // namespace logdepth
