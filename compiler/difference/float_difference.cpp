#include "compiler/difference/float_difference.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "compiler/file/cell_names.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/float_text.hpp"

namespace logdepth::inline compiler_difference {
namespace {

/// Keeps the stream of the exact run after every sublayer; copies share their tuples.
class Remember : public ForwardObserver<ValueId> {
 public:
  void after(const Location&, const Stream<ValueId>& stream) override { streams.push_back(stream); }
  std::vector<Stream<ValueId>> streams;
};

/// Whether the number is no farther from the exact one than its error says.
bool within_error(const FloatNumber& number, const Real& exact) {
  const Approximation x = exact.approximate();
  // Decides nearly always; the factor is for the rounding of this line.
  if (std::fabs(number.value - x.value) <= (number.error - x.bound) * (1 - 0x1p-40)) return true;
  if (!std::isfinite(number.error)) return true;
  const Real away = exact - Real(Rational(mpq_class(number.value)));
  const Real error(Rational(mpq_class(number.error)));
  return away <= error && -away <= error;
}

class Compare : public FloatObserver {
 public:
  Compare(const Model& model, const std::vector<Stream<ValueId>>& exact, const ValuePool& pool)
      : names_(model), exact_(exact), pool_(pool) {}

  bool after(const Location& location, const std::function<FloatStream()>& source) override {
    const Stream<ValueId>& exact = exact_.at(sublayer_++);
    const FloatStream stream = source();
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (std::size_t c = 0; c < stream.width; ++c) {
        const FloatNumber got = stream.at(token, c);
        const Real& expected = pool_[exact.at(token, c)];
        if (within_error(got, expected)) continue;
        const auto coordinate = static_cast<std::uint32_t>(c);
        difference = Difference{
            location.step,
            location.sublayer == Sublayer::attention ? "attention" : "feed-forward",
            token,
            (names_.is_mirror(coordinate) ? "mirror " : "") + names_.component(coordinate),
            expected.text(),
            shortest_text(got.value) + " within " +
                bound_text(sum_of_bounds(got.error, text_error(got.value)))};
        return false;
      }
    return true;
  }

  std::optional<Difference> difference;

 private:
  CellNames names_;
  const std::vector<Stream<ValueId>>& exact_;
  const ValuePool& pool_;
  std::size_t sublayer_ = 0;
};

}  // namespace

Outcome<std::optional<Difference>> first_float_difference(const Model& model,
                                                          const PrecisionFacts& facts,
                                                          const FloatOptions& options,
                                                          const Tokens& tokens) {
  Runner runner(model);
  Remember remember;
  const auto exact = runner.run(tokens, {&remember});
  if (!exact.has_value()) return exact.refusal();
  Compare compare(model, remember.streams, runner.arithmetic().pool());
  FloatRunner in_floats(model, facts, options);
  const auto stream = in_floats.run(tokens, {&compare});
  if (!stream.has_value()) return stream.refusal();
  return compare.difference;
}

}  // namespace logdepth::inline compiler_difference
