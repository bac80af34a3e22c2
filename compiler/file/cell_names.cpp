#include "compiler/file/cell_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/text_lines.hpp"
#include "compiler/file/carried_program.hpp"

namespace logdepth { inline namespace compiler_file {
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
  const std::string digits = name.substr(dot + 1);
  const auto number = whole_number(digits);
  if (!number || *number > UINT32_MAX || (digits[0] == '0' && digits.size() > 1))
    return std::nullopt;
  return Numbered{name.substr(0, dot + 1), static_cast<std::uint32_t>(*number)};
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

CellNames::CellNames(const Model& model, const Program* program)
    : model_(model), program_(program), place_(model.width) {
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
  if (program_)
    if (const auto id = program_->find(cell.name))
      if (const auto* type = std::get_if<OneHotType>(&program_->cells[*id].type);
          type && place.index < type->labels.size())
        return cell.name + "=" + type->labels[place.index];
  if (cell.index->coordinates.size() == 1) return cell.name;
  return fmt::format("{}[{}]", cell.name, place.index);
}

std::vector<std::string> CellNames::cells(const std::set<std::uint32_t>& coordinates) const {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const std::uint32_t c : coordinates) {
    const std::uint32_t own = is_mirror(c) ? c - model_.width / 2 : c;
    const bool named = own < place_.size() && place_[own];
    const std::string name = named ? cells_[place_[own]->cell].name : component(own);
    if (known.insert(name).second) names.push_back(name);
  }
  return names;
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
  std::vector<std::string> texts;
  for (const Item& item : items)
    texts.push_back(joined(describe(item.to)) + " " + sign + " " + joined(describe(item.from)));
  return texts;
}

std::vector<CellFamily> CellNames::families() const {
  std::vector<std::string> names;
  for (const NamedCell& cell : cells_) names.push_back(cell.name);
  return group_families(names);
}

std::string linear_form(const CellNames& names, const SparseVector& form) {
  std::string text;
  for (const SparseEntry& entry : form) {
    if (names.is_mirror(entry.index)) continue;
    const bool minus = entry.value.text().starts_with('-');
    const Rational size = minus ? -entry.value : entry.value;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    if (!(size == Rational(1))) text += size.text() + " ";
    text += names.component(entry.index);
  }
  return text.empty() ? "0" : text;
}

std::string contract_text(const CellNames& names, const Contract& contract) {
  return std::visit(
      Overload{
          [](const UniformContract&) -> std::string { return "all visible positions"; },
          [](const MatchContract& match) -> std::string {
            return match.exactly_one ? "exactly one position"
                                     : "at least one position, all with the same key";
          },
          [&](const RightmostContract& rightmost) -> std::string {
            return "the last position where " + linear_form(names, rightmost.flag) + " is largest";
          },
          [&](const FlaggedContract& flagged) -> std::string {
            std::string text = "the positions with " + linear_form(names, flagged.flag) + " > 0";
            if (flagged.when)
              text += " for tokens with " + linear_form(names, *flagged.when) + " > 0";
            return text + ", else all";
          },
          [](const FindContract& find) -> std::string {
            return (find.exactly_one ? std::string("the one position that matches in ")
                                     : "the positions that match in ") +
                   counted(find.terms, "term") + (find.prefer ? ", the preferred ones if any" : "");
          },
          [&](const RelatedContract& related) -> std::string {
            return fmt::format("the positions related by {} pairs, those with {} > 0 if any",
                               related.pairs.size(), linear_form(names, related.prefer));
          }},
      contract);
}

std::vector<std::string> head_writes(const CellNames& names, const Head& head, bool blank) {
  std::map<std::uint32_t, std::vector<const MatrixEntry*>> value_rows, output_rows;
  for (const MatrixEntry& entry : head.value.entries)
    if (!names.is_mirror(entry.column)) value_rows[entry.row].push_back(&entry);
  for (const MatrixEntry& entry : head.output.entries) output_rows[entry.row].push_back(&entry);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies, negated;
  std::map<std::uint32_t, std::set<std::uint32_t>> sums;  // target -> sources
  for (const auto& [target, entries] : output_rows) {
    if (names.is_mirror(target)) continue;
    const auto& first = value_rows[entries.front()->column];
    if (entries.size() == 1 && first.size() == 1) {
      const Rational factor = entries.front()->value * first.front()->value;
      (factor < Rational(0) ? negated : copies).emplace_back(target, first.front()->column);
      continue;
    }
    for (const MatrixEntry* entry : entries)
      for (const MatrixEntry* source : value_rows[entry->column])
        sums[target].insert(source->column);
  }
  // The compiler proves that a copy's target was blank; a bare file only says that it adds.
  std::vector<std::string> writes = names.describe_copies(copies, blank ? ":=" : "+=");
  for (std::string& line : names.describe_copies(negated, blank ? ":= minus" : "-="))
    writes.push_back(std::move(line));
  std::map<std::set<std::uint32_t>, std::set<std::uint32_t>> by_sources;
  for (const auto& [target, sources] : sums) by_sources[sources].insert(target);
  for (const auto& [sources, targets] : by_sources)
    writes.push_back(joined(names.describe(targets)) + " += mean over " +
                     joined(names.describe(sources)));
  if (writes.empty()) writes.push_back("writes nothing");
  return writes;
}

std::vector<std::string> names_of_states(const Model& model) {
  const std::string* states = text_in(model.parameters, "states");
  if (!states) return {};
  const auto list = nlohmann::json::parse(*states, nullptr, false);
  std::vector<std::string> names;
  if (!list.is_array()) return names;
  for (const auto& name : list) {
    if (!name.is_string()) return {};
    names.push_back(name);
  }
  return names;
}

namespace {

using Coordinates = std::set<std::uint32_t>;
/// More labels than these are counted.
constexpr std::size_t kListedLabels = 12;

void add_columns(const SparseMatrix& matrix, Coordinates& all) {
  for (const MatrixEntry& entry : matrix.entries) all.insert(entry.column);
}
void add_rows(const SparseMatrix& matrix, Coordinates& all) {
  for (const MatrixEntry& entry : matrix.entries) all.insert(entry.row);
}
void add_indices(const SparseVector& vector, Coordinates& all) {
  for (const SparseEntry& entry : vector) all.insert(entry.index);
}

}  // namespace

Coordinates embedded_coordinates(const Model& model) {
  Coordinates all;
  for (const auto& [kind, vector] : model.embedding) add_indices(vector, all);
  return all;
}

Coordinates position_coordinates(const Model& model) {
  Coordinates all;
  std::visit(Overload{[&](const FirstFlagPosition& p) {
                        add_indices(p.first, all);
                        add_indices(p.rest, all);
                      },
                      [&](const CodePosition& p) {
                        add_indices(p.parity, all);
                        for (const CodeFill& fill : p.fills)
                          all.insert(fill.at.begin(), fill.at.end());
                      },
                      [&](const TablePosition& p) {
                        for (const SparseVector& row : p.rows) add_indices(row, all);
                      }},
             model.position);
  return all;
}

namespace {

/// Cells that statements of a feed-forward sublayer read and write.
struct Touched {
  std::string part;
  std::set<std::string> read, written;
};

class Meanings {
 public:
  explicit Meanings(const Model& model)
      : model_(model), carried_(model, Trust::plausible), fitted_(carried_.fitted()) {
    for (const auto& [name, cell] : model.cells) {
      CellSheet& one = all_.emplace_back();
      one.name = name;
      one.type = cell.type;
      one.lifetime = cell.lifetime;
      one.coordinates = cell.coordinates;
    }
    std::ranges::stable_sort(all_, {}, [](const CellSheet& cell) {
      return cell.coordinates.empty() ? 0 : cell.coordinates.front();
    });
  }

  std::vector<CellSheet> of_all() {
    touch("embedding", {}, embedded_coordinates(model_));
    touch("position", {}, position_coordinates(model_));
    for (std::size_t layer = 0; layer < model_.layers.size(); ++layer) touch_layer(layer);
    Coordinates read;
    add_columns(model_.unembedding, read);
    touch("output", read, {});
    for (CellSheet& cell : all_) cell.meaning = meaning(cell);
    return std::move(all_);
  }

 private:
  void touch(const std::string& part, const Coordinates& read, const Coordinates& written) {
    for (CellSheet& cell : all_) {
      const auto any = [&](const Coordinates& of) {
        return std::ranges::any_of(cell.coordinates, [&](auto c) { return of.contains(c); });
      };
      if (any(read)) cell.read_by.push_back(part);
      if (any(written)) cell.written_by.push_back(part);
    }
  }

  void touch_layer(std::size_t at) {
    const Layer& layer = model_.layers[at];
    const std::string where = fmt::format(" (layer {})", at + 1);
    for (std::size_t k = 0; k < layer.attention.heads.size(); ++k) {
      const Head& head = layer.attention.heads[k];
      Coordinates read, written;
      for (const SparseMatrix* matrix : {&head.query, &head.key, &head.value})
        add_columns(*matrix, read);
      add_rows(head.output, written);
      const std::string name =
          fitted_ ? std::get<FetchStatement>(*fitted_->statements(at).attention[k]).name
                  : std::to_string(k + 1);
      touch("head " + name + where, read, written);
    }
    if (!fitted_) {
      Coordinates read, written;
      add_columns(layer.feedforward.in, read);
      add_rows(layer.feedforward.out, written);
      touch("feed-forward" + where, read, written);
      return;
    }
    std::vector<Touched> parts;
    for (const Statement* statement : fitted_->statements(at).feedforward)
      add_statement(*statement, parts);
    for (const Touched& part : parts)
      for (CellSheet& cell : all_) {
        if (part.read.contains(cell.name)) cell.read_by.push_back(part.part + where);
        if (part.written.contains(cell.name)) cell.written_by.push_back(part.part + where);
      }
  }

  const std::string& name_of(CellId cell) const { return fitted_->program().cells[cell].name; }

  /// Moves and erasures of a sublayer are a part each.
  void add_statement(const Statement& statement, std::vector<Touched>& parts) const {
    const auto part = [&](const std::string& name) -> Touched& {
      const auto known = std::ranges::find(parts, name, &Touched::part);
      return known == parts.end() ? parts.emplace_back(Touched{name, {}, {}}) : *known;
    };
    std::visit(Overload{[&](const LookupStatement& s) {
                          Touched& touched = part("look-up " + s.name);
                          for (const Rule& rule : s.rules) {
                            for (const Literal& one : rule.when)
                              touched.read.insert(name_of(one.cell));
                            for (const Assignment& one : rule.then)
                              touched.written.insert(name_of(one.cell));
                          }
                        },
                        [&](const MoveStatement& s) {
                          Touched& touched = part("move");
                          touched.read.insert(name_of(s.source));
                          for (const Literal& one : s.when) touched.read.insert(name_of(one.cell));
                          touched.written.insert(name_of(s.target));
                        },
                        [&](const EraseStatement& s) {
                          for (const CellId cell : s.cells)
                            part("erasure").written.insert(name_of(cell));
                        },
                        [&](const NormaliseStatement& s) {
                          Touched& touched = part("normalisation");
                          for (const Term& term : s.group)
                            touched.read.insert(name_of(term.component.cell));
                          for (const CellId cell : s.targets) touched.written.insert(name_of(cell));
                        },
                        [&](const TestStatement& s) {
                          Touched& touched = part("test");
                          touched.read.insert(name_of(s.number.cell));
                          touched.written.insert(name_of(s.flag));
                        },
                        [](const FetchStatement&) {}},
               statement);
  }

  std::string meaning(const CellSheet& cell) const {
    const auto found = fitted_ ? fitted_->program().find(cell.name) : std::nullopt;
    if (found) return meaning(fitted_->program().cells[*found].type, *found);
    if (cell.type == "constant") return "1 at every token";
    if (cell.type == "flag") return "true or false, as 1 and -1";
    if (cell.type == "onehot")
      return fmt::format("one of {} labels, as a unit vector", cell.coordinates.size());
    if (cell.type == "direction")
      return "unit vector: the code of a position or of a number, or a direction";
    return counted(cell.coordinates.size(), "number");
  }

  std::string meaning(const CellType& type, CellId id) const {
    return std::visit(
        Overload{[](const ConstantType&) -> std::string { return "1 at every token"; },
                 [&](const FlagType&) -> std::string {
                   for (const PositionFill& fill : fitted_->program().position)
                     if (fill.cell == id)
                       return fill.parity ? "true at even positions, else false, as 1 and -1"
                                          : "true at the first position, as 1 and -1";
                   return "true or false, as 1 and -1";
                 },
                 [](const OneHotType& t) {
                   return "one of " + counted(t.labels.size(), "label") +
                          (t.labels.size() <= kListedLabels ? ": " + joined(t.labels) : "");
                 },
                 [](const KeyType& t) {
                   return code_name(t.code) + " code of the token's own position";
                 },
                 [&](const PointerType& t) {
                   std::string text = code_name(t.code) + " code of a position not after the token";
                   for (const PositionFill& fill : fitted_->program().position)
                     if (fill.cell == id && fill.back > 0)
                       text += fmt::format("; at first {} before it", fill.back);
                   return text;
                 },
                 [](const DirectionType& t) -> std::string {
                   return t.size == 2 ? "unit vector in the direction of (x, 1), for a number x"
                                      : fmt::format("unit vector of {} components", t.size);
                 },
                 [](const NumberType& t) {
                   return t.size == 1 ? std::string("a number") : counted(t.size, "number");
                 }},
        type);
  }

  const Model& model_;
  CarriedProgram carried_;
  const FittedProgram* fitted_;
  std::vector<CellSheet> all_;
};

}  // namespace

std::vector<CellSheet> cell_meanings(const Model& model) {
  return Meanings(model).of_all();
}

}}  // namespace logdepth::compiler_file
