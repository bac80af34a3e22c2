#include "objects/label_dialects.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace logdepth::inline objects {

bool is_epsilon_symbol(std::string_view label) {
  constexpr std::array<std::string_view, 4> symbols = {"<eps>", "<epsilon>", "@0@",
                                                       "@_EPSILON_SYMBOL_@"};
  return std::ranges::find(symbols, label) != symbols.end();
}

bool is_epsilon_word(std::string_view label) {
  constexpr std::array<std::string_view, 6> words = {"eps",      "epsilon",  "\xCE\xB5",
                                                     "\xCF\xB5", "\xC9\x9B", "\xCE\xBB"};
  return std::ranges::find(words, label) != words.end();
}

std::optional<std::string> special_symbol(std::string_view label) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> symbols = {{
      {"@_UNKNOWN_SYMBOL_@", "any letter that the automaton does not name"},
      {"@_IDENTITY_SYMBOL_@", "any letter that the automaton does not name"},
      {"@_DEFAULT_SYMBOL_@", "any letter that no other arc of the state has"},
      {"@_SPACE_@", "a blank, which is no letter here"},
      {"@_TAB_@", "a tab, which is no letter here"},
      {"@_COLON_@", "a colon"},
  }};
  for (const auto& [symbol, meaning] : symbols)
    if (label == symbol) return meaning;
  const bool flag = label.size() > 4 && label.front() == '@' && label.back() == '@' &&
                    std::string_view("PNRDCUE").find(label[1]) != std::string_view::npos &&
                    label[2] == '.';
  return flag ? std::optional<std::string>("a flag, which restricts paths") : std::nullopt;
}

}  // namespace logdepth::inline objects
