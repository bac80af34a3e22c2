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
      run_(model_),
      promises_(model_, run_.runner().arithmetic()),
      observers_{&promises_} {}

Answer ExactAnswers::answer(const Outcome<Tokens>& tokens, const Read& read) {
  Answer answer;
  if (!tokens.has_value()) {
    refuse(tokens.refusal(), answer);
    return answer;
  }
  if (before_runs_) before_runs_(tokens.value());
  promises_.forgive();
  const auto refusal = run_.run(tokens.value(), observers_);
  answer.broken_promise = promises_.broken();
  if (run_.left_field()) answer.left_field = run_.left_field()->reason;
  const auto* named = std::get_if<CellsOutput>(&model_.output);
  if (refusal || (named && run_.left_field())) {
    refuse(refusal ? *refusal : *run_.left_field(), answer);
    return answer;
  }
  answer.depth = depth_at(model_, tokens.value().size);
  if (named) {
    answer.decision = Decision::computed;
    answer.numbers = numbers(*named, *run_.stream());
  } else {
    read(answer);
  }
  return answer;
}

void ExactAnswers::verdict(Answer& answer) {
  decide(run_.accepts(run_.tokens() - 1), answer);
}

Answer ExactAnswers::word(const Letters& letters, bool with_prefixes) {
  return answer(tokens_of(model_, letters), [&](Answer& answer) {
    verdict(answer);
    if (!with_prefixes) return;
    if (reads_states(model_)) {
      answer.states = prefixes<std::uint32_t>(letters.size());
    } else if (reads_prefixes(model_)) {
      answer.products = prefixes<std::vector<std::uint32_t>>(letters.size());
    }
  });
}

Answer ExactAnswers::pair(const Graph& graph, Vertex source, Vertex target) {
  return answer(tokens_of(model_, graph, source, target),
                [&](Answer& answer) { decide(run_.connected(source, target), answer); });
}

Answer ExactAnswers::streams(const Outcome<Tokens>& tokens) {
  return answer(tokens, [&](Answer& answer) { verdict(answer); });
}

std::map<std::string, std::vector<ExactNumber>> ExactAnswers::numbers(
    const CellsOutput& output, const Stream<ValueId>& stream) {
  std::map<std::string, std::vector<ExactNumber>> found;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    const std::vector<Real> logits = run_.runner().logits(stream, token);
    for (std::size_t i = 0; i < logits.size(); ++i)
      found[output.names[i]].push_back(exact_number(logits[i]));
  }
  return found;
}

/// A list of images for each letter, or a state.
template <class One>
std::optional<std::vector<One>> ExactAnswers::prefixes(std::size_t letters) {
  std::vector<One> found;
  for (std::size_t i = 0; i < letters; ++i) {
    auto prefix = run_.prefix(run_.runner().first_letter() + i);
    if (!prefix.has_value()) return std::nullopt;
    found.push_back(std::get<One>(std::move(prefix).value()));
  }
  return found;
}

}  // namespace logdepth
