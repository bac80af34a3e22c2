#pragma once

// What the C++20 library of Emscripten 3.1.6 (libc++ 13) lacks and the project uses: algorithms over ranges, and numbers in
// floating point to text. Included before every file of the WebAssembly program; empty where the library is newer.

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

namespace std {

namespace ranges {
namespace older {

/// `function` after `projection`.
template <class Function, class Projection>
auto after(Function& function, Projection& projection) {
  return [&](auto&& element) -> decltype(auto) {
    return std::invoke(function, std::invoke(projection, std::forward<decltype(element)>(element)));
  };
}
template <class Function, class Projection>
auto of_both(Function& function, Projection& projection) {
  return [&](auto&& a, auto&& b) -> decltype(auto) {
    return std::invoke(function, std::invoke(projection, std::forward<decltype(a)>(a)),
                       std::invoke(projection, std::forward<decltype(b)>(b)));
  };
}

}  // namespace older

#define LOGDEPTH_WITH_TEST(NAME)                                                                \
  template <class Range, class Test, class Projection = std::identity>                          \
  constexpr auto NAME(Range&& range, Test test, Projection projection = {}) {                   \
    return std::NAME(ranges::begin(range), ranges::end(range), older::after(test, projection)); \
  }
LOGDEPTH_WITH_TEST(all_of)
LOGDEPTH_WITH_TEST(any_of)
LOGDEPTH_WITH_TEST(none_of)
LOGDEPTH_WITH_TEST(count_if)
LOGDEPTH_WITH_TEST(find_if)
#undef LOGDEPTH_WITH_TEST

template <class Range, class Value, class Projection = std::identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return std::find_if(ranges::begin(range), ranges::end(range), [&](auto&& element) {
    return std::invoke(projection, std::forward<decltype(element)>(element)) == value;
  });
}
template <class Range, class Value, class Projection = std::identity>
constexpr auto count(Range&& range, const Value& value, Projection projection = {}) {
  return std::count_if(ranges::begin(range), ranges::end(range), [&](auto&& element) {
    return std::invoke(projection, std::forward<decltype(element)>(element)) == value;
  });
}
template <class One, class Other, class Equal = ranges::equal_to>
constexpr bool equal(One&& one, Other&& other, Equal equal = {}) {
  return std::equal(ranges::begin(one), ranges::end(one), ranges::begin(other), ranges::end(other),
                    [&](auto&& a, auto&& b) { return std::invoke(equal, a, b); });
}

template <class Range, class Less = ranges::less, class Projection = std::identity>
constexpr void sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::sort(ranges::begin(range), ranges::end(range), older::of_both(less, projection));
}
template <class Range, class Less = ranges::less, class Projection = std::identity>
constexpr void stable_sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::stable_sort(ranges::begin(range), ranges::end(range), older::of_both(less, projection));
}

}  // namespace ranges

/// The fewest digits that are read as the same number; of the two forms the shorter, fixed where they are as long.
inline to_chars_result to_chars(char* first, char* last, double value) {
  int digits = 0;
  char scientific[32];
  for (; digits < 17; ++digits) {
    std::snprintf(scientific, sizeof scientific, "%.*e", digits, value);
    if (std::strtod(scientific, nullptr) == value) break;
  }
  const std::string one = scientific;
  const int exponent = std::atoi(one.c_str() + one.find('e') + 1);
  const int after_point = std::max(0, digits - exponent);
  std::string other(
      static_cast<std::size_t>(std::snprintf(nullptr, 0, "%.*f", after_point, value)) + 1, '\0');
  std::snprintf(other.data(), other.size(), "%.*f", after_point, value);
  other.pop_back();
  const std::string& text = other.size() <= one.size() ? other : one;
  if (static_cast<std::ptrdiff_t>(text.size()) > last - first) return {last, errc::value_too_large};
  return {std::copy(text.begin(), text.end(), first), errc()};
}

}  // namespace std

#endif
