#pragma once

#include <string>
#include <utility>
#include <variant>

namespace logdepth { inline namespace runtime_numbers {

/// The model does not decide: the two largest logits are equal.
struct Undecided {
  std::string reason;
};
/// A mask's norm leaves the field of sums of square roots; names layer, sublayer and token.
struct OutsideField {
  std::string reason;
};
/// The input violates a hypothesis of the file (too long, position beyond its table).
struct OutsideHypotheses {
  std::string reason;
};
using Refusal = std::variant<Undecided, OutsideField, OutsideHypotheses>;

/// The sentence that goes with a refusal, beginning with its name.
inline std::string describe(const Refusal& refusal) {
  struct Describe {
    std::string operator()(const Undecided& r) const { return "undecided: " + r.reason; }
    std::string operator()(const OutsideField& r) const {
      return "outside the number field: " + r.reason;
    }
    std::string operator()(const OutsideHypotheses& r) const {
      return "hypothesis violated: " + r.reason;
    }
  };
  return std::visit(Describe{}, refusal);
}

/// A value, or the named reason why there is none. Deliberately no conversion to bool and no
/// default: whoever holds an Outcome has to say what happens in the other cases.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : content_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
  Outcome(Refusal refusal) : content_(std::in_place_index<1>, std::move(refusal)) {}  // NOLINT
  Outcome(Undecided refusal) : Outcome(Refusal(std::move(refusal))) {}                // NOLINT
  Outcome(OutsideField refusal) : Outcome(Refusal(std::move(refusal))) {}             // NOLINT
  Outcome(OutsideHypotheses refusal) : Outcome(Refusal(std::move(refusal))) {}        // NOLINT

  bool has_value() const { return content_.index() == 0; }
  const T& value() const& { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  const Refusal& refusal() const { return std::get<1>(content_); }

 private:
  std::variant<T, Refusal> content_;
};

}}  // namespace logdepth::runtime_numbers
