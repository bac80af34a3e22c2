#include "compiler/file/cell_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace logdepth::inline compiler_file {
namespace {

constexpr const char* kEllipsis = "\xE2\x80\xA6";
constexpr std::size_t kRanges = 8;

struct Numbered {
  std::string prefix;
  std::uint32_t number = 0;
};

/// "d.12" is number 12 of the family "d."; "d.012" and "d" are on their own.
std::optional<Numbered> numbered(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 == name.size()) return std::nullopt;
  const char* const first = name.data() + dot + 1;
  const char* const last = name.data() + name.size();
  Numbered result{name.substr(0, dot + 1), 0};
  const auto [end, error] = std::from_chars(first, last, result.number);
  if (error != std::errc() || end != last || (*first == '0' && last - first > 1))
    return std::nullopt;
  return result;
}

}  // namespace

std::string number_ranges(const std::vector<std::uint32_t>& numbers, std::size_t limit) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    std::string& text = items.emplace_back(std::to_string(numbers[i]));
    if (end - i > 1) text += fmt::format("{}{}", end - i > 2 ? kEllipsis : ", ", numbers[end - 1]);
    i = end;
  }
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items.size() > limit && i + 2 == limit) {
      text += std::string(", ") + kEllipsis;
      i = items.size() - 1;
    }
    text += (text.empty() ? "" : ", ") + items[i];
  }
  return text;
}

std::vector<CellFamily> group_families(const std::vector<std::string>& names) {
  struct Group {
    std::vector<std::pair<std::uint32_t, std::string>> members;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> by_prefix;
  for (const std::string& name : names) {
    const auto number = numbered(name);
    std::size_t at = groups.size();
    if (number) at = by_prefix.try_emplace(number->prefix, at).first->second;
    if (at == groups.size()) groups.emplace_back();
    groups[at].members.emplace_back(number ? number->number : 0, name);
  }
  std::vector<CellFamily> families;
  for (Group& group : groups) {
    auto& members = group.members;
    std::sort(members.begin(), members.end());
    CellFamily& family = families.emplace_back();
    for (const auto& [number, name] : members) family.cells.push_back(name);
    const std::string& first = family.cells.front();
    const std::string& last = family.cells.back();
    if (members.size() == 1) {
      family.text = first;
    } else if (members.size() == 2) {
      family.text = first + ", " + last;
    } else {
      family.text = first + kEllipsis + last;
      if (members.back().first - members.front().first + 1 != members.size())
        family.text += fmt::format(" ({} cells)", members.size());
    }
  }
  return families;
}

CellNames::CellNames(const Model& model) : model_(model), place_(model.width) {
  for (const auto& [name, index] : model.cells) cells_.push_back({name, &index});
  const auto first = [](const NamedCell& cell) {
    const auto& at = cell.index->coordinates;
    return at.empty() ? UINT32_MAX : at.front();
  };
  std::stable_sort(cells_.begin(), cells_.end(),
                   [&](const NamedCell& a, const NamedCell& b) { return first(a) < first(b); });
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const auto& coordinates = cells_[cell].index->coordinates;
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      if (coordinates[i] < place_.size() && !place_[coordinates[i]])
        place_[coordinates[i]] = Place{cell, i};
  }
}

bool CellNames::is_mirror(std::uint32_t coordinate) const {
  const std::uint32_t half = model_.width / 2;
  return model_.norm == Norm::layernorm && coordinate >= half && coordinate < place_.size() &&
         !place_[coordinate] && place_[coordinate - half];
}

std::string CellNames::component(std::uint32_t coordinate) const {
  if (coordinate >= place_.size() || !place_[coordinate]) return fmt::format("h[{}]", coordinate);
  const Place& place = *place_[coordinate];
  const NamedCell& cell = cells_[place.cell];
  if (cell.index->coordinates.size() == 1) return cell.name;
  return fmt::format("{}[{}]", cell.name, place.index);
}

std::vector<std::string> CellNames::describe(const std::set<std::uint32_t>& coordinates) const {
  std::map<std::size_t, std::vector<std::uint32_t>> parts;  // cell -> components
  std::vector<std::uint32_t> nameless;
  for (const std::uint32_t coordinate : coordinates) {
    if (is_mirror(coordinate)) continue;
    if (coordinate < place_.size() && place_[coordinate]) {
      const Place& place = *place_[coordinate];
      parts[place.cell].push_back(static_cast<std::uint32_t>(place.index));
    } else {
      nameless.push_back(coordinate);
    }
  }
  std::vector<std::string> whole, items;
  for (auto& [cell, indices] : parts)
    if (indices.size() == cells_[cell].index->coordinates.size())
      whole.push_back(cells_[cell].name);
  for (CellFamily& family : group_families(whole)) items.push_back(std::move(family.text));
  // Families of which only parts are meant are named, not spelled out.
  std::vector<std::string> partial;
  std::map<std::string, std::size_t> cell_of;
  for (const auto& [cell, indices] : parts)
    if (indices.size() != cells_[cell].index->coordinates.size()) {
      partial.push_back(cells_[cell].name);
      cell_of[cells_[cell].name] = cell;
    }
  for (const CellFamily& family : group_families(partial)) {
    if (family.cells.size() > 2) {
      items.push_back("parts of " + family.text);
      continue;
    }
    for (const std::string& name : family.cells) {
      std::vector<std::uint32_t>& indices = parts[cell_of[name]];
      std::sort(indices.begin(), indices.end());
      items.push_back(name + "[" + number_ranges(indices, kRanges) + "]");
    }
  }
  if (!nameless.empty()) items.push_back("h[" + number_ranges(nameless, kRanges) + "]");
  return items;
}

std::set<std::uint32_t> CellNames::whole_cells(const std::set<std::uint32_t>& coordinates) const {
  std::set<std::uint32_t> result;
  for (const std::uint32_t coordinate : coordinates) {
    result.insert(coordinate);
    if (coordinate >= place_.size() || !place_[coordinate]) continue;
    const auto& own = cells_[place_[coordinate]->cell].index->coordinates;
    result.insert(own.begin(), own.end());
  }
  return result;
}

std::vector<std::string> CellNames::describe_copies(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& copies,
    const std::string& sign) const {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  // Copies between the same two cells (or between coordinates without a name) that keep the order
  // of components belong together; groups that pair the same numbers of two families are one item.
  struct Route {
    std::size_t to = 0, from = 0;  // cells; cells_.size(): no name
    std::int64_t shift = 0;        // what takes a component to the one it is copied to
    auto operator<=>(const Route&) const = default;
  };
  const auto place_of = [&](std::uint32_t coordinate) {
    return coordinate < place_.size() && place_[coordinate] ? *place_[coordinate]
                                                            : Place{cells_.size(), coordinate};
  };
  std::map<Route, std::vector<Pair>> routes;
  for (const Pair& copy : copies) {
    if (is_mirror(copy.first)) continue;
    const Place to = place_of(copy.first), from = place_of(copy.second);
    const auto shift = static_cast<std::int64_t>(to.index) - static_cast<std::int64_t>(from.index);
    routes[{to.cell, from.cell, shift}].push_back(copy);
  }

  struct Item {
    std::set<std::uint32_t> to, from;
  };
  std::vector<Item> items;
  std::map<std::pair<std::string, std::string>, std::size_t> by_family;
  for (const auto& [route, pairs] : routes) {
    std::pair<std::string, std::string> key;
    if (route.shift == 0 && route.to < cells_.size() && route.from < cells_.size()) {
      const auto to = numbered(cells_[route.to].name);
      const auto from = numbered(cells_[route.from].name);
      if (to && from && to->number == from->number) key = {to->prefix, from->prefix};
    }
    std::size_t at = items.size();
    if (!key.first.empty()) at = by_family.try_emplace(key, at).first->second;
    if (at == items.size()) items.emplace_back();
    for (const auto& [to, from] : pairs) {
      items[at].to.insert(to);
      items[at].from.insert(from);
    }
  }
  const auto joined = [&](const std::set<std::uint32_t>& coordinates) {
    std::string text;
    for (const std::string& item : describe(coordinates)) text += (text.empty() ? "" : ", ") + item;
    return text;
  };
  std::vector<std::string> texts;
  for (const Item& item : items)
    texts.push_back(joined(item.to) + " " + sign + " " + joined(item.from));
  return texts;
}

std::vector<CellFamily> CellNames::families() const {
  std::vector<std::string> names;
  for (const NamedCell& cell : cells_) names.push_back(cell.name);
  return group_families(names);
}

}  // namespace logdepth::inline compiler_file
