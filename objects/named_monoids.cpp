#include "objects/named_monoids.hpp"

#include <fmt/core.h>

#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/spelling.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_groups.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline objects {

namespace {

constexpr std::size_t max_letters_all = 10000;

InputError unknown(std::string_view part, const std::string& name) {
  const std::string of = part == name ? "" : " in " + in_quotes(name);
  std::vector<std::string> known = single_group_names();
  known.insert(known.end(), {"V4", "Q8", "flipflop", "trivial"});
  std::string capital(part);
  if (!capital.empty())
    capital[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capital[0])));
  if (capital != part && capital.size() > 1 &&
      std::string_view("ZSADT").find(capital[0]) != std::string_view::npos &&
      capital.find_first_not_of("0123456789", 1) == std::string::npos && capital[1] != '0')
    known.push_back(capital);
  const auto near = meant(std::string(part), known);
  return InputError("unknown group or monoid " + in_quotes(part) + of +
                    ": expected Zk, Sk, Ak, Tk (k = 1, 2, ...), Dk (k = 3, 4, ...), V4, Q8, "
                    "flipflop, or a product of these such as A4_x_Z5" +
                    (near ? "; did you mean " + *near + "?" : ""));
}

GeneratedMonoid parse_factor(std::string_view part, const std::string& name) {
  if (auto monoid = monoid_of_family(part)) return *std::move(monoid);
  if (auto group = group_called(std::string(part), kMostPoints)) return *std::move(group);
  throw unknown(part, name);
}

/// Where the first product sign stands that is in no parentheses, `_x_` or, as inspect prints it,
/// ` x `; npos without one.
std::size_t product_sign(std::string_view name) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '(') ++depth;
    if (name[i] == ')' && depth > 0) --depth;
    const std::string_view rest = name.substr(i);
    if (depth == 0 && (rest.starts_with("_x_") || rest.starts_with(" x "))) return i;
  }
  return std::string_view::npos;
}

std::vector<GeneratedMonoid> parse_factors(const std::string& name) {
  std::vector<GeneratedMonoid> factors;
  std::size_t points = 0;
  std::string_view rest = name;
  while (true) {
    const std::size_t end = product_sign(rest);
    factors.push_back(parse_factor(rest.substr(0, end), name));
    points += factors.back().points;
    if (points > kMostPoints) {
      throw SizeLimit(
          fmt::format("{} acts on more than {} points, the limit; try fewer or smaller factors",
                      in_quotes(name), kMostPoints));
    }
    if (end == std::string_view::npos) return factors;
    rest = rest.substr(end + 3);
  }
}

}  // namespace

Action named_monoid(const std::string& name, NamedLetters letters) {
  const GeneratedMonoid product = direct_product(parse_factors(name));
  Action action;
  action.points = product.points;
  std::vector<std::string> names;
  if (letters == NamedLetters::generators) {
    if (product.generators.size() > 26) {
      throw SizeLimit(
          fmt::format("{} has {} generators, the letters a to z allow 26; try fewer factors",
                      in_quotes(name), product.generators.size()));
    }
    for (std::size_t i = 0; i < product.generators.size(); ++i) {
      names.emplace_back(1, static_cast<char>('a' + i));
    }
    action.generators = product.generators;
  } else {
    auto monoid = enumerate_monoid(product.generators, product.points, max_letters_all);
    if (!monoid) {
      throw SizeLimit(fmt::format(
          "{} has more than {} elements, too many to be letters; try its generators as letters",
          in_quotes(name), max_letters_all));
    }
    for (std::size_t i = 0; i < monoid->size(); ++i) {
      names.push_back(std::string("g").append(std::to_string(i)));
    }
    action.generators = std::move(monoid->elements);
  }
  action.alphabet = Alphabet(std::move(names));
  return action;
}

}  // namespace logdepth::inline objects
