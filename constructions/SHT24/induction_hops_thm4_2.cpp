// k-hop induction heads: the letter that k hops lead to.
//
// Statement (Sanford, Hsu, Telgarsky, "Transformers, parallel computation, and logarithmic depth",
//   2024, Definition 4.1 and Theorem 4.2). For a word x_1 ... x_n and x_0 = none let
//   hop(i) = max({0} u {j <= i : x_(j-1) = x_i}), hop(0) = 0: the place behind the last occurrence of
//   the own letter. A transformer of depth floor(log2 k) + 2 outputs the letter at hop^k(i) at
//   every token i, for every k and n.
// Here. Depth ceil(log2 k) + 2, one head a layer (one more in layer 2 where k is read from the word),
//   for every k, n and alphabet; where k is no power of two that is one more than the statement, see
//   the deviation.
//
// Layer 1 fetches the letter before: before(j) = x_(j-1).
// Layer 2. Head promise: the last j <= i with before(j) = x_i or j = 0. Never both hold, so it is
//   hop(i). J := its position; where c(0) = 1, V := the letter there, else V stays x_i.
// Layer 2 + s, s = 1, ..., m. Head promise: the position that J codes, exactly one, visible since hops
//   never lead to the right. J := J there; where c(s) = 1, V := V there.
// Invariant. After layer 2 + s: J(i) = hop^(2^s)(i), and V(i) is the letter at hop^b(i) with
//   b = c(0) + sum over t = 1, ..., s of c(t) 2^(t-1). For s = 0 that is layer 2; and a layer reads
//   V(j) at j = hop^(2^(s-1))(i), which adds 2^(s-1) to b. At 0, J is 0 and V is none for ever.
// Which c. m = ceil(log2 k). If k = 2^m all c are 1: b = 1 + (1 + 2 + ... + 2^(m-1)) = 2^m. Else
//   c(0) = 0 and c(s) is bit s - 1 of k: b = k.
// Token. The same with k the number that the word begins with, else 0: every letter sees it, so R holds
//   the same k at all of them, as V(j) has to be of the k of token i. c(s) is the last bit of R, and
//   each loop halves it; `all` stands for the largest k = 2^m. A number is no letter: before(j) is none
//   behind it, which no letter equals, and its own label stands before nothing.
#include "constructions/SHT24/induction_hops_thm4_2.hpp"

#include <fmt/core.h>

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "logdepth/program.hpp"

namespace logdepth::hops { namespace {

void check_options(const HopsOptions& options) {
  const std::uint32_t most = options.form == HopsForm::token ? kMostHopsOfToken : kMostHops;
  if (options.hops < 1 || options.hops > most)
    throw InputError(fmt::format("--hops {}: expected a number from 1 to {}", options.hops, most));
  if (options.letters < 1 || options.letters > kMostHopLetters)
    throw InputError(fmt::format("--letters {}: expected a number of letters from 1 to {}",
                                 options.letters, kMostHopLetters));
  if (options.form == HopsForm::loops && !std::has_single_bit(options.hops))
    throw InputError(fmt::format(
        "--hops {}: expected a power of two with --form loops, which doubles", options.hops));
}

std::vector<std::string> label_names(const HopsOptions& options) {
  std::vector<std::string> labels = {"none"};
  for (std::uint32_t i = 0; i < options.letters; ++i)
    labels.emplace_back(1, static_cast<char>('a' + i));
  if (options.form == HopsForm::token) labels.emplace_back("number");
  return labels;
}

/// The cells, and the steps on them.
struct Hops {
  cells::Program& p;
  const HopsOptions& options;

  std::uint32_t doublings = static_cast<std::uint32_t>(std::bit_width(options.hops - 1));  // m
  bool all = std::has_single_bit(options.hops);  // k = 2^m: every c is 1
  bool by_token = options.form == HopsForm::token;
  std::vector<std::string> labels = label_names(options);

  cells::Constant one = p.constant();
  cells::Key I = p.key("I", cells::circle);                // the position
  cells::Pointer self = p.pointer("self", cells::circle);  // the same, to be copied
  cells::Pointer E = p.pointer("E", cells::circle);        // the position before
  cells::Flag first = p.flag("first");                     // the beginning token
  cells::OneHot own = p.onehot("own", labels);             // the letter; `number` of a number
  cells::OneHot before = p.onehot("before", labels);       // the letter before, or none
  cells::Pointer J = p.pointer("J", cells::circle, cells::state);
  cells::OneHot V = p.onehot("V", labels, cells::state);
  cells::Pointer next_J = p.pointer("next_J", cells::circle, cells::scratch);
  cells::OneHot next_V = p.onehot("next_V", labels, cells::scratch);
  // Of the form that reads k from the word:
  std::optional<cells::Flag> number = flag_cell("number");
  std::optional<cells::Flag> begins = flag_cell("begins");  // behind the beginning token
  std::optional<cells::Flag> counts = flag_cell("counts");  // the number that the word begins with
  std::optional<cells::OneHot> k = register_cell("k", cells::permanent);  // of a number
  std::optional<cells::OneHot> R = register_cell("R", cells::state);      // what is left of k

  std::optional<cells::Flag> flag_cell(const std::string& name) const {
    return by_token ? std::optional(p.flag(name)) : std::nullopt;
  }
  std::optional<cells::OneHot> register_cell(const std::string& name, Lifetime lifetime) const {
    if (!by_token) return std::nullopt;
    return p.onehot(name, cells::numbered(options.hops + 1), lifetime);
  }

  void tokens() const {
    std::vector<std::string> alphabet;
    const auto token = [&](const std::string& kind, const std::string& label,
                           const std::string& letter, std::optional<std::uint32_t> hops) {
      p.token(kind, first == (kind == cells::kBegin), own == label, V == letter);
      if (by_token) p.token(kind, *number == hops.has_value(), k->at(hops.value_or(0)));
      if (kind != cells::kBegin) alphabet.push_back(kind);
    };
    token(cells::kBegin, "none", "none", std::nullopt);
    for (std::uint32_t i = 1; i <= options.letters; ++i)
      token(labels[i], labels[i], labels[i], std::nullopt);
    for (std::uint32_t i = 0; by_token && i <= options.hops; ++i)
      token(std::to_string(i), "number", "none", i);
    p.alphabet(alphabet).position(I).position(self).position(E, 1);
  }

  /// V := next_V where `c` holds of what is left of k.
  template <class Condition>
  cells::Statements take_letter(Condition c) const {
    using namespace cells;
    if (!by_token) return {move(V, next_V), erase(next_V)};
    Rules rules;
    for (std::uint32_t left = 0; left <= options.hops; ++left)
      for (std::uint32_t x = 0; x < V.size(); ++x)
        rules.push_back(when(R->at(left), (c(left) ? next_V : V).at(x)).then(V.at(x)));
    return {lookup("letter", rules), erase(next_V)};
  }
  bool is_all(std::uint32_t left) const { return all && left == options.hops; }

  /// Layers 1 and 2.
  void first_hop() const {
    using namespace cells;
    const Fetch previous = fetch("previous").causal(match(E).key(I)).copy(before, V);
    if (by_token)
      p.initial(
          previous.copy(*begins, first),
          lookup("counts", {when(*number, *begins).then(*counts),
                            when(*number, !*begins).then(!*counts), when(!*number).then(!*counts)}),
          fetch("hops").causal(rightmost(*counts).key(I)).copy(*R, *k));
    else
      p.initial(previous);
    const Fetch hop = fetch("hop").causal(rightmost(first).same(own, before).key(I)).copy(J, self);
    if (all)
      p.initial(hop.copy(next_V, V), take_letter([&](std::uint32_t left) { return is_all(left); }));
    else
      p.initial(hop);
  }

  /// Layer 2 + s of a number of hops that is known.
  void doubling(std::uint32_t s) const {
    using namespace cells;
    const bool takes = all || (options.hops >> (s - 1) & 1) != 0, last = s == doublings;
    Fetch hop = fetch(fmt::format("double.{}", s)).causal(match(J).key(I));
    if (takes) hop = hop.copy(next_V, V);
    if (!last) hop = hop.copy(next_J, J);
    p.final(hop);
    if (takes) p.final(move(V, next_V), erase(next_V));
    if (!last) p.final(move(J, next_J), erase(next_J));
  }

  /// The loop of the other forms.
  void doubling() const {
    using namespace cells;
    p.repeated(fetch("double").causal(match(J).key(I)).copy(next_V, V).copy(next_J, J),
               move(J, next_J), erase(next_J),
               take_letter([&](std::uint32_t left) { return is_all(left) || left % 2 == 1; }));
    if (!by_token) return;
    Rules halves;
    for (std::uint32_t left = 0; left <= options.hops; ++left)
      halves.push_back(when(R->at(left)).then(R->at(is_all(left) ? left : left / 2)));
    p.repeated(lookup("halve", halves));
  }

  void outputs() const {
    for (std::uint32_t i = 0; i <= options.letters; ++i) p.output(labels[i], V[labels[i]]);
  }
};

}}  // namespace logdepth::hops

namespace logdepth { inline namespace constructions_SHT24 {

Program induction_hops(const HopsOptions& options) {
  hops::check_options(options);
  const bool fixed = options.form == HopsForm::fixed, by_token = options.form == HopsForm::token;
  cells::Program p(fmt::format("{}{}-hop induction heads", by_token ? "up to " : "", options.hops));
  p.construction(fixed ? "k-hop" : by_token ? "k-hop by token" : "k-hop by loops");
  p.source(
      "Sanford, Hsu and Telgarsky, Transformers, parallel computation, and logarithmic depth, "
      "2024, Theorem 4.2");
  p.hypothesis(causal_network());
  p.deviation(
      "depth ceil(log2 k) + 2; the theorem has floor(log2 k) + 2, which is one less where k is no "
      "power of two: not established here, in either direction");
  if (by_token)
    p.deviation("k is the number that the word begins with, else 0; the theorem fixes it");
  p.parameter("hops", std::to_string(options.hops))
      .parameter("letters", std::to_string(options.letters));
  const hops::Hops network{p, options};
  p.fixed_loops(fixed ? 0 : network.doublings);
  network.tokens();
  network.first_hop();
  for (std::uint32_t s = 1; fixed && s <= network.doublings; ++s) network.doubling(s);
  if (!fixed) network.doubling();
  network.outputs();
  return p.program();
}

Construction induction_hops_record() {
  const HopsOptions usual;
  return {
      .key = {"SHT24", "thm-4.2", "k-hop"},
      .problem = Problem::hops,
      .options = {{"hops", CountOption{.otherwise = usual.hops},
                   fmt::format("number k of hops; with --form token the largest (default: {})",
                               usual.hops)},
                  {"form", ChoiceOption{{"fixed", "loops", "token"}, "fixed"},
                   "fixed: any number of hops; loops: a power of two, a loop per doubling; "
                   "token: the number that the word begins with (default: fixed)"},
                  {"letters", CountOption{.otherwise = usual.letters},
                   fmt::format("number of letters: a, b, c, ... (default: {})", usual.letters)}},
      .program =
          [](const Request& r) {
            const std::string form = word_of(r.values, "form");
            return induction_hops({form == "loops"   ? HopsForm::loops
                                   : form == "token" ? HopsForm::token
                                                     : HopsForm::fixed,
                                   static_cast<std::uint32_t>(number_of(r.values, "hops")),
                                   static_cast<std::uint32_t>(number_of(r.values, "letters"))});
          },
      .depths = {{.title = "a network per k",
                  .per_size = "hops",
                  .tested = 5,
                  .formula = "ceil(log2 k) + 2",
                  .largest = 64}},
      .cells = {{"own", "the letter"},
                {"before", "the letter before"},
                {"J", "where the hops so far lead, twice as many in each layer"},
                {"V", "the letter at the place that the hops of the number so far lead to"}}};
}

}}  // namespace logdepth::constructions_SHT24
