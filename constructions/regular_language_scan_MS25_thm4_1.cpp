// MS25 Theorem 4.1, optimised: one layer per doubling.
//
// Statement (MS25 Thm 4.1). For every regular language L there is a (0, 8, 9)-universal transformer
//   with causal masking that, on any string w$, recognises whether w is in L when unrolled
//   ceil(log2 |w|) times. Depth claimed: 8 ceil(log2 |w|) + 9.
// Here. A (0, 1, 0)-universal transformer (rational position encodings) or a (1, 1, 0)-universal
// one
//   (the paper's minimal assumption: the encoding separates the first position) that decides the
//   same with ceil(log2 T) loops, T the number of letters, and yields every prefix product.
//
// Hypotheses. One beginning token at position 0; averaging-hard causal attention; masked pre-norm
//   (RMS or layer norm) without epsilon. No bound on the length.
// Deviations from the paper's text, each with its reason:
//   - intervals that double (Hillis-Steele) instead of a binary tree: no activeness, no division;
//   - a beginning token that acts as the identity instead of $ at the end: pointers that would
//   leave
//     the word fall on it, so no case distinction is needed and every token holds its prefix
//     product;
//   - `two-circle`, `circle`: a richer position encoding than the paper's, which buys the initial
//     layer and makes every activation rational.
//
// Cells (Q points, one-hot rows; a row whose image never changes is not stored):
//   one      constant      1
//   fst      flag          first-flag only: true at position 0
//   a        number 2      first-flag only: (p, 1)/(p+1), raw, never read again after layer 1
//   I        key           code of p
//   E        pointer       rational codes: code of max(e-1, 0), the token to fetch from;
//                          first-flag: phi(e), where [e, p] is the interval covered so far
//   d.q / d  one-hot       image of point q under the product of the interval / the product itself
//   sE, sd.* scratch       what was fetched
// Loop (one layer).
//   attention    prev: match E (first-flag: E back 1) on I, causal, exactly one position j
//                sd := d_j, sE := E_j
//   feed-forward d := sd * d (the fetched interval acts first), E := sE, scratch := 0
// Invariant. After L loops, with s = 2^L: the interval of token p is [max(p-s+1, 0), p], d is the
//   product of its letters (the identity for position 0), and E codes max(p-s, 0) (rational codes)
//   or max(p-s+1, 0) (first-flag).
//   Start, s = 1: d is the token's own letter, E codes max(p-1, 0) or p.
//   Step: the head reads token j = max(p-s, 0), whose interval is [max(j-s+1, 0), j]; it ends where
//   the interval of p begins, or both contain position 0, whose letter is the identity.
//   End: s >= T covers positions 1..T for every p <= T.
#include "constructions/regular_language_scan_MS25_thm4_1.hpp"

#include <algorithm>
#include <set>

#include "objects/input_error.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth {
namespace {

std::size_t pointer_units(ScanPositions positions) {
  // Move and erase sE, overwrite E: two signs of each component of both.
  return 4 * (positions == ScanPositions::two_circle ? 4 : 2);
}

/// images[q]: the points that q can be mapped to by products of letters, in increasing order. A
/// matrix row needs these columns only, and none when there is a single one.
std::vector<std::vector<State>> reachable_images(const Action& action) {
  std::vector<std::vector<State>> images(action.points);
  for (State q = 0; q < action.points; ++q) {
    std::vector<bool> seen(action.points, false);
    std::vector<State> todo = {q};
    seen[q] = true;
    while (!todo.empty()) {
      const State r = todo.back();
      todo.pop_back();
      images[q].push_back(r);
      for (const Transformation& generator : action.generators)
        if (!seen[generator[r]]) {
          seen[generator[r]] = true;
          todo.push_back(generator[r]);
        }
    }
    std::sort(images[q].begin(), images[q].end());
  }
  return images;
}

std::size_t count_matrix_units(const std::vector<std::vector<State>>& images) {
  std::size_t units = 0;
  for (const auto& row : images) {
    if (row.size() == 1) continue;
    for (const State r : row) units += images[r].size();
    units += 2 * row.size();  // clears of d.q and sd.q
  }
  return units;
}

/// Builds the parts that do not depend on the table.
class ScanBuilder {
 public:
  ScanBuilder(const Action& action, const std::string& name, const ScanOptions& options)
      : action_(action), options_(options) {
    program_.name = name;
    program_.construction = "scan";
    program_.source = "MS25 Thm 4.1 (optimised: one layer per doubling)";
    program_.alphabet = action.alphabet.names();
    program_.unroll.kind = Unroll::Kind::ceil_log2_letters;
    program_.hypotheses = {
        "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers",
        "one beginning token at position 0, then the letters; any length, the empty word included"};
    program_.deviations = {
        "intervals that double replace the binary tree, so no activeness and no division",
        "a beginning token that acts as the identity replaces $ at the end"};
    if (options.positions == ScanPositions::first_flag) {
      program_.hypotheses.push_back("the position encoding only separates the first position");
    } else {
      program_.hypotheses.push_back(
          std::string("rational position encoding: ") +
          (options.positions == ScanPositions::circle ? "circle" : "two-circle"));
      program_.deviations.push_back(
          "a position encoding beyond the paper's minimal one buys the initial layer");
    }
  }

  /// Declares a product cell with the given labels and its scratch copy; returns both.
  std::pair<CellId, CellId> declare_product(const std::string& suffix,
                                            const std::vector<std::string>& labels) {
    const CellId d = declare("d" + suffix, OneHotType{labels}, Lifetime::state);
    const CellId sd = declare("sd" + suffix, OneHotType{labels}, Lifetime::scratch);
    fetched_.push_back({sd, d});
    return {d, sd};
  }

  CellId declare(const std::string& name, CellType type, Lifetime lifetime) {
    program_.cells.push_back({name, std::move(type), lifetime});
    return static_cast<CellId>(program_.cells.size() - 1);
  }

  void declare_positions() {
    one_ = declare("one", ConstantType{}, Lifetime::permanent);
    const bool first_flag = options_.positions == ScanPositions::first_flag;
    const PositionCode code = first_flag ? PositionCode::phi
                              : options_.positions == ScanPositions::circle
                                  ? PositionCode::circle
                                  : PositionCode::two_circle;
    if (first_flag) {
      fst_ = declare("fst", FlagType{}, Lifetime::permanent);
      a_ = declare("a", NumberType{2}, Lifetime::permanent);
    }
    I_ = declare("I", KeyType{code}, Lifetime::permanent);
    E_ = declare("E", PointerType{code}, Lifetime::state);
    sE_ = declare("sE", PointerType{code}, Lifetime::scratch);
    if (first_flag) {
      program_.position = {{fst_, 0}};
    } else {
      program_.position = {{I_, 0}, {E_, 1}};
    }
  }

  /// `value(letter)` fills the product cells of a token; the beginning token is the identity.
  template <class Fill>
  void fill_tokens(Fill fill) {
    program_.embedding[kBeginToken] = fill(identity_transformation(action_.points));
    for (Letter a = 0; a < action_.alphabet.size(); ++a)
      program_.embedding[action_.alphabet.name(a)] = fill(action_.generators[a]);
  }

  void emit_blocks(LookupStatement product) {
    const bool first_flag = options_.positions == ScanPositions::first_flag;
    if (first_flag) {
      // Position from the first-flag (MS25 Lemma A.6, k = 0): the causal averages of [not first]
      // and [first] are (p, 1)/(p+1); their direction is phi(p). The interval of a token is itself.
      FetchStatement count;
      count.name = "count";
      count.selector = SelectAll{};
      const Rational half(1, 2);
      count.writes = {SumWrite{{a_, 0}, {{{one_, 0}, half}, {{fst_, 0}, -half}}},
                      SumWrite{{a_, 1}, {{{one_, 0}, half}, {{fst_, 0}, half}}}};
      program_.initial.push_back(std::move(count));
      program_.initial.push_back(NormaliseStatement{{I_, E_}, {{a_, 0}, {a_, 1}}});
    }
    FetchStatement prev;
    prev.name = "prev";
    prev.selector = SelectPointed{E_, I_, first_flag ? 1u : 0u};
    EraseStatement erase;
    for (const auto& [sd, d] : fetched_) {
      prev.writes.push_back(CopyWrite{sd, d});
      erase.cells.push_back(sd);
    }
    prev.writes.push_back(CopyWrite{sE_, E_});
    erase.cells.push_back(sE_);
    program_.repeated.push_back(std::move(prev));
    if (!product.rules.empty()) program_.repeated.push_back(std::move(product));
    program_.repeated.push_back(MoveStatement{E_, sE_});
    program_.repeated.push_back(std::move(erase));
  }

  Term one(const Rational& factor) const { return {{one_, 0}, factor}; }
  Program& program() { return program_; }

 private:
  const Action& action_;
  const ScanOptions& options_;
  Program program_;
  CellId one_ = 0, fst_ = 0, a_ = 0, I_ = 0, E_ = 0, sE_ = 0;
  std::vector<std::pair<CellId, CellId>> fetched_;  // (sd, d)
};

/// The product as a 0/1 matrix, one one-hot row per point; composition needs one unit for every
/// path q -> r -> t: sd.q = r and d.r = t give d.q := t. No monoid is enumerated.
Program matrix_program(const Action& action, const std::string& name, const ScanOptions& options) {
  ScanBuilder builder(action, name, options);
  builder.declare_positions();
  const auto images = reachable_images(action);
  struct RowCells {
    CellId d = 0, sd = 0;
    bool stored = false;
  };
  std::vector<RowCells> rows(action.points);
  for (State q = 0; q < action.points; ++q) {
    if (images[q].size() == 1) continue;
    std::vector<std::string> labels;
    for (const State t : images[q]) labels.push_back(std::to_string(t));
    const auto [d, sd] = builder.declare_product("." + std::to_string(q), labels);
    rows[q] = {d, sd, true};
  }
  const auto label = [&](State q, State t) {
    return static_cast<std::uint32_t>(std::lower_bound(images[q].begin(), images[q].end(), t) -
                                      images[q].begin());
  };

  builder.fill_tokens([&](const Transformation& f) {
    std::vector<TokenFill> fills;
    for (State q = 0; q < action.points; ++q)
      if (rows[q].stored) fills.push_back({rows[q].d, label(q, f[q])});
    return fills;
  });

  LookupStatement product;
  product.name = "product";
  for (State q = 0; q < action.points; ++q) {
    if (!rows[q].stored) continue;
    for (const State r : images[q])
      for (const State t : images[r]) {
        Rule rule;
        rule.when.push_back({rows[q].sd, label(q, r)});
        if (rows[r].stored) rule.when.push_back({rows[r].d, label(r, t)});
        rule.then.push_back({rows[q].d, label(q, t)});
        product.rules.push_back(std::move(rule));
      }
  }
  builder.emit_blocks(std::move(product));

  OutputRow accept{"accept", {}}, reject{"reject", {}};
  if (action.initial) {
    const State q = *action.initial;
    if (!rows[q].stored) {
      (action.accepting[q] ? accept : reject).form.push_back(builder.one(1));
    } else {
      for (const State t : images[q])
        (action.accepting[t] ? accept : reject)
            .form.push_back({{rows[q].d, label(q, t)}, Rational(1)});
    }
  } else {
    // The identity scores one per stored row, anything else at least one less.
    std::int64_t stored = 0;
    for (State q = 0; q < action.points; ++q) {
      if (!rows[q].stored) continue;
      accept.form.push_back({{rows[q].d, label(q, q)}, Rational(1)});
      ++stored;
    }
    if (stored == 0) accept.form.push_back(builder.one(1));
    reject.form.push_back(builder.one(stored == 0 ? Rational(1, 2) : Rational(2 * stored - 1, 2)));
  }
  builder.program().outputs = {std::move(accept), std::move(reject)};

  PrefixPoints points;
  for (State q = 0; q < action.points; ++q)
    points.points.push_back(rows[q].stored ? PointReadout{rows[q].d, 0}
                                           : PointReadout{std::nullopt, images[q].front()});
  builder.program().prefix = std::move(points);
  return std::move(builder.program());
}

/// Labels that say what an element is: a shortest word for it.
std::vector<std::string> element_labels(const TransitionMonoid& monoid, const Alphabet& alphabet) {
  std::vector<std::string> labels;
  for (const Word& word : monoid.shortest_word) {
    std::string text;
    for (const Letter a : word) {
      if (!text.empty() && !alphabet.single_characters()) text += '.';
      text += alphabet.name(a);
    }
    labels.push_back(word.empty() ? "()" : text);
  }
  if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size())
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = "m" + std::to_string(i);
  return labels;
}

/// The product as one one-hot cell over the transition monoid, with its |M|^2 multiplication table.
Program monoid_program(const Action& action, const TransitionMonoid& monoid,
                       const std::string& name, const ScanOptions& options) {
  ScanBuilder builder(action, name, options);
  builder.declare_positions();
  const auto [d, sd] = builder.declare_product("", element_labels(monoid, action.alphabet));
  builder.fill_tokens([&, cell = d](const Transformation& f) {
    return std::vector<TokenFill>{{cell, monoid.find(f)}};
  });
  const auto table = monoid.product_table();
  const auto size = static_cast<std::uint32_t>(monoid.size());
  LookupStatement product;
  product.name = "product";
  for (std::uint32_t a = 0; a < size; ++a)
    for (std::uint32_t b = 0; b < size; ++b)
      product.rules.push_back({{{sd, a}, {d, b}}, {{d, table[a * size + b]}}});
  builder.emit_blocks(std::move(product));
  OutputRow accept{"accept", {}}, reject{"reject", {}};
  for (std::uint32_t e = 0; e < size; ++e)
    (action.accepts(monoid.elements[e]) ? accept : reject).form.push_back({{d, e}, Rational(1)});
  builder.program().outputs = {std::move(accept), std::move(reject)};
  builder.program().prefix = PrefixElement{d, monoid.elements};
  return std::move(builder.program());
}

}  // namespace

ScanForecast forecast_scan(const Action& action, const ScanOptions& options) {
  ScanForecast forecast;
  const std::size_t pointers = pointer_units(options.positions);
  forecast.matrix_units = count_matrix_units(reachable_images(action)) + pointers;
  // The stated cap, lowered when elements are long lists: at most 2^24 images in memory.
  forecast.monoid_cap = std::min<std::size_t>(
      kMaxMonoid, (std::size_t{1} << 24) / std::max<std::size_t>(action.points, 1));
  std::string monoid_text = "the monoid has more than " + std::to_string(forecast.monoid_cap) +
                            " elements and was not enumerated further";
  if (const auto monoid = enumerate_monoid(action.generators, action.points, forecast.monoid_cap)) {
    const std::size_t size = monoid->size();
    forecast.monoid_size = size;
    forecast.monoid_units = size * size + 2 * size + pointers;
    monoid_text = "the monoid has " + std::to_string(size) + " elements, its table " +
                  std::to_string(*forecast.monoid_units) + " units";
  }
  forecast.chosen = options.table;
  if (options.table == ScanTable::automatic)
    forecast.chosen = forecast.monoid_units && *forecast.monoid_units < forecast.matrix_units
                          ? ScanTable::monoid
                          : ScanTable::matrix;
  forecast.reason =
      std::string(options.table == ScanTable::automatic ? "smaller: " : "requested: ") +
      "the matrix of " + std::to_string(action.points) + " points needs " +
      std::to_string(forecast.matrix_units) + " units; " + monoid_text;
  const bool monoid = forecast.chosen == ScanTable::monoid;
  if (monoid && !forecast.monoid_units)
    throw SizeLimit("the monoid table cannot be built: " + monoid_text + "; try --table matrix (" +
                    std::to_string(forecast.matrix_units) + " units)");
  const std::size_t units = monoid ? *forecast.monoid_units : forecast.matrix_units;
  if (units > kMaxScanUnits) {
    const std::size_t other =
        monoid ? forecast.matrix_units : forecast.monoid_units.value_or(units);
    throw SizeLimit("the " + std::string(monoid ? "monoid" : "matrix") + " table needs " +
                    std::to_string(units) + " feed-forward units and the limit is " +
                    std::to_string(kMaxScanUnits) + " (" + forecast.reason + "); try " +
                    (other <= kMaxScanUnits ? "the other --table" : "the reversed language") +
                    ", or a smaller automaton");
  }
  return forecast;
}

Program regular_language_scan_MS25_thm4_1(const Action& action, const std::string& name,
                                          const ScanOptions& options) {
  const ScanForecast forecast = forecast_scan(action, options);
  Program program;
  if (forecast.chosen == ScanTable::monoid) {
    const auto monoid = enumerate_monoid(action.generators, action.points, forecast.monoid_cap);
    program = monoid_program(action, *monoid, name, options);
  } else {
    program = matrix_program(action, name, options);
  }
  program.parameters["table"] = forecast.chosen == ScanTable::monoid ? "monoid" : "matrix";
  program.parameters["table_reason"] = forecast.reason;
  program.parameters["points"] = std::to_string(action.points);
  return program;
}

}  // namespace logdepth
