#include <algorithm>
#include <tuple>

#include "recheck/contracts.hpp"
#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"

// The theorem of selections, tier S: at every token of every word and in every pass of the loop, every head selects what its
// contract states, and every norm is what is printed. What the outputs compute is not claimed.
// Invariant: the stream of a token is that of one class, and <begin> is of a class of its own. A class gives a form for every
// coordinate, in atoms of the token: its position code, 1/(p+1), codes of positions up to its own (K of an id), directions of
// numbers, and unknown numbers U. An atom means one function of the token, whatever its class.
// Lemma read: a token that selects one position holds afterwards what one of the classes there writes: K is the code of that
//   position, a K of an id one of a position before it, and the rest a number within its bounds. <begin> sees itself alone in a causal
//   head.
// Lemma mean: <begin> writes a, all others b: the mean over 0 .. p is (a - b)/(p+1) + b. Else the mean is within the bounds of what is
//   written, and is not the least of them if <begin>, which is visible, writes more.
// Lemma loop: the block is run on the classes at its head and all that it made of them, until it makes no new ones: an induction over
//   the passes. At its head the codes of other positions are those of unknown ones, so that the classes say less than is known.

namespace recheck {
namespace {

constexpr std::size_t kMostClasses = 400;
constexpr int kMostPasses = 16, kFreshPointers = 1 << 24;

using Classes = std::set<std::pair<bool, Stream>>;  // <begin> or not
using Signs = std::map<int, int>;                   // of the atoms Q
using Kind = Chosen::Kind;

Form with_signs(const Form& form, const Signs& signs) {
  Form out;
  for (const auto& [atom, value] : form) {
    const bool sign = atom.cell.kind == 'Q';
    add(out, sign ? kOne : atom, sign ? mpq_class(value * signs.at(atom.cell.id)) : value);
  }
  return out;
}

Stream with_signs(const Stream& stream, const Signs& signs) {
  Stream out;
  for (const auto& [c, form] : stream)
    if (Form fixed = with_signs(form, signs); !fixed.empty()) out.emplace(c, std::move(fixed));
  return out;
}

class Selections {
 public:
  explicit Selections(const Weights& weights) : weights_(weights), frame_{weights, {}, "", 0} {
    const int kinds = static_cast<int>(weights.kinds.size());
    frame_.laws.size_of = [kinds](const Cell&) { return kinds; };
    frame_.by_rays = true;
  }

  std::vector<std::string> prove() {
    begin();
    block("initial");
    loop();
    block("final");
    need(!found_.empty(), "no head and no norm");
    std::vector<std::string> lines;
    for (const auto& [place, texts] : found_) {
      std::string line;
      for (const std::string& text : texts) line += (line.empty() ? "" : " or ") + text;
      lines.push_back(std::get<3>(place) + ": " + line);
    }
    return lines;
  }

 private:
  void begin() {
    const Stream start = embedded(frame_);
    for (int kind = 0; kind < static_cast<int>(weights_.kinds.size()); ++kind)
      for (const int parity : {1, -1}) {
        if (kind == 0 && parity < 0) continue;  // position 0 is even
        Stream h;
        for (const auto& [c, form] : start)
          for (const auto& [atom, value] : form)
            if (atom.cell.kind == 'P')
              add(h[c], kOne, value * parity);
            else if (atom.cell.kind != 'T')
              add(h[c], atom, value);
            else if (atom.part == kind)
              add(h[c], kOne, value);
        keep(classes_, kind == 0, std::move(h), "embedding");
      }
  }

  static void keep(Classes& classes, bool begin, Stream h, const std::string& where) {
    std::erase_if(h, [](const auto& entry) { return entry.second.empty(); });
    classes.emplace(begin, std::move(h));
    need(classes.size() <= kMostClasses, where + ": more than 400 classes of tokens");
  }

  void block(const std::string& name) {
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const Layer& layer = weights_.layers[n];
      if (layer.block != name) continue;
      if (!layer.heads.empty()) attention(layer, static_cast<int>(n));
      if (layer.in.rows > 0) feed_forward(layer, static_cast<int>(n));
    }
  }

  /// Lemma loop.
  void loop() {
    if (!weights_.has_loop()) return;
    Classes all;
    for (const auto& [first, h] : classes_) all.emplace(first, at_head(h));
    for (int pass = 0;; ++pass) {
      need(pass < kMostPasses, "the loop makes new classes of tokens in 16 passes");
      classes_ = all;
      for (auto& [place, texts] : found_)
        if (weights_.layers[static_cast<std::size_t>(std::get<0>(place))].block == "repeated")
          texts.clear();
      block("repeated");
      const std::size_t before = all.size();
      for (const auto& [first, h] : classes_) keep(all, first, at_head(h), "loop");
      if (all.size() == before) break;
    }
    classes_ = all;
  }

  /// The stream with codes of other positions numbered in their order.
  static Stream at_head(const Stream& h) {
    std::map<Cell, int> numbers;
    Stream out;
    for (const auto& [c, form] : h)
      for (const auto& [atom, value] : form) {
        Atom renamed = atom;
        if (atom.cell.kind == 'K' && atom.cell != own('K').cell) {
          const int next = static_cast<int>(numbers.size()) + 1;
          renamed.cell = {'K', numbers.emplace(atom.cell, next).first->second, 0, {}};
        }
        add(out[c], renamed, value);
      }
    return out;
  }

  // Signs, by which classes are split.

  /// Every choice of the signs that the forms hold, for a token of such a class.
  std::vector<Signs> choices(const std::vector<const Stream*>& streams, const Undecided& units,
                             bool first) const {
    std::set<int> ids;
    const auto look = [&](const Form& form) {
      for (const auto& [atom, value] : form)
        if (atom.cell.kind == 'Q') ids.insert(atom.cell.id);
    };
    for (const Stream* stream : streams)
      for (const auto& [c, form] : *stream) look(form);
    for (const auto& [form, uses] : units) look(form);
    std::vector<Signs> out = {{}};
    for (const int id : ids) {
      std::vector<Signs> longer;
      for (const Signs& signs : out)
        for (const int sign : possible(frame_.sign_forms[static_cast<std::size_t>(id)], first)) {
          longer.push_back(signs);
          longer.back()[id] = sign;
        }
      out = std::move(longer);
      need(out.size() <= kMostClasses, "more than 400 choices of signs");
    }
    return out;
  }

  std::vector<int> possible(Form form, bool first) const {
    if (first) {
      Form there;
      for (const auto& [atom, value] : form) {
        std::optional<mpq_class> known;
        if (atom.cell.kind == 'V') known = 1;
        if (atom.cell.kind == 'U') known = unknown(atom).first;
        add(there, known ? kOne : atom, known ? mpq_class(value * *known) : value);
      }
      form = there;
    }
    Form negative;
    add(negative, form, -1);
    if (form.empty()) return {0};
    if (frame_.laws.positive(form)) return {1};
    if (frame_.laws.positive(negative)) return {-1};
    const auto [low, high] = frame_.laws.bounds(form);
    if (low >= 0) return {0, 1};
    if (high <= 0) return {-1, 0};
    return {-1, 0, 1};
  }

  // Unknown numbers.

  const Unknown& unknown(const Atom& atom) const {
    return frame_.laws.unknowns[static_cast<std::size_t>(atom.cell.id)];
  }

  bool rational(const Form& form) const {
    return std::all_of(form.begin(), form.end(), [&](const auto& term) {
      const Atom& atom = term.first;
      return atom == kOne || atom.cell.kind == 'V' ||
             (atom.cell.kind == 'U' && unknown(atom).rational);
    });
  }

  /// What is read by one rule from these forms, one for each class, as a multiple of an unknown number: multiples of forms are
  /// multiples of one number.
  using Rule = std::pair<std::string, std::vector<Form>>;
  template <typename Bounds>
  Form unknown_of(const std::string& rule, const std::vector<Form>& forms, Bounds bounds) {
    mpq_class leading;
    for (const Form& form : forms)
      if (leading == 0 && !form.empty()) leading = form.begin()->second;
    if (leading == 0) return {};
    Rule key{rule, {}};
    for (const Form& form : forms) add(key.second.emplace_back(), form, 1 / leading);
    const auto [at, fresh] = unknowns_.try_emplace(key, frame_.laws.unknowns.size());
    if (fresh) frame_.laws.unknowns.push_back(bounds(key.second));
    return {{Atom{{'U', static_cast<int>(at->second), 0, {}}, 0}, leading}};
  }

  // Attention.

  void attention(const Layer& layer, int n) {
    const std::string where = "layer " + std::to_string(n) + ", attention";
    rule_ = std::to_string(++sublayer_) + " ";
    std::vector<Seen> tokens;
    for (const auto& [first, h] : classes_) {
      const Stream z = normalised(frame_, layer.attention_mask, h, where);
      found_[{n, 1, 0, where}].insert(frame_.norm);
      for (const Signs& signs : choices({&z}, {}, first))
        tokens.push_back({first, h, with_signs(z, signs)});
      need(tokens.size() <= kMostClasses, where + ": more than 400 classes of tokens");
    }
    std::vector<std::set<Stream>> streams;  // of every class, after the heads so far
    for (const Seen& token : tokens) streams.push_back({token.h});
    for (std::size_t i = 0; i < layer.heads.size(); ++i) {
      const Head& head = layer.heads[i];
      const std::string here = "layer " + std::to_string(n) + ", head " + std::to_string(i);
      const Selects selects = proved_contract(frame_, head, tokens, here);
      found_[{n, 0, static_cast<int>(i), here}].insert(selects.text);
      std::vector<Stream> values;
      for (const Seen& token : tokens)
        values.push_back(apply(frame_, head.output, apply(frame_, head.value, token.z)));
      const std::string rule = rule_ + std::to_string(i) + " ";
      for (std::size_t x = 0; x < tokens.size(); ++x) {
        std::set<Stream> after;
        const Chosen& chosen = selects.by_class[x];
        for (const Stream& read : reads(chosen, head, tokens, values, x, rule))
          for (Stream h : streams[x]) {
            for (const auto& [c, form] : read) add(h[c], form);
            std::erase_if(h, [](const auto& entry) { return entry.second.empty(); });
            after.insert(std::move(h));
            need(after.size() <= kMostClasses, here + ": more than 400 classes of tokens");
          }
        streams[x] = std::move(after);
      }
    }
    classes_.clear();
    for (std::size_t x = 0; x < tokens.size(); ++x)
      for (const Stream& h : streams[x]) keep(classes_, tokens[x].begin, h, where);
  }

  /// What a token of class x may read.
  std::set<Stream> reads(const Chosen& chosen, const Head& head, const std::vector<Seen>& tokens,
                         const std::vector<Stream>& values, std::size_t x,
                         const std::string& rule) {
    const bool many = chosen.kind == Kind::all || chosen.kind == Kind::some;
    if (many) return {mean(chosen.kind == Kind::all, head.causal, tokens, values, rule)};
    const bool before = head.causal || chosen.kind == Kind::back || chosen.kind == Kind::pointer;
    if (chosen.kind == Kind::own || (tokens[x].begin && before)) return {values[x]};
    std::set<Stream> out;
    for (const std::size_t y : chosen.classes) out.insert(moved(values[y], chosen, head, rule));
    return out;
  }

  /// Lemma mean.
  Stream mean(bool all, bool causal, const std::vector<Seen>& tokens,
              const std::vector<Stream>& values, std::string rule) {
    if (all) rule = rule_ + (causal ? "mean" : "mean of all");
    std::set<int> written;
    for (const Stream& value : values)
      for (const auto& [c, form] : value) written.insert(c);
    Stream out;
    for (const int c : written) {
      std::vector<Form> forms;
      std::set<Form> first, others;
      bool constant = true;
      for (std::size_t x = 0; x < tokens.size(); ++x) {
        forms.push_back(at(values[x], c));
        constant = constant && is_constant(forms.back());
        (tokens[x].begin ? first : others).insert(forms.back());
      }
      if (constant && all && first.size() == 1 && others.size() <= 1 &&
          (causal || others.empty() || first == others)) {
        const mpq_class a = constant_of(*first.begin()),
                        b = others.empty() ? a : constant_of(*others.begin());
        add(out[c], kOne, b);
        add(out[c], own('V', 0), a - b);
        continue;
      }
      out[c] = unknown_of(rule, forms, [&](const std::vector<Form>& of) {
        Unknown number = within(of);
        number.rational = constant;
        for (std::size_t x = 0; x < of.size() && first.size() == 1; ++x)
          if (tokens[x].begin && is_constant(of[x])) {
            if (causal) number.first = constant_of(of[x]);
            number.above = all && constant_of(of[x]) > number.low;
            number.below = all && constant_of(of[x]) < number.high;
          }
        return number;
      });
    }
    return out;
  }

  /// Bounds of all the forms.
  Unknown within(const std::vector<Form>& forms) const {
    std::optional<Unknown> out;
    for (const Form& form : forms) {
      const auto [low, high] = frame_.laws.bounds(form);
      if (!out) out = Unknown{low, high};
      out->low = std::min(out->low, low);
      out->high = std::max(out->high, high);
    }
    return *out;
  }

  /// Lemma read, of what a class writes.
  Stream moved(const Stream& value, const Chosen& chosen, const Head& head, std::string rule) {
    rule += std::to_string(static_cast<int>(chosen.kind)) + " " + std::to_string(chosen.back) +
            " " + std::to_string(chosen.pointer) + " ";
    const bool before = head.causal || chosen.kind != Kind::last;
    Stream out;
    for (const auto& [c, form] : value) {
      Form rest;
      for (const auto& [atom, factor] : form) {
        if (atom == kOne)
          add(out[c], atom, factor);
        else if (atom.cell.kind == 'K' && before)
          add(out[c], Atom{there(atom.cell, chosen, rule), atom.part}, factor);
        else
          add(rest, atom, factor);
      }
      add(out[c], unknown_of(rule, {rest}, [&](const std::vector<Form>& of) {
            Unknown number = within(of);
            number.rational = rational(of[0]);
            return number;
          }));
    }
    return out;
  }

  /// The code of the position that is coded at the selected token.
  Cell there(Cell cell, const Chosen& chosen, const std::string& rule) {
    const bool own_code = cell.id == 0;
    if (chosen.kind == Kind::back && own_code) {
      cell.at = plus(cell.at, {0, chosen.back});
      return cell;
    }
    if (chosen.pointer != 0 && chosen.back == 0 && cell == own('K').cell)
      return {'K', chosen.pointer, 0, {}};
    const auto fresh = kFreshPointers + static_cast<int>(pointers_.size());
    return {'K', pointers_.try_emplace({rule, cell}, fresh).first->second, 0, {}};
  }

  // Feed-forward.

  void feed_forward(const Layer& layer, int n) {
    const std::string where = "layer " + std::to_string(n) + ", feed-forward";
    const std::string rule = std::to_string(++sublayer_) + " units";
    Classes after;
    for (const auto& [first, before] : classes_) {
      Stream h = before;
      const Undecided units = add_feed_forward(frame_, layer, h, where);
      found_[{n, 2, 0, where}].insert(frame_.norm);
      for (const Signs& signs : choices({&h}, units, first)) {
        Stream stream = with_signs(h, signs);
        for (const auto& [form, uses] : units) {
          const Form value = with_signs(form, signs), positive = relu(value, rule);
          for (const auto& [c, factor] : uses) add(stream[c], positive, factor);
        }
        keep(after, first, std::move(stream), where);
      }
    }
    classes_ = std::move(after);
  }

  /// relu(x) is x or 0 where the sign of x is known, and else a number between 0 and the largest x.
  Form relu(const Form& form, const std::string& rule) {
    const auto bounds = frame_.laws.bounds(form);
    if (bounds.first >= 0) return form;
    if (bounds.second <= 0) return {};
    const auto known = relus_.try_emplace({rule, form}, frame_.laws.unknowns.size());
    if (known.second) {
      Unknown number{0, bounds.second};
      number.rational = rational(form);
      frame_.laws.unknowns.push_back(number);
    }
    return {{Atom{{'U', static_cast<int>(known.first->second), 0, {}}, 0}, 1}};
  }

  const Weights& weights_;
  Frame frame_;
  Classes classes_;
  int sublayer_ = 0;  // counted over all passes
  std::string rule_;  // its number
  std::map<Rule, std::size_t> unknowns_;
  std::map<std::pair<std::string, Form>, std::size_t> relus_;
  std::map<std::pair<std::string, Cell>, int> pointers_;
  std::map<std::tuple<int, int, int, std::string>, std::set<std::string>> found_;
};

}  // namespace

std::vector<std::string> selections_of(const Weights& weights) {
  const Json& input = weights.input;
  need(input.at("kind").string() == "word" && input.at("begin").boolean(),
       "input: expected words after <begin>");
  return Selections(weights).prove();
}

Theorem prove_selections(const Weights& weights, const Json& certificate) {
  certificate.only({"format", "version", "theorem", "sha256", "tier", "proves"});
  need(certificate.at("tier").string() == "S", "certificate: a theorem of tier S");
  Theorem theorem;
  theorem.name = "selections";
  theorem.limit = weights.limit();
  theorem.selections = selections_of(weights);
  std::vector<std::string> claims;
  for (const Json& claim : certificate.at("proves").array()) claims.push_back(claim.string());
  const std::vector<std::string>& lines = theorem.selections;
  const auto apart = std::mismatch(claims.begin(), claims.end(), lines.begin(), lines.end());
  need(claims == lines, "the certificate claims another line" +
                            (apart.second == lines.end() ? "" : "; expected " + *apart.second));
  return theorem;
}

}  // namespace recheck
