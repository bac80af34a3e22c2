#include <algorithm>

#include "recheck/accepted.hpp"
#include "recheck/class_heads.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"

// The theorem of counting programs: all heads average [checked by attention], and signs of sums of counts decide. A class of tokens
// is its kind and the sign of every comparison so far, in any combination, whether or not a word has a token of it [checked by
// possible, split]. Signs that lead to the same stream are one class.
// Lemma comparison: let N be an integer sum of counts and r rational [checked by sum_of], so that N and every count are 0 at <begin>
//   [checked by begin]. N + r > 0 iff N + ceil(r) > 0; N + r = 0 only if r is an integer [checked by possible]; else N + r < 0 iff
//   N + ceil(r) <= 0 [checked by literal]. A positive factor changes no sign.
// Lemma program: by induction over the layers and the tokens, the comparisons of the printed program have, at every position of
//   every word, the signs of the token's class [checked by found, compares]: a line counts the classes that the head averages, of
//   <begin> nothing, and adds what <begin> holds [checked by comparison]. The verdict is one of the class [checked by program]. The
//   empty word is the token <begin>, where no letter and no count is [checked by of_begin].

namespace recheck {
namespace {

constexpr std::size_t kMostClasses = 20000;

/// Kind, signs of the first comparison, ...: a set of signs, where several lead to the same stream.
using Signs = std::vector<int>;
int bit(int sign) {
  return 1 << (sign + 1);
}
std::vector<int> signs_of(int group) {
  std::vector<int> out;
  for (const int sign : {-1, 0, 1})
    if ((group & bit(sign)) != 0) out.push_back(sign);
  return out;
}

using Wanted = std::map<Signs, bool>;

class Counting {
 public:
  explicit Counting(const Weights& weights) : weights_(weights), by_class_(weights) {}

  Theorem prove() {
    need(!weights_.has_loop(), "a repeated block; expected none");
    need(read_prefix_rows(weights_).kind == PrefixRows::Kind::none,
         "output: a prefix read-out; expected a verdict alone");
    Theorem theorem;
    for (int kind = 0; kind < kinds(); ++kind) {
      signs_[kind] = {kind};
      by_class_.machine.classes.insert(kind);
    }
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const std::string where = layer_name(n);
      if (!weights_.layers[n].heads.empty()) attention(weights_.layers[n], where + ", attention");
      feed_forward(weights_.layers[n], where + ", feed-forward");
    }
    theorem.steps = by_class_.steps + std::to_string(signs_.size()) + " classes of tokens\n";
    theorem.program = program();
    return theorem;
  }

 private:
  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  void attention(const Layer& layer, const std::string& where) {
    Stream everywhere;
    need(by_class_.heads(layer, where, everywhere).empty(),
         where + ": a head selects tokens; expected averages");
    for (auto& [x, h] : by_class_.streams)
      for (const auto& [c, form] : everywhere) add(h[c], form);
    stages_.push_back(signs_);
    by_class_.machine.stages.emplace_back();
    seen(where);
  }

  void seen(const std::string& where) const {
    observe([&] {
      return Accepted{where,   by_class_.frame, by_class_.streams, nullptr, &by_class_.machine,
                      &signs_, &compared_};
    });
  }

  /// Where it reads the sign of a sum, every class becomes one for each sign.
  void feed_forward(const Layer& layer, const std::string& where) {
    std::map<int, Undecided> left;
    std::set<std::set<int>> found;
    for (auto& [x, h] : by_class_.streams) {
      left[x] = add_feed_forward(by_class_.frame, layer, h, where);
      std::set<int> here;
      const auto look = [&](const Form& form) {
        for (const auto& [atom, value] : form)
          if (atom.cell.kind == 'Z') here.insert(atom.cell.id);
      };
      for (const auto& [c, form] : h) look(form);
      for (const auto& [form, uses] : left[x]) look(form);
      found.insert(here);
    }
    need(found.size() == 1 && found.begin()->size() <= 1,
         where + ": compares differently at different tokens");
    const bool compares = !found.begin()->empty();
    const int number = compares ? *found.begin()->begin() : -1;
    std::size_t at = 0;
    if (compares) {
      at = static_cast<std::size_t>(std::find(compared_.begin(), compared_.end(), number) -
                                    compared_.begin());
      if (at == compared_.size()) {
        compared_.push_back(number);
        text_ += comparison(number);
      }
    }
    split(left, compares ? std::optional<std::size_t>(at + 1) : std::nullopt, where);
    seen(where);
  }

  /// The classes after a comparison, whose signs stand at `at`.
  void split(const std::map<int, Undecided>& left, std::optional<std::size_t> at,
             const std::string& where) {
    const ByClass before = std::move(by_class_.streams);
    const std::map<int, Signs> names = std::move(signs_);
    by_class_.streams.clear(), signs_.clear();
    Machine& machine = by_class_.machine;
    const int begin = machine.begin_class;
    machine.classes.clear();
    for (const auto& [x, h] : before) {
      const Signs& name = names.at(x);
      std::vector<int> some = {0};
      if (at)
        some = name.size() == *at ? possible(compared_[*at - 1], x == begin) : signs_of(name[*at]);
      std::vector<std::pair<Stream, int>>
          alike;  // streams, each with the set of signs that lead to it
      for (const int sign : some) {
        Stream stream = signed_stream(h, left.at(x), sign, where);
        const auto same = std::find_if(alike.begin(), alike.end(),
                                       [&](const auto& entry) { return entry.first == stream; });
        if (same == alike.end())
          alike.emplace_back(std::move(stream), bit(sign));
        else
          same->second |= bit(sign);
      }
      std::sort(alike.begin(), alike.end(),
                [](const auto& a, const auto& b) { return a.second < b.second; });
      for (auto& [stream, group] : alike) {
        const int y = static_cast<int>(signs_.size());
        signs_[y] = name;
        if (at && name.size() == *at) signs_[y].push_back(0);
        if (at) signs_[y][*at] = group;
        machine.classes.insert(y);
        if (x == begin) machine.begin_class = y;
        by_class_.streams[y] = std::move(stream);
      }
    }
    need(signs_.size() <= kMostClasses, "more than 20000 classes of tokens");
  }

  static Stream signed_stream(const Stream& h, const Undecided& left, int sign,
                              const std::string& where) {
    const auto fixed = [sign](const Form& form) {
      Form out;
      for (const auto& [atom, value] : form)
        if (atom.cell.kind == 'Z')
          add(out, kOne, value * sign);
        else
          add(out, atom, value);
      return out;
    };
    Stream out;
    for (const auto& [c, form] : h) out[c] = fixed(form);
    for (const auto& [form, uses] : left) {
      const Form value = fixed(form);
      need(is_constant(value), where + ": a unit of unknown sign");
      if (constant_of(value) > 0)
        for (const auto& [c, factor] : uses) add(out[c], kOne, constant_of(value) * factor);
    }
    std::erase_if(out, [](const auto& entry) { return entry.second.empty(); });
    return out;
  }

  std::vector<int> possible(int number, bool begin) const {
    const auto [terms, rest] = sum_of(by_class_.frame, number);
    if (begin || terms.empty()) return {sgn(rest)};
    if (rest.get_den() == 1) return {-1, 0, 1};
    return {-1, 1};
  }

  // The program that is certified, in the syntax of docs/crasp.md.

  std::string comparison(int number) const {
    const auto [counts, rest] = sum_of(by_class_.frame, number);
    std::vector<std::pair<mpz_class, std::string>> terms;
    for (const auto& [v, factor] : counts) {
      std::map<Signs, std::int64_t> weights;
      if (v == kPosition) {
        for (int kind = 1; kind < kinds(); ++kind) weights[{kind}] = 1;
      } else {
        const Counter& counter = by_class_.machine.counters[static_cast<std::size_t>(v)];
        for (const auto& [x, weight] : counter.weights)
          weights[stages_[static_cast<std::size_t>(counter.stage)].at(x)] = weight;
      }
      std::set<std::int64_t, std::greater<>> values;
      for (const auto& [x, weight] : weights) values.insert(weight);
      values.erase(0);
      for (const std::int64_t value : values) {
        Wanted wanted;
        for (const auto& [x, weight] : weights) wanted[x] = weight == value;
        terms.emplace_back(exact(value) * factor, "#[" + tree(wanted, 0, nullptr).first + "]");
      }
    }
    mpz_class constant;
    mpz_cdiv_q(constant.get_mpz_t(), rest.get_num_mpz_t(), rest.get_den_mpz_t());
    if (constant != 0 || terms.empty()) terms.emplace_back(constant, "");
    std::string out;
    for (const auto& [value, count] : terms) {
      const mpz_class size = abs(value);
      out += out.empty() ? (value < 0 ? "-" : "") : value < 0 ? " - " : " + ";
      out += count.empty() ? size.get_str() : (size == 1 ? "" : size.get_str() + " * ") + count;
    }
    return "x" + std::to_string(compared_.size()) + " := " + out + "\n";
  }

  /// A Boolean that holds at a class as is wanted there, and whether it holds at <begin>, whose class is given where that matters.
  std::pair<std::string, bool> tree(const Wanted& wanted, std::size_t depth,
                                    const Signs* begin) const {
    const bool first = wanted.begin()->second;
    if (std::all_of(wanted.begin(), wanted.end(),
                    [&](const auto& entry) { return entry.second == first; }))
      return {first ? "true" : "false", first};
    std::map<int, Wanted> rests;
    for (const auto& [x, good] : wanted) rests[x[depth]][x] = good;
    std::vector<std::pair<std::vector<int>, Wanted>> branches;
    for (const auto& [value, rest] : rests) {
      const Wanted& own = rest;
      const auto same = std::find_if(branches.begin(), branches.end(), [&](const auto& branch) {
        return alike(branch.second, own, depth + 1);
      });
      if (same == branches.end())
        branches.push_back({{value}, rest});
      else
        same->first.push_back(value);
    }
    if (branches.size() == 1) return tree(branches[0].second, depth + 1, begin);
    std::vector<std::string> parts;
    bool holds = false;
    for (const auto& [values, rest] : branches) {
      const auto [text, there] = tree(rest, depth + 1, begin);
      if (text == "false") continue;
      parts.push_back(literal(values, depth) + (text == "true" ? "" : " and " + text));
      holds = holds || (begin != nullptr && depth > 0 && there &&
                        std::any_of(values.begin(), values.end(),
                                    [&](int group) { return (group & (*begin)[depth]) != 0; }));
    }
    std::string out = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) out += " or " + parts[i];
    return {parts.size() > 1 ? "(" + out + ")" : out, holds};
  }

  /// Whether the same is wanted, whatever the first signs are.
  static bool alike(const Wanted& a, const Wanted& b, std::size_t from) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
      return x.second == y.second &&
             std::equal(x.first.begin() + static_cast<std::ptrdiff_t>(from), x.first.end(),
                        y.first.begin() + static_cast<std::ptrdiff_t>(from), y.first.end());
    });
  }

  std::string literal(const std::vector<int>& values, std::size_t depth) const {
    if (depth == 0) return letters(values);
    const std::string name = "x" + std::to_string(depth);
    int group = 0;
    for (const int value : values) group |= value;
    const std::vector<int> signs = signs_of(group);
    if (sum_of(by_class_.frame, compared_[depth - 1]).rest.get_den() != 1)
      return name + (signs.front() > 0 ? " > 0" : " <= 0");
    static const std::map<std::vector<int>, std::string> relations = {
        {{-1}, " < 0"}, {{0}, " = 0"}, {{1}, " > 0"}, {{-1, 0}, " <= 0"}, {{0, 1}, " >= 0"}};
    const auto relation = relations.find(signs);
    return relation == relations.end() ? "not " + name + " = 0" : name + relation->second;
  }

  /// As the text of a program: in quotation marks where it is no name, so that no letter is taken for something else.
  std::string letter(int kind) const {
    const std::string& text = weights_.kinds[static_cast<std::size_t>(kind)];
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    });
    return plain ? text : quoted(text);
  }

  std::string letters(const std::vector<int>& some) const {
    std::string out;
    for (const int kind : some) out += (out.empty() ? "Q_" : " or Q_") + letter(kind);
    return some.size() > 1 ? "(" + out + ")" : out;
  }

  std::string program() const {
    Wanted accepted;
    bool of_begin = false;
    const int first = by_class_.machine.begin_class;
    for (const auto& [x, h] : by_class_.streams) {
      const Form verdict = verdict_form(by_class_.frame, h);
      need(is_constant(verdict), "read-out: a logit depends on the position");
      need(!verdict.empty(), "read-out: the verdict is a tie");
      (x == first ? of_begin : accepted[signs_.at(x)]) = constant_of(verdict) > 0;
    }
    auto [text, holds] = tree(accepted, 0, &signs_.at(first));
    if (holds != of_begin) {  // the empty word, at which no letter holds
      std::vector<int> all;
      for (int kind = 1; kind < kinds(); ++kind) all.push_back(kind);
      text += (of_begin ? " or not " : " and ") + letters(all);
    }
    std::string out = "alphabet";
    for (int kind = 1; kind < kinds(); ++kind) out += " " + letter(kind);
    return out + "\n" + text_ + "L := " + text + "\n";
  }

  const Weights& weights_;
  ClassHeads by_class_;
  std::map<int, Signs> signs_;                // by class
  std::vector<std::map<int, Signs>> stages_;  // before each attention
  std::vector<int> compared_;                 // sums, in the order of the signs
  std::string text_;                          // a line for each
};

}  // namespace

Sum sum_of(const Frame& frame, int number) {
  mpz_class bottom = 1, top = 0;
  mpq_class rest;
  Weighted form = frame.signs[static_cast<std::size_t>(number)];
  if (form.back().first == kUnit) {
    rest = form.back().second;
    form.pop_back();
  }
  for (const auto& [v, a] : form) bottom = lcm(bottom, a.get_den());
  for (const auto& [v, a] : form) top = gcd(top, mpz_class(a * bottom));
  mpq_class unit(form.empty() ? mpz_class(1) : top, bottom);
  unit.canonicalize();
  Sum out{{}, rest / unit};
  for (const auto& [v, a] : form) out.terms.emplace_back(v, mpz_class(a / unit));
  return out;
}

Theorem prove_counting(const Weights& weights) {
  return Counting(weights).prove();
}

}  // namespace recheck
