#include "recheck/product.hpp"

#include <algorithm>
#include <numeric>

#include "recheck/refusal.hpp"

// Lemma split: if, for every choice of the labels of the factors [checked by walk, split], the coordinates of a cell are factor *
//   [label of the product] [checked by finish], then they are at every token, whatever labels occur there: nothing is assumed of
//   which products can be reached.
// Lemma meet: intervals of length l read at the shifts 0, l, 2l, ..., (k-1)l [checked by shifts, multiply] cover (p - kl, p] once,
//   the oldest first; what is cut off at position 0 is the identity, because <begin> acts as it [checked by begin, maps].

// Lemma winner: in a group of rows the one with the largest logit is read, if it is alone [checked by winner, count]. A verdict is
//   never a tie: accept minus reject is not zero for any label (or any product that words have) [checked by read_verdict,
//   read_class in resets.cpp].

namespace recheck {
namespace {

constexpr std::int64_t kMostLabels = 100000, kMostCases = 1000000;
constexpr std::size_t kMostAssumed = 1000;

int index(const Json& value, std::size_t below) {
  return static_cast<int>(value.integer(0, static_cast<std::int64_t>(below) - 1));
}

}  // namespace

/// A case: the labels assumed so far, what is left of the units and coordinates of one cell under them.
struct Products::Branch {
  const Frame& frame;
  const std::string& where;
  const std::vector<Shift>& shifts;  // of the factors, oldest first
  std::int64_t& cases;
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

Frame Products::frame(const Weights& weights) const {
  Frame frame{weights, {}, "", 0};
  frame.laws.size_of = [this, &weights](const Cell& cell) {
    if (cell.kind == 'T') return static_cast<int>(weights.kinds.size());
    return cell.kind == 'O' ? 2 : cells.at(static_cast<std::size_t>(cell.id)).size;
  };
  return frame;
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
        values.push_back(constant_of(form) + value_in(form, own('T', kind)));
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
  const std::int64_t k = static_cast<std::int64_t>(shifts.size());
  for (std::int64_t i = 0; i < k; ++i)
    need(shifts[static_cast<std::size_t>(k - 1 - i)] == times(length, i), [&] {
      return where + ": intervals do not meet; expected shift " + shown(times(length, i)) +
             ", found " + shown(shifts[static_cast<std::size_t>(k - 1 - i)]);
    });
  std::int64_t cases = 0;
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
      const mpq_class constant = value_in(unit.parts, l);
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

namespace {

constexpr std::size_t kMostProducts = 100000;
constexpr std::int64_t kMostPrefixRows = 1 << 24;

std::vector<Images> to_images(const Json& lists, std::int64_t below) {
  std::vector<Images> out;
  for (const Json& list : lists.array()) {
    Images& images = out.emplace_back();
    for (const Json& image : list.array())
      images.push_back(static_cast<int>(image.integer(0, below - 1)));
  }
  return out;
}

}  // namespace

std::vector<int> PrefixRows::groups() const {
  std::vector<int> sizes;
  if (kind == Kind::state) sizes = {points};
  if (kind == Kind::element) sizes = {static_cast<int>(choices.size())};
  if (kind == Kind::transformation)
    for (const Images& images : choices) sizes.push_back(static_cast<int>(images.size()));
  return sizes;
}

Images PrefixRows::read(const std::vector<int>& winners) const {
  if (kind == Kind::state) return winners;
  if (kind == Kind::element) return choices[static_cast<std::size_t>(winners[0])];
  Images product;
  for (std::size_t q = 0; q < choices.size(); ++q)
    product.push_back(choices[q][static_cast<std::size_t>(winners[q])]);
  return product;
}

PrefixRows read_prefix_rows(const Weights& weights) {
  PrefixRows rows;
  if (!weights.output.has("prefix")) return rows;
  const Json& prefix = weights.output.at("prefix");
  const std::string& kind = prefix.at("kind").string();
  rows.first_row = static_cast<int>(prefix.at("first_row").integer(0, kMostPrefixRows));
  if (kind == "state") {
    rows.kind = PrefixRows::Kind::state;
    rows.points = static_cast<int>(prefix.at("states").integer(1, kMostPrefixRows));
  } else if (kind == "element") {
    rows.kind = PrefixRows::Kind::element;
    rows.choices = to_images(prefix.at("elements"), kMostPrefixRows);
    rows.points = static_cast<int>(rows.choices[0].size());
  } else {
    rows.kind = PrefixRows::Kind::transformation;
    rows.points = static_cast<int>(prefix.at("points").integer(1, kMostPrefixRows));
    rows.choices = to_images(prefix.at("images"), rows.points);
  }
  return rows;
}

int winner(const std::vector<mpq_class>& logits, const std::string& where) {
  const auto largest = std::max_element(logits.begin(), logits.end());
  need(std::count(logits.begin(), logits.end(), *largest) == 1,
       where + ": the largest logit is a tie");
  return static_cast<int>(largest - logits.begin());
}

Form verdict_form(const Frame& frame, const Stream& h) {
  const auto row = [&](const char* name) {
    return combine(frame.weights.unembedding.row(
                       static_cast<int>(frame.weights.output.at(name).integer(0, kMostPrefixRows))),
                   h);
  };
  Form form = row("accept");
  add(form, row("reject"), -1);
  frame.laws.simplify(form);
  return form;
}

int LabelReader::labels_of(int cell) const {
  return cell < 0 ? 1 : products_.cells[static_cast<std::size_t>(cell)].size;
}

std::pair<mpq_class, LabelReader::Tables> LabelReader::tables(Form form) const {
  frame_.laws.simplify(form);
  Tables tables;
  for (const auto& [atom, value] : form) {
    if (atom == kOne) continue;
    need(atom.cell.kind == 'X' && atom.cell.version == products_.version && atom.cell.at == Shift{},
         "a logit reads more than the product: " + shown(form));
    auto& table = tables[atom.cell.id];
    table.resize(static_cast<std::size_t>(labels_of(atom.cell.id)));
    table[static_cast<std::size_t>(atom.part)] = value;
  }
  return {constant_of(form), tables};
}

void LabelReader::read(const std::vector<Images>& maps, Theorem& theorem) const {
  Automaton automaton;
  automaton.points = static_cast<int>(products_.decode.size());
  automaton.letters = {frame_.weights.kinds.begin() + 1, frame_.weights.kinds.end()};
  automaton.maps = {maps.begin() + 1, maps.end()};
  if (check_prefixes()) theorem.prefixes = "products";
  read_verdict(automaton);
  theorem.automaton = std::move(automaton);
}

bool LabelReader::check_prefixes() const {
  const PrefixRows rows = read_prefix_rows(frame_.weights);
  if (rows.kind == PrefixRows::Kind::none) return false;
  need(rows.kind != PrefixRows::Kind::state, "output: a read-out of states; expected products");
  need(rows.points == static_cast<int>(products_.decode.size()),
       "output: the read-out has " + std::to_string(rows.points) + " points; expected " +
           std::to_string(products_.decode.size()));
  int row = rows.first_row, group = 0;
  for (const int size : rows.groups()) {
    const std::string where = "prefix read-out, group " + std::to_string(group);
    std::vector<int> points = {group++};  // whose images are read
    if (rows.kind == PrefixRows::Kind::element) {
      points.resize(products_.decode.size());
      std::iota(points.begin(), points.end(), 0);
    }
    int cell = -1;
    for (const int q : points)
      if (const int of = products_.decode[static_cast<std::size_t>(q)].cell; of >= 0) {
        need(cell < 0 || cell == of, where + ": elements of several product cells");
        cell = of;
      }
    std::vector<std::pair<mpq_class, Tables>> logits;
    for (int i = 0; i < size; ++i) {
      logits.push_back(tables(combine(frame_.weights.unembedding.row(row++), h_)));
      for (const auto& [of, table] : logits.back().second)
        need(of == cell, where + ": a logit reads another product cell");
    }
    for (int l = 0; l < labels_of(cell); ++l) {
      Images images;
      for (const int q : points)
        images.push_back(products_.decode[static_cast<std::size_t>(q)].image(
            products_.decode[static_cast<std::size_t>(q)].cell < 0 ? 0 : l));
      std::vector<mpq_class> scores;
      for (const auto& [constant, table] : logits)
        scores.push_back(table.empty()
                             ? constant
                             : mpq_class(constant + table.at(cell)[static_cast<std::size_t>(l)]));
      const auto best = static_cast<std::size_t>(winner(scores, where));
      const bool right = rows.kind == PrefixRows::Kind::element
                             ? rows.choices[best] == images
                             : rows.choices[static_cast<std::size_t>(points[0])][best] == images[0];
      need(right, where + ": label " + std::to_string(l) + " is not read as its product");
    }
  }
  return true;
}

void LabelReader::read_verdict(Automaton& automaton) const {
  const auto [constant, read] = tables(verdict_form(frame_, h_));
  for (int q = 0; q < automaton.points; ++q) {  // does the image of one point decide?
    const Decoded& point = products_.decode[static_cast<std::size_t>(q)];
    bool decides = read.empty() || (read.size() == 1 && read.begin()->first == point.cell);
    std::map<int, bool> accepts;
    for (int l = 0; decides && l < labels_of(point.cell); ++l) {
      const mpq_class value =
          read.empty() ? constant
                       : mpq_class(constant + read.begin()->second[static_cast<std::size_t>(l)]);
      need(value != 0, "the verdict is a tie");
      decides = accepts.emplace(point.image(l), value > 0).first->second == (value > 0);
    }
    if (!decides) continue;
    automaton.initial = q;
    for (const auto& [image, accepted] : accepts)
      if (accepted) automaton.accepting.insert(image);
    return;
  }
  Images identity(static_cast<std::size_t>(automaton.points));
  std::iota(identity.begin(), identity.end(), 0);
  std::set<Images> seen = {identity};
  std::vector<Images> left = {identity};
  while (!left.empty()) {
    const Images product = std::move(left.back());
    left.pop_back();
    mpq_class value = constant;
    for (const auto& [cell, table] : read) {
      Images images;
      for (const int q : products_.cells[static_cast<std::size_t>(cell)].points)
        images.push_back(product[static_cast<std::size_t>(q)]);
      value += table[static_cast<std::size_t>(
          products_.cells[static_cast<std::size_t>(cell)].label_of.at(images))];
    }
    need(value != 0, "the verdict is a tie");
    if (value > 0) automaton.accepted_products.insert(product);
    for (const Images& letter : automaton.maps) {
      Images next;
      for (const int image : product) next.push_back(letter[static_cast<std::size_t>(image)]);
      if (!seen.insert(next).second) continue;
      need(seen.size() <= kMostProducts, "more than 100000 products");
      left.push_back(std::move(next));
    }
  }
}

}  // namespace recheck
