#include "runtime/floats/equal_tokens.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace logdepth { inline namespace runtime_floats { namespace float_pass {
namespace {

template <class Bits>
void mix_in(std::vector<std::uint64_t>& hashes, const void* numbers) {
  const auto* bytes = static_cast<const char*>(numbers);
  for (std::size_t t = 0; t < hashes.size(); ++t) {
    Bits bits;
    std::memcpy(&bits, bytes + t * sizeof(Bits), sizeof(Bits));
    const std::uint64_t mixed = (hashes[t] ^ bits) * 0x9E3779B97F4A7C15;
    hashes[t] = mixed ^ mixed >> 32;
  }
}

bool are_equal(const std::vector<TokenColumn>& columns, std::size_t a, std::size_t b) {
  return std::all_of(columns.begin(), columns.end(), [&](const TokenColumn& column) {
    const auto* bytes = static_cast<const char*>(column.numbers);
    return std::memcmp(bytes + a * column.bytes, bytes + b * column.bytes, column.bytes) == 0;
  });
}

}  // namespace

std::optional<EqualTokens> group_equal_tokens(std::size_t tokens,
                                              const std::vector<TokenColumn>& columns,
                                              std::size_t most) {
  std::vector<std::uint64_t> hashes(tokens, 0);
  for (const TokenColumn& column : columns) {
    if (column.bytes == 4) {
      mix_in<std::uint32_t>(hashes, column.numbers);
    } else {
      mix_in<std::uint64_t>(hashes, column.numbers);
    }
  }
  EqualTokens equal;
  equal.of.reserve(tokens);
  std::vector<std::uint32_t> first;
  const std::size_t places = std::bit_ceil(2 * std::min(tokens, most + 1));
  std::vector<std::uint32_t> table(places, 0);  // of groups, from 1 on
  for (std::size_t t = 0; t < tokens; ++t) {
    std::size_t place = hashes[t] & (places - 1);
    while (table[place] != 0 && !(hashes[first[table[place] - 1]] == hashes[t] &&
                                  are_equal(columns, first[table[place] - 1], t)))
      place = (place + 1) & (places - 1);
    if (table[place] == 0) {
      if (first.size() == most) return std::nullopt;
      first.push_back(static_cast<std::uint32_t>(t));
      table[place] = static_cast<std::uint32_t>(first.size());
    }
    equal.of.push_back(table[place] - 1);
  }
  equal.start.assign(first.size() + 1, 0);
  for (const std::uint32_t group : equal.of) ++equal.start[group + 1];
  for (std::size_t g = 0; g < first.size(); ++g) equal.start[g + 1] += equal.start[g];
  std::vector<std::uint32_t> next(equal.start.begin(), equal.start.end() - 1);
  equal.member.resize(tokens);
  for (std::size_t t = 0; t < tokens; ++t)
    equal.member[next[equal.of[t]]++] = static_cast<std::uint32_t>(t);
  return equal;
}

}}}  // namespace logdepth::runtime_floats::float_pass
