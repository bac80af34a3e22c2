#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace proofs_check_check {

/// A raw stream for the lemmas.
struct RawInput {
  std::string text;                     ///< how a reader should see it
  std::vector<std::vector<Real>> rows;  ///< per token the values, in the order of the file's names
};

/// Raw streams to a file that answers with cells, against functions that say what is right.
class StreamDomain : public TestDomain<RawInput> {
 public:
  /// The right outputs of every token, in the order of the file's names; of a token without any,
  /// none is compared.
  using Outputs = std::function<std::vector<std::vector<Real>>(const RawInput&)>;

  /// Keeps a reference. `blank`: cells that are 0 at every token in the end. Errors: InputError when
  /// the model has other inputs or outputs, or no such cell.
  StreamDomain(const Model& model, Outputs outputs, const std::vector<std::string>& blank);

  Outcome<Tokens> tokens(const RawInput& input) const override;
  bool outside(const RawInput&) const override { return false; }
  FileAnswer expected(const RawInput&) const override { return EveryToken::outputs; }
  std::optional<Failure> judge(const RawInput& input, DecidedRun& run,
                               ComparedCounts& counts) override;
  RawInput shrunk(RawInput input, const std::function<bool(const RawInput&)>&) const override {
    return input;  // smaller ones were asked before, and only who made them knows which these are
  }
  std::string text(const RawInput& input) const override { return input.text; }

 private:
  std::vector<std::string> names_;
  Outputs outputs_;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> blank_;  ///< with coordinates
};

/// The inputs of sizes `from` to `up_to`, as the function lists them.
CaseGenerator<RawInput> streams_by_size(
    const std::function<std::vector<RawInput>(std::size_t size)>& inputs, std::size_t from,
    std::size_t up_to);

/// phi(z) = (z, 1)/sqrt(z^2 + 1) as values of a raw stream.
std::vector<Real> phi_values(const Rational& z);
/// Several cells of one token, one after the other.
std::vector<Real> beside(std::initializer_list<std::vector<Real>> cells);

}}  // namespace logdepth::proofs_check_check
