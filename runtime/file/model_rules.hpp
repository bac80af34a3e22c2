#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/json_tape.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace runtime_file {

/// Limits a reader enforces before it allocates; stated in runtime/README.md.
inline constexpr std::size_t kMaxWeightsBytes = std::size_t{256} << 20;  ///< JSON text, unpacked
inline constexpr std::uint32_t kMaxWidth = 1u << 20;
inline constexpr std::uint32_t kMaxUnits = 1u << 24;  ///< any other matrix dimension
inline constexpr std::size_t kMaxLayers = 4096;
inline constexpr std::size_t kMaxRationalDigits = 20000;

/// A broken rule of a model, and where the weights file would show it.
struct Violation {
  JsonPath path;
  std::string sentence;
  std::string text() const { return path_text(path) + ": " + sentence; }
};

/// The first broken rule of those that runtime/README.md lists: indices in range, dimensions that
/// fit, counts as in `shape`, ...; absent if the model obeys them all.
[[nodiscard]] std::optional<Violation> find_violation(const Model& model);
/// The same as one sentence; empty when it obeys all of them.
[[nodiscard]] std::string first_violation(const Model& model);

/// A model that obeys the rules, and that nothing changes any more; who wants another copies it into a
/// Model. The rules are asked where one is made, and nowhere else.
class CheckedModel {
 public:
  /// Throws what becomes of a broken rule.
  using Refuse = std::function<void(const Violation&)>;
  CheckedModel(Model model, const Refuse& refuse);
  /// The same with what follows from it; that alone is checked.
  CheckedModel(CheckedModel model, Derived derived, const Refuse& refuse);
  /// Who takes a checked model checks what he is given. Errors: std::logic_error, for a broken rule is
  /// then a mistake of the program that built the model, not of its user.
  CheckedModel(Model model);  // NOLINT

  operator const Model&() const { return model_; }  // NOLINT
  const Model* operator->() const { return &model_; }
  const Model& operator*() const { return model_; }

 private:
  Model model_;
};

}}  // namespace logdepth::runtime_file
