// Decision tables as functions of what the cells hold, and the images of points in product cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/decision_table.hpp"
#include "constructions/product_cells.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::decision_table_tests {
namespace {

/// What each cell holds.
using Held = std::map<std::uint32_t, std::uint32_t>;

bool hold(const std::vector<cells::Value>& conditions, const Held& held) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const cells::Value& condition) {
    return held.at(condition.cell) == condition.value;
  });
}

/// The values of the digit one alternative of which holds: one, as the type says.
std::vector<std::uint32_t> values_of(const Digit& digit, const Held& held) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t value = 0; value < digit.values(); ++value)
    for (const Digit::Conditions& alternative : digit.when[value])
      if (hold(alternative, held)) found.push_back(value);
  return found;
}

/// Cells with their numbers of values, and everything that they can hold.
class Contents {
 public:
  void add(std::uint32_t cell, std::size_t values) { sizes_.emplace_back(cell, values); }
  void for_each(const std::function<void(const Held&)>& visit) const {
    Held held;
    for (const auto& [cell, size] : sizes_) held[cell] = 0;
    while (true) {
      visit(held);
      std::size_t i = 0;
      for (; i < sizes_.size(); ++i) {
        if (++held[sizes_[i].first] < sizes_[i].second) break;
        held[sizes_[i].first] = 0;
      }
      if (i == sizes_.size()) return;
    }
  }

 private:
  std::vector<std::pair<std::uint32_t, std::size_t>> sizes_;
};

/// One-hot cells, digits that flags tell by a list of decisions, and digits of one value.
class RandomDigits {
 public:
  explicit RandomDigits(std::mt19937_64& random) : random_(random) {
    for (std::size_t i = 1 + random_() % 4; i > 0; --i) add();
  }
  const std::vector<Digit>& digits() const { return digits_; }
  const Contents& contents() const { return contents_; }
  const cells::OneHot& answer() const { return answer_; }

 private:
  void add() {
    const std::size_t kind = random_() % 4;
    if (kind == 0) {
      digits_.push_back(no_digit());
    } else if (kind <= 2) {
      const auto cell =
          program_.onehot("x" + std::to_string(digits_.size()), cells::numbered(1 + random_() % 4));
      contents_.add(cell.id(), cell.labels().size());
      digits_.push_back(digit(cell));
    } else {
      // The first flag that holds says the value, the last value says that none does; several flags
      // may say the same, and some value nothing.
      const std::size_t values = 1 + random_() % 3;
      Digit digit{std::vector<std::vector<Digit::Conditions>>(values)};
      Digit::Conditions before;
      for (std::size_t flag = 0; flag < 3; ++flag) {
        const auto cell =
            program_.flag("f" + std::to_string(digits_.size()) + std::to_string(flag));
        contents_.add(cell.id(), 2);
        Digit::Conditions here = before;
        here.push_back(cell);
        digit.when[random_() % values].push_back(here);
        before.push_back(!cell);
      }
      digit.when[random_() % values].push_back(before);
      digits_.push_back(digit);
    }
  }

  std::mt19937_64& random_;
  cells::Program program_{"digits"};
  std::vector<Digit> digits_;
  Contents contents_;
  cells::OneHot answer_ = program_.onehot("answer", cells::numbered(8));
};

TEST(DecisionTables, HoldOneRuleWhateverTheCellsHoldAndItSaysTheOutcome) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t i = 0; i < 500; ++i) {
    const RandomDigits sample(random);
    std::map<std::vector<std::uint32_t>, std::optional<std::uint32_t>> outcomes;
    const std::size_t different = 1 + random() % 8;
    const DecisionOutcome outcome =
        [&](const std::vector<std::uint32_t>& values) -> std::optional<std::uint32_t> {
      const auto [place, added] = outcomes.try_emplace(values);
      if (added && random() % 4 != 0)
        place->second = static_cast<std::uint32_t>(random() % different);
      return place->second;
    };
    const cells::Rules rules = decision_table(sample.digits(), outcome, [&](std::uint32_t value) {
      return Digit::Conditions{sample.answer().at(value)};
    });
    ASSERT_LE(rules.size(), most_rules(sample.digits()));
    sample.contents().for_each([&](const Held& held) {
      std::vector<std::uint32_t> values;
      for (const Digit& digit : sample.digits()) {
        const auto found = values_of(digit, held);
        ASSERT_EQ(found.size(), 1u);
        values.push_back(found.front());
      }
      std::vector<std::uint32_t> answers;
      for (const cells::Rule& rule : rules)
        if (hold(rule.when, held)) answers.push_back(rule.then.at(0).value);
      ASSERT_EQ(answers.size(), 1u) << "table " << i;
      const auto& expected = outcomes.at(values);
      ASSERT_TRUE(!expected || *expected == answers.front()) << "table " << i;
    });
  }
}

TEST(DecisionTables, DoNotAskWhatDoesNotMatter) {
  cells::Program program("digits");
  const auto a = program.onehot("a", cells::numbered(3)),
             b = program.onehot("b", cells::numbered(4)),
             y = program.onehot("y", cells::numbered(3));
  const auto assign = [&](std::uint32_t value) { return Digit::Conditions{y.at(value)}; };
  const std::vector<Digit> digits = {digit(a), digit(b)};
  const auto rules = [&](const DecisionOutcome& outcome) {
    return decision_table(digits, outcome, assign).size();
  };
  using Values = std::vector<std::uint32_t>;
  EXPECT_EQ(most_rules(digits), 12u);
  EXPECT_EQ(rules([](const Values&) { return 2; }), 1u);
  EXPECT_EQ(rules([](const Values&) { return std::nullopt; }), 1u);
  EXPECT_EQ(rules([](const Values& v) { return v[0]; }), 3u);
  // b matters where a is 1 only.
  EXPECT_EQ(rules([](const Values& v) { return v[0] == 1 ? v[1] % 2 : 2; }), 2u + 4u);
  // What never occurs takes the answer of what does.
  EXPECT_EQ(rules([](const Values& v) -> std::optional<std::uint32_t> {
              if (v[1] != 3) return std::nullopt;
              return 1;
            }),
            1u);
  EXPECT_EQ(rules([](const Values& v) -> std::optional<std::uint32_t> {
              if (v[0] == 0) return std::nullopt;
              return v[0];
            }),
            3u);
}

TEST(ProductCells, TellTheImageOfEveryPointOfEveryProduct) {
  for (const char* name : {"flipflop", "S3", "T2", "T3", "A4", "Z5"})
    for (const ScanTable table : {ScanTable::matrix, ScanTable::monoid}) {
      const Action action = named_monoid(name);
      const ProductForecast forecast = forecast_scan(action, {ScanPositions::fine, table});
      const auto products = make_product_cells(action, forecast);
      cells::Program program("product");
      const cells::Product product = products->declare(program, {{"d", cells::permanent}}).front();
      const auto monoid = enumerate_monoid(action.generators, action.points, 1000);
      for (const Transformation& map : monoid->elements) {
        Held held;
        for (const cells::Value& value : products->values(product, map))
          held[value.cell] = value.value;
        for (State point = 0; point < action.points; ++point)
          ASSERT_EQ(values_of(products->image(product, point), held),
                    std::vector<std::uint32_t>{map[point]})
              << name << ' ' << format_transformation(map) << " at " << point;
      }
    }
}

TEST(ProductCells, ThatNeverMoveAPointAskNothingForItsImage) {
  // 2 stays where it is; 0 and 1 change places.
  const Action action{Alphabet({"a"}), 3, {{1, 0, 2}}, std::nullopt, {}};
  const ProductForecast forecast = forecast_scan(action, {ScanPositions::fine, ScanTable::matrix});
  const auto products = make_product_cells(action, forecast);
  cells::Program program("product");
  const cells::Product product = products->declare(program, {{"d", cells::permanent}}).front();
  EXPECT_EQ(values_of(products->image(product, 2), {}), std::vector<std::uint32_t>{2});
  EXPECT_EQ(products->values(product, action.generators[0]).size(), 2u);
}

}  // namespace
}  // namespace logdepth::decision_table_tests
