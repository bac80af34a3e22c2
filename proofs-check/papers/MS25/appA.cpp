// MS25 Appendix A: building blocks, on raw streams.
// Defects in MS25 Section 2.2 and Appendix A: storing, reading, clearing, shifting, comparing.
#include <fmt/core.h>

#include <utility>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_MS25 {
namespace {

using Rows = std::vector<std::vector<Real>>;

/// The direction of (x, y, ...), component by component.
std::vector<Real> unit(const std::vector<Rational>& vector) {
  Rational square;
  for (const Rational& x : vector) square += x * x;
  std::vector<Real> result;
  for (const Rational& x : vector) result.push_back(Real(x).divided_by_root(square));
  return result;
}
std::vector<Real> psi(const Rational& z) {
  return {Real(z), Real(1)};
}
Real flag(bool value) {
  return Real(value ? 1 : -1);
}

/// Rationals of "size" n: numerators and denominators up to n, n among them, of both signs.
std::vector<Rational> numbers(std::size_t size) {
  const auto n = static_cast<std::int64_t>(size);
  std::vector<Rational> result;
  for (std::int64_t k = 1; k <= n; ++k)
    for (const Rational& z : {Rational(n, k), Rational(k, n), Rational(-n, k), Rational(-k, n)})
      result.push_back(z);
  if (size == 1) result.push_back(0);
  return result;
}

/// Every word of flags of this length, as raw inputs of one flag per token.
std::vector<RawInput> flags(std::size_t size) {
  std::vector<RawInput> inputs;
  for (std::uint64_t bits = 0; bits >> size == 0; ++bits) {
    RawInput input;
    input.text = "flags ";
    for (std::size_t i = 0; i < size; ++i) {
      input.text += bits >> i & 1 ? '1' : '0';
      input.rows.push_back({flag(bits >> i & 1)});
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Claim lemma(const std::string& name, const std::string& page, Form form, const std::string& title,
            const std::string& statement, const std::string& claimed) {
  Claim claim = claim_named(name, form);
  claim.file = "constructions/MS25/" + page + ".cpp";
  claim.tests = {"tests/claims/building_blocks.cpp"};
  claim.title = title;
  claim.statement = statement;
  claim.source = "MS25 Appendix A, Lemma " + claim.id.substr(std::string("lem-").size());
  claim.claimed.text = claimed;
  return claim;
}

void add(Claim& claim, const std::string& name, AgainstStreams against, std::size_t up_to,
         std::function<Program()> program) {
  claim.instances.push_back({.name = name,
                             .program = std::move(program),
                             .against = std::move(against),
                             .bounds = {up_to, 0, 0}});
}

Claim read() {
  Claim claim = lemma("lem-A.1", "lemA1_read", Form::repaired, "Reading a scalar",
                      "A masked pre-norm retrieves phi(z) where phi(z) or psi(z) is stored.",
                      "a masked pre-norm");
  for (const ReadBy by : {ReadBy::feedforward, ReadBy::attention}) {
    const std::string how = by == ReadBy::attention ? " by attention" : " by the feed-forward";
    AgainstStreams any;
    any.name = "phi(z) from phi(z) and from psi(z), numerator and denominator of z";
    any.inputs = [](std::size_t size) {
      std::vector<RawInput> inputs;
      for (const Rational& z : numbers(size))
        inputs.push_back({"z = " + z.text(), {phi_values(z), psi(z)}});
      return inputs;
    };
    any.outputs = [](const RawInput& input) { return Rows{input.rows[0], input.rows[0]}; };
    add(claim, "any z" + how, any, 12, [by] { return read_MS25_lemA1(Stored::unit, by); });

    AgainstStreams position;
    position.name = "phi(i) from psi(i), i";
    position.inputs = [](std::size_t size) {
      RawInput input{fmt::format("{} positions", size), {}};
      for (std::size_t i = 0; i < size; ++i)
        input.rows.push_back(psi(static_cast<std::int64_t>(i)));
      return std::vector<RawInput>{input};
    };
    position.outputs = [](const RawInput& input) {
      Rows rows;
      for (std::size_t i = 0; i < input.rows.size(); ++i)
        rows.push_back(phi_values(static_cast<std::int64_t>(i)));
      return rows;
    };
    add(claim, "positions" + how, position, 24,
        [by] { return read_MS25_lemA1(Stored::position, by); });
  }
  return claim;
}

Claim read_several() {
  Claim claim =
      lemma("lem-A.2", "lemA2_read_several", Form::repaired, "Reading several unit vectors",
            "One masked pre-norm retrieves unit vectors phi_1, ..., phi_k together.",
            "a masked pre-norm");
  AgainstStreams two;
  two.name = "three unit vectors of 2, 3 and 2 components as they are, numbers";
  two.inputs = [](std::size_t size) {
    std::vector<RawInput> inputs;
    for (const Rational& z : numbers(size))
      inputs.push_back({"z = " + z.text(),
                        {beside({phi_values(z), unit({z, 1, -2}), phi_values(z * z)}),
                         beside({phi_values(0), unit({0, z, 1}), phi_values(-z)})}});
    return inputs;
  };
  two.outputs = [](const RawInput& input) { return input.rows; };
  for (const ReadBy by : {ReadBy::feedforward, ReadBy::attention})
    add(claim, by == ReadBy::attention ? "by attention" : "by the feed-forward", two, 10, [by] {
      return read_several_MS25_lemA2({2, 3, 2}, by);
    });
  return claim;
}

Claim store() {
  Claim claim =
      lemma("lem-A.3", "lemA3_store", Form::repaired, "Storing a scalar",
            "A scalar z that a head computes can be stored as phi(z) in blank cells.", "2 layers");
  AgainstStreams against;
  against.name = "phi of 3/2 times the average of a flag, every word of flags of length";
  against.inputs = flags;
  against.outputs = [](const RawInput& input) {
    Rows rows;
    Rational sum;
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
      sum += input.rows[i][0].rational_part();
      rows.push_back(phi_values(Rational(3, 2) * sum / Rational(static_cast<std::int64_t>(i + 1))));
    }
    return rows;
  };
  against.blank = {"z"};
  add(claim, "psi(z) cleared", against, 8, [] { return store_MS25_lemA3({Rational(3, 2), true}); });
  against.blank.clear();
  add(claim, "psi(z) left", against, 6, [] { return store_MS25_lemA3({Rational(3, 2), false}); });
  return claim;
}

Claim remove(bool overwrite) {
  Claim claim = lemma(overwrite ? "lem-A.4/overwrite" : "lem-A.4/remove", "lemA4_remove",
                      Form::repaired, "Removing a unit vector",
                      "A feed-forward sublayer removes a unit vector; with a parallel one that "
                      "stores a new value, the cell is overwritten.",
                      "a feed-forward sublayer");
  AgainstStreams against;
  against.name = "unit vectors of 2 components beside others that stay, numbers";
  against.inputs = [overwrite](std::size_t size) {
    std::vector<RawInput> inputs;
    for (const Rational& z : numbers(size)) {
      std::vector<Real> row = beside({phi_values(z), phi_values(2 * z + 1)});
      inputs.push_back({"z = " + z.text(), {overwrite ? beside({row, phi_values(-z - 3)}) : row}});
    }
    return inputs;
  };
  against.outputs = [overwrite](const RawInput& input) {
    const std::vector<Real>& row = input.rows[0];
    if (!overwrite) return Rows{{row[2], row[3]}};
    return Rows{{row[4], row[5], row[2], row[3]}};
  };
  if (!overwrite) against.blank = {"z"};
  add(claim, "", against, 12,
      [overwrite] { return overwrite ? overwrite_MS25_lemA4() : remove_MS25_lemA4(); });
  return claim;
}

Claim clear() {
  Claim claim = lemma(
      "lem-A.5", "lemA5_clear", Form::repaired, "Clearing what a layer wrote",
      "Another layer resets the stream to what it was before a layer that wrote to blank cells.",
      "1 layer");
  AgainstStreams against;
  against.name = "everything is zero again, every word of flags of length";
  against.inputs = flags;
  against.outputs = [](const RawInput& input) { return input.rows; };
  against.blank = {"z", "x"};
  add(claim, "", against, 8, [] { return clear_MS25_lemA5(); });
  return claim;
}

Claim offset(OffsetForm form) {
  const bool query = form == OffsetForm::shifted_query;
  Claim claim = lemma(query ? "lem-A.6/shifted-query" : "lem-A.6", "lemA6_offset",
                      query ? Form::optimised : Form::repaired, "Position offsets",
                      "From the first-flag, phi(i - k) for i >= k.", "1 layer");
  for (const std::uint32_t k : {1u, 2u, 5u}) {
    AgainstStreams against;
    against.name =
        query ? "the value of position max(i - k, 0), lengths" : "phi(i - k) at every i, lengths";
    against.inputs = [query](std::size_t size) {
      RawInput input{fmt::format("{} positions", size), {}};
      for (std::size_t i = 0; i < size; ++i) {
        const auto z = static_cast<std::int64_t>(i);
        input.rows.push_back(query ? beside({phi_values(z), phi_values(Rational(z * z - 7, 3))})
                                   : phi_values(0));
      }
      return std::vector<RawInput>{input};
    };
    against.outputs = [query, k](const RawInput& input) {
      Rows rows;
      for (std::size_t i = 0; i < input.rows.size(); ++i) {
        const auto& found = input.rows[i >= k ? i - k : 0];
        rows.push_back(
            query ? std::vector<Real>{found[2], found[3]}
                  : phi_values(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(k)));
      }
      return rows;
    };
    add(claim, fmt::format("k = {}", k), against, 24,
        [form, k] { return offset_MS25_lemA6(k, form); });
  }
  return claim;
}

Claim equality() {
  Claim claim = lemma("lem-A.7", "lemA7_equality", Form::repaired, "Equality of two scalars",
                      "One layer writes whether x = y; a second one clears what lies between.",
                      "1 layer, and 1 to clear");
  AgainstStreams stored;
  stored.name = "x = y for pairs of numbers";
  stored.inputs = [](std::size_t size) {
    std::vector<RawInput> inputs;
    for (const Rational& x : numbers(size))
      for (const Rational& y : {x, Rational(-x), x.is_zero() ? Rational(1) : x.inverse(), x + 1})
        inputs.push_back({"x = " + x.text() + ", y = " + y.text(),
                          {beside({phi_values(0), phi_values(x), phi_values(y)})}});
    return inputs;
  };
  stored.outputs = [](const RawInput& input) {
    const auto& row = input.rows[0];
    return Rows{{flag(row[2] == row[4] && row[3] == row[5])}};
  };
  stored.blank = {"D"};
  add(claim, "stored", stored, 10, [] { return equality_MS25_lemA7(Compared::stored); });

  AgainstStreams computed;
  computed.name = "averages of two flags, so far and over all, every pair of words of length";
  computed.inputs = [](std::size_t size) {
    std::vector<RawInput> inputs;
    for (const RawInput& f : flags(size))
      for (const RawInput& g : flags(size)) {
        RawInput input{f.text + ", " + g.text, {}};
        for (std::size_t i = 0; i < size; ++i)
          input.rows.push_back(
              beside({phi_values(static_cast<std::int64_t>(i)), f.rows[i], g.rows[i]}));
        inputs.push_back(std::move(input));
      }
    return inputs;
  };
  computed.outputs = [](const RawInput& input) {
    Rows rows;
    Rational all, so_far;
    for (const auto& row : input.rows) all += row[3].rational_part();
    const Rational count(static_cast<std::int64_t>(input.rows.size()));
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
      so_far += input.rows[i][2].rational_part();
      rows.push_back({flag(so_far * count == all * Rational(static_cast<std::int64_t>(i + 1)))});
    }
    return rows;
  };
  computed.blank = {"D"};
  add(claim, "computed", computed, 4, [] { return equality_MS25_lemA7(Compared::computed); });

  AgainstStreams raw;
  raw.name = "i = m from psi(i) and psi(m), m and lengths";
  raw.inputs = [](std::size_t size) {
    std::vector<RawInput> inputs;
    for (std::size_t m = 1; m <= size; ++m) {
      RawInput input{fmt::format("{} positions, m = {}", size, m), {}};
      for (std::size_t i = 0; i < size; ++i)
        input.rows.push_back(
            beside({psi(static_cast<std::int64_t>(i)), psi(static_cast<std::int64_t>(m))}));
      inputs.push_back(std::move(input));
    }
    return inputs;
  };
  raw.outputs = [](const RawInput& input) {
    Rows rows;
    for (const auto& row : input.rows) rows.push_back({flag(row[0] == row[2])});
    return rows;
  };
  raw.blank = {"D"};
  add(claim, "raw", raw, 16, [] { return equality_MS25_lemA7(Compared::raw); });
  return claim;
}

std::vector<Claim> appA_claims() {
  return {read(),
          read_several(),
          store(),
          remove(false),
          remove(true),
          clear(),
          offset(OffsetForm::one_layer),
          offset(OffsetForm::shifted_query),
          equality()};
}

std::vector<Real> negative(std::vector<Real> values) {
  for (Real& value : values) value = -value;
  return values;
}

/// Lemma A.4 on phi(z) as the paper stores it, <z, 1, -z, -1>/sqrt(z^2 + 1).
std::vector<RawCase> four_coordinates(std::size_t size) {
  const auto z = static_cast<std::int64_t>(size);
  return {{{fmt::format("phi({}) in four coordinates", z),
            {beside({phi_values(z), negative(phi_values(z)), phi_values(0)})}},
           phi_values(0)}};
}

Program read_two() {
  return read_several_MS25_lemA2({2, 2});
}

constexpr const char* kScaleQuote =
    "the masked pre-norm outputs 1/sqrt(2k) <phi_1, ..., phi_k>. We can hardcode the scalar "
    "multiplier of layer-norm to remove the scalar factor, or, equivalently, bake it into the next "
    "linear transformation";

/// Lemma A.7 at position 0: phi(x) and phi(y), x <= y = size and y <= x = size.
std::vector<RawCase> pairs_of_numbers(std::size_t size) {
  std::vector<RawCase> cases;
  const auto z = static_cast<std::int64_t>(size);
  const auto add = [&](std::int64_t x, std::int64_t y) {
    cases.push_back({{fmt::format("x = {}, y = {}", x, y),
                      {beside({phi_values(0), phi_values(x), phi_values(y)})}},
                     {Real(x == y ? 1 : -1)}});
  };
  add(z, z);
  for (std::int64_t y = 0; y < z; ++y) {
    add(y, z);
    add(z, y);
  }
  return cases;
}

Program uncleared_equality() {
  return equality_MS25_lemA7(Compared::stored, false);
}

constexpr const char* kEqualityQuote =
    "The feedforward sublayer reads sigma_1 = sgn(x - y), computes z = 1 - ReLU(sigma_1) - "
    "ReLU(-sigma_1), and writes z to the residual stream";

/// The scalar that the head measures is the average of a flag: here over one token, or over
/// several with one flag false.
std::vector<RawCase> flag_streams(std::size_t size, bool measures) {
  if (size == 0) return {};
  RawCase all{{fmt::format("{} true", size), {}}, {}};
  for (std::size_t i = 0; i < size; ++i) all.input.rows.push_back({Real(1)});
  all.expected = measures ? phi_values(1) : std::vector<Real>{Real(1)};
  return {all};
}

constexpr const char* kStoreQuote =
    "Thus, the second layer can read phi(z) with masked pre-norm via Lem. A.1 and can also "
    "recompute z from h [...]. At this point, it outputs -psi(z) + phi(z) at indices I";

const std::vector<Defect> kBuildingBlockDefects = {
    {.number = 1,
     .id = "lem-A.4/phi-is-no-unit-vector",
     .place = "Section 2.2; used by Lemma A.4",
     .quote = "as the unit vector phi(z) = psi(z)/sqrt(z^2 + 1) in its normalized form",
     .change = "the four coordinates <z, 1, -z, -1>/sqrt(z^2 + 1) are removed as one unit vector",
     .repair = "they are two unit vectors, of squared norm 2 together: (z, 1)/sqrt(z^2 + 1) and "
               "its negative",
     .repaired =
         [] {
           using namespace cells;
           ChangedProgram p(remove_MS25_lemA4(2));
           const auto z = p.cell<Direction>("z"), minus_z = p.direction("minus_z");
           p.given(minus_z);
           return p.put_behind(minus_z, "z").replace("erase z", erase(z, minus_z)).program();
         },
     .program = [] { return remove_MS25_lemA4(4); },
     .search = search_raw(four_coordinates, {"z", "minus_z"})},
    {.number = 2,
     .id = "lem-A.2/no-rational-scale",
     .place = "Lemma A.2",
     .quote = kScaleQuote,
     .change = "no constant in the stream: the mask holds the k = 2 vectors alone",
     .repair = "the constant, with mask weight (k-1)/2, completes the norm to a rational square",
     .kind = Defect::Kind::refused,
     .repaired = read_two,
     .program = [] { return ChangedProgram(read_two()).drop_cell("one").program(); },
     .refusal = {"squared norm 2, not a square", "declare a constant"}},
    {.number = 2,
     .id = "lem-A.2/mask-of-the-vectors-alone",
     .place = "Lemma A.2",
     .quote = kScaleQuote,
     .change = "the constant is taken out of the mask; the rational matrices stay",
     .repair = "the constant, with mask weight (k-1)/2, completes the norm to a rational square",
     .repaired = read_two,
     .edit =
         [](Model& model) {
           const std::size_t layer = feedforward_of(model, "x0", "z0");
           set_entry(model.layers[layer].feedforward.mask, coordinate_of(model, "one"), 0);
         },
     .search = search_raw([](std::size_t size) {
       std::vector<RawCase> cases;
       const auto z = static_cast<std::int64_t>(size);
       for (std::int64_t y = 0; y <= z; ++y)
         cases.push_back(
             {{fmt::format("phi({}) and phi({})", z, y), {beside({phi_values(z), phi_values(y)})}},
              beside({phi_values(z), phi_values(y)})});
       return cases;
     })},
    {.number = 4,
     .id = "lem-A.7/one-cell-under-layer-norm",
     .place = "Appendix A.1; used by Lemma A.7",
     .quote = "For any general scalar z, storing z in the residual stream results in sgn(z) "
              "being retrieved when masked pre-norm is applied to this cell",
     .change = "the mask holds the cell of x - y without its negative copy, under layer norm",
     .repair = "every cell is stored with its negative, so that the mean is zero",
     .repaired = uncleared_equality,
     .edit =
         [](Model& model) {
           const std::size_t layer = feedforward_of(model, "e", "D");
           set_entry(model.layers[layer].feedforward.mask,
                     mirror_of(model, coordinate_of(model, "D")), 0);
         },
     .norm = Norm::layernorm,
     .search = search_raw(pairs_of_numbers)},
    {.number = 5,
     .id = "lem-A.7/one-without-a-bias",
     .place = "Lemma A.7",
     .quote = kEqualityQuote,
     .change = "the attention does not supply the 1; Definition 2.3 has no bias",
     .repair = "the attention of the same layer writes the 1, from a constant in the stream",
     .repaired = uncleared_equality,
     .edit =
         [](Model& model) {
           Head& head = head_at(model, head_writing(model, "e"));
           set_entry(head.value, value_row(head, coordinate_of(model, "e")),
                     coordinate_of(model, "one"), 0);
         },
     .search = search_raw(pairs_of_numbers)},
    {.number = 5,
     .id = "lem-A.7/one-in-the-mask-of-the-difference",
     .place = "Lemma A.7",
     .quote = kEqualityQuote,
     .change = "the feed-forward sublayer reads the constant 1 beside x - y",
     .repair = "its mask holds x - y alone; the 1 comes from the attention",
     .repaired = uncleared_equality,
     .edit =
         [](Model& model) {
           // e gets its 1 from a unit ReLU(one) instead of the head.
           Head& head = head_at(model, head_writing(model, "e"));
           const std::uint32_t e = coordinate_of(model, "e"), one = coordinate_of(model, "one");
           set_entry(head.value, value_row(head, e), one, 0);
           FeedForward& block = model.layers[feedforward_of(model, "e", "D")].feedforward;
           const Rational scale = entry(block.in, 0, coordinate_of(model, "D"));
           set_entry(block.mask, one, 1, Before::absent);
           const std::uint32_t unit = block.in.rows++;
           block.out.columns = block.in.rows;
           set_entry(block.in, unit, one, scale, Before::absent);
           set_entry(block.out, e, unit, 1, Before::absent);
         },
     .search = search_raw(pairs_of_numbers)},
    {.number = 5,
     .id = "lem-A.7/one-without-a-bias-as-a-program",
     .place = "Lemma A.7",
     .quote = kEqualityQuote,
     .change = "the attention does not supply the 1; Definition 2.3 has no bias",
     .repair = "the attention of the same layer writes the 1, from a constant in the stream",
     .kind = Defect::Kind::refused,
     .repaired = uncleared_equality,
     .program =
         [] {
           ChangedProgram p(uncleared_equality());
           return p.drop_write("compare", p.cell<cells::Flag>("e")).program();
         },
     .refusal = {"cell e", "not proved to be true at every token before the test"}},
    {.number = 7,
     .id = "lem-A.6/off-by-one",
     .place = "Lemma A.6",
     .quote = "The first is uniform with value 1[j = 0], and thus computes 1/i. The second is "
              "uniform with value 1[j >= k], and thus computes (i - k)/i",
     .change = "for k = 1 the second head averages 1[j >= 1], which is one minus the first-flag",
     .repair = "its value is 1[j > k], or 1 - (k+1) 1[j = 0] from the first-flag alone",
     .repaired = [] { return offset_MS25_lemA6(1); },
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(offset_MS25_lemA6(1));
           const auto one = p.cell<Constant>("one");
           const auto fst = p.cell<Flag>("fst");
           return p.add("position", p.cell<Number>("a")[0], (one - fst) / 2).program();
         },
     .search = search_raw([](std::size_t size) {
       // The lemma speaks of indices i >= k = 1; the streams hold one vector that nobody reads.
       std::vector<RawCase> cases;
       if (size > 0)
         cases.push_back({{fmt::format("i = {}", size), Rows(size + 1, phi_values(0))},
                          phi_values(static_cast<std::int64_t>(size) - 1)});
       return cases;
     }),
     .up_to = 4},
    {.number = 21,
     .id = "lem-A.5/copy-with-flipped-signs",
     .place = "Lemma A.5",
     .quote = "The second layer is a copy of the initial layer that considers the subvector h of "
              "h' as its input and where all signs are flipped. Thus, it outputs -delta",
     .change = "the second layer is the first one with the signs of all its outputs flipped",
     .repair = "what the feed-forward sublayer read from its own attention is removed before "
               "that attention is undone, or as a unit vector (Lemma A.4)",
     .repaired = clear_MS25_lemA5,
     .edit = [](Model& model) { model.layers.at(1) = negated(model.layers.at(0)); },
     .search = search_raw([](std::size_t size) { return flag_streams(size, false); }, {"z", "x"})},
    {.number = 22,
     .id = "lem-A.3/read-after-clearing",
     .place = "Lemma A.3",
     .quote = kStoreQuote,
     .change = "phi(z) is read and written by the second layer's feed-forward sublayer",
     .repair = "the first layer's own feed-forward sublayer reads psi(z) and writes phi(z)",
     .repaired = [] { return store_MS25_lemA3(); },
     .edit =
         [](Model& model) {
           std::swap(model.layers.at(0).feedforward, model.layers.at(1).feedforward);
         },
     .search = search_raw([](std::size_t size) { return flag_streams(size, true); }, {"z"})},
    {.number = 22,
     .id = "lem-A.3/read-after-clearing-as-a-program",
     .place = "Lemma A.3",
     .quote = kStoreQuote,
     .change = "phi(z) is read and written by the second layer's feed-forward sublayer",
     .repair = "the first layer's own feed-forward sublayer reads psi(z) and writes phi(z)",
     .kind = Defect::Kind::refused,
     .repaired = [] { return store_MS25_lemA3(); },
     .program =
         [] {
           return ChangedProgram(store_MS25_lemA3())
               .move_behind("normalise x", "measure_again")
               .program();
         },
     .refusal = {"normalise x", "not proved to be non-zero at every token"}}};

}  // namespace

PaperPart MS25_appA() {
  return {appA_claims(), with_common({.up_to = 3}, kBuildingBlockDefects)};
}

}}  // namespace logdepth::proofs_check_papers_MS25
