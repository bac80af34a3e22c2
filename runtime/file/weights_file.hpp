#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/file/model.hpp"

namespace logdepth {

/// Limits a reader enforces before it allocates; stated in runtime/README.md.
inline constexpr std::size_t kMaxWeightsBytes = std::size_t{256} << 20;  ///< JSON text, unpacked
inline constexpr std::uint32_t kMaxWidth = 1u << 20;
inline constexpr std::uint32_t kMaxUnits = 1u << 24;  ///< any other matrix dimension
inline constexpr std::size_t kMaxLayers = 4096;
inline constexpr std::size_t kMaxRationalDigits = 20000;

/// Canonical JSON of the model (UTF-8, keys sorted, one sparse triplet per line, newline at the
/// end), with `sha256` of the canonical rest. The same model gives the same bytes.
std::string write_weights(const Model& model);

/// The hash that `write_weights` puts in the file: lower-case hex SHA-256 of the canonical text
/// without `derived` and `sha256`.
std::string weights_hash(const Model& model);

/// Reads and validates JSON text from anywhere. `source` names the file in messages.
/// Errors: InputError naming key and line for whatever is not exactly the documented format.
[[nodiscard]] Model parse_weights(std::string_view text, const std::string& source);

/// Reads `path` (.json, or gzip whatever the name). Errors: InputError.
[[nodiscard]] Model read_weights(const std::string& path);
/// Writes to a temporary name in the same folder, then renames; gzip when the name ends in .gz
/// (fixed header, so the bytes repeat). Errors: InputError when the folder cannot be written.
void save_weights(const Model& model, const std::string& path);

/// Structural rules of a model, as one sentence; empty when it obeys all of them. The reader and
/// the compiler both call it: indices in range, dimensions that fit, counts as in `shape`, ...
[[nodiscard]] std::string first_violation(const Model& model);

}  // namespace logdepth
