#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/run.hpp"
#include "objects/graph.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth {

ExactNumber exact_number(const Real& number);

/// Exact answers, one input after the other, with every promise checked.
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
  Runner& runner() { return runner_; }
  /// After the last layer of the latest input; absent where that was refused.
  const std::optional<Stream<ValueId>>& stream() const { return stream_; }

 private:
  /// Reads the answer from the stream.
  using Read = std::function<void(const Stream<ValueId>&, Answer&)>;
  Answer answer(const Outcome<Tokens>& tokens, const Read& read);
  std::map<std::string, std::vector<ExactNumber>> numbers(const CellsOutput& output,
                                                          const Stream<ValueId>& stream);
  template <class One>
  std::optional<std::vector<One>> prefixes(const Stream<ValueId>& stream, std::size_t letters);

  const Model& model_;
  Runner runner_;
  PromiseCheck promises_;
  Runner::Observers observers_;
  std::function<void(const Tokens&)> before_runs_;
  std::optional<Stream<ValueId>> stream_;
};

}  // namespace logdepth
