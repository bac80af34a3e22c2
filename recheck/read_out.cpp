#include "recheck/read_out.hpp"

#include <algorithm>
#include <numeric>

#include "recheck/refusal.hpp"

// Lemma winner: in a group of rows the one with the largest logit is read, if it is alone. A verdict is never a tie: accept minus
//   reject is not zero for any label (or any product that words have).

namespace recheck {
namespace {

constexpr std::size_t kMostProducts = 100000;
constexpr long kMostRows = 1 << 24;

std::vector<Images> to_images(const Json& lists, long below) {
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
  const Json& output = weights.output;
  output.only({"kind", "accept", "reject"}, {"prefix"});
  PrefixRows rows;
  const int all = weights.unembedding.rows;
  std::set<long> used = {output.at("accept").integer(0, all - 1),
                         output.at("reject").integer(0, all - 1)};
  std::size_t expected = 2;
  if (output.has("prefix")) {
    const Json& prefix = output.at("prefix");
    const std::string& kind = prefix.at("kind").string();
    rows.first_row = static_cast<int>(prefix.at("first_row").integer(0, all));
    if (kind == "state") {
      prefix.only({"kind", "first_row", "states"});
      rows.kind = PrefixRows::Kind::state;
      rows.points = static_cast<int>(prefix.at("states").integer(1, kMostRows));
    } else if (kind == "element") {
      prefix.only({"kind", "first_row", "elements"});
      rows.kind = PrefixRows::Kind::element;
      rows.choices = to_images(prefix.at("elements"), kMostRows);
      rows.points = rows.choices.empty() ? 0 : static_cast<int>(rows.choices[0].size());
      for (const Images& product : rows.choices)
        if (static_cast<int>(product.size()) != rows.points ||
            std::any_of(product.begin(), product.end(), [&](int i) { return i >= rows.points; }))
          throw Malformed("output: an element is no map of points");
      if (std::set<Images>(rows.choices.begin(), rows.choices.end()).size() != rows.choices.size())
        throw Malformed("output: an element appears twice");
    } else if (kind == "transformation") {
      prefix.only({"kind", "first_row", "points", "images"});
      rows.kind = PrefixRows::Kind::transformation;
      rows.points = static_cast<int>(prefix.at("points").integer(1, kMostRows));
      rows.choices = to_images(prefix.at("images"), rows.points);
      if (static_cast<int>(rows.choices.size()) != rows.points)
        throw Malformed("output: images of the wrong number of points");
    } else {
      throw Malformed("output: unknown prefix read-out");
    }
    for (const int size : rows.groups()) {
      if (size == 0) throw Malformed("output: a group without rows");
      expected += static_cast<std::size_t>(size);
    }
    for (long r = rows.first_row; r < rows.first_row + static_cast<long>(expected) - 2 && r < all;
         ++r)
      used.insert(r);
  }
  if (used.size() != expected || static_cast<int>(expected) != all)
    throw Malformed("output: expected every row of the unembedding once");
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
                       static_cast<int>(frame.weights.output.at(name).integer(0, kMostRows))),
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
  read_prefix_rows(frame_.weights);  // that accept and reject are rows
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
