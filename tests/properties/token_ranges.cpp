// What proofs of equivalence take tokens to hold (tests/support/analysed_moments.hpp) contains what they
// hold in exact runs, and what they take to grow from token to token (token_courses.hpp) does.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "tests/support/analysed_moments.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/token_courses.hpp"

namespace logdepth::token_ranges_tests {
namespace {

using support::Moments;
using support::Range;
using support::TokenRanges;

bool holds(const Range& range, const Real& value) {
  return (range.unbounded_below || !(value < Real(range.low))) &&
         (range.unbounded_above || !(Real(range.high) < value));
}

/// Looks at every token before every sublayer.
class Containment : public ForwardObserver<ValueId> {
 public:
  Containment(const Moments& moments, const Exact& arithmetic)
      : moments_(moments), arithmetic_(arithmetic) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    const auto& layer = moments_.layers[location.layer];
    const auto& known =
        location.sublayer == Sublayer::attention ? layer.attention : layer.feedforward;
    for (std::size_t token = 0; token < stream.tokens && outside_.empty(); ++token) {
      ++looked_;
      const bool contained = std::ranges::any_of(known, [&](const TokenRanges& ranges) {
        for (std::size_t c = 0; c < stream.width; ++c)
          if (!holds(ranges[c], arithmetic_.pool()[stream.at(token, c)])) return false;
        return true;
      });
      if (!contained)
        outside_ = "layer " + std::to_string(location.layer) + ", token " + std::to_string(token);
    }
  }
  const std::string& outside() const { return outside_; }
  std::size_t looked() const { return looked_; }

 private:
  const Moments& moments_;
  const Exact& arithmetic_;
  std::string outside_;
  std::size_t looked_ = 0;
};

/// Looks whether cells grow from token to token as their courses say, wherever they are written.
class CoursesHold : public ForwardObserver<ValueId> {
 public:
  CoursesHold(const support::Courses& courses, const Model& model, const Exact& arithmetic)
      : courses_(courses), model_(model), arithmetic_(arithmetic) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    for (const support::Course& course : courses_) {
      const auto& at = model_.cells.at(course.cell).coordinates;
      const auto value = [&](std::size_t token, std::uint32_t i) {
        return arithmetic_.pool()[stream.at(token, at[i])];
      };
      const bool blank = value(0, 0).is_zero() && value(0, 1).is_zero();
      for (std::size_t p = 0; p < stream.tokens; ++p) {
        const Real x = value(p, 0), y = value(p, 1), position(static_cast<std::int64_t>(p));
        if (blank) {
          require(x.is_zero() && y.is_zero(), course, location, p,
                  "is written for some tokens only");
          continue;
        }
        ++looked_;
        using Growth = support::Course::Growth;
        require(x.sign() >= 0 && y.sign() > 0, course, location, p, "is no (x, 1) of x >= 0");
        require(course.raw ? y == Real(1) : x * x + y * y == Real(1), course, location, p, "norm");
        require(!course.at_most_position || !(position * y < x), course, location, p, "beyond p");
        require(course.growth != Growth::position || x == position * y, course, location, p,
                "not p");
        if (p == 0 || course.growth == Growth::unknown) continue;
        const Real now = x * value(p - 1, 1), earlier = value(p - 1, 0) * y;
        require(!(now < earlier), course, location, p, "falls");
        require(course.growth == Growth::never_falls || earlier < now, course, location, p,
                "stays");
      }
    }
  }
  const std::string& broken() const { return broken_; }
  std::size_t looked() const { return looked_; }

 private:
  void require(bool holds, const support::Course& course, const Location& location,
               std::size_t token, const std::string& otherwise) {
    if (!holds && broken_.empty())
      broken_ = course.cell + ", layer " + std::to_string(location.layer) + ", token " +
                std::to_string(token) + ": " + otherwise;
  }

  const support::Courses& courses_;
  const Model& model_;
  const Exact& arithmetic_;
  std::string broken_;
  std::size_t looked_ = 0;
};

struct Compiled {
  Program program;
  Model model;
  Moments moments;
  Compiled(const Program& of, Norm norm) : program(of) {
    CompileOptions options;
    options.norm = norm;
    model = compile(program, options).model;
    moments = support::analysed_moments(program, model);
  }
  void expect_known(const support::Courses& courses, const Outcome<Tokens>& tokens,
                    const std::string& input) const {
    Runner runner(model);
    Containment containment(moments, runner.arithmetic());
    CoursesHold hold(courses, model, runner.arithmetic());
    ASSERT_TRUE(tokens.has_value()) << input;
    ASSERT_TRUE(runner.run(tokens.value(), {&containment, &hold}).has_value()) << input;
    EXPECT_EQ(containment.outside(), "") << input;
    EXPECT_GT(containment.looked(), 0u);
    EXPECT_EQ(hold.broken(), "") << input;
    EXPECT_GT(hold.looked(), 0u);
  }
};

TEST(TokenRangesOfTheAnalysis, HoldWhatTokensOfADivisionHold) {
  for (const Norm norm : {Norm::rms, Norm::layernorm}) {
    const Compiled division(division_MS25_lem3_1(), norm);
    for (const std::uint64_t divisor : {1u, 2u, 3u, 7u, 20u}) {
      DivisionInput input{divisor, {}};
      for (std::uint64_t i = 0; i <= 12; ++i) input.dividends.push_back(i * i % (i + 1));
      division.expect_known(support::courses_of_divisions(),
                            DivisionDomain(division.model).tokens(input), std::to_string(divisor));
    }
  }
}

TEST(TokenRangesOfTheAnalysis, HoldWhatTokensOfAGraphHold) {
  const Compiled connectivity(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2),
      Norm::rms);
  for (const std::size_t vertices : {1u, 2u, 3u})
    for (const double density : {0.0, 0.4, 1.0}) {
      std::mt19937_64 random(vertices);
      std::vector<std::string> names;
      for (std::size_t i = 0; i < vertices; ++i) names.push_back(std::to_string(i));
      const Graph graph = support::random_graph(random, names, density);
      connectivity.expect_known(
          support::courses_of_connectivity(),
          tokens_of(connectivity.model, graph, 0, static_cast<Vertex>(vertices - 1)),
          support::edge_list_text(graph));
    }
}

}  // namespace
}  // namespace logdepth::token_ranges_tests
