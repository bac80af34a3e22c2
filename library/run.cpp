// Answers of exact runs and of rounded ones: run.hpp.
#include "logdepth/run.hpp"

#include <algorithm>
#include <utility>

#include "base/quoted_text.hpp"
#include "library/given_answers.hpp"
#include "library/given_inputs.hpp"
#include "library/requests/option_checks.hpp"
#include "library/requests/rounded_request.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth {
namespace {

const Model& model_of(const Transformer& transformer) {
  return transformer.hidden().model;
}

RunAnswers exact(const Transformer& transformer, const BatchSettings& settings = {}) {
  return {model_of(transformer),
          exact_engine(model_of(transformer), settings.threads),
          {.prefixes = settings.prefixes}};
}
RunAnswers rounded(const Transformer& transformer, const RoundedSettings& settings) {
  return {model_of(transformer), float_engine(model_of(transformer), requested_engine(settings)),
          Reading()};
}

/// The answers of both arithmetics, as Answer or RoundedAnswer.
template <class Given>
Given given(const Transformer& transformer, RunAnswer read) {
  Given answer;
  give(model_of(transformer), std::move(read), answer);
  return answer;
}
template <class Given>
std::vector<Given> of_words(const Transformer& transformer, RunAnswers answers,
                            const std::vector<Letters>& words) {
  std::vector<Given> found;
  answers.announce(words);
  for (const Letters& word : words) found.push_back(given<Given>(transformer, answers.word(word)));
  return found;
}
template <class Given>
Given of_pair(const Transformer& transformer, RunAnswers answers, const DirectedGraph& graph,
              std::uint32_t source, std::uint32_t target) {
  const Graph named = graph_of(graph, source, target);
  return given<Given>(transformer, answers.pair(named, source, target));
}
template <class Given>
Given of_streams(const Transformer& transformer, RunAnswers answers, const RawStreams& streams) {
  const auto tokens = [&] { return tokens_of_streams(model_of(transformer), streams); };
  return given<Given>(transformer, answers.streams(tokens));
}

}  // namespace

Answer run(const Transformer& transformer, const Letters& word) {
  return given<Answer>(transformer, exact(transformer).word(word));
}

std::vector<Answer> run_all(const Transformer& transformer, const std::vector<Letters>& words,
                            const BatchSettings& settings) {
  return of_words<Answer>(transformer, exact(transformer, settings), words);
}

Answer run(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
           std::uint32_t target) {
  return of_pair<Answer>(transformer, exact(transformer), graph, source, target);
}

std::vector<Answer> run_all(const Transformer& transformer, const DirectedGraph& graph,
                            const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                            const BatchSettings& settings) {
  const Graph named = graph_of(graph);
  RunAnswers answers = exact(transformer, settings);
  std::vector<Answer> found;
  for (const auto& [source, target] : pairs) {
    require_vertices(graph, source, target);
    found.push_back(
        given<Answer>(transformer, answers.pair(named, source, target, !found.empty())));
  }
  return found;
}

Answer run(const Transformer& transformer, const RawStreams& streams) {
  return of_streams<Answer>(transformer, exact(transformer), streams);
}

RawStreams division_streams(const Transformer& transformer, std::uint64_t dividend,
                            std::uint64_t divisor) {
  require_at_most("--divide", dividend, kLargestDividend);
  const auto rows = dividing_rows(model_of(transformer), dividend, divisor);
  const auto& names = std::get<CellsInput>(model_of(transformer).input).names;
  std::map<std::string, std::vector<std::string>> by_name;
  for (const std::vector<Real>& row : rows)
    for (std::size_t i = 0; i < names.size(); ++i) by_name[names[i]].push_back(row[i].text());
  return RawStreams(std::move(by_name));
}

DivisionAnswer divide(const Transformer& transformer, std::uint64_t dividend,
                      std::uint64_t divisor) {
  require_at_most("--divide", dividend, kLargestDividend);
  const auto rows = dividing_rows(model_of(transformer), dividend, divisor);
  RunAnswer read = exact(transformer).division(rows);
  const DividedNumbers divided = read.divided.value_or(DividedNumbers());
  return {divided.quotient, divided.remainder, given<Answer>(transformer, std::move(read))};
}

void require_settings(const RoundedSettings& settings) {
  (void)requested_engine(settings);
}

RoundedAnswer run_rounded(const Transformer& transformer, const Letters& word,
                          const RoundedSettings& settings) {
  return given<RoundedAnswer>(transformer, rounded(transformer, settings).word(word));
}

std::vector<RoundedAnswer> run_rounded_all(const Transformer& transformer,
                                           const std::vector<Letters>& words,
                                           const RoundedSettings& settings) {
  return of_words<RoundedAnswer>(transformer, rounded(transformer, settings), words);
}

RoundedAnswer run_rounded(const Transformer& transformer, const DirectedGraph& graph,
                          std::uint32_t source, std::uint32_t target,
                          const RoundedSettings& settings) {
  return of_pair<RoundedAnswer>(transformer, rounded(transformer, settings), graph, source, target);
}

RoundedAnswer run_rounded(const Transformer& transformer, const RawStreams& streams,
                          const RoundedSettings& settings) {
  return of_streams<RoundedAnswer>(transformer, rounded(transformer, settings), streams);
}

Prefixes run_prefixes(const Transformer& transformer, const std::vector<Letters>& words) {
  const Model& model = transformer.hidden().model;
  require(reads_prefixes(model),
          "--prefixes: the weights file " + in_quotes(model.name) + " has no prefix readout");
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
