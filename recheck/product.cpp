#include "recheck/product.hpp"

#include <algorithm>

#include "recheck/refusal.hpp"

// Lemma split: if, for every choice of the labels of the factors, the coordinates of a cell are factor * [label of the product],
//   then they are at every token, whatever labels occur there: nothing is assumed of which products can be reached.
// Lemma meet: intervals of length l read at the shifts 0, l, 2l, ..., (k-1)l cover (p - kl, p] once, the oldest first; what is
//   cut off at position 0 is the identity, because <begin> acts as it.

namespace recheck {
namespace {

constexpr long kMostLabels = 100000, kMostCases = 1000000;
constexpr std::size_t kMostAssumed = 1000;

int index(const Json& value, std::size_t below) {
  return static_cast<int>(value.integer(0, static_cast<long>(below) - 1));
}

}  // namespace

/// A case: the labels assumed so far, what is left of the units and coordinates of one cell under them.
struct Products::Branch {
  const Frame& frame;
  const std::string& where;
  const std::vector<Shift>& shifts;  // of the factors, oldest first
  long& cases;
  int cell = 0;
  std::size_t factor = 0;                           // factors that the points were followed through
  std::map<int, int> at = {};                       // point of the cell, to where it is now
  std::map<std::pair<int, Shift>, int> known = {};  // label assumed of a cell at a shift
  Stream forms = {};
  /// With what the coordinates of the cell use of them.
  std::vector<std::pair<Form, const Row*>> units = {};
};

Products::Products(const Json& certificate, int width) {
  std::map<std::string, int> names;
  for (const Json& entry : certificate.at("cells").array()) {
    entry.only({"name", "size", "at"});
    ProductCell cell;
    cell.size = static_cast<int>(entry.at("size").integer(1, kMostLabels));
    const int n = static_cast<int>(cells.size());
    if (!names.emplace(entry.at("name").string(), n).second)
      throw Malformed("two product cells of one name");
    for (const Json& held : entry.at("at").array()) {
      if (held.array().size() != 3)
        throw Malformed("wrong entry; expected [coordinate, label, factor]");
      cell.at.push_back({index(held.items[0], static_cast<std::size_t>(width)),
                         index(held.items[1], static_cast<std::size_t>(cell.size)),
                         held.items[2].rational()});
      need(owner.emplace(cell.at.back().coordinate, n).second,
           "product cells share coordinate " + std::to_string(cell.at.back().coordinate));
    }
    cells.push_back(std::move(cell));
  }
  const auto& entries = certificate.at("decode").array();
  for (const Json& entry : entries) {
    if (entry.array().size() != 2)
      throw Malformed("wrong entry; expected [cell, images] or [null, image]");
    Decoded point;
    if (entry.items[0].kind == Json::Kind::null) {
      point.images = {index(entry.items[1], entries.size())};
    } else {
      const auto name = names.find(entry.items[0].string());
      if (name == names.end()) throw Malformed("decode: unknown product cell");
      point.cell = name->second;
      for (const Json& image : entry.items[1].array())
        point.images.push_back(index(image, entries.size()));
      ProductCell& cell = cells[static_cast<std::size_t>(point.cell)];
      need(static_cast<int>(point.images.size()) == cell.size,
           "decode: point " + std::to_string(decode.size()) + " has the wrong number of images");
      cell.points.push_back(static_cast<int>(decode.size()));
    }
    decode.push_back(std::move(point));
  }
  for (ProductCell& cell : cells)
    for (int l = 0; l < cell.size; ++l) {
      Images images;
      for (const int q : cell.points)
        images.push_back(decode[static_cast<std::size_t>(q)].image(l));
      need(cell.label_of.emplace(images, l).second,
           "two labels of a product cell stand for the same map");
    }
}

std::vector<Images> Products::begin(const Frame& frame, Stream& h) {
  std::vector<Images> maps;
  for (int kind = 0; kind < static_cast<int>(frame.weights.kinds.size()); ++kind) {
    const std::string where = "token " + std::to_string(kind);
    std::vector<int> labels(cells.size(), -1);
    for (std::size_t n = 0; n < cells.size(); ++n) {
      std::vector<mpq_class> values;
      for (const Held& held : cells[n].at) {
        const Form form = recheck::at(h, held.coordinate);
        for (const auto& [atom, value] : form)
          need(atom == kOne || atom.cell == own('T').cell,
               "coordinate " + std::to_string(held.coordinate) +
                   " of a product cell holds a position");
        const auto own_kind = form.find(own('T', kind));
        values.push_back(constant_of(form) +
                         (own_kind == form.end() ? mpq_class(0) : own_kind->second));
        if (values.back() == held.factor && held.factor != 0 && labels[n] < 0)
          labels[n] = held.label;
      }
      need(labels[n] >= 0, where + ": product cell " + std::to_string(n) + " has no label");
      for (std::size_t i = 0; i < values.size(); ++i)
        need(
            values[i] == (cells[n].at[i].label == labels[n] ? cells[n].at[i].factor : mpq_class(0)),
            where + ": coordinate " + std::to_string(cells[n].at[i].coordinate) + " holds " +
                shown(values[i]) + " beside label " + std::to_string(labels[n]));
    }
    Images map;
    for (const Decoded& point : decode)
      map.push_back(point.image(point.cell < 0 ? 0 : labels[static_cast<std::size_t>(point.cell)]));
    maps.push_back(std::move(map));
  }
  for (std::size_t q = 0; q < decode.size(); ++q)
    need(maps[0][q] == static_cast<int>(q), "<begin> does not act as the identity: point " +
                                                std::to_string(q) + " goes to " +
                                                std::to_string(maps[0][q]));
  length = {0, 1};
  bind(h);
  return maps;
}

void Products::bind(Stream& h) {
  ++version;
  for (int n = 0; n < static_cast<int>(cells.size()); ++n)
    for (const Held& held : cells[static_cast<std::size_t>(n)].at) {
      h[held.coordinate].clear();
      add(h[held.coordinate], label(n, held.label, {}), held.factor);
    }
}

std::string Products::multiply(const Frame& frame, const Undecided& undecided, Stream& h,
                               const std::string& where) {
  std::vector<Shift> shifts = {{}};
  const auto see = [&](const Form& form) {
    for (const auto& [atom, value] : form)
      if (atom.cell.kind == 'X' && atom.cell.version == version &&
          std::find(shifts.begin(), shifts.end(), atom.cell.at) == shifts.end())
        shifts.push_back(atom.cell.at);
  };
  for (const auto& [unit, uses] : undecided) {
    const Form& form = unit;
    see(form);
    for (const auto& [c, value] : uses)
      need(owner.contains(c), [&, c = c] {
        return where + ": coordinate " + std::to_string(c) +
               " is written by a unit that is not linear; expected a product cell, found ReLU(" +
               shown(form) + ")";
      });
  }
  bool untouched = undecided.empty();
  for (int n = 0; n < static_cast<int>(cells.size()); ++n)
    for (const Held& held : cells[static_cast<std::size_t>(n)].at) {
      see(recheck::at(h, held.coordinate));
      Form form = recheck::at(h, held.coordinate);
      add(form, label(n, held.label, {}), -held.factor);
      untouched = untouched && frame.laws.equals(form, 0);
    }
  if (untouched) return "";
  std::sort(shifts.rbegin(), shifts.rend());
  const long k = static_cast<long>(shifts.size());
  for (long i = 0; i < k; ++i)
    need(shifts[static_cast<std::size_t>(k - 1 - i)] == times(length, i), [&] {
      return where + ": intervals do not meet; expected shift " + shown(times(length, i)) +
             ", found " + shown(shifts[static_cast<std::size_t>(k - 1 - i)]);
    });
  long cases = 0;
  for (int n = 0; n < static_cast<int>(cells.size()); ++n) {
    const ProductCell& cell = cells[static_cast<std::size_t>(n)];
    std::vector<Row> rows;
    rows.reserve(undecided.size());
    Branch branch{frame, where, shifts, cases, n};
    for (const int q : cell.points) branch.at[q] = q;
    for (const Held& held : cell.at)
      branch.forms[held.coordinate] = recheck::at(h, held.coordinate);
    for (const auto& [form, uses] : undecided) {
      Row mine;
      for (const auto& [c, value] : uses)
        if (owner.at(c) == n) mine[c] = value;
      if (mine.empty()) continue;
      rows.push_back(std::move(mine));
      branch.units.emplace_back(form, &rows.back());
    }
    walk(branch);
  }
  const std::string step = where + ": product of " + std::to_string(k) + " intervals of length " +
                           shown(length) + ", " + std::to_string(cases) + " cases\n";
  length = times(length, k);
  bind(h);
  return step;
}

/// Follows the points of the cell through the factors, and splits where a label decides where they go.
void Products::walk(Branch branch) {
  for (; branch.factor < branch.shifts.size(); ++branch.factor) {
    const Shift at = branch.shifts[branch.factor];
    for (const auto& [q, r] : branch.at) {
      const int cell = decode[static_cast<std::size_t>(r)].cell;
      if (cell >= 0 && !branch.known.contains({cell, at})) return split(branch, cell, at);
    }
    for (auto& [q, r] : branch.at) {
      const Decoded& point = decode[static_cast<std::size_t>(r)];
      r = point.image(point.cell < 0 ? 0 : branch.known.at({point.cell, at}));
    }
  }
  if (branch.units.empty()) return finish(branch);
  for (const auto& [form, uses] : branch.units)
    for (const auto& [atom, value] : form)
      if (atom.cell.kind == 'X' && atom.cell.version == version)
        return split(branch, atom.cell.id, atom.cell.at);
  need(false, branch.where + ": a unit of unknown sign reads no product cell: ReLU(" +
                  shown(branch.units.front().first) + ")");
}

void Products::split(const Branch& branch, int cell, Shift at) {
  const Cell assumed = label(cell, 0, at).cell;
  need(branch.known.size() < kMostAssumed, branch.where + ": a product reads too many cells");
  /// A unit: what it reads besides the assumed cell, with its bounds, and what a label adds to it.
  struct Open {
    Form rest;
    std::map<int, mpq_class> parts;
    const Row* uses;
    std::pair<mpq_class, mpq_class> bounds;
  };
  std::vector<Open> units;
  for (const auto& [form, uses] : branch.units) {
    Open unit{{}, {}, uses, {}};
    for (const auto& [atom, value] : form)
      if (atom.cell == assumed)
        unit.parts.emplace(atom.part, value);
      else
        unit.rest.emplace(atom, value);
    unit.bounds = branch.frame.laws.bounds(unit.rest);
    units.push_back(std::move(unit));
  }
  for (int l = 0; l < cells[static_cast<std::size_t>(cell)].size; ++l) {
    Branch next{branch.frame, branch.where,  branch.shifts, branch.cases,
                branch.cell,  branch.factor, branch.at,     branch.known};
    next.known[{cell, at}] = l;
    for (const auto& [c, form] : branch.forms) {
      Form& fixed = next.forms[c];
      for (const auto& [atom, value] : form)
        if (atom.cell != assumed || atom.part == l)
          add(fixed, atom.cell == assumed ? kOne : atom, value);
    }
    for (const Open& unit : units) {
      const auto found = unit.parts.find(l);
      const mpq_class constant = found == unit.parts.end() ? mpq_class(0) : found->second;
      const auto& [low, high] = unit.bounds;
      if (high + constant <= 0) continue;
      Form fixed = unit.rest;
      add(fixed, kOne, constant);
      if (low + constant < 0)
        next.units.emplace_back(std::move(fixed), unit.uses);
      else
        for (const auto& [c, value] : *unit.uses) add(next.forms[c], fixed, value);
    }
    walk(std::move(next));
  }
}

void Products::finish(const Branch& branch) {
  need(++branch.cases <= kMostCases, branch.where + ": too many cases");
  const ProductCell& cell = cells[static_cast<std::size_t>(branch.cell)];
  Images images;
  for (const int q : cell.points) images.push_back(branch.at.at(q));
  const auto product = cell.label_of.find(images);
  need(product != cell.label_of.end(), branch.where + ": product cell " +
                                           std::to_string(branch.cell) +
                                           " has no label for a product");
  for (const Held& held : cell.at) {
    const mpq_class expected = held.label == product->second ? held.factor : mpq_class(0);
    const Form& found = branch.forms.at(held.coordinate);
    need(branch.frame.laws.equals(found, expected), [&] {
      return branch.where + ": coordinate " + std::to_string(held.coordinate) +
             " is not the product; expected " + shown(expected) + ", found " + shown(found);
    });
  }
}

}  // namespace recheck
