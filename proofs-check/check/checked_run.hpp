#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/tested_property.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth {

/// What a test found against an input: what was expected, and what the file did.
struct [[nodiscard]] Mismatch {
  TestedProperty property = TestedProperty::answer;
  std::string expected, got;
};

/// Runs inputs for the property tests: every head's promise at every row, and as many layers as the
/// file's claimed depth.
class CheckedRun {
 public:
  explicit CheckedRun(const Model& model);

  /// The stream to read answers from. `mismatch` is set when a promise breaks, when the depth is
  /// another, and, with `answer` as the expectation, when the run is refused; then the stream is
  /// absent.
  [[nodiscard]] std::optional<Stream<ValueId>> run(const Outcome<Tokens>& tokens,
                                                   const std::string& answer,
                                                   std::optional<Mismatch>& mismatch);
  /// A mismatch unless an input beyond the file's limit is refused as outside the hypotheses.
  [[nodiscard]] std::optional<Mismatch> expect_outside(const Outcome<Tokens>& tokens,
                                                       const std::string& what);

  Runner& runner() { return runner_; }
  std::uint64_t promises() const { return promises_.total_evaluated(); }
  /// Heads whose promise was never checked.
  std::vector<HeadPlace> unevaluated() const { return promises_.unevaluated(); }

 private:
  class LayerCount : public ForwardObserver<ValueId> {
   public:
    void after(const Location& location, const Stream<ValueId>&) override {
      layers = location.step;
    }
    std::uint64_t layers = 0;
  };

  const Model& model_;
  Runner runner_;
  PromiseCheck promises_;
  LayerCount count_;
};

}  // namespace logdepth
