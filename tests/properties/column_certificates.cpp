// Small files that a certificate of columns would get wrong if it looked at less: each of them misses one
// condition and no other, or meets all of them by little.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/model_rules.hpp"
#include "tests/support/column_comparison.hpp"

namespace logdepth::column_certificates_tests { namespace {

constexpr std::uint32_t kWidth = 16, kLetter = 4, kOne = 5;

SparseMatrix matrix(const std::vector<SparseVector>& rows) {
  SparseMatrix result{static_cast<std::uint32_t>(rows.size()), kWidth, {}};
  for (std::uint32_t r = 0; r < rows.size(); ++r)
    for (const SparseEntry& e : rows[r]) result.entries.push_back({r, e.index, e.value});
  return result;
}

/// to[k] is where row k of a matrix is written, times weight[k].
SparseMatrix written(const std::vector<SparseEntry>& to) {
  SparseMatrix result{kWidth, static_cast<std::uint32_t>(to.size()), {}};
  for (std::uint32_t k = 0; k < to.size(); ++k)
    result.entries.push_back({to[k].index, k, to[k].value});
  std::ranges::sort(result.entries, {},
                    [](const MatrixEntry& e) { return std::pair(e.row, e.column); });
  return result;
}

/// Letters are 1 and -1 at kLetter, beside a 1 at kOne; position codes stand at 0 and 1.
class Planted {
 public:
  explicit Planted(PositionCode code = PositionCode::fine(1)) {
    model.name = "planted";
    model.width = kWidth;
    model.input = WordInput{false, false};
    model.alphabet = {"a", "b"};
    model.embedding = {{"a", {{kLetter, 1}, {kOne, 1}}}, {"b", {{kLetter, -1}, {kOne, 1}}}};
    model.position = CodePosition{code, {{{0, 1}, 0, 1}}, {}};
    model.unroll.kind = Unroll::Kind::fixed;
    model.unembedding = matrix({{{8, 1}}});
    model.output = CellsOutput{{"y"}};
  }

  Planted& codes(std::vector<CodeFill> fills) {
    std::get<CodePosition>(model.position).fills = std::move(fills);
    return *this;
  }
  /// A layer of one sublayer. Norms of what is masked are to be 4 / n for a whole n, or directions.
  Planted& attention(SparseVector mask, std::vector<Head> heads) {
    Layer& of = layer();
    of.attention = {std::move(mask), std::move(heads)};
    return *this;
  }
  Planted& units(SparseVector mask, const std::vector<SparseVector>& in,
                 const std::vector<SparseEntry>& out) {
    layer().feedforward = {std::move(mask), matrix(in), written(out)};
    return *this;
  }
  Planted& read(const SparseVector& row) {
    model.unembedding = matrix({row});
    return *this;
  }

  Model model;

 private:
  Layer& layer() {
    ++model.shape.initial;
    Layer& of = model.layers.emplace_back();
    of.block = Block::initial;
    of.feedforward.in = matrix({});
    of.feedforward.out = written({});
    return of;
  }
};

/// A code, a letter and a one: the norm is 4/3.
const SparseVector kAll = {{0, 1}, {1, 1}, {kLetter, 2}, {kOne, 2}};
/// Two codes, a letter and a one: the norm is 2.
const SparseVector kTwoCodes = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {kLetter, 1}, {kOne, 1}};
const std::vector<SparseVector> kCode = {{{0, 1}}, {{1, 1}}}, kNothing = {{}};

Head head(const std::vector<SparseVector>& query, const std::vector<SparseVector>& key,
          Contract contract, const std::vector<SparseVector>& value = {{{kLetter, 1}}},
          const std::vector<SparseEntry>& to = {{8, 1}}) {
  return {true, matrix(query), matrix(key), matrix(value), written(to), std::move(contract)};
}

/// The same in 32 coordinates, where a direction needs pairs of opposite coordinates.
Planted widened(Planted planted) {
  Model& m = planted.model;
  m.width = m.unembedding.columns = 2 * kWidth;
  for (Layer& layer : m.layers) {
    layer.feedforward.in.columns = layer.feedforward.out.rows = m.width;
    for (Head& head : layer.attention.heads)
      head.query.columns = head.key.columns = head.value.columns = head.output.rows = m.width;
  }
  return planted;
}

enum class Expected { run, handed_over };

void check(const std::string& what, const Planted& planted, const std::vector<std::string>& words,
           Expected expected) {
  SCOPED_TRACE(what);
  ASSERT_EQ(first_violation(planted.model), "");
  support::ColumnComparison comparison(planted.model);
  std::vector<Word> letters;
  for (const std::string& word : words) {
    letters.emplace_back();
    for (const char c : word) letters.back().push_back(static_cast<Letter>(c - 'a'));
  }
  const auto result = comparison.compare(letters);
  EXPECT_EQ(result.difference, "");
  EXPECT_EQ(result.handed_over, expected == Expected::handed_over) << result.reason;
}

constexpr auto kRun = Expected::run, kHandedOver = Expected::handed_over;
const MatchContract kOneKey{true}, kSomeKeys{false};

TEST(ColumnCertificates, ScoresDependOnNothingElse) {
  check("on the index of the query alone",
        Planted().attention(kAll,
                            {head({{{0, 1}}}, {{{kLetter, 1}}}, UniformContract{}, {{{kOne, 1}}})}),
        {"aab"}, kHandedOver);
  check("on two indices, and on that of the key alone",
        Planted().attention(kAll, {head({{{0, 1}}, {{1, 1}}, {{kOne, 1}}},
                                        {{{0, 1}}, {{1, 1}}, {{0, Rational(-1, 16)}}}, kOneKey)}),
        {"abbb"}, kHandedOver);
  check("on the index of the key, more than on both",
        Planted().attention(kAll, {head({{{0, 1}}, {{1, 1}}, {{kOne, 1}}},
                                        {{{0, 1}}, {{1, 1}}, {{0, -2}}}, kOneKey)}),
        {"abbb"}, kHandedOver);
}

TEST(ColumnCertificates, AMatchIsOfAllCirclesOfOneKey) {
  for (const std::uint32_t circle : {0u, 2u}) {
    const std::vector<SparseVector> half = {{{circle, 1}}, {{circle + 1, 1}}};
    check("of one circle of two",
          Planted(PositionCode::two_circle)
              .codes({{{0, 1, 2, 3}, 0, 1}})
              .attention(kTwoCodes, {head(half, half, kOneKey)}),
          {"abbabab"}, kHandedOver);
  }
  check("of opposite codes",
        Planted().attention(kAll, {head({{{0, -1}}, {{1, -1}}}, kCode, kOneKey)}), {"abbb"},
        kHandedOver);
  check("of the only key of an index", Planted().attention(kAll, {head(kCode, kCode, kOneKey)}),
        {"abba", "baab"}, kRun);
  std::vector<SparseVector> letters = kCode;
  letters.push_back({{kLetter, 1}});
  check("of the only key of an index, in classes",
        Planted().attention(kAll, {head(letters, letters, kOneKey)}), {"abba", "baab", "aaab"},
        kRun);
  check("of several keys of an index",
        Planted().codes({{{0, 1}, 2, 1}}).attention(kAll, {head(kCode, kCode, kOneKey)}), {"abbab"},
        kHandedOver);
  check("of several keys of one class",
        Planted().attention(kAll, {head({{{kOne, 1}}}, {{{kLetter, 1}}}, kOneKey)}), {"aab"},
        kHandedOver);
  Planted parity;
  std::get<CodePosition>(parity.model.position).parity = {{7, 1}};
  const SparseVector four = {{0, 1}, {1, 1}, {kLetter, 1}, {kOne, 1}, {7, 1}};
  Planted heads = parity;
  check("of keys of one head, whatever the classes of another",
        heads.attention(four, {head({{{kOne, 1}}}, {{{kLetter, 1}}}, kOneKey),
                               head({{{kOne, 1}}}, {{{7, -1}}}, kOneKey)}),
        {"abb"}, kRun);
  check("of keys in two classes of one score",
        parity.attention(four, {head({{{kOne, 1}}, {}}, {{{kLetter, 1}}, {{7, 1}}}, kOneKey)}),
        {"baa"}, kHandedOver);
}

/// Norms of 5/4 and 1: of keys at two angles, the longer one has the larger score.
TEST(ColumnCertificates, AnglesAreOfKeysOfOneLength) {
  Planted lengths;
  lengths.model.embedding = {{"a", {{kLetter, Rational(3, 4)}}}, {"b", {}}};
  check("in two classes",
        lengths.attention({{0, 1}, {1, 1}, {kLetter, 1}},
                          {head({{{0, 1}}, {{1, 2}}}, kCode, kOneKey)}),
        {"ba"}, kHandedOver);
  check("and two of them as near as each other",
        Planted().attention(kAll, {head({{{0, 3}}, {{1, 8}}}, kCode, kOneKey)}), {"ab"},
        kHandedOver);
  const std::vector<SparseVector> steeper = {{{0, 1}}, {{1, 2}}};
  check("and two of them are at one angle",
        Planted(PositionCode::circle)
            .codes({{{0, 1}, 2, 1}})
            .attention(kAll, {head(steeper, kCode, kOneKey)}),
        {"abba"}, kHandedOver);
  check("and below the axis the nearest is another",
        Planted().attention(kAll, {head(steeper, {{{0, -1}}, {{1, -1}}}, kOneKey)}), {"ab"},
        kHandedOver);
  check("and a direction is not the code that it is made of",
        Planted()
            .attention({{0, 1}, {1, 4}}, {head(kCode, kCode, kOneKey, kCode, {{8, 1}, {9, 1}})})
            .attention(
                {{0, 1}, {1, 1}, {kLetter, 1}, {kOne, 1}, {8, Rational(1, 4)}, {9, Rational(1, 4)}},
                {head({{{8, 1}}, {{9, 1}}}, kCode, kOneKey, {{{kLetter, 1}}}, {{10, 1}})})
            .read({{10, 1}}),
        {"abab"}, kRun);
}

TEST(ColumnCertificates, ClassesOfProjectedKeysLieInIntervals) {
  const auto keys = [](const Rational& letter, int code) {
    return std::vector<SparseVector>{{{0, code}, {kLetter, letter}}};
  };
  const std::vector<SparseVector> one = {{{kOne, 1}}};
  const RightmostContract last{{{kLetter, 1}}};
  check("that meet", Planted().attention(kAll, {head(one, keys(Rational(1, 8), 1), kOneKey)}),
        {"abbb"}, kHandedOver);
  check("that do not, and the last of the best class",
        Planted().attention(kAll, {head(one, keys(1, 1), last)}), {"baabab", "aabbab"}, kRun);
  check("that do not, and the first of the best class",
        Planted().attention(kAll, {head(one, keys(1, -1), last)}), {"baabab"}, kHandedOver);
  check("for two classes of queries",
        Planted().attention(kAll, {head({{{kLetter, 1}}}, {{{0, 1}}}, kOneKey)}), {"abab"},
        kHandedOver);
  check("with several keys of one code",
        Planted().codes({{{0, 1}, 2, 1}}).attention(kAll, {head(one, keys(1, 1), kOneKey)}),
        {"aab"}, kHandedOver);
  // Only tokens of one letter get a code; the other letter gets a number, so that all norms are 16/5.
  const auto beside_number = [&](const SparseVector& key) {
    return Planted()
        .units(kAll,
               {{{0, 1}, {kLetter, 1}, {kOne, -1}},
                {{1, 1}, {kLetter, 1}, {kOne, -1}},
                {{kLetter, -1}}},
               {{8, Rational(9, 16)}, {9, Rational(9, 16)}, {10, Rational(9, 32)}})
        .attention({{kOne, 1}, {8, 1}, {9, 1}, {10, 1}},
                   {head(one, {key}, kOneKey, one, {{11, 1}})})
        .read({{11, 1}});
  };
  check("beside several keys that are one number", beside_number({{8, 1}, {10, -1}}), {"bba"},
        kHandedOver);
  // The code of the first token is 0 where it is least, as the number of the other letter is.
  check("that touch, with keys of both at the point", beside_number({{8, 1}}), {"ab"}, kHandedOver);
  Head all = head(one, keys(1, 1), kOneKey);
  all.causal = false;
  check("of later tokens", Planted().attention(kAll, {all}), {"ab"}, kHandedOver);
}

/// Rows look for an a at the position before: the second word has none, and the first one has.
TEST(ColumnCertificates, KeysOfPlanesAreOfTheOwnWord) {
  check(
      "where another word has them",
      Planted()
          .codes({{{0, 1}, 0, 1}, {{2, 3}, 1, 1}})
          .attention(kTwoCodes, {head({{{2, 1}}, {{3, 1}}, {{kOne, 1}}, {{kOne, 1}}},
                                      {{{0, 1}}, {{1, 1}}, {{kOne, 1}}, {{kLetter, 1}}}, kOneKey)}),
      {"aaa", "bbb"}, kRun);
}

TEST(ColumnCertificates, ContractsAreProvedAsTheyAreWritten) {
  const std::vector<SparseVector> one = {{{kOne, 1}}}, letter = {{{kLetter, 1}}};
  const SparseVector never = {{kOne, -1}};
  check("one key, of which several tokens may be selected",
        Planted().attention(kAll, {head(one, one, kSomeKeys, one)}), {"ab"}, kRun);
  check("one key, of which one token is to be selected",
        Planted().attention(kAll, {head(one, one, kOneKey, one)}), {"ab"}, kHandedOver);
  check("two keys that are selected together",
        Planted().attention(kAll, {head(kNothing, letter, kSomeKeys, one)}), {"ab"}, kHandedOver);
  const FlaggedContract flagged{{{kLetter, 1}}, std::nullopt}, unasked{{{kLetter, 1}}, never};
  check("a flagged token", Planted().attention(kAll, {head(one, letter, flagged, one)}),
        {"ba", "ba"}, kRun);
  check("a flagged token that no row asks for",
        Planted().attention(kAll, {head(one, letter, unasked, one)}), {"ba"}, kHandedOver);
  check("all tokens, where none is asked for",
        Planted().attention(kAll, {head(kNothing, kNothing, unasked, one)}), {"ba"}, kRun);
  check("all tokens, where flagged ones are asked for",
        Planted().attention(kAll, {head(kNothing, kNothing, flagged, one)}), {"ba"}, kHandedOver);
  check("a flag that is a code",
        Planted().attention(kAll, {head(kCode, kCode, RightmostContract{{{0, -1}}})}), {"ab"},
        kHandedOver);
  check("a key where all are promised",
        Planted().attention(kAll, {head(kCode, kCode, UniformContract{})}), {"ab"}, kHandedOver);
  check("the last of several flagged tokens",
        Planted().attention(kAll, {head(one, {{{0, 1}, {kLetter, 1}}}, flagged)}), {"baa"},
        kHandedOver);
  Planted parity;
  std::get<CodePosition>(parity.model.position).parity = {{7, 1}};
  const SparseVector four = {{0, 1}, {1, 1}, {kLetter, 1}, {kOne, 1}, {7, 1}};
  const auto sets = [&](const Contract& contract, bool causal) {
    Planted planted = parity;
    Head of = head(one, letter, contract, {{{7, 1}}});
    of.causal = causal;
    return planted.attention(four, {of});
  };
  const FlaggedContract others{{{kLetter, -1}}, std::nullopt};
  for (const bool causal : {false, true}) {
    check("several flagged tokens", sets(flagged, causal), {"abaabaa"}, kRun);
    check("several tokens, where others are flagged", sets(others, causal), {"abaab"}, kHandedOver);
    check("several flagged tokens, where none is asked for", sets(unasked, causal), {"abaab"},
          kHandedOver);
    check("several tokens, where all are promised", sets(UniformContract{}, causal), {"abaab"},
          kHandedOver);
    // The shares of all that is seen so far are codes, and are read; without a mask they are numbers.
    check("all tokens of one flag", sets(UniformContract{}, causal), {"aaaa"},
          causal ? kHandedOver : kRun);
    check("several tokens, where the last is promised",
          sets(RightmostContract{{{kLetter, 1}}}, causal), {"abaab"}, kHandedOver);
    check("related tokens", sets(RelatedContract{{{kOne, kLetter}}, {{kOne, 1}}}, causal),
          {"abaab"}, kRun);
    check("related tokens, where some are preferred",
          sets(RelatedContract{{{kOne, kOne}}, {{kLetter, 1}}}, causal), {"abaab"}, kRun);
    check("related tokens, where there are others",
          sets(RelatedContract{{{kOne, kOne}, {kOne, kLetter}}, {{kOne, 1}}}, causal), {"abaab"},
          kHandedOver);
  }
  check("related tokens, where there are none",
        sets(RelatedContract{{{8, kLetter}}, {{kOne, 1}}}, true), {"aaa"}, kHandedOver);
  Head later = head(one, letter, RightmostContract{{{kLetter, 1}}});
  later.causal = false;
  check("a flag of a later token", Planted().attention(kAll, {later}), {"bab", "bba"}, kRun);
}

TEST(ColumnCertificates, HiddenUnitsAreLinearOnlyInPairs) {
  const SparseVector mask = {{0, 1}, {1, 1}};
  const SparseVector w = {{0, 1}, {1, -1}}, opposite = {{0, -1}, {1, 1}};
  check("that are opposite and written",
        Planted().units(mask, {w, opposite, w, opposite}, {{8, 1}, {8, -1}, {8, -1}, {8, 1}}),
        {"abab"}, kRun);
  check("that are opposite and written alike",
        Planted().units(mask, {w, opposite}, {{8, 1}, {8, 1}}), {"abab"}, kHandedOver);
  check("that are opposite and written alike, less what they read",
        Planted().units(mask, {w, opposite, {{0, 2}, {1, -2}}, {{0, -2}, {1, 2}}},
                        {{8, 1}, {8, 1}, {8, Rational(-1, 2)}, {8, Rational(1, 2)}}),
        {"abab"}, kHandedOver);
  check("that are opposite in what is masked",
        Planted().units(mask, {{{0, 1}, {1, -1}, {kLetter, 1}}, opposite, w, opposite},
                        {{8, 1}, {8, -1}, {8, -1}, {8, 1}}),
        {"abab"}, kRun);
  check("two for one",
        Planted().units(mask, {w, opposite, opposite, {{0, 2}, {1, -2}}, {{0, -2}, {1, 2}}},
                        {{8, 1}, {8, -1}, {8, -1}, {8, Rational(-1, 2)}, {8, Rational(1, 2)}}),
        {"abab"}, kHandedOver);
  check("with a negative mask", Planted().units({{kLetter, -1}}, {{{kLetter, -1}}}, {{8, 1}}),
        {"ab"}, kRun);
}

TEST(ColumnCertificates, DirectionsAreOfAllThatIsMaskedAndNothingElse) {
  const SparseVector mask = {{0, 1}, {1, 2}};
  Planted means = Planted().units(mask, {{{0, -1}}}, {{8, 1}});
  check("without a mean", means, {"abab"}, kRun);
  means.model.norm = Norm::layernorm;
  check("with a mean", means, {"abab"}, kHandedOver);
  check("what is not masked is zero", Planted().attention(mask, {head(kCode, kCode, kOneKey)}),
        {"abba"}, kRun);
  check("a number beside a code",
        Planted().units({{0, 1}, {1, 2}, {kOne, 1}}, {{{kOne, 1}}}, {{8, 1}}), {"ab"}, kHandedOver);
  check("a number beside an average",
        Planted()
            .attention(kAll, {head(kNothing, kNothing, UniformContract{})})
            .units({{kOne, 1}, {8, 1}}, {{{kOne, 1}}}, {{9, 1}})
            .read({{9, 1}}),
        {"aab"}, kHandedOver);
  check("codes of two positions",
        Planted(PositionCode::circle)
            .codes({{{0, 1}, 0, 1}, {{2, 3}, 9, 1}})
            .units({{0, 1}, {1, 2}, {2, 1}, {3, 2}}, {{{0, -1}}}, {{8, 1}}),
        {"abba"}, kHandedOver);
  check("zero",
        Planted()
            .attention(kAll, {head(kNothing, kNothing, UniformContract{})})
            .units({{8, 1}}, {{{8, 1}}, {{8, -1}}}, {{9, 1}, {9, -1}})
            .units({{kOne, 1}, {9, Rational(3, 16)}}, {{{kOne, 1}}}, {{10, 1}})
            .read({{10, 1}}),
        {"ab"}, kHandedOver);
  check("a coordinate that has no opposite",
        widened(Planted(PositionCode::fine(3))
                    .codes({{{0, 1}, 0, 1}, {{2, 3}, 0, -1}})
                    .units({{0, 1}, {1, 1}, {2, 1}}, {{{1, 1}}}, {{8, 1}})),
        {"abba"}, kHandedOver);
  Planted shares;
  shares.model.norm = Norm::layernorm;
  shares.model.embedding = {{"a", {{kLetter, 1}, {kOne, 1}, {10, -1}, {11, -1}}},
                            {"b", {{kLetter, -1}, {kOne, 1}, {10, 1}, {11, -1}}}};
  check("with the mean of a number",
        shares
            .attention({{kLetter, 1}, {kOne, 1}, {10, 1}, {11, 1}},
                       {head(kNothing, kNothing, UniformContract{}, {{{kLetter, 1}}, {{10, 1}}},
                             {{8, 1}, {12, 1}})})
            .units({{kOne, 1}, {8, 1}, {12, 1}}, {{{8, -1}}}, {{9, 1}})
            .read({{9, 1}}),
        {"aabb"}, kHandedOver);
}

TEST(ColumnCertificates, DirectionsOfMoreThan64BitsAreHandedOver) {
  const Rational large(std::int64_t{1} << 60);
  check(
      "products",
      Planted(PositionCode::circle).units({{0, 1}, {1, large * Rational(7)}}, {{{1, 1}}}, {{8, 1}}),
      {"aba"}, kHandedOver);
  // Values 6 and 5: what is opposite to the query of the second row is the second key. A sum beyond 64
  // bits would make it the first.
  const SparseVector value = {{kLetter, large * Rational(3, 16)}, {kOne, large * Rational(33, 16)}};
  Head opposite = head({{{8, -1}}, {{kOne, 1}}}, {{{8, 1}}, {{kOne, 1}}},
                       RightmostContract{{{kLetter, 1}}}, {{{8, 1}}}, {{9, 1}});
  check("sums",
        Planted()
            .attention(kAll, {head(kNothing, kNothing, UniformContract{}, {value})})
            .attention({{kOne, 1}, {8, 1}}, {opposite})
            .read({{kLetter, 1}}),
        {"ab"}, kHandedOver);
}

TEST(ColumnCertificates, TwoIndicesAreNotOne) {
  const std::vector<CodeFill> codes = {{{0, 1}, 0, 1}, {{2, 3}, 1, 1}};
  const std::vector<SparseEntry> to = {{8, 1}, {9, 1}};
  check("of two heads that write to one place",
        Planted().codes(codes).attention(kTwoCodes,
                                         {head(kCode, kCode, kOneKey, kCode, to),
                                          head(kCode, kCode, kOneKey, {{{2, -1}}, {{3, -1}}}, to)}),
        {"abba"}, kHandedOver);
  check("of a value",
        Planted().codes(codes).attention(kTwoCodes,
                                         {head(kCode, kCode, kOneKey, {{{0, 1}, {2, -1}}})}),
        {"abba"}, kHandedOver);
  check("of hidden units",
        Planted().codes(codes).units(kTwoCodes, {{{0, 1}, {2, -1}}, {{0, -1}, {2, 1}}},
                                     {{8, 1}, {8, -1}}),
        {"abba"}, kHandedOver);
  check("of hidden units, one of which decides the sign",
        Planted(PositionCode::fine(3))
            .codes(codes)
            .units(kTwoCodes, {{{0, -1}, {2, 3}}, {{0, 1}, {2, -3}}}, {{8, 1}, {8, -1}})
            .units({{8, 1}}, {{{8, 1}}}, {{9, 1}})
            .read({{9, 1}}),
        {"abba"}, kHandedOver);
  check("of a query",
        Planted().codes(codes).attention(kTwoCodes,
                                         {head({{{0, 1}}, {{1, 1}}, {{2, 2}}, {{3, 2}}},
                                               {{{0, 1}}, {{1, 1}}, {{0, 1}}, {{1, 1}}}, kOneKey)}),
        {"abba"}, kHandedOver);
  check("of an average",
        Planted()
            .attention(kAll, {head(kNothing, kNothing, UniformContract{}, kCode,
                                   {{8, Rational(3, 4)}, {9, Rational(3, 4)}})})
            .units({{0, 1}, {1, 1}, {kLetter, 1}, {kOne, 1}, {8, 1}, {9, 1}}, {{{kOne, 1}}},
                   {{10, 1}})
            .read({{10, 1}}),
        {"abba"}, kHandedOver);
  Planted table = Planted().units({{kLetter, 1}}, {{{kLetter, 1}}}, {{9, 1}});
  table.model.position = TablePosition{{{{8, 1}}, {{8, 2}}}};
  check("and a table has none", table, {"ab"}, kRun);
  check("nor do its words", table, {"ab", "bb"}, kRun);
  check("nor is a word longer than it", table, {"abb"}, kHandedOver);
  const Rational less(-11, 10);
  check("of the signs of two sums",
        Planted()
            .codes({{{0, 1}, 0, 1}, {{2, 3}, 1, 1}, {{6, 7}, 2, 1}})
            .attention({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {kOne, 1}, {6, 1}, {7, 1}},
                       {head(kCode, kCode, kOneKey, {{{0, 1}}, {{0, 1}}}, {{8, 1}, {12, 1}}),
                        head(kCode, kCode, kOneKey, {{{2, less}}}),
                        head(kCode, kCode, kOneKey, {{{6, less}}}, {{12, 1}})})
            .units({{12, 1}}, {{{12, 1}}}, {{13, 1}})
            .read({{13, 1}}),
        {"abbab"}, kRun);
  check("of a sum beside a number",
        Planted()
            .codes(codes)
            .attention(kTwoCodes, {head(kCode, kCode, kOneKey, {{{0, 1}, {kOne, 1}}}),
                                   head(kCode, kCode, kOneKey, {{{2, -1}}})})
            .units({{8, 1}}, {{{8, 1}}}, {{9, 1}})
            .read({{9, 1}}),
        {"abba"}, kHandedOver);
  // The own code after one letter, the code before it after the other.
  const Rational half(1, 2);
  check("of two classes of tokens",
        Planted()
            .codes(codes)
            .units(kTwoCodes,
                   {{{0, 1}, {kLetter, 1}, {kOne, -1}},
                    {{1, 1}, {kLetter, 1}, {kOne, -1}},
                    {{2, 1}, {kLetter, -1}, {kOne, -1}},
                    {{3, 1}, {kLetter, -1}, {kOne, -1}}},
                   {{8, half}, {9, half}, {8, half}, {9, half}})
            .attention({{0, 1}, {1, 1}, {kLetter, 1}, {kOne, 1}, {8, 1}, {9, 1}},
                       {head({{{8, 1}}, {{9, 1}}}, kCode, kOneKey, {{{kLetter, 1}}}, {{10, 1}})})
            .read({{10, 1}}),
        {"abba"}, kRun);
}

/// In the first loop 8 holds -4, and with its mask the unit reads 4. In the second one it holds a sum of two
/// codes, whose norm is -4 from the second token on: the same number, but with the mask in it.
TEST(ColumnCertificates, AMaskIsInADirectionAlready) {
  Planted twice =
      Planted()
          .codes({{{0, 1}, 0, 1}, {{2, 3}, 1, 1}})
          .units({{8, -1}}, {{{8, 1}}}, {{9, 1}})
          .attention(kTwoCodes,
                     {head(kCode, kCode, kOneKey, {{{0, 1}, {kOne, 2}}}),
                      head(kCode, kCode, kOneKey, {{{2, -1}}, {{kOne, -2}}}, {{8, 1}, {9, 1}})})
          .read({{9, 1}});
  for (auto& [kind, vector] : twice.model.embedding) vector.push_back({8, -4});
  for (Layer& layer : twice.model.layers) layer.block = Block::repeated;
  twice.model.shape = {0, 2, 0};
  twice.model.unroll.loops = 2;
  check("of a repeated layer", twice, {"abba"}, kRun);
}

}}  // namespace logdepth::column_certificates_tests
