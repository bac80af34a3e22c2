// Family text, judged from the text alone: it is split into words, the facts become a graph, and
// the relation of the two people asked about is what the one path between them adds up to.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "learned/depth_recurrent/tasks.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::family_text_tests { namespace {

constexpr std::array<const char*, 13> kSpelling = {
    "[PAD]",  "[CLS]", ".",       "?",           "is",         "the",   "of",
    "parent", "child", "sibling", "grandparent", "grandchild", "great-"};

constexpr std::array<const char*, kFamilyNamePool> kNames = {
    "Ada",  "Ben",  "Cleo", "Dan",  "Eve",  "Finn", "Gia",  "Hugo", "Ida",  "Jack",
    "Kim",  "Leo",  "Mia",  "Ned",  "Olga", "Paul", "Quin", "Rosa", "Sam",  "Tess",
    "Umar", "Vera", "Walt", "Xena", "Yann", "Zoe",  "Amir", "Beth", "Carl", "Dora",
    "Emil", "Fay",  "Glen", "Hana", "Ivan", "June", "Kurt", "Lena", "Milo", "Nora"};

/// The word of each token; names come last.
std::vector<std::string> family_vocabulary(const FamilySettings& settings) {
  std::vector<std::string> vocabulary(kSpelling.begin(), kSpelling.end());
  for (std::uint32_t i = 0; i < settings.names; ++i) vocabulary.emplace_back(kNames.at(i));
  return vocabulary;
}

/// Words with blanks between them, none after "great-".
std::string family_text(const std::vector<std::int32_t>& tokens, const FamilySettings& settings) {
  const std::vector<std::string> vocabulary = family_vocabulary(settings);
  std::string text;
  for (const std::int32_t token : tokens) {
    if (!text.empty() && text.back() != '-') text += ' ';
    text += vocabulary.at(static_cast<std::size_t>(token));
  }
  return text;
}

constexpr FamilySettings kAllNames{40, 0.2, 1, 2};

FamilyQuestion drawn(const FamilySettings& settings, std::uint32_t depth, bool answer,
                     std::uint64_t index) {
  CounterRandom random(laws::seed(), RandomStream::validation, depth, index);
  return family_question(settings, depth, answer, random);
}

/// "WHO is the RELATION of WHOSE", the relation as generations from WHOSE up to WHO.
struct Sentence {
  std::string who, whose;
  int generations = 0;
  bool asked = false;
};

int generations_of(std::string relation) {
  int great = 0;
  for (; relation.starts_with("great-"); relation.erase(0, 6)) ++great;
  const std::map<std::string, int> plain = {
      {"sibling", 0}, {"parent", 1}, {"child", -1}, {"grandparent", 2}, {"grandchild", -2}};
  const int base = plain.at(relation);
  EXPECT_TRUE(great == 0 || std::abs(base) == 2) << relation;
  return base < 0 ? base - great : base + great;
}

std::vector<Sentence> sentences_of(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  EXPECT_EQ(word, "[CLS]");
  std::vector<Sentence> sentences;
  std::string who, is, the, relation, of, whose, end;
  while (words >> who) {
    EXPECT_TRUE(words >> is >> the >> relation >> of >> whose >> end) << text;
    EXPECT_EQ(is + the + of, "istheof") << text;
    EXPECT_TRUE(end == "." || end == "?") << text;
    sentences.push_back({who, whose, generations_of(relation), end == "?"});
  }
  return sentences;
}

/// The facts as a graph: to whom a person is told to be related, and how far above that one lives.
using FactGraph = std::map<std::string, std::map<std::string, int>>;

/// What a question says, recomputed from its text. Failures are of the calling test.
struct RunReading {
  std::vector<Sentence> facts;
  Sentence question;
  FactGraph graph;
  std::vector<std::string> path;  ///< from `question.whose` to `question.who`
  std::vector<int> steps;         ///< generations up, along the path

  int offset() const {
    int sum = 0;
    for (const int step : steps) sum += step;
    return sum;
  }
  /// Steps up or down.
  int moves() const {
    return static_cast<int>(steps.size() - std::count(steps.begin(), steps.end(), 0));
  }
};

/// The people with a fact that leads, not over `from`, to `here`: all paths, by search.
void search(const FactGraph& graph, const std::string& from, const std::string& here,
            const std::string& goal, std::vector<std::string>& walk,
            std::vector<std::vector<std::string>>& found) {
  walk.push_back(here);
  if (here == goal) found.push_back(walk);
  for (const auto& [next, up] : graph.at(here))
    if (next != from) search(graph, here, next, goal, walk, found);
  walk.pop_back();
}

/// Whether no two people are joined by two paths: leaves are taken away until nothing is left.
bool is_forest(FactGraph graph) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (auto person = graph.begin(); person != graph.end();) {
      if (person->second.size() > 1) {
        ++person;
        continue;
      }
      for (const auto& [other, up] : person->second) graph[other].erase(person->first);
      person = graph.erase(person);
      smaller = true;
    }
  }
  return graph.empty();
}

RunReading read(const FamilyQuestion& question, const FamilySettings& settings) {
  const std::string text = family_text(question.tokens, settings);
  RunReading reading;
  reading.facts = sentences_of(text);
  reading.question = reading.facts.back();
  reading.facts.pop_back();
  EXPECT_TRUE(reading.question.asked) << text;
  for (const Sentence& fact : reading.facts) {
    EXPECT_FALSE(fact.asked) << text;
    EXPECT_NE(fact.who, fact.whose) << text;
    EXPECT_LE(std::abs(fact.generations), 1) << text;
    EXPECT_FALSE(reading.graph[fact.who].contains(fact.whose)) << "told twice: " << text;
    reading.graph[fact.whose][fact.who] = fact.generations;
    reading.graph[fact.who][fact.whose] = -fact.generations;
  }
  EXPECT_TRUE(is_forest(reading.graph)) << text;
  const Sentence& asked = reading.question;
  if (!is_forest(reading.graph) || !reading.graph.contains(asked.who) ||
      !reading.graph.contains(asked.whose)) {
    ADD_FAILURE() << "no search is possible: " << text;
    return reading;
  }
  std::vector<std::vector<std::string>> paths;
  std::vector<std::string> walk;
  search(reading.graph, "", asked.whose, asked.who, walk, paths);
  EXPECT_EQ(paths.size(), 1u) << text;
  if (!paths.empty()) reading.path = paths.front();
  for (std::size_t i = 1; i < reading.path.size(); ++i)
    reading.steps.push_back(reading.graph[reading.path[i - 1]][reading.path[i]]);
  return reading;
}

/// 10 000 questions of the depths 1 ... 9, half of them true.
void for_many_questions(
    const std::function<void(const FamilyQuestion&, const RunReading&)>& visit) {
  for (std::uint64_t index = 0; index < 10000; ++index) {
    const std::uint32_t depth = 1 + static_cast<std::uint32_t>(index / 2 % 9);
    const FamilyQuestion question = drawn(kAllNames, depth, index % 2 == 1, index);
    visit(question, read(question, kAllNames));
    ASSERT_FALSE(testing::Test::HasFailure())
        << family_text(question.tokens, kAllNames) << " (index " << index << ')';
  }
}

TEST(FamilyText, SaysWhatItsAnswerAndItsDepthSay) {
  int answers[2] = {0, 0};
  for_many_questions([&](const FamilyQuestion& question, const RunReading& reading) {
    ++answers[question.answer];
    EXPECT_EQ(reading.steps.size(), question.depth);
    EXPECT_EQ(reading.offset() == reading.question.generations, question.answer);
    const std::vector<std::string> words = family_vocabulary(kAllNames);
    EXPECT_EQ(words[question.tokens[question.first_name]], reading.question.who);
    EXPECT_EQ(words[question.tokens[question.second_name]], reading.question.whose);
    EXPECT_EQ(question.second_name + 2, question.tokens.size());
  });
  EXPECT_EQ(answers[0], answers[1]);
}

TEST(FamilyText, FalseRelationsAreHard) {
  for_many_questions([](const FamilyQuestion& question, const RunReading& reading) {
    if (question.answer) return;
    const int truth = reading.offset(), asked = reading.question.generations;
    EXPECT_TRUE(std::abs(truth - asked) == 2 || asked == -truth) << truth << ' ' << asked;
    EXPECT_LE(std::abs(asked), reading.moves()) << "no chain of this kind makes it true";
  });
}

TEST(FamilyText, TheChainLeadsUpAndThenDownWithOneSiblingAtMost) {
  std::map<std::uint32_t, std::array<int, 2>> siblings;  // by depth: chains without, with one
  std::map<std::pair<int, int>, int> ups;                // by moves and steps up
  for_many_questions([&](const FamilyQuestion& question, const RunReading& reading) {
    std::vector<int> moved = reading.steps;
    std::erase(moved, 0);
    EXPECT_TRUE(std::is_sorted(moved.begin(), moved.end(), std::greater<>()));
    const std::size_t flat = reading.steps.size() - moved.size();
    ASSERT_LE(flat, question.depth == 1 ? 0u : 1u);
    ++siblings[question.depth][flat];
    ++ups[{reading.moves(), static_cast<int>(std::count(moved.begin(), moved.end(), 1))}];
  });
  for (const auto& [depth, count] : siblings) {
    const double all = count[0] + count[1];
    const double share = depth == 1 ? 0 : 0.2;
    EXPECT_NEAR(count[1] / all, share, 5 * std::sqrt(share * (1 - share) / all)) << depth;
  }
  for (const auto& [place, count] : ups) {
    double all = 0;
    for (int up = 0; up <= place.first; ++up) all += ups.at({place.first, up});
    const double share = 1.0 / (place.first + 1);
    EXPECT_NEAR(count / all, share, 5 * std::sqrt(share * (1 - share) / all))
        << place.second << " steps up of " << place.first;
  }
}

TEST(FamilyText, DistractorsAreDecoysAndRelationsAmongOutsiders) {
  int among_outsiders = 0, apart = 0, siblings_outside = 0;
  std::map<std::string, int> decoys_at;
  for_many_questions([&](const FamilyQuestion& question, const RunReading& reading) {
    const std::set<std::string> chain(reading.path.begin(), reading.path.end());
    const std::size_t distractors = reading.facts.size() - question.depth;
    EXPECT_GE(distractors, question.depth);
    EXPECT_LE(distractors, 2 * question.depth);
    std::size_t decoys = 0;
    for (std::size_t i = 0; i < reading.path.size(); ++i)
      for (const auto& [outsider, up] : reading.graph.at(reading.path[i])) {
        if (chain.contains(outsider)) continue;
        ++decoys;
        ++decoys_at[i == 0 ? "whose" : i == question.depth ? "who" : "between"];
        const bool contradicts_next = i < question.depth && up == -reading.steps[i];
        const bool contradicts_last = i > 0 && up == reading.steps[i - 1];
        EXPECT_TRUE(up != 0 && (contradicts_next || contradicts_last)) << outsider;
      }
    EXPECT_GE(decoys, 1u);
    among_outsiders += decoys < distractors;
    // Without a family apart, the facts are one tree: as many people as facts and one more.
    apart += reading.graph.size() > reading.facts.size() + 1;
    for (const Sentence& fact : reading.facts)
      siblings_outside +=
          fact.generations == 0 && !chain.contains(fact.who) && !chain.contains(fact.whose);
  });
  EXPECT_GT(among_outsiders, 5000);
  EXPECT_GT(apart, 1000);
  EXPECT_GT(siblings_outside, 1000);
  EXPECT_NEAR(decoys_at["whose"], decoys_at["who"], 5 * std::sqrt(2.0 * decoys_at["who"]));
  EXPECT_GT(decoys_at["between"], 1000);
}

TEST(FamilyText, FactsAreToldFromEitherSideAndInAnyOrder) {
  double told = 0, sides = 0, pairs = 0, ascending = 0;
  for_many_questions([&](const FamilyQuestion&, const RunReading& reading) {
    std::vector<std::size_t> places;
    for (std::size_t step = 1; step < reading.path.size(); ++step)
      for (std::size_t place = 0; place < reading.facts.size(); ++place) {
        const Sentence& fact = reading.facts[place];
        const std::pair<std::string, std::string> people{fact.who, fact.whose};
        const auto& [from, to] = std::pair(reading.path[step - 1], reading.path[step]);
        if (people != std::pair(from, to) && people != std::pair(to, from)) continue;
        ++told;
        sides += fact.who == to;
        places.push_back(place);
      }
    ASSERT_EQ(places.size() + 1, reading.path.size());
    for (std::size_t i = 1; i < places.size(); ++i, ++pairs) ascending += places[i - 1] < places[i];
  });
  EXPECT_NEAR(sides / told, 0.5, 5 * std::sqrt(0.25 / told));
  // Neighbouring pairs of one permutation are negatively correlated: the bound is on the safe side.
  EXPECT_NEAR(ascending / pairs, 0.5, 5 * std::sqrt(0.25 / pairs));
}

TEST(FamilyText, NothingButTheAskedRelationDependsOnTheAnswer) {
  const auto without_relation = [](FamilyQuestion question) {
    question.tokens.erase(
        question.tokens.begin() + static_cast<std::ptrdiff_t>(question.first_name) + 1,
        question.tokens.begin() + static_cast<std::ptrdiff_t>(question.second_name));
    return question.tokens;
  };
  for (std::uint32_t depth = 1; depth <= 9; ++depth)
    for (std::uint64_t index = 0; index < 50; ++index) {
      const FamilyQuestion yes = drawn(kAllNames, depth, true, index);
      const FamilyQuestion no = drawn(kAllNames, depth, false, index);
      EXPECT_NE(yes.tokens, no.tokens);
      EXPECT_EQ(without_relation(yes), without_relation(no));
    }
}

TEST(FamilyText, TheAskedRelationIsEquallyLikelyForBothAnswers) {
  const int samples = 3000;
  for (std::uint32_t depth = 1; depth <= 9; ++depth) {
    // With the number of moves, which can be guessed from how often "sibling" is told.
    std::map<std::pair<int, int>, std::array<double, 2>> counts;
    for (std::uint64_t index = 0; index < 2 * samples; ++index) {
      const RunReading reading = read(drawn(kAllNames, depth, index % 2 == 1, index), kAllNames);
      ++counts[{reading.moves(), reading.question.generations}][index % 2];
    }
    double chi_square = 0;
    for (const auto& [what, count] : counts)
      chi_square += std::pow(count[0] - count[1], 2) / (count[0] + count[1]);
    // At most 18 degrees of freedom: above 57 with probability 7e-6.
    EXPECT_LT(chi_square, 57) << "depth " << depth;
    EXPECT_EQ(counts.size(), depth == 1 ? 2 : 2 * depth + 1);
  }
}

/// A text without its order: how often each word is in the facts, how often each of the two names
/// of the question is, the words of the question, and products of those three groups.
std::vector<double> bag_of_words(const FamilyQuestion& question, const FamilySettings& settings) {
  const std::vector<std::string> vocabulary = family_vocabulary(settings);
  std::vector<double> facts(vocabulary.size()), asked(vocabulary.size());
  for (std::size_t i = 0; i < question.tokens.size(); ++i)
    ++(i < question.first_name ? facts : asked)[question.tokens[i]];
  const auto of = [&](std::vector<double> from, std::vector<std::string> words) {
    std::vector<double> counts;
    for (std::size_t i = 0; i < vocabulary.size(); ++i)
      if (std::find(words.begin(), words.end(), vocabulary[i]) != words.end())
        counts.push_back(from[i]);
    return counts;
  };
  std::vector<double> told = of(facts, {"parent", "child", "sibling"});
  told.push_back(facts[question.tokens[question.first_name]]);
  told.push_back(facts[question.tokens[question.second_name]]);
  const std::vector<double> relation =
      of(asked, {"parent", "child", "sibling", "grandparent", "grandchild", "great-"});
  EXPECT_EQ(told.size() + relation.size(), 11u);
  std::vector<double> features = facts;
  features.insert(features.end(), asked.begin(), asked.end());
  features.insert(features.end(), told.begin() + 3, told.end());
  for (const double x : told)
    for (const double y : relation) features.push_back(x * y);
  return features;
}

struct Sample {
  std::vector<double> features;
  bool label = false;
};

/// Share of right answers on the second half of logistic regression, fitted to the first half by
/// gradient descent.
double fitted_accuracy(std::vector<Sample> samples) {
  const std::size_t half = samples.size() / 2, width = samples.front().features.size();
  for (std::size_t f = 0; f < width; ++f) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < half; ++i) {
      sum += samples[i].features[f];
      squares += samples[i].features[f] * samples[i].features[f];
    }
    const double mean = sum / static_cast<double>(half);
    const double variance = squares / static_cast<double>(half) - mean * mean;
    for (Sample& sample : samples)
      sample.features[f] = variance > 1e-9 ? (sample.features[f] - mean) / std::sqrt(variance) : 0;
  }
  std::vector<double> weights(width + 1);
  const auto score = [&](const Sample& sample) {
    double sum = weights[width];
    for (std::size_t f = 0; f < width; ++f) sum += weights[f] * sample.features[f];
    return sum;
  };
  for (int step = 0; step < 100; ++step) {
    std::vector<double> slope(width + 1);
    for (std::size_t i = 0; i < half; ++i) {
      const double error = samples[i].label - 1 / (1 + std::exp(-score(samples[i])));
      for (std::size_t f = 0; f < width; ++f) slope[f] += error * samples[i].features[f];
      slope[width] += error;
    }
    for (std::size_t f = 0; f <= width; ++f)
      weights[f] += 0.3 * slope[f] / static_cast<double>(half);
  }
  std::size_t right = 0;
  for (std::size_t i = half; i < samples.size(); ++i)
    right += (score(samples[i]) > 0) == samples[i].label;
  return static_cast<double>(right) / static_cast<double>(samples.size() - half);
}

TEST(FamilyText, CountsOfWordsDoNotTellTheAnswer) {
  for (const FamilySettings& settings : {FamilySettings{}, kAllNames})
    for (std::uint32_t depth = 2; depth <= 5; ++depth) {
      std::vector<Sample> samples;
      for (std::uint64_t index = 0; index < 10000; ++index) {
        const FamilyQuestion question = drawn(settings, depth, index % 2 == 1, index);
        samples.push_back({bag_of_words(question, settings), question.answer});
      }
      const double accuracy = fitted_accuracy(std::move(samples));
      std::cout << settings.names << " names, depth " << depth << ": " << accuracy << '\n';
      // 5000 answers: a coin is 0.007 off on average, 0.035 with probability 4e-7.
      EXPECT_LE(accuracy, 0.535) << settings.names << " names, depth " << depth;
    }
}

TEST(FamilyText, TheClassifierLearnsWhatCountsOfWordsDoTell) {
  // Whether an ancestor is asked about or else the first person is told of more than once: neither
  // says it alone.
  std::vector<Sample> samples;
  for (std::uint64_t index = 0; index < 10000; ++index) {
    const FamilyQuestion question = drawn({}, 3, index % 2 == 1, index);
    const RunReading reading = read(question, {});
    samples.push_back({bag_of_words(question, {}), (reading.graph.at(reading.question.who).size() >
                                                    1) != (reading.question.generations > 0)});
  }
  EXPECT_GE(fitted_accuracy(std::move(samples)), 0.8);
}

TEST(FamilyText, EveryNameIsAskedAboutEquallyOften) {
  const FamilySettings settings;
  const std::vector<std::string> vocabulary = family_vocabulary(settings);
  const int samples = 6000;
  for (const bool answer : {false, true}) {
    std::map<std::int32_t, double> first, second;
    for (std::uint64_t index = 0; index < samples; ++index) {
      const FamilyQuestion question = drawn(settings, 3, answer, index);
      ++first[question.tokens[question.first_name]];
      ++second[question.tokens[question.second_name]];
    }
    for (const auto& counts : {first, second}) {
      ASSERT_EQ(counts.size(), settings.names);
      double chi_square = 0;
      for (const auto& [name, count] : counts)
        chi_square += std::pow(count - samples / 12.0, 2) / (samples / 12.0);
      // 11 degrees of freedom: above 42 with probability 2e-5.
      EXPECT_LT(chi_square, 42);
    }
  }
}

TEST(FamilyText, TheVocabularyIsSmallAndItsWordsAreDistinct) {
  for (const std::uint32_t names : {4u, 12u, 40u}) {
    const std::vector<std::string> words = family_vocabulary({names, 0.2, 1, 2});
    EXPECT_LT(words.size(), 80u);
    EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
    EXPECT_EQ(words[0], "[PAD]");
    EXPECT_EQ(words[1], "[CLS]");
    EXPECT_EQ(words.size(), family_vocabulary({0, 0.2, 1, 2}).size() + names);
  }
}

TEST(FamilyText, TwelveNamesAreEnoughForDepthFiveAndNotForSix) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const RunReading reading = read(drawn({}, 5, index % 2 == 1, index), {});
    EXPECT_EQ(reading.facts.size(), 10u);
    EXPECT_EQ(reading.steps.size(), 5u);
  }
  EXPECT_THROW(drawn({}, 6, true, 0), InputError);
}

TEST(FamilyText, HasNoDistractorsWhereNoneAreAskedFor) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const FamilySettings settings{12, 1.0, 0, 0};
    const RunReading reading = read(drawn(settings, 10, true, index), settings);
    EXPECT_EQ(reading.facts.size(), 10u);
    EXPECT_EQ(reading.moves(), 9);
  }
}

std::string refusal(const FamilySettings& settings, std::uint32_t depth) {
  return support::refusal([&] { drawn(settings, depth, true, 0); });
}

TEST(FamilyText, RefusesSettingsThatItCannotServe) {
  EXPECT_EQ(refusal({11, 0.2, 1, 2}, 5),
            "task.names: 11, expected at least 12 for questions of depth 5 with "
            "task.distractors_least = 1");
  EXPECT_EQ(refusal({0, 0.2, 0, 0}, 1),
            "task.names: 0, expected at least 3 for questions of depth 1 with "
            "task.distractors_least = 0");
  EXPECT_EQ(refusal({41, 0.2, 1, 2}, 2), "task.names: 41, expected at most 40");
  EXPECT_EQ(refusal({}, 0), "family text: a depth of 0, expected at least 1");
  EXPECT_EQ(refusal({12, -0.1, 1, 2}, 2), "task.sibling: -0.1, expected a probability");
  EXPECT_EQ(refusal({12, std::nan(""), 1, 2}, 2), "task.sibling: nan, expected a probability");
  EXPECT_EQ(refusal({12, 0.2, 3, 2}, 2),
            "task.distractors_least: 3, expected at most task.distractors_most = 2");
  const std::uint32_t huge = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(refusal({40, 0.2, huge, huge}, huge),
            "task.names: 40, expected at least 18446744069414584322 for questions of depth "
            "4294967295 with task.distractors_least = 4294967295");
  EXPECT_EQ(refusal({12, 0.2, 1, huge}, 5), "accepted");
}

TEST(FamilyText, OfOneCounterIsWrittenDown) {
  CounterRandom yes(1, RandomStream::training, 2, 3), no(1, RandomStream::training, 2, 3);
  const std::string facts =
      "[CLS] Jack is the parent of Leo . Ben is the child of Finn . Leo is the parent of Finn . "
      "Finn is the child of Gia . Leo is the child of Ida . Gia is the parent of Kim . "
      "Leo is the parent of Cleo . ";
  EXPECT_EQ(family_text(family_question({}, 3, true, yes).tokens, {}),
            facts + "Ben is the child of Cleo ?");
  EXPECT_EQ(family_text(family_question({}, 3, false, no).tokens, {}),
            facts + "Ben is the great-grandchild of Cleo ?");
}

}}  // namespace logdepth::family_text_tests
