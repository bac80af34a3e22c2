#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace logdepth::column_bench {

/// The products of the even permutations of `points` points, or of all of them: first a, then b.
template <std::size_t points>
struct PermutationGroup {
  std::size_t order = 0;
  std::vector<std::uint8_t> product;  ///< order x order; element 0 is the unit

  explicit PermutationGroup(bool even) {
    using Permutation = std::array<int, points>;
    std::vector<Permutation> elements;
    Permutation p;
    for (std::size_t q = 0; q < points; ++q) p[q] = static_cast<int>(q);
    do {
      int inversions = 0;
      for (std::size_t i = 0; i < points; ++i)
        for (std::size_t j = i + 1; j < points; ++j) inversions += p[i] > p[j];
      if (!even || inversions % 2 == 0) elements.push_back(p);
    } while (std::next_permutation(p.begin(), p.end()));
    order = elements.size();
    std::map<Permutation, std::uint8_t> number;
    for (const Permutation& e : elements)
      number.emplace(e, static_cast<std::uint8_t>(number.size()));
    for (const Permutation& a : elements)
      for (const Permutation& b : elements) {
        Permutation c;
        for (std::size_t q = 0; q < points; ++q) c[q] = b[static_cast<std::size_t>(a[q])];
        product.push_back(number.at(c));
      }
  }
};

/// Letter i of a seeded word (splitmix64).
struct SeededLetter {
  std::uint64_t seed;
  std::size_t order;

  constexpr std::uint8_t operator()(std::size_t i) const {
    std::uint64_t x = seed + std::uint64_t{i} * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    return static_cast<std::uint8_t>((x >> 32) % order);
  }
};

}  // namespace logdepth::column_bench
