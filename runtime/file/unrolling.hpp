#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/file/model.hpp"

namespace logdepth::inline runtime_file {

/// ceil(log2 n) for n >= 1; 0 for n <= 1.
std::uint64_t ceil_log2(std::uint64_t n);
/// The same to a base >= 2: how often 1 has to be multiplied by it to reach n.
std::uint64_t ceil_log(std::uint64_t base, std::uint64_t n);

/// How often the repeated block runs for an input of size n (letters or vertices).
std::uint64_t loops_at(const Unroll& unroll, std::uint64_t n);

/// The n that the loops of a file count for an input of size n: a file that is made for graphs of
/// one size runs every graph as one of that size.
std::uint64_t counted_size(const Model& model, std::uint64_t n);

/// The largest input that a file is made for; absent: any.
std::optional<std::uint64_t> largest_size(const Model& model);

/// The number of loops as a formula in n, "ceil(log2 n)" or "ceil(log_9 n)".
std::string loops_formula(const Unroll& unroll);

/// s + r * loops + t, counted on the file.
std::uint64_t depth_at(const Model& model, std::uint64_t n);

/// The depth as a formula in n, "ceil(log2 n) + 1", with n = letters or vertices.
std::string depth_formula(const Model& model);

}  // namespace logdepth::inline runtime_file
