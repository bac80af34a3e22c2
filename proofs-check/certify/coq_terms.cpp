#include "proofs-check/certify/coq_terms.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace logdepth { inline namespace proofs_check_certify { namespace coq {
namespace {

constexpr int kAtomsBefore = 3, kAtomsOfCode = 4;  // numbers of atoms in Atoms.v

}  // namespace

Images followed_by(const Images& x, const Images& map) {
  Images both;
  for (const int q : x) both.push_back(map[static_cast<std::size_t>(q)]);
  return both;
}

int place_of(const std::vector<Images>& list, const Images& images) {
  return static_cast<int>(std::find(list.begin(), list.end(), images) - list.begin());
}

json shift_json(Shift b) {
  return json::array({b.strides, b.constant});
}

json stage_json(json places, const std::vector<Row>& constants, json parts) {
  json rows = json::array();
  for (const Row& row : constants) {
    json& line = rows.emplace_back(json::array());
    for (const auto& [c, value] : row) line.push_back(json::array({c, value.get_str()}));
  }
  return {{"places", std::move(places)}, {"consts", std::move(rows)}, {"parts", std::move(parts)}};
}

json layer_json(json heads, json attention, json feedforward) {
  return {{"heads", std::move(heads)},
          {"norms", json::array({std::move(attention), std::move(feedforward)})},
          {"factors", json::array()}};
}

void see(const Form& form, Shift by, Places& places) {
  for (const auto& [atom, value] : form) {
    Cell cell = atom.cell;
    cell.at = recheck::plus(cell.at, by);
    if (std::string_view("KDMPH").find(cell.kind) != std::string_view::npos) places.insert(cell);
  }
}

Places places_of(const Stream& h) {
  Places places;
  for (const auto& [c, form] : h) see(form, {}, places);
  return places;
}

Cells listed(Places places) {
  const Cell first = own('K').cell;
  places.erase(first);
  Cells list = {first};
  list.insert(list.end(), places.begin(), places.end());
  return list;
}

int block_of(const Cells& places, const Cell& cell) {
  return static_cast<int>(std::find(places.begin(), places.end(), cell) - places.begin());
}

int number_of(const Cells& places, const Cell& cell, int component) {
  return kAtomsBefore + kAtomsOfCode * block_of(places, cell) + component;
}

json match(const recheck::Bilinear& scores, const Cells& places, Shift b) {
  mpq_class factors[2];
  Cell of;
  for (const auto& [key, queries] : scores)
    for (const auto& [query, value] : queries) {
      of = query.cell;
      if (key.part == query.part && key.part % 2 == 0) factors[key.part / 2] = value;
    }
  return {"match", block_of(places, of), b.constant - of.at.constant, factors[0].get_str(),
          factors[1].get_str()};
}

json automaton_json(const recheck::Automaton& automaton, bool states,
                    const std::vector<Images>& products) {
  json made = {{"delta", json::array()},
               {"start", states ? *automaton.initial : 0},
               {"accepting", json::array()}};
  const auto count = states ? static_cast<std::size_t>(automaton.points) : products.size();
  for (std::size_t q = 0; q < count; ++q) {
    json& next = made["delta"].emplace_back(json::array());
    for (const Images& map : automaton.maps)
      next.push_back(states ? std::max(map[q], 0)
                            : place_of(products, followed_by(products[q], map)));
    made["accepting"].push_back(states ? automaton.accepting.contains(static_cast<int>(q))
                                       : automaton.accepted_products.contains(products[q]));
  }
  return made;
}

const recheck::Weighted& numbers_of(const Frame& frame, const Cell& direction) {
  return frame.laws.directions[static_cast<std::size_t>(direction.id)];
}

namespace {

/// The factor of a norm on a vector whose squares sum to `square`, where `weight` of them are to remain.
std::string factor_of(const Frame& frame, const mpq_class& square, const mpq_class& weight,
                      const std::string& message) {
  const auto factor = recheck::rational_root(frame.weights.width * weight / square);
  need(factor.has_value(), message);
  return factor->get_str();
}

mpq_class sum_of_squares(const Stream& x, const Atom& atom) {
  mpq_class sum;
  for (const auto& [c, form] : x) {
    const mpq_class value = value_in(form, atom);
    sum += value * value;
  }
  return sum;
}

/// A norm that makes the direction `to` of one number or of the direction `from`; its first number gives the factor.
json direction_norm(const Frame& frame, const Stream& x, const Places& from, const Places& to,
                    const Cells& places, const std::string& where) {
  need(to.size() == 1 && from.size() <= 1, "Coq: " + where + ": several directions");
  const auto& [number, weight] = numbers_of(frame, *to.begin()).front();
  Atom first{{'M', number, 0, {}}, 0};
  if (number == recheck::kPosition) first = kOne;  // p/(p+1) = 1 - 1/(p+1)
  if (!from.empty()) first = {*from.begin(), 0};
  const mpq_class square = sum_of_squares(x, first);
  need(square > 0, "Coq: " + where + ": a direction without its first number");
  return {"toward", from.empty() ? json() : json(block_of(places, *from.begin())),
          block_of(places, *to.begin()),
          factor_of(frame, square, weight, "Coq: " + where + ": the direction is irrational")};
}

}  // namespace

json norm_json(Frame& frame, const Row& mask, const Stream& h, const Cells& places,
               const std::function<bool(const Atom&)>& is_one, const std::string& where) {
  const Stream z = recheck::normalised(frame, mask, h, where);
  if (z.empty()) return kZero;
  Stream x;
  for (const auto& [c, factor] : mask) recheck::add(x[c], recheck::at(h, c), factor);
  const auto directions = [](const Stream& stream) {
    Places found = places_of(stream);
    std::erase_if(found, [](const Cell& cell) { return cell.kind != 'D'; });
    return found;
  };
  const Places from = directions(x), to = directions(z);
  if (to != from) return direction_norm(frame, x, from, to, places, where);
  const Cell high{'H', 1, 2, {}}, low{'H', 0, 2, {}};
  if (places_of(x).contains(high))
    return {"odd", block_of(places, high), block_of(places, low), block_of(places, own('P').cell),
            factor_of(frame, sum_of_squares(x, Atom{high, 0}), 1,
                      "Coq: " + where + ": the norm is irrational")};
  mpq_class whole, constants;
  bool direction = false;
  for (const auto& [c, form] : x) {
    mpq_class constant;
    for (const auto& [atom, value] : form) {
      const char kind = atom.cell.kind;
      if (atom == kOne || is_one(atom)) constant += value;
      // Of a pair one component, of a direction that of its first number: the squares of all sum to as much.
      if ((kind == 'K' && atom.part % 2 == 0) || kind == 'P') whole += value * value;
      if (kind == 'D' && atom.part == 0)
        whole += value * value / numbers_of(frame, atom.cell).front().second;
      direction = direction || atom == own('V');
    }
    constants += constant * constant;
  }
  whole = direction ? constants : mpq_class(constants + whole);
  need(whole > 0, "Coq: " + where + ": the norm is 0 at the identity");
  return {direction ? "direction" : "scale",
          factor_of(frame, whole, 1, "Coq: " + where + ": the norm is irrational at the identity")};
}

json coding(const Frame& frame) {
  if (frame.code == "phi") return {frame.code, frame.parameter.get_str()};
  if (frame.code == "fine")
    return {frame.code, frame.weights.position.at("offset").integer(1, 1L << 60)};
  return {frame.code == "two-circle" ? frame.code : "circle"};  // also where no position is read
}

Places places_of_all(const recheck::ByClass& streams) {
  Places found;
  for (const auto& [x, h] : streams) found.merge(places_of(h));
  return found;
}

json norm_of_classes(Frame& frame, const Row& mask, const recheck::ByClass& streams,
                     const Cells& places, const std::string& where) {
  for (const auto& [x, h] : streams) {
    json made = norm_json(
        frame, mask, h, places, [](const Atom&) { return false; }, where);
    if (made != kZero) return made;
  }
  return kZero;
}

namespace {

int atom_number(const Atom& atom, const Cells& places) {
  if (atom == kOne) return 0;
  return atom == own('V') ? 1 : number_of(places, atom.cell, atom.part);
}

}  // namespace

json stage_of_nodes(const std::vector<const Stream*>& streams, const Cells& places,
                    json listed_places, const std::string& where) {
  json parts = json::array();
  std::vector<Row> constants(streams.size());
  std::optional<Stream> positions;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    Stream of;
    for (const auto& [c, form] : *streams[i])
      for (const auto& [atom, value] : form) (atom == kOne ? constants[i][c] : of[c][atom]) = value;
    need(!positions || *positions == of,
         "Coq: " + where + ": what is known of the position differs between letters");
    positions = of;
  }
  for (const auto& [c, form] : *positions)
    for (const auto& [atom, value] : form)
      parts.push_back({c, atom_number(atom, places), value.get_str()});
  return stage_json(std::move(listed_places), constants, std::move(parts));
}

json average_json(const Stream& average, const Cells& places) {
  json rows = json::array();
  for (const auto& [c, form] : average) {
    json row = json::array();
    for (const auto& [atom, value] : form)
      row.push_back(json::array({atom_number(atom, places), value.get_str()}));
    rows.push_back(json::array({c, std::move(row)}));
  }
  return rows;
}

}}}  // namespace logdepth::proofs_check_certify::coq
