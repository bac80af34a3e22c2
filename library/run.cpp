// Exact answers: run.hpp.
#include "logdepth/run.hpp"

#include <algorithm>

#include "base/quoted_text.hpp"
#include "library/exact_answers.hpp"
#include "library/given_inputs.hpp"
#include "library/requests/option_checks.hpp"
#include "library/requests/stream_request.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth {

Answer run(const Transformer& transformer, const Letters& word) {
  return ExactAnswers(transformer).word(word);
}

std::vector<Answer> run_all(const Transformer& transformer, const std::vector<Letters>& words,
                            const BatchSettings& settings) {
  ExactAnswers answers(transformer);
  std::vector<Answer> found;
  for (const Letters& word : words) found.push_back(answers.word(word, settings.prefixes));
  return found;
}

Answer run(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
           std::uint32_t target) {
  const Graph named = graph_of(graph, source, target);
  return ExactAnswers(transformer).pair(named, source, target);
}

Answer run(const Transformer& transformer, const RawStreams& streams) {
  const auto tokens = tokens_of_streams(transformer.hidden().model, streams);
  return ExactAnswers(transformer).streams(tokens);
}

DivisionAnswer divide(const Transformer& transformer, std::uint64_t dividend,
                      std::uint64_t divisor) {
  const Model& model = transformer.hidden().model;
  require_at_most("--divide", dividend, kLargestDividend);
  const auto rows = dividing_rows(model, dividend, divisor);
  DivisionAnswer divided;
  divided.answer = ExactAnswers(transformer).streams(declared_tokens(model, rows));
  if (divided.answer.decision != Decision::computed) return divided;
  std::vector<std::string> logits;
  for (const std::string& name : std::get<CellsOutput>(model.output).names)
    logits.push_back(divided.answer.numbers.at(name).back().text);
  if (const auto numbers = divided_numbers(model, logits)) {
    divided.quotient = numbers->quotient;
    divided.remainder = numbers->remainder;
  }
  return divided;
}

Prefixes run_prefixes(const Transformer& transformer, const std::vector<Letters>& words) {
  const Model& model = transformer.hidden().model;
  require(reads_prefixes(model), "--prefixes: the weights file " + in_quotes(model.name) +
                                     " does not say how to read prefixes");
  const std::vector<Answer> answers = run_all(transformer, words);
  Prefixes prefixes;
  prefixes.words = words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    prefixes.letters = std::max(prefixes.letters, words[i].size());
    if (const auto& products = answers[i].products; products && !products->empty())
      prefixes.points = products->front().size();
    if (!prefixes.broken_promise) prefixes.broken_promise = answers[i].broken_promise;
  }
  if (reads_states(model)) prefixes.points = 1;
  prefixes.entries.assign(prefixes.words * prefixes.letters * prefixes.points, -1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto entry = prefixes.entries.begin() +
                 static_cast<std::ptrdiff_t>(i * prefixes.letters * prefixes.points);
    if (const auto& products = answers[i].products)
      for (const auto& images : *products) entry = std::ranges::copy(images, entry).out;
    if (const auto& states = answers[i].states) std::ranges::copy(*states, entry);
  }
  return prefixes;
}

}  // namespace logdepth
