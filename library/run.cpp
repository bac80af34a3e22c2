// Answers of exact runs and of rounded ones: run.hpp.
#include "logdepth/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/given.hpp"
#include "library/requests/automaton_request.hpp"
#include "library/requests/compile_request.hpp"
#include "library/runs/tested.hpp"
#include "logdepth/compare.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/test.hpp"
#include "oracle/language_oracle.hpp"
#include "report/pictures/circuit_view.hpp"
#include "report/pictures/run_answers.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

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

RunAnswer asked(const Transformer&, RunAnswers& answers, const Letters& word) {
  return answers.word(word);
}
RunAnswer asked(const Transformer&, RunAnswers& answers, const DirectedGraph& graph,
                std::uint32_t source, std::uint32_t target) {
  return answers.pair(graph_of(graph, source, target), source, target);
}
RunAnswer asked(const Transformer& transformer, RunAnswers& answers, const RawStreams& streams) {
  return answers.streams([&] { return tokens_of_streams(model_of(transformer), streams); });
}
/// Of an input as the public functions take it.
template <class Given, class... Parts>
Given answered(const Transformer& transformer, RunAnswers answers, const Parts&... parts) {
  return given<Given>(transformer, asked(transformer, answers, parts...));
}

constexpr std::size_t kMostEntries = std::size_t{1} << 28;

std::vector<TraceColumn> columns_of(const Model& model) {
  std::vector<TraceColumn> columns;
  for (const auto& [name, cell] : model.cells)
    for (std::uint32_t i = 0; i < cell.coordinates.size(); ++i)
      columns.push_back({name, i, cell.coordinates[i]});
  if (model.cells.empty())
    for (std::uint32_t i = 0; i < model.width; ++i) columns.push_back({std::to_string(i), 0, i});
  return columns;
}

/// Looks on and writes it down.
class TraceTaker : public MomentObserver {
 public:
  TraceTaker(const Model& model, Trace& trace)
      : model_(model), view_(view_circuit(model)), trace_(trace) {
    trace_.columns = columns_of(model);
  }

  /// Before the run. What is selected is not known yet; the streams alone can be too many.
  void expect_room_for(const Tokens& tokens) const {
    expect_room(1 + 2 * depth_at(model_, tokens.size), tokens.kinds.size() * trace_.columns.size());
  }

  void on_head(const Location& location, std::size_t head, const HeadRows<ValueId>&) override {
    const std::string& name = view_.layers[location.layer].heads[head].name;
    trace_.heads.push_back({location.step, head, name, {}});
    trace_.heads.back().selected.resize(trace_.tokens);
  }
  void on_row(const Location&, std::size_t, const SelectedRow& row) override {
    const std::vector<std::size_t> positions = (*row.positions)();
    take_room(positions.size());
    trace_.heads.back().selected[row.row].assign(positions.begin(), positions.end());
  }
  void moment(std::size_t layer, const char* sublayer, const Stream<ValueId>& stream) override {
    take_room(stream.tokens * trace_.columns.size());
    trace_.moments.push_back({layer, sublayer});
    trace_.tokens = stream.tokens;
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (const TraceColumn& column : trace_.columns)
        trace_.entries.push_back(entry(stream.at(token, column.coordinate)));
  }

 private:
  std::uint32_t entry(ValueId value) {
    const auto [place, added] =
        entries_.try_emplace(value, static_cast<std::uint32_t>(trace_.numbers.size()));
    if (added) {
      trace_.numbers.push_back({number(value).text(), number(value).approximate().value});
    }
    return place->second;
  }

  void take_room(std::size_t entries) {
    expect_room(1, entries);
    taken_ += entries;
  }
  /// For so many more entries, so many times.
  void expect_room(std::uint64_t times, std::size_t entries) const {
    if (entries > 0 && times > (kMostEntries - taken_) / entries)
      throw SizeLimit(
          fmt::format("the trace has more than {} entries; expected a shorter input, or "
                      "`logdepth run --trace FILE`, which writes as it goes",
                      kMostEntries));
  }

  const Model& model_;
  const CircuitView view_;
  Trace& trace_;
  std::unordered_map<ValueId, std::uint32_t> entries_;
  std::size_t taken_ = 0;
};

/// With the answer whose run is looked at.
template <class... Parts>
Trace taken(const Transformer& transformer, const Parts&... parts) {
  const Model& model = transformer.hidden().model;
  Trace trace;
  TraceTaker taker(model, trace);
  RunAnswers answers(model, exact_engine(model, 1, {.moments = &taker}), {});
  answers.before_runs([&](const Outcome<Tokens>& tokens) {
    if (tokens.has_value()) taker.expect_room_for(tokens.value());
  });
  give(model, asked(transformer, answers, parts...), trace.answer);
  return trace;
}

}  // namespace

Answer run(const Transformer& transformer, const Letters& word) {
  return answered<Answer>(transformer, exact(transformer), word);
}

std::vector<Answer> run_all(const Transformer& transformer, const std::vector<Letters>& words,
                            const BatchSettings& settings) {
  return of_words<Answer>(transformer, exact(transformer, settings), words);
}

Answer run(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
           std::uint32_t target) {
  return answered<Answer>(transformer, exact(transformer), graph, source, target);
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
  return answered<Answer>(transformer, exact(transformer), streams);
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
  return answered<RoundedAnswer>(transformer, rounded(transformer, settings), word);
}

std::vector<RoundedAnswer> run_rounded_all(const Transformer& transformer,
                                           const std::vector<Letters>& words,
                                           const RoundedSettings& settings) {
  return of_words<RoundedAnswer>(transformer, rounded(transformer, settings), words);
}

RoundedAnswer run_rounded(const Transformer& transformer, const DirectedGraph& graph,
                          std::uint32_t source, std::uint32_t target,
                          const RoundedSettings& settings) {
  return answered<RoundedAnswer>(transformer, rounded(transformer, settings), graph, source,
                                 target);
}

RoundedAnswer run_rounded(const Transformer& transformer, const RawStreams& streams,
                          const RoundedSettings& settings) {
  return answered<RoundedAnswer>(transformer, rounded(transformer, settings), streams);
}

Trace trace(const Transformer& transformer, const Letters& word) {
  return taken(transformer, word);
}

Trace trace(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
            std::uint32_t target) {
  return taken(transformer, graph, source, target);
}

Trace trace(const Transformer& transformer, const RawStreams& streams) {
  return taken(transformer, streams);
}

// What is wrong in one run, and the first value that differs: compare.hpp.

namespace {

std::string verdict_text(const Model& model, bool verdict) {
  if (std::holds_alternative<GraphInput>(model.input))
    return verdict ? "connected" : "not connected";
  return verdict ? "accept" : "reject";
}

std::string found_text(const Model& model, const Answer& answer) {
  const bool rejected = answer.decision == Decision::rejected;
  return rejected || answer.accepted() ? verdict_text(model, !rejected) : answer.reason;
}

/// The first wrong quotient or remainder of a run of natural numbers.
void check_division(const Model& model, const Tokens& tokens, std::vector<std::string>& problems) {
  Runner runner(model);
  const auto stream = runner.run(tokens);
  if (!stream.has_value()) return;  // the answer says so
  const auto results = division_results(runner, tokens, stream.value());
  require(!results.empty(),
          "--against division: expected the streams of a division of natural numbers");
  for (std::size_t token = 0; token < results.size(); ++token) {
    const DivisionResult& result = results[token];
    if (result.quotient_is_right && result.remainder_is_right) continue;
    const auto number = [](const std::optional<std::uint64_t>& read) {
      return read ? std::to_string(*read) : std::string("no natural number");
    };
    problems.push_back("token " + std::to_string(token) + ": " + std::to_string(result.dividend) +
                       " divided by " + std::to_string(result.divisor) + ": expected quotient " +
                       std::to_string(result.dividend / result.divisor) + " and remainder " +
                       std::to_string(result.dividend % result.divisor) + ", found " +
                       number(result.quotient) + " and " + number(result.remainder));
    return;
  }
}

template <class... Parts>
RunCheck checked(const Transformer& transformer, const RunComparison& comparison,
                 const Parts&... parts) {
  const Model& model = model_of(transformer);
  const OneQuestion question = question_of(model, parts...);
  Answer answer = run(transformer, parts...);
  const RunReview review = review_of(comparison, model, question);
  RunCheck check;
  if (answer.broken_promise) check.problems.push_back(*answer.broken_promise);
  if (review.wrong_answer) {
    check.problems.push_back(*review.wrong_answer);
  } else if (review.verdict &&
             answer.decision != (*review.verdict ? Decision::accepted : Decision::rejected)) {
    check.problems.push_back("expected " + verdict_text(model, *review.verdict) + ", found " +
                             found_text(model, answer));
  }
  if (comparison.against == "division" && question.tokens.has_value())
    check_division(model, question.tokens.value(), check.problems);
  if (review.difference)
    check.problems.push_back("first difference from the program: " + describe(*review.difference));
  // An input that the file is not made for was compared with nothing.
  if (!question.tokens.has_value()) check.problems.push_back(answer.reason);
  check.answer = std::move(answer);
  return check;
}

template <class... Parts>
Diff differing(const Transformer& transformer, const DiffSettings& settings,
               const Parts&... parts) {
  const Model& model = model_of(transformer);
  const OneQuestion question = question_of(model, parts...);
  require_consistent(settings);
  const auto outcome = difference_of(settings, model, question.tokens);
  Diff diff;
  if (!outcome.has_value()) {
    diff.refused = describe(outcome.refusal());
  } else if ((diff.first = outcome.value())) {
    diff.first->text = describe(*diff.first);
  }
  return diff;
}

}  // namespace

RunCheck check(const Transformer& transformer, const Letters& word,
               const RunComparison& comparison) {
  return checked(transformer, comparison, word);
}
RunCheck check(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
               std::uint32_t target, const RunComparison& comparison) {
  return checked(transformer, comparison, graph, source, target);
}
RunCheck check(const Transformer& transformer, const RawStreams& streams,
               const RunComparison& comparison) {
  return checked(transformer, comparison, streams);
}

Diff diff(const Transformer& transformer, const Letters& word, const DiffSettings& settings) {
  return differing(transformer, settings, word);
}
Diff diff(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
          std::uint32_t target, const DiffSettings& settings) {
  return differing(transformer, settings, graph, source, target);
}
Diff diff(const Transformer& transformer, const RawStreams& streams, const DiffSettings& settings) {
  return differing(transformer, settings, streams);
}

// Property tests against what the user says is right: test.hpp.

namespace {

using Numbers = std::map<std::string, std::string>;

/// A language, or numbers of words, as functions of the user's have them.
class FunctionOracle : public LanguageOracle {
 public:
  FunctionOracle(const Letters& alphabet, std::function<bool(const Letters&)> language,
                 std::function<Numbers(const Letters&)> numbers)
      : alphabet_(alphabet), language_(std::move(language)), numbers_(std::move(numbers)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  bool accepts(const Word& word) const override {
    require(language_ != nullptr,
            "the transformer decides words; expected a function that decides whether a word is "
            "accepted");
    return language_(letters_of(word, alphabet_));
  }
  std::optional<std::string> named_values(const Word& word) const override {
    if (!numbers_) return std::nullopt;
    std::vector<std::string> fields;
    for (const auto& [name, number] : numbers_(letters_of(word, alphabet_))) {
      // As numbers of runs are written, without the blanks that separate names.
      std::string text = number;
      std::erase(text, ' ');
      fields.push_back(name + "=" + text);
    }
    return joined(fields, " ");
  }
  std::string name() const override { return "the function"; }

 private:
  Alphabet alphabet_;
  std::function<bool(const Letters&)> language_;
  std::function<Numbers(const Letters&)> numbers_;
};

/// "of 3 vertices with 0 -> 1, 1 -> 2"
std::string graph_text(const DirectedGraph& graph) {
  std::vector<std::string> edges;
  for (const auto& [from, to] : graph.edges) edges.push_back(fmt::format("{} -> {}", from, to));
  return "of " + counted(graph.vertices, "vertex", "vertices") + " with " +
         (edges.empty() ? "no edge" : joined(edges));
}

}  // namespace

TestResult test(const Transformer& transformer, const std::function<bool(const Letters&)>& language,
                const TestedWords& words) {
  return tested_words(model_of(transformer),
                      FunctionOracle(transformer.alphabet(), language, nullptr), words);
}

TestResult test_numbers(const Transformer& transformer,
                        const std::function<Numbers(const Letters&)>& numbers,
                        const TestedWords& words) {
  return tested_words(model_of(transformer),
                      FunctionOracle(transformer.alphabet(), nullptr, numbers), words);
}

TestResult test_against(const Transformer& transformer, const std::string& oracle,
                        const TestedWords& words) {
  const Model& model = transformer.hidden().model;
  return tested_words(model, *load_language_oracle({oracle, {}}, model).oracle, words);
}

std::string TestResult::text() const {
  const std::string asked = fmt::format(
      "{}{}, {} with one letter that differs from the rest, {}, {} accepted, {}",
      batch_words > 0 ? counted(batch_words, "given word") + ", " : "",
      counted(exhaustive_words, "short word"), counted(chosen_words, "word"),
      counted(random_words, "random word"), accepted, counted(promises, "contract instance"));
  if (!wrong) return "passed: " + asked;
  return fmt::format("failed: the word '{}': expected {}, found {}; tested: {}",
                     show_word(wrong->word), wrong->expected, wrong->got, asked);
}

GraphTestResult test_graphs(const Transformer& transformer, const TestedGraphs& graphs) {
  return tested_graphs(transformer.hidden().model, nullptr, graphs);
}

GraphTestResult test_graphs(
    const Transformer& transformer,
    const std::function<bool(const DirectedGraph&, std::uint32_t, std::uint32_t)>& connected,
    const TestedGraphs& graphs) {
  const auto oracle = [&](const Graph& graph, Vertex source, Vertex target) {
    return connected(numbered_graph(graph), source, target);
  };
  return tested_graphs(transformer.hidden().model, oracle, graphs);
}

DivisionTestResult test_division(const Transformer& transformer, const TestedDivisions& divisions) {
  return tested_divisions(transformer.hidden().model, divisions);
}

ComputationGraphTestResult test_computation_graphs(const Transformer& transformer,
                                                   const TestedComputationGraphs& graphs) {
  return tested_computation_graphs(transformer.hidden().model, graphs);
}

std::string GraphTestResult::text() const {
  const std::string asked =
      fmt::format("{}, {}, {}, {} connected, {}", counted(exhaustive_graphs, "small graph"),
                  counted(random_graphs, "larger graph"), counted(pairs, "query", "queries"),
                  connected, counted(promises, "contract instance"));
  if (!wrong) return "passed: " + asked;
  return fmt::format("failed: the graph {}, from {} to {}: expected {}, found {}; tested: {}",
                     graph_text(wrong->graph), wrong->source, wrong->target, wrong->expected,
                     wrong->got, asked);
}

std::string DivisionTestResult::text() const {
  const std::string asked =
      fmt::format("{}, {}, {}, {}", counted(exhaustive_inputs, "short input"),
                  counted(random_inputs, "random input"), counted(divisions, "division"),
                  counted(promises, "contract instance"));
  if (!wrong) return "passed: " + asked;
  std::vector<std::string> dividends;
  for (const std::uint64_t dividend : wrong->dividends)
    dividends.push_back(std::to_string(dividend));
  return fmt::format("failed: {} by {}: expected {}, found {}; tested: {}", joined(dividends, " "),
                     wrong->divisor, wrong->expected, wrong->got, asked);
}

}  // namespace logdepth
