#include "library/runs/run_answers.hpp"

#include <variant>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "logdepth/errors.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace library_runs {
namespace {

bool names_numbers(const Model& model) {
  return std::holds_alternative<CellsOutput>(model.output);
}

}  // namespace

bool answers_all_pairs(const Model& model) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  return graph && graph->layout == GraphInput::Layout::rows;
}

std::string text(const ReadNumber& number) {
  return number.exact.empty() ? shortest_text(number.value) : number.exact;
}

void RunAnswers::announce(const std::vector<std::vector<std::string>>& words) {
  engine_->announce(words);
  announced_ = words.size();
  asked_ = 0;
}

RunAnswer RunAnswers::word(const std::vector<std::string>& letters) {
  std::optional<std::size_t> announced;
  if (asked_ < announced_) announced = asked_++;
  return read(run([&] { return tokens_of(model_, letters); }, announced),
              [&](RunAnswer& answer) { read_last(letters.size(), reading_.every_token, answer); });
}

RunAnswer RunAnswers::pair(const Graph& graph, Vertex source, Vertex target, bool same_graph) {
  if (!same_graph) all_pairs_.reset();
  RunAnswer ran =
      all_pairs_ ? *all_pairs_ : run([&] { return tokens_of(model_, graph, source, target); });
  if (answers_all_pairs(model_) && !ran.limit) all_pairs_ = ran;
  return read(std::move(ran), [&](RunAnswer& answer) {
    if (names_numbers(model_)) return read_numbers(0, answer);
    read_verdict(engine_->connected(source, target), answer);
  });
}

RunAnswer RunAnswers::streams(const std::function<Outcome<Tokens>()>& tokens) {
  return read(run(tokens), [&](RunAnswer& answer) { read_last(0, true, answer); });
}

RunAnswer RunAnswers::division(const std::vector<std::vector<Real>>& rows) {
  return read(run([&] { return declared_tokens(model_, rows); }), [&](RunAnswer& answer) {
    read_last(0, reading_.every_token, answer);
    if (answer.numbers.empty()) return;
    std::vector<std::string> logits;
    for (const ReadNumber& number : answer.numbers.back()) logits.push_back(text(number));
    answer.divided = divided_numbers(model_, logits);
  });
}

RunAnswer RunAnswers::run(const std::function<Outcome<Tokens>()>& tokens,
                          std::optional<std::size_t> announced) {
  RunAnswer answer;
  bool ran = false;
  try {
    const Outcome<Tokens> made = tokens();
    if (look_) look_(made);
    if (!made.has_value()) {
      answer.refusal = made.refusal();
      return answer;
    }
    ran = true;
    answer.refusal =
        announced ? engine_->run_announced(*announced, made.value()) : engine_->run(made.value());
    if (!answer.refusal) answer.depth = depth_at(model_, made.value().size);
  } catch (const SizeLimit& limit) {
    answer.limit = limit.what();
  }
  if (ran) answer.broken_promise = engine_->broken_promise();
  if (ran) answer.left_field = engine_->left_field();
  return answer;
}

RunAnswer RunAnswers::read(RunAnswer ran, const std::function<void(RunAnswer&)>& reader) {
  if (!ran.depth) return ran;
  try {
    reader(ran);
  } catch (const SizeLimit& limit) {
    ran.limit = limit.what();
  }
  return ran;
}

void RunAnswers::read_verdict(const Read<bool>& verdict, RunAnswer& answer) const {
  if (!verdict.has_value()) {
    answer.refusal = verdict.refusal();
    return;
  }
  answer.verdict = verdict.value().value;
  answer.certificate = verdict.value().certificate;
  answer.reason = verdict.value().reason;
}

void RunAnswers::read_numbers(std::size_t first_token, RunAnswer& answer) {
  if (answer.left_field && !reading_.nested) {
    answer.refusal = OutsideField{*answer.left_field};
    answer.depth.reset();
    return;
  }
  for (std::size_t token = first_token; token < engine_->tokens(); ++token) {
    auto read = engine_->numbers(token);
    if (!read.has_value()) {
      answer.refusal = read.refusal();
      answer.numbers.clear();
      return;
    }
    auto found = std::move(read).value();
    if (answer.certificate == Certificate::certified) {
      answer.certificate = found.certificate;
      answer.reason = std::move(found.reason);
    }
    answer.numbers.push_back(std::move(found.value));
  }
}

void RunAnswers::read_last(std::size_t letters, bool every_token, RunAnswer& answer) {
  const std::size_t last = engine_->tokens() - 1;
  if (names_numbers(model_)) return read_numbers(every_token ? 0 : last, answer);
  if (reading_.prefixes && reads_prefixes(model_)) {
    answer.prefixes.emplace();
    for (std::size_t i = 0; i < letters; ++i) answer.prefixes->push_back(engine_->prefix(i));
  }
  read_verdict(engine_->accepts(last), answer);
}

namespace {

constexpr const char* kProgram = "program";
/// More tokens take a program minutes.
constexpr std::size_t kMostCompared = 4000;

void ask_language(const OracleRequest& request, const Model& model,
                  const std::vector<std::string>& word, RunReview& review) {
  const NamedLanguage language = load_language_oracle(request, model);
  ExactRuns runs(model);
  WordDomain questions(model, *language.oracle);
  ComparedCounts counts;
  const auto finding = runs.ask(questions, questions.word_of(word), counts);
  // The picture says itself which promise was broken.
  if (finding && property_of(*finding) != TestedProperty::contract)
    review.wrong_answer = "expected " + expected_text(*finding) + ", found " + got_text(*finding);
  Word letters;
  for (const std::string& name : word)
    letters.push_back(language.oracle->alphabet().find(name).value());
  if (std::holds_alternative<AcceptOutput>(model.output))
    review.verdict = language.oracle->accepts(letters);
  review.prefixes = RightPrefixes(model, *language.oracle).of(letters);
}

void ask_reachability(const OracleRequest& request, const Model& model, const Graph& graph,
                      const std::optional<VertexPair>& pair, RunReview& review) {
  const NamedReachability right = load_reachability_oracle(request, model);
  if (right.program) {
    if (pair) review.verdict = right.program(graph, pair->first, pair->second);
    return;
  }
  if (right.undirected) {
    Graph both_ways = graph;
    both_ways.make_undirected();
    if (both_ways.edge_count() != graph.edge_count())
      throw InputError("--against " + right.name +
                       ": expected a graph with every edge both ways, as --undirected takes it");
  }
  const ReachabilityOracle searched(graph);
  if (pair) review.verdict = searched.reaches(pair->first, pair->second);
  review.reaches = searched.transitive_closure();
}

void ask_oracle(const OracleRequest& request, const Model& model, const OneQuestion& question,
                RunReview& review) {
  std::visit(
      Overload{[&](const WordInput&) {
                 if (request.against == "computation-graph")
                   throw InputError(
                       "--against computation-graph: a picture compares such a file with its "
                       "program; expected --against program");
                 ask_language(request, model, question.word.value(), review);
               },
               [&](const GraphInput&) {
                 ask_reachability(request, model, question.graph.value(), question.pair, review);
               },
               [&](const CellsInput&) {
                 // Quotients and remainders of natural numbers are judged where they are drawn.
                 if (request.against != "division")
                   throw InputError("the weights file " + in_quotes(model.name) +
                                    " takes raw streams; expected --against division or program");
               }},
      model.input);
}

/// The weights in another arithmetic beside the exact run of the same weights.
Outcome<std::optional<FirstDifference>> in_floats(const DiffSettings& settings, const Model& model,
                                                  const Tokens& tokens) {
  FloatOptions floats =
      requested_engine({.engine = settings.engine, .rule = settings.rule.value_or("plain")});
  floats.scores = settings.scores.value_or("product") == "product" ? FloatOptions::Scores::product
                                                                   : FloatOptions::Scores::distance;
  const CarriedProgram program(model, Trust::recompiled);
  return first_float_difference(model, program.facts(), floats, tokens);
}

}  // namespace

RunReview review_of(const ReviewRequest& request, const Model& model, const OneQuestion& question,
                    const std::function<void(const std::string&)>& note) {
  RunReview review;
  if (!request.oracle && !request.program) return review;
  if (!question.tokens.has_value()) return review;
  review.although_refused = true;
  const bool only_program = request.oracle && request.oracle->against == kProgram;
  if (request.oracle && !only_program) ask_oracle(*request.oracle, model, question, review);
  const std::size_t tokens = question.tokens.value().kinds.size();
  if (!request.program && !only_program && tokens > kMostCompared) {
    note("the run of " + std::to_string(tokens) +
         " tokens is not compared with its program; --against program does only that");
    return review;
  }
  try {
    auto difference = first_difference(request.program ? *request.program : carried_by(model),
                                       model, question.tokens.value());
    if (difference.has_value()) review.difference = std::move(difference).value();
  } catch (const InputError& error) {
    if (request.program || only_program) throw;
    note(std::string("the run is not compared with a program: ") + error.what());
  }
  return review;
}

Program carried_by(const Model& model) {
  const CarriedProgram carried(model, Trust::none);
  if (!carried.program()) throw InputError(carried.reason());
  return *carried.program();
}

void require_consistent(const DiffSettings& settings) {
  const bool exact = settings.engine == "exact";
  require(!exact || (!settings.rule && !settings.scores),
          "--rule and --scores require a floating-point --engine");
  require(exact || !settings.program,
          "--program requires --engine exact; a floating-point run is compared with the exact run");
  if (settings.rule) require_one_of("--rule", *settings.rule, kDiffRules);
  if (settings.scores) require_one_of("--scores", *settings.scores, kDiffScores);
  if (!exact) requested_engine({.engine = settings.engine, .threads = 1});
}

Outcome<std::optional<FirstDifference>> difference_of(const DiffSettings& settings,
                                                      const Model& model,
                                                      const Outcome<Tokens>& tokens) {
  const bool exact = settings.engine == "exact";
  std::optional<Program> embedded;
  if (exact && !settings.program) embedded = carried_by(model);
  if (!tokens.has_value()) return tokens.refusal();
  if (!exact) return in_floats(settings, model, tokens.value());
  return first_difference(embedded ? *embedded : settings.program->program(), model,
                          tokens.value());
}

}}  // namespace logdepth::library_runs
