#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/run.hpp"
#include "objects/graph.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/exact/promise_check.hpp"

namespace logdepth {

ExactNumber exact_number(const Real& number);

/// Exact answers, one input after the other, with every promise checked. Named numbers are in the field
/// of square roots, where equal numbers have one text; verdicts are decided beyond it, too.
class ExactAnswers {
 public:
  /// Keeps a reference to what the transformer holds.
  explicit ExactAnswers(const Transformer& transformer);

  /// With `prefixes` also the products and states that the file says how to read.
  Answer word(const Letters& letters, bool prefixes = true);
  Answer pair(const Graph& graph, Vertex source, Vertex target);
  Answer streams(const Outcome<Tokens>& tokens);

  /// Called with the tokens of every input that is run; what it throws comes through.
  void before_runs(std::function<void(const Tokens&)> look) { before_runs_ = std::move(look); }
  /// Someone else who looks on.
  void show_to(ForwardObserver<ValueId>& observer) { observers_.push_back(&observer); }
  const Exact& arithmetic() { return run_.runner().arithmetic(); }
  /// After the last layer of the latest input; absent where that was refused or left the field.
  const std::optional<Stream<ValueId>>& stream() const { return run_.stream(); }

 private:
  /// Reads the answer off the run.
  using Read = std::function<void(Answer&)>;
  Answer answer(const Outcome<Tokens>& tokens, const Read& read);
  void verdict(Answer& answer);
  std::map<std::string, std::vector<ExactNumber>> numbers(const CellsOutput& output,
                                                          const Stream<ValueId>& stream);
  template <class One>
  std::optional<std::vector<One>> prefixes(std::size_t letters);

  const Model& model_;
  DecidedRun run_;
  PromiseCheck promises_;
  Runner::Observers observers_;
  std::function<void(const Tokens&)> before_runs_;
};

}  // namespace logdepth
