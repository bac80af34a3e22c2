#include "constructions/construction.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace logdepth { inline namespace constructions {

std::uint64_t number_of(const Values& values, const std::string& option) {
  const auto found = values.find(option);
  return found == values.end() ? 0 : std::get<std::uint64_t>(found->second);
}

std::string word_of(const Values& values, const std::string& option) {
  const auto found = values.find(option);
  return found == values.end() ? "" : std::get<std::string>(found->second);
}

const Option* Construction::option(const std::string& called) const {
  const auto found = std::ranges::find(options, called, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

std::string Construction::cell_text(const std::string& name) const {
  std::size_t end = std::min(name.find_first_of(".0123456789"), name.size());
  if (end < name.size() && name[end] == '.') ++end;
  const auto row = std::ranges::find(cells, name.substr(0, end), &HeldCell::name);
  return row == cells.end() ? "" : fmt::format(fmt::runtime(row->text), name.substr(end));
}

Values Construction::with_defaults(Values values) const {
  for (const Option& option : options) {
    if (const auto* count = std::get_if<CountOption>(&option.type); count && count->otherwise)
      values.try_emplace(option.name, *count->otherwise);
    if (const auto* choice = std::get_if<ChoiceOption>(&option.type);
        choice && !choice->otherwise.empty())
      values.try_emplace(option.name, choice->otherwise);
  }
  return values;
}

std::string Construction::title(const Values& values) const {
  std::string text = typed();
  for (const Option& option : options)
    if (std::holds_alternative<CountOption>(option.type) && values.contains(option.name))
      text += " " + std::to_string(number_of(values, option.name));
  return text;
}

Program Construction::make(Request request) const {
  request.values = with_defaults(std::move(request.values));
  return program(request);
}

}}  // namespace logdepth::constructions
