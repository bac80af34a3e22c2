// The lemmas of compiler/lemmas/head_schema.cpp that constructions cite: heads that select exactly
// floor(c/m). Scores are compared as integers, squared where there are roots.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/lemmas/head_schema.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "compiler/rules/program_rules.hpp"
#include "logdepth/program.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::position_codes_tests { namespace {

/// Whether the query (y, d L) / d is nearer to (i, L) than to (k, L), where both cosines are positive.
bool nearer_phi(std::int64_t y, std::int64_t d, std::int64_t L, std::int64_t i, std::int64_t k) {
  const mpz_class square = mpz_class(L) * L;
  const auto product = [&](std::int64_t r) {
    const mpz_class value = mpz_class(y) * r + square * d;
    EXPECT_GT(value, 0);
    return value;
  };
  const auto norm = [&](std::int64_t r) { return mpz_class(mpz_class(r) * r + square); };
  const mpz_class to_i = product(i), to_k = product(k);
  return to_i * to_i * norm(k) > to_k * to_k * norm(i);
}

/// The sign of the difference of the scores of the fine codes of i and k for the query (x, d).
int compare_fine(std::int64_t x, std::int64_t d, std::int64_t b, std::int64_t i, std::int64_t k) {
  const auto a = [&](std::int64_t r) { return mpz_class(2 * r + b); };
  const auto product = [&](std::int64_t r) {
    return mpz_class(x * (a(r) * a(r) - 1) + d * 2 * a(r));
  };
  const auto norm = [&](std::int64_t r) { return mpz_class(a(r) * a(r) + 1); };
  return cmp(product(i) * norm(k), product(k) * norm(i));
}

std::vector<std::int64_t> quotients() {
  std::vector<std::int64_t> all;
  for (std::int64_t j = 0; j < 300; ++j) all.push_back(j);
  for (const std::int64_t j : {1000, 10000, 1000000}) all.push_back(j);
  return all;
}
/// The target grows with the remainder, so the ends decide.
std::vector<std::int64_t> remainders(std::int64_t m) {
  return {0, m / 2, m - 1};
}

/// With y = (2c + shift) / (2m): c = m j + rest is sent to j, from either neighbour.
bool rounds(std::int64_t m, std::int64_t L, std::int64_t shift, std::int64_t j, std::int64_t rest,
            bool first) {
  const std::int64_t y = 2 * (m * j + rest) + shift;
  return (first || nearer_phi(y, 2 * m, L, j, j - 1)) && nearer_phi(y, 2 * m, L, j, j + 1);
}

TEST(Floors, PhiOverMRoundsTheQuotientByMForBothSigns) {
  for (std::int64_t m = 2; m <= 64; ++m)
    for (const std::int64_t magnitude : quotients())
      for (const std::int64_t j : {magnitude, -magnitude})
        for (const std::int64_t rest : remainders(m))
          for (const std::int64_t L : {m, (m + 3) / 4})
            ASSERT_TRUE(rounds(m, L, 1 - m, j, rest, false))
                << "m = " << m << ", L = " << L << ", c = " << m * j + rest;
}

TEST(Floors, PhiOverLTakesHalfOffTheQuotientByUpToEightL) {
  for (std::int64_t m = 1; m <= 64; ++m)
    for (const std::int64_t j : quotients())
      for (const std::int64_t rest : remainders(m))
        for (const std::int64_t L : {(m + 7) / 8, m})
          ASSERT_TRUE(rounds(m, L, -m, j, rest, j == 0))
              << "m = " << m << ", L = " << L << ", c = " << m * j + rest;
}

TEST(Floors, OnePlaceBeyondTheseBoundsTheyFail) {
  EXPECT_FALSE(rounds(9, 1, -9, 1, 8, false)) << "c = 17";
  EXPECT_FALSE(rounds(5, 1, 1 - 5, 1, 4, false)) << "c = 9";
  EXPECT_FALSE(rounds(9, 1, 1 - 9, 1, 8, false));
  for (std::int64_t b = 1; b <= 64; ++b)
    EXPECT_EQ(compare_fine(2 * b + (b - 1) * (b + 1), 2 * (b + 1), b, 0, 1), 0) << "no tie";
}

TEST(Floors, FineSelectsTheQuotientByEveryModulusUpToItsParameter) {
  for (const std::int64_t b : {1, 2, 3, 5, 8, 16, 64})
    for (std::int64_t m = 1; m <= b; ++m)
      for (const std::int64_t j : quotients())
        for (const std::int64_t rest : remainders(m)) {
          // c/m + (b-1)/2
          const std::int64_t x = 2 * (m * j + rest) + (b - 1) * m, d = 2 * m;
          ASSERT_GT(compare_fine(x, d, b, j, j + 1), 0)
              << "b = " << b << ", m = " << m << ", " << j;
          ASSERT_TRUE(j == 0 || compare_fine(x, d, b, j, j - 1) > 0)
              << "b = " << b << ", m = " << m;
        }
}

TEST(Floors, BisectorsOfFineCodesAreWhereTheLemmaSays) {
  for (const std::int64_t b : {1, 2, 3, 8, 64})
    for (const std::int64_t j : quotients()) {
      const std::int64_t a = 2 * j + b + 1;  // j + (b+1)/2 - 1/a
      EXPECT_EQ(compare_fine(a * a - 2, 2 * a, b, j, j + 1), 0);
    }
}

/// The one position of 0, ..., last that the head selects for the direction of (c, 1); -1 for a tie.
std::int64_t selected(const Program& program, const SelectNearest& nearest, std::int64_t c,
                      std::int64_t last) {
  const HeadSchema schema = head_schema(program, nearest);
  const PositionCode code = std::get<KeyType>(program.cells[nearest.key].type).code;
  const auto direction = phi_code(c);
  std::vector<Real> scores;
  for (std::int64_t r = 0; r <= last; ++r) {
    const auto key = code_of(code, static_cast<std::uint64_t>(r));
    Real score;
    for (std::size_t d = 0; d < schema.query.size(); ++d) {
      Real query;
      for (const Term& t : schema.query[d])
        query = query + direction[t.component.index].scaled(t.factor);
      for (const Term& t : schema.key[d])
        score = score + query * key[t.component.index].scaled(t.factor);
    }
    scores.push_back(score);
  }
  const auto best = std::max_element(scores.begin(), scores.end());
  return std::count(scores.begin(), scores.end(), *best) == 1 ? best - scores.begin() : -1;
}

TEST(Floors, HeadsSelectTheQuotientOrTheLastVisiblePosition) {
  constexpr CellId kDirection = 0, kKey = 1;
  const auto form = [](const Rational& slope, const Rational& constant) {
    return LinearForm{{{kDirection, 0}, slope}, {{kDirection, 1}, constant}};
  };
  for (std::int64_t m = 2; m <= 11; ++m) {
    const auto over = static_cast<std::uint32_t>(m);
    const Rational part(1, m), of_L(1, m * m);
    struct Head {
      PositionCode code;
      LinearForm numerator;
    };
    for (const Head& head :
         std::vector<Head>{{PositionCode::fine(over), form(part, Rational(m - 1, 2))},
                           {PositionCode::phi_over(over), form(of_L, Rational(1 - m, 2) * of_L)},
                           {PositionCode::phi_over(over), form(of_L, Rational(-1, 2) * part)}}) {
      Program program;
      program.cells = {{"C", DirectionType{2}, Lifetime::permanent},
                       {"I", KeyType{head.code}, Lifetime::permanent}};
      const SelectNearest nearest{{head.numerator, {{{kDirection, 1}, Rational(1)}}}, kKey};
      for (std::int64_t last = 0; last <= 3; ++last)
        for (std::int64_t c = 0; c <= m * (last + 2); ++c)
          ASSERT_EQ(selected(program, nearest, c, last), std::min(c / m, last))
              << "m = " << m << ", c = " << c << ", last = " << last;
    }
  }
}

// Directions that a program declares to be those of integers: what the interpreter accepts, and how
// it reports a program that writes something else.

const std::string kHead = "logdepth-cells 1\ninput cells\nunroll fixed 0\n";
const std::string kGiven = "cell i number 2\ncell m number 2\ngiven i position\ngiven m natural\n";

Tokens rows(std::size_t count, std::int64_t natural) {
  std::vector<std::vector<Real>> rows;
  for (std::size_t p = 0; p < count; ++p)
    rows.push_back({static_cast<std::int64_t>(p), 1, natural, 1});
  return cells_tokens(std::move(rows));
}

/// What the interpreter says of the program.
std::string complaint(const std::string& text, const Tokens& tokens) {
  const Program program = parse_program(kHead + text, "test");
  check_program(program);
  return support::refusal<BrokenProgram>([&] { interpret(program, tokens); });
}

TEST(DirectionsOfIntegers, AreWrittenWhereTheirIntegersAreSmallEnough) {
  const std::string plain = kGiven + "cell d direction 2 integers 1\ninitial\n";
  const std::string end = "output o + d[0]\n";
  // (i, m) and (m, i): both at most N, the number of tokens or m, whichever is larger.
  EXPECT_EQ(complaint(plain + "normalise d from i[0] m[0]\n" + end, rows(6, 4)), "accepted");
  EXPECT_EQ(complaint(plain + "normalise d from i[0] m[0]\n" + end, rows(3, 50)), "accepted");
  // (2i, 3) in lowest terms: 10 is more than 6, and 8 is not.
  const std::string twice = "normalise d from 2*i[0] 3*i[1]\n";
  EXPECT_EQ(complaint(plain + twice + end, rows(6, 1)),
            "normalise d, token 4: cell d takes no direction of integers up to 1 * 6");
  EXPECT_EQ(complaint(plain + twice + end, rows(6, 8)),
            "normalise d, token 5: cell d takes no direction of integers up to 1 * 8");
  EXPECT_EQ(complaint(plain + twice + end, rows(6, 10)), "accepted");
  EXPECT_EQ(
      complaint(kGiven + "cell d direction 2 integers 2\ninitial\n" + twice + end, rows(6, 1)),
      "accepted");
  // (6i, 9): the same direction as (2i, 3).
  EXPECT_EQ(complaint(plain + "normalise d from 6*i[0] 9*i[1]\n" + end, rows(6, 1)),
            "normalise d, token 4: cell d takes no direction of integers up to 1 * 6");
  // Divided by 7 it is still one of integers.
  EXPECT_EQ(complaint(plain + "normalise d from 1/7*i[0] 1/7*i[1]\n" + end, rows(4, 1)),
            "accepted");
}

TEST(DirectionsOfIntegers, AreRationalMultiplesOfOneNumber) {
  // phi(i)_0 beside m is no direction of integers from position 1 on.
  const std::string text = kGiven +
                           "cell u direction 2\ncell one constant\ncell d direction 3 integers 9\n"
                           "initial\nnormalise u from i[0] i[1]\nnormalise d from u[0] u[1] one\n"
                           "output o + d[0]\n";
  EXPECT_EQ(complaint(text, rows(4, 1)),
            "normalise d, token 1: cell d takes no direction of integers up to 9 * 4");
}

TEST(DirectionsOfIntegers, AreCheckedWhereAHeadHandsThemOver) {
  const std::string text = "cell z direction 2\ncell d direction 2 integers 1\ngiven z\ninitial\n";
  const std::string copy = "fetch read causal same z under z\n  copy d z\noutput o + d[0]\n";
  const auto tokens = [](const Rational& x, const Rational& y) {
    return cells_tokens({{Real(1), Real(0)}, {Real(x), Real(y)}});
  };
  EXPECT_EQ(complaint(text + copy, tokens(0, -1)), "accepted");
  EXPECT_EQ(complaint(text + copy, tokens({3, 5}, {-4, 5})),
            "fetch 'read', token 1: cell d takes no direction of integers up to 1 * 2");
}

TEST(DirectionsOfIntegers, FitWhereAsLargeOnesOrAnyDirectionMayStand) {
  const auto moved = [](const std::string& target, const std::string& source) {
    check_program(parse_program(kHead + kGiven + "cell e direction 2" + source +
                                    "\ncell d direction 2" + target +
                                    "\ninitial\nnormalise e from i[0] i[1]\nmove d e\n"
                                    "output o + d[0]\n",
                                "test"));
  };
  for (const auto& [target, source] :
       std::vector<std::pair<std::string, std::string>>{{"", " integers 3"},
                                                        {" integers 3", " integers 3"},
                                                        {" integers 4", " integers 3"},
                                                        {"", ""}})
    EXPECT_NO_THROW(moved(target, source)) << target << source;
  EXPECT_THROW(moved(" integers 2", " integers 3"), ProgramRefused);
  EXPECT_THROW(moved(" integers 2", ""), ProgramRefused);
}

TEST(DirectionsOfIntegers, AreDeclaredInTheTextAndNotInTheWeights) {
  const std::string text = kHead + kGiven + "cell d direction 2" + " integers 7\ninitial\n" +
                           "normalise d from i[0] m[0]\noutput o + d[0]\n";
  const Program program = parse_program(text, "test");
  EXPECT_EQ(std::get<DirectionType>(program.cells[*program.find("d")].type).integers, 7u);
  EXPECT_EQ(parse_program(print_program(program), "printed"), program);
  EXPECT_NE(print_program(program).find("cell d direction 2 integers 7\n"), std::string::npos);
  Program plain = program;
  plain.cells[*plain.find("d")].type = DirectionType{2};
  const Compiled with = compile(program), without = compile(plain);
  EXPECT_NE(with_derived(with)->derived, with_derived(without)->derived);
  EXPECT_EQ(*with.model, *without.model);

  Program none = program;
  none.cells[*none.find("d")].type = DirectionType{2, 0};
  EXPECT_THROW(check_program(none), ProgramRefused);
}

// Weights files with a fine position code and the parity of positions: written, read back, and read by
// the independent reader in Python.

Program fixture(const std::string& name) {
  const std::string path = support::source_dir() + "/tests/programs/" + name;
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return parse_program(text.str(), path);
}

class PositionCodeFiles : public testing::TestWithParam<Norm> {};

TEST_P(PositionCodeFiles, SayTheCodeItsOffsetAndTheParity) {
  CompileOptions options;
  options.norm = GetParam();
  const Model model = compile(fixture("count_modulo_three.cells"), options).model;
  const auto& position = std::get<CodePosition>(model.position);
  const std::size_t sides = GetParam() == Norm::layernorm ? 2 : 1;
  EXPECT_EQ(position.code, PositionCode::fine(3));
  EXPECT_EQ(position.fills.size(), sides);
  ASSERT_EQ(position.parity.size(), sides);
  EXPECT_EQ(position.parity.front().value, Rational(1));
  EXPECT_EQ(position.parity.back().value, Rational(sides == 1 ? 1 : -1));
  const std::string text = write_weights(model);
  EXPECT_NE(text.find("\"kind\": \"fine\",\n\"offset\": 3,\n\"parity\": ["), std::string::npos);
  EXPECT_EQ(parse_weights(text, "m.json"), model);
}

TEST_P(PositionCodeFiles, AreUnderstoodByTheReaderInPython) {
  const support::TemporaryFolder folder;
  CompileOptions options;
  options.norm = GetParam();
  save_weights(compile(fixture("count_modulo_three.cells"), options).model, folder.file("m.json"));
  std::mt19937_64 random(laws::seed());
  std::string batch, verdicts;
  for (std::size_t length = 0; length <= 24; ++length) {
    std::string word;
    for (std::size_t i = 0; i < length; ++i) word += random() % 4 == 0 ? 'b' : 'a';
    batch += word + '\n';
    verdicts += std::count(word.begin(), word.end(), 'a') % 3 == 0 ? "accept\n" : "reject\n";
  }
  folder.write("batch.txt", batch);
  const auto said =
      support::run_process({support::python(), support::source_dir() + "/examples/exact_runner.py",
                            "m.json", "--batch", "batch.txt"},
                           folder.path(), "");
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, verdicts);
}

// Weights files name the codes, so other readers compute them too.
TEST(PositionCodes, AreTheNumbersThatTheFormatSays) {
  using Code = std::vector<Rational>;
  EXPECT_EQ(circle_code(0), (Code{0, 1}));
  EXPECT_EQ(circle_code(2), (Code{{-4, 5}, {3, 5}}));
  // t = p + 1 is 2^L x: the circle at x in [1, 2), and at L + 1.
  EXPECT_EQ(two_circle_code(0), (Code{0, 1, 0, 1}));
  EXPECT_EQ(two_circle_code(1), (Code{0, 1, {-3, 5}, {4, 5}}));
  EXPECT_EQ(two_circle_code(2), (Code{{-5, 13}, {12, 13}, {-3, 5}, {4, 5}}));
  EXPECT_EQ(two_circle_code(6), (Code{{-33, 65}, {56, 65}, {-4, 5}, {3, 5}}));
  EXPECT_EQ(fine_code(2, 0), (Code{{3, 5}, {4, 5}}));
}

TEST(PositionCodes, AreWrittenWithTheBuilderAsInTheTextForm) {
  using namespace cells;
  cells::Program p("a multiple of three a's");
  p.alphabet({"a", "b"}).fixed_loops(0);
  p.constant();
  const auto x = p.onehot("x", {"begin", "a", "b"});
  const auto I = p.key("I", fine(3));
  const auto even = p.flag("even");
  const auto c = p.number("c", 2);
  const auto C = p.integer_direction("C");
  const std::vector<Flag> q = p.flags("q", 3);
  const auto r = p.onehot("r", {"0", "1", "2"});
  p.position(I).position_parity(even);
  p.token(kBegin, x == "begin").token("a", x == "a").token("b", x == "b");
  p.initial(fetch("count").causal(uniform()).add(c[0], x["a"]).add(c[1], x["begin"]),
            normalise(C).from(c[0], c[1]));
  for (int s = 0; s < 3; ++s)
    p.initial(
        fetch("floor." + std::to_string(s))
            .causal(nearest(cells::Ratio(cells::Form(C[0]) / 3 + Fraction(3 + s, 3) * C[1], C[1]))
                        .key(I))
            .copy(q[static_cast<std::size_t>(s)], even));
  p.initial(
      lookup("residue",
             {when(q[0], !q[1]).then(r == "2"), when(!q[0], q[1]).then(r == "2"),
              when(q[0], q[1], !q[2]).then(r == "1"), when(!q[0], !q[1], q[2]).then(r == "1"),
              when(q[0], q[1], q[2]).then(r == "0"), when(!q[0], !q[1], !q[2]).then(r == "0")}));
  p.output("accept", r["0"]).output("reject", cells::Form(r["1"]) + r["2"]);
  EXPECT_EQ(p.text(), print_program(fixture("count_modulo_three.cells")));
}

TEST(PositionCodes, HaveParametersFromOneOn) {
  using namespace cells;
  for (const PositionCode code :
       {phi_over(0), fine(0), PositionCode{PositionCode::Kind::circle, 2}}) {
    cells::Program p("codes");
    p.alphabet({"a"}).token("a").token(kBegin);
    p.key("I", code);
    p.output("o", {});
    EXPECT_EQ(support::refusal<ProgramRefused>([&] { (void)logdepth::compile(p.program()); }),
              "the code of cell I has no parameter " + std::to_string(code.parameter));
  }
  EXPECT_EQ(phi_over(1), phi);
}

INSTANTIATE_TEST_SUITE_P(Norms, PositionCodeFiles, testing::ValuesIn(kNorms),
                         [](const auto& info) { return std::string(norm_name(info.param)); });

}}  // namespace logdepth::position_codes_tests
