// MS25 Appendix A: building blocks, on raw streams.
#include <fmt/core.h>

#include <random>
#include <utility>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/claims/raw_values.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
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
  claim.title = title;
  claim.statement = statement;
  claim.source = "MS25 Appendix A, Lemma " + claim.id.substr(std::string("lem-").size());
  claim.claimed.text = claimed;
  return claim;
}

void add(Claim& claim, const std::string& name, std::function<Program()> program,
         AgainstStreams against, std::size_t up_to) {
  Instance instance;
  instance.name = name;
  instance.program = std::move(program);
  instance.against = std::move(against);
  instance.bounds = {up_to, 0, 0};
  claim.instances.push_back(std::move(instance));
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
    add(
        claim, "any z" + how, [by] { return read_MS25_lemA1(Stored::unit, by); }, any, 12);

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
    add(
        claim, "positions" + how, [by] { return read_MS25_lemA1(Stored::position, by); }, position,
        24);
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
    add(
        claim, by == ReadBy::attention ? "by attention" : "by the feed-forward",
        [by] {
          return read_several_MS25_lemA2({2, 3, 2}, by);
        },
        two, 10);
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
  add(
      claim, "psi(z) cleared",
      [] {
        return store_MS25_lemA3({Rational(3, 2), true});
      },
      against, 8);
  against.blank.clear();
  add(
      claim, "psi(z) left",
      [] {
        return store_MS25_lemA3({Rational(3, 2), false});
      },
      against, 6);
  return claim;
}

Claim remove(bool overwrite) {
  Claim claim =
      lemma(overwrite ? "lem-A.4/overwrite" : "lem-A.4/remove", "lemA4_remove", Form::repaired,
            "Removing a unit vector",
            "A feed-forward sublayer removes a unit vector; with a parallel one that stores a new "
            "value, the cell is overwritten.",
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
  add(
      claim, "", [overwrite] { return overwrite ? overwrite_MS25_lemA4() : remove_MS25_lemA4(); },
      against, 12);
  return claim;
}

Claim clear() {
  Claim claim = lemma("lem-A.5", "lemA5_clear", Form::repaired, "Clearing what a layer wrote",
                      "Another layer resets the stream to what it was before a layer that wrote to "
                      "blank cells.",
                      "1 layer");
  AgainstStreams against;
  against.name = "everything is zero again, every word of flags of length";
  against.inputs = flags;
  against.outputs = [](const RawInput& input) { return input.rows; };
  against.blank = {"z", "x"};
  add(
      claim, "", [] { return clear_MS25_lemA5(); }, against, 8);
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
    add(
        claim, fmt::format("k = {}", k), [form, k] { return offset_MS25_lemA6(k, form); }, against,
        24);
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
  add(
      claim, "stored", [] { return equality_MS25_lemA7(Compared::stored); }, stored, 10);

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
  add(
      claim, "computed", [] { return equality_MS25_lemA7(Compared::computed); }, computed, 4);

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
  add(
      claim, "raw", [] { return equality_MS25_lemA7(Compared::raw); }, raw, 16);
  return claim;
}

}  // namespace

std::vector<Claim> MS25_appA_claims() {
  std::vector<Claim> claims;
  const auto held_by = [&](const std::string& test, std::vector<Claim> held) {
    for (Claim& claim : held) {
      claim.tests = {test};
      claims.push_back(std::move(claim));
    }
  };
  held_by("tests/claims/building_blocks_storage.cpp",
          {read(), read_several(), store(), remove(false), remove(true), clear()});
  held_by("tests/claims/building_blocks_comparison.cpp",
          {offset(OffsetForm::one_layer), offset(OffsetForm::shifted_query), equality()});
  return claims;
}

}  // namespace logdepth::inline proofs_check_papers_MS25
