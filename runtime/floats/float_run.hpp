#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace runtime_floats {
/// How a float run calculates. Every number it holds carries a bound on its distance from the exact
/// one, so that the answer says by itself whether it may be trusted.
struct FloatOptions {
  enum class Engine { float64, float32, mpfr };
  enum class Device { cpu, cuda };
  using Rule = float_pass::Choice::Rule;
  enum class Scores {
    distance,  ///< blocks of keys of one norm are scored by -|q - k|^2 / 2 (the same arg max)
    product    ///< q.k as it stands
  };
  Engine engine = Engine::float64;
  static constexpr std::uint32_t kFewestBits = 2, kMostBits = 500;
  std::uint32_t bits = 53;  ///< mpfr: significant bits
  Device device = Device::cpu;
  Rule rule = Rule::bounded;
  Scores scores = Scores::distance;
  double tolerance = 0;
  /// Softmax of tau * score instead of averaging-hard attention (MS25: the larger, the harder).
  std::optional<double> temperature;
  std::size_t threads = 1;
};

using Certificate = Certainty;
const char* certificate_name(Certificate certificate);

template <class T>
struct [[nodiscard]] FloatAnswer {
  T value;
  Certificate certificate = Certificate::uncertified;
  std::string reason;  ///< why it is not certified; empty where it is
};

/// A number and how far the exact one is away at most; under the other rules than `bounded`, if
/// every decision so far was right. Numbers of more than 53 bits are shown rounded.
struct FloatNumber {
  double value = 0;
  double error = 0;
};

/// The residual stream of a float run, copied from the device.
struct FloatStream {
  std::size_t tokens = 0;
  std::size_t width = 0;
  std::vector<FloatNumber> numbers;  ///< coordinate-major
  const FloatNumber& at(std::size_t token, std::size_t coordinate) const {
    return numbers[coordinate * tokens + token];
  }
};

class FloatObserver {
 public:
  virtual ~FloatObserver() = default;
  /// After every sublayer; `stream` copies it from the device. Whether the run goes on.
  virtual bool after(const Location&, const std::function<FloatStream()>& stream) = 0;
};

/// How the heads and the tests of a run were decided.
struct FloatStatistics : float_pass::Decisions {
  std::uint64_t rows = 0;  ///< of heads that compare anything
  std::uint64_t scores = 0;
  std::uint64_t contracts_kept = 0;  ///< rows of heads whose contract their scores confirm
  /// Rows whose scores cannot: they say how many positions are selected, the contract says which.
  std::uint64_t contracts_unread = 0;

  FloatStatistics& operator+=(const FloatStatistics& other);
};

/// Runs inputs through a weights file in floating point.
class FloatRunner {
 public:
  /// Keeps references. Errors: InputError when the device is not there, or bits out of range.
  FloatRunner(const Model& model, const PrecisionFacts& facts, const FloatOptions& options);
  ~FloatRunner();

  /// The residual stream after the last layer, or after the one where an observer stopped. Refused:
  /// OutsideHypotheses, as in an exact run.
  Outcome<FloatStream> run(const Tokens& tokens, const std::vector<FloatObserver*>& observers = {});

  /// As Runner's, of the stream of the latest run.
  Outcome<FloatAnswer<bool>> accepts(const FloatStream& stream, std::size_t token) const;
  Outcome<FloatAnswer<bool>> relation(const FloatStream& stream, std::size_t from,
                                      std::size_t to) const;
  Outcome<FloatAnswer<bool>> connected(const FloatStream& stream, std::size_t source,
                                       std::size_t target) const;
  Outcome<FloatAnswer<PrefixAnswer>> prefix(const FloatStream& stream, std::size_t token) const;
  std::vector<FloatNumber> logits(const FloatStream& stream, std::size_t token) const;
  /// All logits at one token: the named values of output kind `cells`. Certified if every head and
  /// every test of the run was decided, so that the exact numbers are within the errors, and no
  /// error is larger than kLargestCertifiedError: values are codes, directions and flags.
  static constexpr double kLargestCertifiedError = 0x1p-8;
  FloatAnswer<std::vector<FloatNumber>> numbers(const FloatStream& stream, std::size_t token) const;

  const FloatStatistics& statistics() const;
  /// Whether the latest run leaves nothing to check of contracts: its scores show that every row of every
  /// head keeps its own or, with `proved`, the program of the file proves what a head selects whatever it
  /// is asked. Not proved is that what a head looks for is there (match at least one, find, related).
  bool contracts_shown(bool proved = false) const;
  /// A contract that they show to be broken, as a sentence.
  std::optional<std::string> broken_contract() const;

  class Engine;  ///< a run in one number format, float_run.cpp

 private:
  template <class T>
  FloatAnswer<T> answer(T value, bool confirmed) const;

  const Model& model_;
  FloatOptions options_;
  std::unique_ptr<const float_pass::PlanMatrix<double>> unembedding_;
  std::unique_ptr<Engine> engine_;
};

/// Number of CUDA devices that answer; 0 where the program was built without CUDA.
int cuda_devices();
bool built_with_cuda();

}}  // namespace logdepth::runtime_floats
