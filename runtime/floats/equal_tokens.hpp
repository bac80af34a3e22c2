#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

/// Tokens with the same numbers, in the order of their first ones.
struct EqualTokens {
  std::vector<std::uint32_t> of;      ///< per token: its group
  std::vector<std::uint32_t> start;   ///< per group, and the end
  std::vector<std::uint32_t> member;  ///< tokens by group, in order

  std::size_t count() const { return start.size() - 1; }
  std::uint32_t first(std::size_t group) const { return member[start[group]]; }
};

/// A number of every token, of 4 or 8 bytes.
struct TokenColumn {
  const void* numbers;
  std::size_t bytes;
};

/// The tokens whose columns are equal bit by bit; nothing if there are more than `most` groups.
std::optional<EqualTokens> group_equal_tokens(std::size_t tokens,
                                              const std::vector<TokenColumn>& columns,
                                              std::size_t most);

}}}  // namespace logdepth::runtime_floats::float_pass
