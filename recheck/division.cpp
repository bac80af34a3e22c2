#include <set>

#include "recheck/accepted.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"

// The theorem of division: at every token p the file computes floor(p/m) and p mod m, or those of an argument a <= p of the token.
// Lemma nearest: for keys (j, L)/|(j, L)|, L an integer [checked by parameter], and a query that is a positive multiple of (p/m, L)
//   [checked by diagonal, numbers], one visible position [checked by causal] has the largest score; it is p/m where m divides p,
//   since p/m <= p (compiler/lemmas/head_schema.cpp, lemma nearest, phi over L).
// Lemma quotient: let b be the last position up to p that m divides; 0 is one. b = m floor(p/m), so the position nearest to b/m is
//   floor(p/m) [checked by moves]. The score c K0(j) + w E(j) with 0 < c <= 2 w [checked by selects_last] selects b: K0 rises
//   within [0, 1), and E is +1 or -1.
// Lemma block: the tokens j <= p with the code of floor(j/m) = floor(p/m) [checked by quotient] are b, ..., p, of number (p mod m)
//   + 1. Only b among them has E = +1: the mean of E is 2 W - 1, W = 1/((p mod m) + 1) [checked by same].
// Lemma floor: for p/m - 1/2 in place of p/m [checked by three] the nearest position is floor(p/m), for m <= 8L (head_schema.cpp,
//   lemma floor, phi over L), and for m > 8L if p <= 8L - 1 [checked by limit_, square]: then floor(p/m) = 0 and p/m - 1/2 < 1/2 -
//   1/(8L), below the bisector of 0 and 1.
// Lemma argument: the position whose code is given as that of a is a, visible since a <= p [checked by claimed, argument]; a number
//   read there is one of another token, which no norm takes for the own one [checked by version in sublayers.cpp, kArgument].
// Lemma absolute: relu(Y) = (|Y| + Y)/2, and |Y| = (1 - E)/2 [checked by form].

namespace recheck {
namespace {

class Division {
 public:
  Division(const Weights& weights, const Json& certificate)
      : weights_(weights), certificate_(certificate), frame_{weights, {}, "", 0} {
    frame_.laws.size_of = [](const Cell&) { return -1; };
  }

  Theorem prove() {
    Theorem theorem;
    const Json& unroll = weights_.unroll;
    need(unroll.at("kind").string() == "fixed" && !weights_.has_loop(),
         "a repeated block; expected none");
    limit_ = weights_.limit();
    Stream h = given();
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const std::string where = layer_name(n);
      attention(weights_.layers[n], h, where + ", attention");
      seen(where + ", attention", frame_, h);
      const std::string here = where + ", feed-forward";
      for (const auto& [form, uses] : add_feed_forward(frame_, weights_.layers[n], h, here)) {
        need(form.size() == 1 && form.contains(own('Y')), here + ": a unit of unknown sign");
        for (const auto& [c, v] : uses) {
          add(h[c], kOne, v / 4);
          add(h[c], own('E'), -v / 4);
          add(h[c], own('Y'), v / 2);
        }
      }
      seen(here, frame_, h);
    }
    const auto& names = weights_.output.at("names").array();
    for (int r = 0; r < weights_.unembedding.rows; ++r)
      text_ += answer(names[static_cast<std::size_t>(r)].string(),
                      combine(weights_.unembedding.row(r), h));
    theorem.answers = std::move(text_);
    theorem.steps = std::move(steps_);
    return theorem;
  }

 private:
  enum class Selected { own, nearest, last, floor, same, argument };

  /// What the certificate assumes of the inputs, and the constant coordinates.
  Stream given() {
    const auto& names = weights_.input.at("names").array();
    const auto& claims = certificate_.at("given").array();
    if (names.size() != claims.size()) throw Malformed("given: expected an entry for every input");
    const bool mirrored = weights_.input.has("mirrored") && weights_.input.at("mirrored").boolean();
    const int half = weights_.width / 2;
    Stream h;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [form, text] = claimed(claims[i]);
      text_ += "given      " + quoted(names[i].string()) + " = " + text + "\n";
      add(h[static_cast<int>(i)], form);
      if (mirrored) add(h[static_cast<int>(i) + half], form, -1);
    }
    const Json& position = weights_.position;
    need(position.at("kind").string() == "first-flag", "position: expected the first flag");
    const Row rest = to_row(position.at("rest"), weights_.width);
    need(to_row(position.at("first"), weights_.width) == rest,
         "position: expected the same at every token");
    for (const auto& [c, v] : rest) add(h[c], kOne, v);
    return h;
  }

  /// ["p", "", 0]: the number p, as "m" and "1"; ["p", "m", i]: component i of dir(p, m), as ["p", "12", i] and ["a", "1", i].
  std::pair<Form, std::string> claimed(const Json& claim) {
    if (claim.array().size() != 3) throw Malformed("given: expected [number, number, component]");
    const std::string &number = claim.items[0].string(), &length = claim.items[1].string();
    const int part = static_cast<int>(claim.items[2].integer(0, 1));
    if (length.empty()) {
      if ((number != "p" && number != "m" && number != "1") || part != 0)
        throw Malformed("given: expected p, m or 1");
      if (number == "1") return {Form{{kOne, 1}}, number};
      return {Form{{Atom{{'N', number == "p" ? kPosition : kDivisor, 0, {}}, 0}, 1}}, number};
    }
    const std::string text = "dir(" + number + ", " + length + ")." + std::to_string(part);
    if (number == "a") {
      if (length != "1") throw Malformed("given: expected dir(a, 1)");
      frame_.set_code("phi", 1);
      return {Form{{Atom{{'K', kArgument, 0, {}}, part}, 1}}, text};
    }
    if (number != "p") throw Malformed("given: expected a direction of p or a");
    mpq_class size = 1;
    if (length != "m") {
      Json spelled;
      spelled.kind = Json::Kind::number;
      spelled.text = length;
      size = exact(spelled.integer(1, 1 << 30));
    }
    const int other = length == "m" ? kDivisor : kUnit;
    const mpq_class factor = part == 0 ? mpq_class(1) : size;
    return {along(frame_, {{kPosition, 1}, {other, size * size}},
                  {{part == 0 ? static_cast<int>(kPosition) : other, factor}}, 1),
            text};
  }

  void attention(const Layer& layer, Stream& h, const std::string& where) {
    for (const auto& [head, here, values, scores] : writing_heads(frame_, layer, h, where)) {
      need(head.causal, here + ": not causal");
      const Selected what = selected(scores, here);
      static const char* const kNames[] = {"own position", "nearest to p/m", "last multiple",
                                           "floor of p/m", "same quotient",  "argument"};
      steps_ += here + ": " + kNames[static_cast<int>(what)] + "\n";
      for (const auto& [c, form] : values) add(h[c], read(form, what, here));
    }
  }

  Selected selected(const Bilinear& score, const std::string& where) const {
    const Cell own_code = own('K').cell;
    const auto [queries, keys, entry] = entries_of(score);
    if (queries == std::set<Cell>{kOne.cell} &&
        keys == std::set<Cell>{own('E').cell, own_code}) {  // lemma quotient
      need(selects_last(score, own('E')), where + ": not the last multiple of m");
      return Selected::last;
    }
    need(queries.size() == 1 && keys.size() == 1 && *queries.begin() != kOne.cell,
         where + ": the query is not one position");
    const Cell query = *queries.begin(), key = *keys.begin();
    const bool diagonal = entry.size() == 2 && entry.contains({0, 0}) && entry.contains({1, 1});
    const Cell argument{'K', kArgument, 0, {}}, quotient{'K', kQuotient, 0, {}};
    if ((key == own_code && (query == own_code || query == argument)) ||
        (key == quotient && query == quotient)) {
      need(diagonal && 0 < entry.at({0, 0}) && entry.at({0, 0}) == entry.at({1, 1}),
           where + ": the scores are not the product of two position codes");
      return key != own_code     ? Selected::same
             : query == own_code ? Selected::own
                                 : Selected::argument;
    }
    need(numbers(query) == Weighted{{kPosition, 1}, {kDivisor, 1}} && frame_.code == "phi",
         where + ": the query is not a position or p/m");
    if (key == own_code && !entry.contains({1, 0})) {  // lemma nearest
      need(diagonal && entry.at({0, 0}) > 0 &&
               entry.at({1, 1}) == frame_.parameter * entry.at({0, 0}) &&
               frame_.parameter.get_den() == 1,
           where + ": not the position nearest to p/m");
      return Selected::nearest;
    }
    // Lemma floor. The key is (j, 1)/|(j, L)|: the query is a positive multiple of (p/m + b/a, L^2).
    const mpq_class size = key == own_code ? frame_.parameter : mpq_class(1);  // of (j, L)
    const Weighted code =
        key == own_code ? Weighted{{kPosition, 1}, {kUnit, size * size}} : numbers(key);
    need(code.size() == 2 && code[0] == std::pair<int, mpq_class>(kPosition, 1) &&
             code[1].first == kUnit,
         where + ": keys are not a code of the own position");
    const mpq_class& square = code[1].second;
    const bool three = entry.size() == 3 && entry.contains({0, 0}) && entry.contains({1, 0}) &&
                       entry.contains({1, 1});
    need(three && entry.at({0, 0}) > 0 && entry.at({1, 1}) * size == entry.at({0, 0}) * square &&
             entry.at({1, 0}) == -entry.at({0, 0}) / 2,
         where + ": not p/m rounded down");
    need(limit_ && exact(*limit_) * exact(*limit_) <= 64 * square,
         where + ": rounds down up to a length only whose square is " + shown(64 * square));
    return Selected::floor;
  }

  /// The numbers of a direction at the own token.
  Weighted numbers(const Cell& cell) const {
    if (cell.kind != 'D' || cell.version != 0) return {};
    return frame_.laws.directions[static_cast<std::size_t>(cell.id)];
  }

  Form read(const Form& form, Selected what, const std::string& where) const {
    static const std::map<std::pair<Selected, int>, int> moves = {
        {{Selected::nearest, 0}, kNear},
        {{Selected::last, kNear}, kQuotient},
        {{Selected::floor, 0}, kQuotient},
        {{Selected::argument, 0}, kArgument},
        {{Selected::argument, kQuotient}, kItsQuotient}};
    Form out;
    for (const auto& [atom, v] : form) {
      if (what == Selected::own || atom == kOne) {
        add(out, atom, v);
        continue;
      }
      if (what == Selected::same) {
        need(atom == own('E'), [&] { return where + ": averages " + shown(form); });
        add(out, kOne, -v);
        add(out, own('W'), 2 * v);
        continue;
      }
      Atom moved = atom;
      const Weighted weights = numbers(atom.cell);
      const bool rest =
          weights.size() == 2 && weights[0].first == kRest && weights[1].first == kUnit;
      if (what == Selected::argument && rest) {
        moved.cell.version = kArgument;
      } else {
        const auto move = moves.find({what, atom.cell.id});
        need(atom.cell.kind == 'K' && move != moves.end(),
             [&] { return where + ": reads " + shown(form) + " of another token"; });
        moved.cell.id = move->second;
      }
      add(out, moved, v);
    }
    return out;
  }

  std::string answer(const std::string& name, const Form& form) const {
    need(form.size() == 1 && !is_constant(form), [&] {
      return "output " + name + ": not one component of a direction; found " + shown(form);
    });
    const auto& [atom, v] = *form.begin();
    // Not kNear: its angle is nearest, which is not always the position nearest to p/m.
    static const char* const kPlaces[] = {"p", "", "floor(p/m)", "a", "floor(a/m)"};
    std::string what = "dir(";
    if (atom.cell.kind == 'K' && atom.cell.id != kNear) {
      what += kPlaces[atom.cell.id] + (", " + frame_.parameter.get_str());
    } else {
      Cell here = atom.cell;
      here.version = 0;
      need(numbers(here) == Weighted{{kRest, 1}, {kUnit, 1}}, [&, &found = form] {
        return "output " + name + ": no code of a position; found " + shown(found);
      });
      what += std::string(atom.cell.version == kArgument ? "a" : "p") + " mod m, 1";
    }
    return "answers    " + quoted(name) + " = " + (v == 1 ? "" : v.get_str() + " * ") + what +
           ")." + std::to_string(atom.part) + "\n";
  }

  const Weights& weights_;
  const Json& certificate_;
  Frame frame_;
  std::optional<std::int64_t> limit_;
  std::string text_, steps_;
};

}  // namespace

Theorem prove_division(const Weights& weights, const Json& certificate) {
  return Division(weights, certificate).prove();
}

}  // namespace recheck
