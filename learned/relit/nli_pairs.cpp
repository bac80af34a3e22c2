#include "learned/relit/nli_pairs.hpp"

#include <array>
#include <string_view>

#include "learned/relit/rule_theory.hpp"

namespace logdepth::inline learned_relit {
namespace {

using Quantifier = QuantifiedSentence::Quantifier;

struct NounPair {
  const char* narrower;
  const char* wider;
};
constexpr std::array<NounPair, kNliNouns> kNouns = {{{"dogs", "animals"},
                                                     {"cats", "animals"},
                                                     {"birds", "animals"},
                                                     {"snakes", "reptiles"},
                                                     {"sharks", "fish"},
                                                     {"ants", "insects"},
                                                     {"bees", "insects"},
                                                     {"roses", "flowers"},
                                                     {"oaks", "trees"},
                                                     {"apples", "fruits"},
                                                     {"girls", "children"},
                                                     {"boys", "children"},
                                                     {"teachers", "people"},
                                                     {"singers", "people"},
                                                     {"cars", "vehicles"},
                                                     {"trucks", "vehicles"}}};

/// A sentence as what it says: that every member, or one, has the adjective, or has it not.
struct Meaning {
  bool every = false, positive = true;
};

Meaning meaning(const QuantifiedSentence& sentence) {
  const bool every =
      sentence.quantifier == Quantifier::all || sentence.quantifier == Quantifier::no;
  const bool positive =
      sentence.quantifier == Quantifier::all || sentence.quantifier == Quantifier::some;
  return {every, positive != sentence.negated};
}

bool entails(const Meaning& premise, const Meaning& hypothesis, NliNouns nouns) {
  if (premise.positive != hypothesis.positive) return false;
  // From every member of one noun to one of the other: they have members in common.
  if (premise.every) return !hypothesis.every || nouns != NliNouns::wider;
  return !hypothesis.every && nouns != NliNouns::narrower;
}

/// The first of the pairs that have the wider noun in common.
std::uint32_t family(std::uint32_t noun) {
  std::uint32_t first = 0;
  while (std::string_view(kNouns[first].wider) != kNouns[noun].wider) ++first;
  return first;
}

std::string sentence_text(const QuantifiedSentence& sentence, const char* noun,
                          const char* adjective) {
  constexpr std::array<const char*, 4> kWords = {"All", "Some", "No", "Not all"};
  return std::string(kWords.at(static_cast<std::size_t>(sentence.quantifier))) + " " + noun +
         " are " + (sentence.negated ? "not " : "") + adjective + " .";
}

QuantifiedSentence random_sentence(CounterRandom& random) {
  const auto quantifier = static_cast<Quantifier>(random.below(4));
  return {quantifier, random.chance(0.5)};
}

}  // namespace

const char* nli_answer_word(NliLabel label) {
  switch (label) {
    case NliLabel::entailment:
      return "yes";
    case NliLabel::contradiction:
      return "no";
    case NliLabel::neutral:
      break;
  }
  return "neutral";
}

NliLabel nli_label(const QuantifiedSentence& premise, const QuantifiedSentence& hypothesis,
                   NliNouns nouns) {
  const Meaning known = meaning(premise), said = meaning(hypothesis);
  if (entails(known, said, nouns)) return NliLabel::entailment;
  if (entails(known, {!said.every, !said.positive}, nouns)) return NliLabel::contradiction;
  return NliLabel::neutral;
}

std::string NliQuestion::prompt() const {
  return "premise : " + premise + " hypothesis : " + hypothesis + " answer :";
}

NliQuestion nli_question(NliLabel label, bool held_out, CounterRandom& random) {
  std::uint32_t noun = 0, adjective = 0;
  do {
    noun = static_cast<std::uint32_t>(random.below(kNliNouns));
    adjective = static_cast<std::uint32_t>(random.below(kRuleAttributes));
  } while (((family(noun) + adjective) % 5 == 0) != held_out);
  while (true) {
    const QuantifiedSentence premise = random_sentence(random);
    const QuantifiedSentence hypothesis = random_sentence(random);
    const auto nouns = static_cast<NliNouns>(random.below(3));
    // A hypothesis that repeats the premise asks for nothing.
    if (nouns == NliNouns::same && premise == hypothesis) continue;
    if (nli_label(premise, hypothesis, nouns) != label) continue;
    const bool wider_first =
        nouns == NliNouns::narrower || (nouns == NliNouns::same && random.chance(0.5));
    const bool wider_second = nouns == NliNouns::same ? wider_first : !wider_first;
    const auto text = [&](const QuantifiedSentence& sentence, bool wider) {
      return sentence_text(sentence, wider ? wider_noun(noun) : narrower_noun(noun),
                           rule_attribute(adjective));
    };
    return {text(premise, wider_first), text(hypothesis, wider_second), label};
  }
}

const char* narrower_noun(std::uint32_t index) {
  return kNouns.at(index).narrower;
}

const char* wider_noun(std::uint32_t index) {
  return kNouns.at(index).wider;
}

}  // namespace logdepth::inline learned_relit
