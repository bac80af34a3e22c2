#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// A head at token p. What is added is a constant or a value read at one position.
// Lemma code_match: with unit vectors u, v: c u.v <= c, with equality iff u = v; the code of a position determines it. So a sum
//   of c_i (pair i of the code of q).(pair i of the code of j), all c_i > 0, is largest for j = q alone; q = max(p-b, 0) <= p
//   is visible.
// Lemma phi_back: for the direction of (p, L) the query (x0 - k/L x1, x1) of position q is a positive multiple of (q - k, L);
//   for an integer k >= 0 the largest score is that of position max(q - k, 0) alone (compiler/lemmas/head_schema.cpp).
// Lemma behind: for the direction of (p, s, 1) the query (A p + B s + C, E) with A L = E > 0 is a positive multiple of
//   (p - b s - c, L), b = -B L/E, c = -C L/E; with counts b and b s + c >= 0 it selects position max(p - b s - c, 0) likewise.
// Lemma mean_first: the indicator of position 0, averaged over positions 0 .. p, is 1/(p+1).

namespace recheck {
namespace {

Form moved(const Form& form, Shift b, const std::string& where) {
  Form out;
  for (const auto& [unmoved, value] : form) {
    Atom atom = unmoved;
    if (atom != kOne && b != Shift{}) {
      need(!Laws::own_only(atom.cell), where + ": reads 1/(p+1) of another token");
      atom.cell.at = plus(atom.cell.at, b);
    }
    add(out, atom, value);
  }
  return out;
}

/// The shift for a query in the numbers of a direction: entry of (number, component of the code).
Shift behind(const Frame& frame, const std::map<std::pair<int, int>, mpq_class>& entry,
             const std::string& where) {
  const auto at = [&](int number, int part) {
    const auto found = entry.find({number, part});
    return found == entry.end() ? mpq_class(0) : found->second;
  };
  const mpq_class e = at(kUnit, 1);
  bool good = frame.code == "phi" && e > 0 && at(kPosition, 0) * frame.parameter == e;
  for (const auto& [place, value] : entry)
    good = good && (place == std::pair<int, int>(kUnit, 1) ||
                    (place.second == 0 && place.first != kBefore && place.first >= kPosition));
  need(good, where + ": the query is not the direction of a position before the own one");
  const mpq_class b = -at(kStride, 0) * frame.parameter / e,
                  c = -at(kUnit, 0) * frame.parameter / e;
  need(b.get_den() == 1 && c.get_den() == 1 && b >= 0 && b < (1 << 30) && b + c >= 0 &&
           c < (1 << 30),
       where + ": moves back by " + shown(b) + " s + " + shown(c) + "; expected counts");
  return {b.get_num().get_si(), c.get_num().get_si()};
}

}  // namespace

Bilinear whole_score(const Stream& query, const Stream& key) {
  Bilinear out;
  for (const auto& [r, keys] : key)
    if (const auto queries = query.find(r); queries != query.end())
      for (const auto& [atom, value] : keys) add(out[atom], queries->second, value);
  std::erase_if(out, [](const auto& entry) { return entry.second.empty(); });
  return out;
}

Bilinear score(const Frame& frame, const Stream& query, const Stream& key) {
  Bilinear by_key = whole_score(query, key), by_query, out;
  for (auto& [key_atom, queries] : by_key) {
    frame.laws.simplify(queries);
    for (const auto& [query_atom, value] : queries) add(by_query[query_atom], key_atom, value);
  }
  for (auto& [query_atom, keys] : by_query) {
    frame.laws.simplify(keys);
    for (const auto& [key_atom, value] : keys)
      if (key_atom != kOne) add(out[key_atom], query_atom, value);
  }
  return out;
}

Shift matched(const Frame& frame, const Bilinear& score, const std::string& where) {
  std::map<std::pair<int, int>, mpq_class> entry;
  const Cell code = own('K').cell;
  const Cell pointer = score.begin()->second.begin()->first.cell;
  for (const auto& [key_atom, asked] : score) {
    const Atom& key = key_atom;
    const Form& queries = asked;
    need(key.cell == code, [&] {
      return where + ": keys are not the own position code; found " + shown(Form{{key, 1}});
    });
    for (const auto& [query, value] : queries) {
      need(query.cell == pointer && (pointer.kind == 'K' || pointer.kind == 'D'),
           [&] { return where + ": the query is not one pointer; found " + shown(queries); });
      entry[{query.part, key.part}] = value;
    }
  }
  if (pointer.kind == 'D') {
    std::map<std::pair<int, int>, mpq_class> by_number;
    const Weighted& numbers = frame.laws.directions[static_cast<std::size_t>(pointer.id)];
    for (const auto& [place, value] : entry)
      by_number[{numbers[static_cast<std::size_t>(place.first)].first, place.second}] = value;
    return behind(frame, by_number, where);
  }
  long back = 0;
  if (frame.code == "phi" && entry.contains({1, 0}) && entry.contains({0, 0})) {
    const mpq_class k = -entry.at({1, 0}) * frame.parameter / entry.at({0, 0});
    need(k.get_den() == 1 && k >= 0 && k < (1 << 30),
         where + ": moves back by " + shown(k) + "; expected a count");
    back = k.get_num().get_si();
    entry.erase({1, 0});
  }
  const int parts = frame.code == "two-circle" ? 4 : 2;
  bool diagonal = static_cast<int>(entry.size()) == parts;
  for (int i = 0; i < parts; ++i) diagonal = diagonal && entry.contains({i, i});
  need(diagonal, where + ": the scores are not the product of two position codes");
  for (int i = 0; i < parts; i += 2)
    need(entry[{i, i}] > 0 && entry[{i, i}] == entry[{i + 1, i + 1}], [&] {
      return where + ": a unit pair of the code is matched with " + shown(entry[{i, i}]) + " and " +
             shown(entry[{i + 1, i + 1}]) + "; expected one positive factor";
    });
  return plus(pointer.at, {0, back});
}

Stream mean(const Stream& values, const std::string& where) {
  Stream out;
  for (const auto& [c, value_form] : values)
    for (const auto& [atom, value] : value_form) {
      const Form& form = value_form;
      need(atom == kOne || atom == own('T', 0),
           [&] { return where + ": averages " + shown(form); });
      add(out[c], atom == kOne ? kOne : own('V', 0), value);
    }
  return out;
}

std::vector<Written> writing_heads(Frame& frame, const Layer& layer, const Stream& h,
                                   const std::string& where) {
  std::vector<Written> found;
  if (layer.heads.empty()) return found;
  const Stream z = normalised(frame, layer.attention_mask, h, where);
  for (std::size_t n = 0; n < layer.heads.size(); ++n) {
    const Head& head = layer.heads[n];
    Stream values = apply(frame, head.output, apply(frame, head.value, z));
    if (values.empty()) continue;
    found.push_back({head, where + ", head " + std::to_string(n), std::move(values),
                     score(frame, apply(frame, head.query, z), apply(frame, head.key, z))});
  }
  return found;
}

Entries entries_of(const Bilinear& score) {
  Entries out;
  for (const auto& [key, form] : score)
    for (const auto& [query, value] : form) {
      out.queries.insert(query.cell), out.keys.insert(key.cell);
      out.at[{query.part, key.part}] = value;
    }
  return out;
}

bool selects_last(const Bilinear& score, const Atom& flag) {
  const auto value = [&](const Atom& key) {
    const auto found = score.find(key);
    return found == score.end() ? mpq_class(0) : constant_of(found->second);
  };
  const mpq_class rise = value(own('K', 0)), weight = value(flag);
  return score.size() == 2 && 0 < rise && rise <= 2 * weight;
}

void need_same(const Frame& frame, const Form& found, const Form& expected,
               const std::string& what) {
  Form change = found;
  add(change, expected, -1);
  need(frame.laws.equals(change, 0),
       [&] { return what + "; expected " + shown(expected) + ", found " + shown(found); });
}

void add_attention(Frame& frame, const Layer& layer, Stream& h, const std::string& where) {
  for (auto& [head, here, values, scores] : writing_heads(frame, layer, h, where)) {
    if (scores.empty()) {
      bool constant = true;
      for (const auto& [c, form] : values) constant = constant && is_constant(form);
      need(head.causal || constant, here + ": averages all tokens; expected a causal head");
      values = mean(values, here);
    } else {
      const Shift b = matched(frame, scores, here);
      for (auto& [c, form] : values) form = moved(form, b, here);
    }
    for (const auto& [c, form] : values) {
      add(h[c], form);
      frame.laws.simplify(h[c]);
    }
  }
}

}  // namespace recheck
