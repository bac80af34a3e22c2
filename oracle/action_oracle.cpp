#include <utility>

#include "oracle/explored_automaton.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth::inline oracle {

std::optional<std::vector<Transformation>> LanguageOracle::prefix_products(const Word&) const {
  return std::nullopt;
}

std::optional<Dfa> LanguageOracle::minimal_automaton() const {
  return std::nullopt;
}

std::optional<std::string> LanguageOracle::named_values(const Word&) const {
  return std::nullopt;
}

namespace {

/// Follows every point through the letters of the word, the first letter first.
class ActionOracle : public LanguageOracle {
 public:
  ActionOracle(Action action, std::string name)
      : action_(std::move(action)), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return action_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    if (action_.initial) return action_.accepting[image(*action_.initial, word)];
    for (State point = 0; point < action_.points; ++point) {
      if (image(point, word) != point) return false;
    }
    return true;
  }

  std::optional<std::vector<Transformation>> prefix_products(const Word& word) const override {
    std::vector<Transformation> products(word.size(), Transformation(action_.points));
    for (State start = 0; start < action_.points; ++start) {
      State point = start;
      for (std::size_t i = 0; i < word.size(); ++i) {
        point = action_.generators[word[i]][point];
        products[i][start] = point;
      }
    }
    return products;
  }

  /// The images of all points decide a word problem; of an automaton that of the initial one does.
  std::optional<Dfa> minimal_automaton() const override {
    Transformation start;
    for (State point = 0; point < action_.points; ++point)
      if (point == action_.initial.value_or(point)) start.push_back(point);
    return explored_automaton(
        action_.alphabet, start,
        [&](Transformation images, Letter letter) {
          for (State& point : images) point = action_.generators[letter][point];
          return images;
        },
        [&](const Transformation& images) {
          return action_.initial ? action_.accepting[images[0]] : images == start;
        });
  }

 private:
  State image(State point, const Word& word) const {
    for (const Letter letter : word) point = action_.generators[letter][point];
    return point;
  }

  Action action_;
  std::string name_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_action_oracle(Action action, std::string name) {
  return std::make_unique<ActionOracle>(std::move(action), std::move(name));
}

}  // namespace logdepth::inline oracle
