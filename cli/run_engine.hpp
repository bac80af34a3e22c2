#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

/// What `run` asks of an arithmetic: one input after the other, and the answers to the latest.
class RunEngine {
 public:
  /// Of the answers read since the latest run.
  struct Confidence {
    Certificate certificate = Certificate::certified;
    std::string reason;
    std::optional<double> bound;  ///< of the numbers read, on their distance from the exact ones
  };

  virtual ~RunEngine() = default;
  /// The question that the next input asks, for a trace.
  virtual void begin(const nlohmann::json& question) = 0;
  virtual std::optional<Refusal> run(const Tokens& tokens) = 0;
  virtual std::size_t tokens() const = 0;
  virtual Outcome<bool> accepts(std::size_t token) = 0;
  virtual Outcome<bool> connected(std::size_t source, std::size_t target) = 0;
  /// The product of the letters 0 .. letter, or the state after them.
  virtual Outcome<PrefixAnswer> prefix(std::size_t letter) = 0;
  virtual Outcome<std::vector<std::string>> logits(std::size_t token) = 0;
  /// Exact answers: where the latest input left the field of sums of square roots, if it did.
  virtual std::optional<std::string> left_field() const = 0;
  /// Absent for exact answers.
  virtual std::optional<Confidence> certificate() const = 0;
  virtual std::optional<std::string> broken_promise() const = 0;
  /// All inputs have been run: files are put in place.
  virtual void finish() = 0;
  virtual void print_statistics(std::ostream& out) const = 0;
  virtual void report(nlohmann::json& out, bool statistics) const = 0;
};

/// Interned exact numbers, nested radicals where these do not do; every promise is checked, up to
/// where the numbers leave the field. `trace`: a file, or empty.
std::unique_ptr<RunEngine> exact_engine(const Model& model, std::size_t threads,
                                        const std::string& trace);
std::unique_ptr<RunEngine> float_engine(const Model& model, const FloatOptions& options);

}  // namespace logdepth
