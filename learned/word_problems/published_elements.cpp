#include "learned/word_problems/published_elements.hpp"

#include <charconv>
#include <cstddef>
#include <string_view>

namespace logdepth::inline learned_word_problems {
namespace {

/// A factor of a product: its letter in the name and the points it acts on.
struct Factor {
  char kind = 'Z';
  std::uint32_t points = 0;
};

/// The factors of names such as A4_x_Z5; none when one of them is not S, A or Z.
std::vector<Factor> factors_of(std::string_view name) {
  static constexpr std::string_view kTimes = "_x_";
  std::vector<Factor> factors;
  while (true) {
    const std::size_t end = name.find(kTimes);
    const std::string_view part = name.substr(0, end);
    Factor factor;
    if (part.size() < 2 || std::string_view("SAZ").find(part[0]) == std::string_view::npos)
      return {};
    factor.kind = part[0];
    const char* const last = part.data() + part.size();
    const auto [next, error] = std::from_chars(part.data() + 1, last, factor.points);
    if (error != std::errc() || next != last) return {};
    factors.push_back(factor);
    if (end == std::string_view::npos) return factors;
    name = name.substr(end + kTimes.size());
  }
}

/// How many permutations come before this one in lexicographic order: image q is followed by
/// (points-1-q)! choices for each unused smaller image.
std::uint32_t lexicographic_rank(const Transformation& images, std::size_t from,
                                 std::size_t points) {
  std::uint32_t rank = 0;
  for (std::size_t q = 0; q < points; ++q) {
    std::uint32_t smaller = 0;
    for (std::size_t later = q + 1; later < points; ++later)
      smaller += images[from + later] < images[from + q];
    rank = rank * static_cast<std::uint32_t>(points - q) + smaller;
  }
  return rank;
}

std::uint32_t number_in_factor(const Factor& factor, const Transformation& images,
                               std::size_t from) {
  if (factor.kind == 'Z') return images[from] - static_cast<std::uint32_t>(from);
  const std::uint32_t rank = lexicographic_rank(images, from, factor.points);
  // The permutations 2m and 2m+1 differ by a swap of the last two images: one of them is even.
  return factor.kind == 'S' || factor.points < 2 ? rank : rank / 2;
}

std::uint32_t size_of(const Factor& factor) {
  if (factor.kind == 'Z') return factor.points;
  std::uint32_t size = 1;
  for (std::uint32_t k = factor.kind == 'S' ? 2 : 3; k <= factor.points; ++k) size *= k;
  return size;
}

}  // namespace

std::vector<std::uint32_t> published_elements(const std::string& name,
                                              const std::vector<Transformation>& elements) {
  const std::vector<Factor> factors = factors_of(name);
  std::vector<std::uint32_t> numbers;
  if (factors.empty()) return numbers;
  for (const Transformation& element : elements) {
    std::uint32_t number = 0;
    std::size_t from = 0;
    for (const Factor& factor : factors) {
      number = number * size_of(factor) + number_in_factor(factor, element, from);
      from += factor.points;
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace logdepth::inline learned_word_problems
