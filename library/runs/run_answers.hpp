#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/program/program.hpp"
#include "library/requests/automaton_request.hpp"
#include "library/requests/compile_request.hpp"
#include "library/runs/engine.hpp"
#include "logdepth/compare.hpp"
#include "objects/graph.hpp"
#include "report/pictures/run_answers.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace library_runs {

/// What came of an input: a verdict, or named numbers, or why there are none.
struct RunAnswer {
  std::optional<Refusal> refusal;
  std::optional<std::string> limit;  ///< of size, that was met; what was read before is there
  std::optional<bool> verdict;       ///< accepted, or connected
  std::vector<std::vector<ReadNumber>> numbers;  ///< by token and row of the output
  std::optional<DividedNumbers> divided;         ///< what the last token's numbers are codes of
  /// The products of the first 1, 2, ... letters, or the states after them.
  std::optional<std::vector<Read<PrefixAnswer>>> prefixes;
  /// Of the verdict, or of the first number that is not certified.
  Certificate certificate = Certificate::certified;
  std::string reason;                  ///< why it is not certified
  std::optional<std::uint64_t> depth;  ///< layers; absent where nothing came of the run
  std::optional<std::string> broken_promise, left_field;  ///< as of Engine
};

/// What is read off runs.
struct Reading {
  bool prefixes = true;     ///< where the file says how they are read
  bool every_token = true;  ///< named numbers of words and divisions, else of the last token
  bool nested = false;      ///< also named numbers beyond the sums of square roots
};

/// Answers of an engine, input by input.
class RunAnswers {
 public:
  /// Keeps a reference.
  RunAnswers(const Model& model, std::unique_ptr<Engine> engine, const Reading& reading)
      : model_(model), engine_(std::move(engine)), reading_(reading) {}
  const Engine& engine() const { return *engine_; }

  /// Called with every input's tokens before it is run; what it throws comes through, but a SizeLimit
  /// is the limit of the answer.
  void before_runs(std::function<void(const Outcome<Tokens>&)> look) { look_ = std::move(look); }

  /// Words that word() is called with next, in this order: they may be run together. Keeps a reference.
  void announce(const std::vector<std::vector<std::string>>& words);
  RunAnswer word(const std::vector<std::string>& letters);
  /// With `same_graph`, of the graph of the question before: a file that answers all pairs at once is
  /// not run again.
  RunAnswer pair(const Graph& graph, Vertex source, Vertex target, bool same_graph = false);
  RunAnswer streams(const std::function<Outcome<Tokens>()>& tokens);
  RunAnswer division(const std::vector<std::vector<Real>>& rows);

 private:
  RunAnswer run(const std::function<Outcome<Tokens>()>& tokens,
                std::optional<std::size_t> announced = std::nullopt);
  /// Reads from a run that came through; nothing from another.
  RunAnswer read(RunAnswer ran, const std::function<void(RunAnswer&)>& reader);
  void read_verdict(const Read<bool>& verdict, RunAnswer& answer) const;
  void read_numbers(std::size_t first_token, RunAnswer& answer);
  /// What a word, or a stream, is answered with.
  void read_last(std::size_t letters, bool every_token, RunAnswer& answer);

  const Model& model_;
  std::unique_ptr<Engine> engine_;
  const Reading reading_;
  std::function<void(const Outcome<Tokens>&)> look_;
  std::size_t announced_ = 0;           ///< words
  std::size_t asked_ = 0;               ///< of these
  std::optional<RunAnswer> all_pairs_;  ///< the run that answers all pairs of the latest graph
};

/// As it is printed: exactly, or the shortest that is read as the same float.
std::string text(const ReadNumber& number);

/// Whether one run answers all pairs of a graph.
bool answers_all_pairs(const Model& model);

using VertexPair = std::pair<Vertex, Vertex>;
/// One input, and the graph or word that its tokens are of. A graph whose tokens do not depend on
/// source and target needs no pair.
struct OneQuestion {
  Outcome<Tokens> tokens;
  std::optional<VertexPair> pair;
  std::optional<Graph> graph = {};
  std::optional<std::vector<std::string>> word = {};
};

/// What a run is compared with.
struct ReviewRequest {
  /// `against` may be "program": then only the program is compared with.
  std::optional<OracleRequest> oracle = {};
  /// Absent: the one that the weights file carries, where there is an oracle.
  std::optional<Program> program = {};
};

/// What is right of an input, as the request says it, and the first difference from the program;
/// nothing without a request. `note` is told why a comparison that was not asked for by name is left
/// out. Errors: InputError where the request does not fit the model, and where it names a program
/// that the run cannot be compared with.
RunReview review_of(const ReviewRequest& request, const Model& model, const OneQuestion& question,
                    const std::function<void(const std::string&)>& note);

/// The program that a weights file carries, to be compared with: whether it is that of these weights
/// is the question, so it needs no trust. Errors: InputError where there is none.
Program carried_by(const Model& model);

/// Values of --rule and --scores of `logdepth diff`.
inline const std::vector<std::string> kDiffRules = {"plain", "bounded"};
inline const std::vector<std::string> kDiffScores = {"product", "distance"};

/// Errors: InputError for settings that do not go together, and for a value that is none of the above.
void require_consistent(const DiffSettings& settings);

/// The first place where the run leaves what it is compared with. Precondition: require_consistent.
/// Errors: InputError where there is no program, or none of these weights.
Outcome<std::optional<FirstDifference>> difference_of(const DiffSettings& settings,
                                                      const Model& model,
                                                      const Outcome<Tokens>& tokens);

}}  // namespace logdepth::library_runs
