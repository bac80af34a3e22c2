#include "learned/encode_think_decode/etd_text.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <utility>

namespace logdepth {
namespace {

using Tokens = std::vector<std::int32_t>;
using Names = std::initializer_list<const char*>;

constexpr std::uint32_t kModulus = 7, kRing = 8, kLetters = 26;
constexpr std::uint32_t kNames = 20, kAttributes = 5, kValues = 16, kPlaces = 16, kThings = 7;
constexpr std::uint32_t kEntities = kNames * kNames, kThingsNamed = 3, kFactsTold = 4;

constexpr Names kMarks = {"<end>", "+",  "-",  "mod",   "=",     ".",    ",",      ":",
                          "?",     "->", "is", "where", "in",    "from", "steps",  "belong",
                          "to"};
constexpr Names kFirstNames = {"ann",  "bob",  "carl", "dora", "emil", "fay", "gus",
                               "hana", "ivan", "jane", "kurt", "lena", "max", "nora",
                               "otto", "pia",  "rob",  "sara", "tom",  "uma"};
constexpr Names kLastNames = {"adler", "baum", "clark", "diaz",  "ernst", "frank", "grant",
                              "hahn",  "ives", "jones", "klein", "lopez", "moore", "nagy",
                              "olsen", "perez", "quinn", "reyes", "stone", "turner"};
constexpr Names kAttributeNames = {"colour", "city", "job", "pet", "dish"};
constexpr Names kAttributeValues = {
    "red",     "blue",   "green",   "yellow", "white",    "black",   "brown",   "pink",
    "purple",  "orange", "grey",    "violet", "silver",   "gold",    "beige",   "teal",
    "paris",   "london", "rome",    "madrid", "vienna",   "prague",  "berlin",  "lisbon",
    "athens",  "dublin", "oslo",    "cairo",  "tokyo",    "delhi",   "lima",    "quito",
    "baker",   "doctor", "pilot",   "farmer", "painter",  "writer",  "singer",  "lawyer",
    "tailor",  "miner",  "judge",   "driver", "sailor",   "barber",  "potter",  "weaver",
    "cat",     "dog",    "rabbit",  "parrot", "hamster",  "turtle",  "goldfish", "canary",
    "mouse",   "lizard", "ferret",  "gecko",  "pony",     "snake",   "frog",    "duck",
    "soup",    "bread",  "rice",    "pasta",  "salad",    "pizza",   "curry",   "stew",
    "cheese",  "sushi",  "porridge", "pancake", "omelette", "noodles", "dumplings", "pie"};
constexpr Names kPlaceNames = {"kitchen", "garden",  "office", "school",  "hospital", "library",
                               "station", "harbour", "stable", "museum",  "theatre",  "church",
                               "bakery",  "garage",  "beach",  "bank"};
/// Seven things of each place.
constexpr Names kThingNames = {
    "fork",   "spoon",    "plate",   "pan",        "kettle",     "oven",     "sink",       //
    "rake",   "spade",    "hose",    "hedge",      "lawn",       "flower",   "fence",      //
    "desk",   "printer",  "stapler", "folder",     "memo",       "keyboard", "calendar",   //
    "teacher", "pupil",   "chalk",   "lesson",     "homework",   "satchel",  "blackboard",  //
    "nurse",  "surgeon",  "patient", "bandage",    "syringe",    "ward",     "scalpel",    //
    "novel",  "shelf",    "atlas",   "librarian",  "dictionary", "chapter",  "bookmark",   //
    "train",  "platform", "ticket",  "track",      "conductor",  "luggage",  "timetable",  //
    "ship",   "anchor",   "crane",   "dock",       "cargo",      "captain",  "lighthouse",  //
    "horse",  "saddle",   "hay",     "bridle",     "hoof",       "groom",    "manger",     //
    "statue", "exhibit",  "guide",   "relic",      "curator",    "gallery",  "fossil",     //
    "stage",  "actor",    "curtain", "script",     "audience",   "costume",  "orchestra",  //
    "altar",  "priest",   "organ",   "choir",      "pew",        "candle",   "bell",       //
    "flour",  "dough",    "yeast",   "loaf",       "bun",        "cake",     "whisk",      //
    "car",    "tyre",     "wrench",  "engine",     "mechanic",   "jack",     "oil",        //
    "sand",   "wave",     "towel",   "shell",      "parasol",    "swimmer",  "dune",       //
    "coin",   "vault",    "teller",  "loan",       "cheque",     "safe",     "cashier"};

/// The words, with where each of their groups begins.
struct Vocabulary {
  std::vector<std::string> words;
  std::map<std::string, std::int32_t> tokens;
  std::int32_t digits = 0, letters = 0, first_names = 0, last_names = 0, attributes = 0, values = 0,
               places = 0, things = 0;

  Vocabulary() {
    add(kMarks, kMarks.size());
    digits = next();
    for (std::uint32_t digit = 0; digit <= kModulus; ++digit) words.push_back(std::to_string(digit));
    letters = next();
    for (std::uint32_t letter = 0; letter < kLetters; ++letter)
      words.emplace_back(1, static_cast<char>('a' + letter));
    first_names = add(kFirstNames, kNames);
    last_names = add(kLastNames, kNames);
    attributes = add(kAttributeNames, kAttributes);
    values = add(kAttributeValues, kAttributes * kValues);
    places = add(kPlaceNames, kPlaces);
    things = add(kThingNames, kPlaces * kThings);
    for (std::int32_t token = 0; token < next(); ++token)
      if (!tokens.emplace(words[static_cast<std::size_t>(token)], token).second)
        throw std::logic_error("a word twice: " + words[static_cast<std::size_t>(token)]);
  }

 private:
  std::int32_t next() const { return static_cast<std::int32_t>(words.size()); }
  std::int32_t add(const Names& names, std::size_t count) {
    if (names.size() != count) throw std::logic_error("a list of words of another length");
    const std::int32_t begin = next();
    words.insert(words.end(), names.begin(), names.end());
    return begin;
  }
};

const Vocabulary& vocabulary() {
  static const Vocabulary kVocabulary;
  return kVocabulary;
}

std::int32_t mark(const char* word) { return vocabulary().tokens.at(word); }
std::int32_t digit(std::uint64_t value) {
  return vocabulary().digits + static_cast<std::int32_t>(value);
}
std::int32_t at(std::int32_t group, std::uint64_t index) {
  return group + static_cast<std::int32_t>(index);
}

EtdLine common(CounterRandom& random) {
  const std::uint64_t place = random.below(kPlaces);
  EtdLine line;
  for (std::uint32_t i = 0; const std::uint32_t thing : random.permutation(kThings))
    if (i++ < kThingsNamed)
      line.question.push_back(at(vocabulary().things, place * kThings + thing));
  line.question.insert(line.question.end(), {mark("belong"), mark("to")});
  line.answer = {at(vocabulary().places, place)};
  return line;
}

EtdLine reading(std::uint32_t sentences, CounterRandom& random) {
  const std::vector<std::uint32_t> people = random.permutation(kNames),
                                   places = random.permutation(kPlaces);
  EtdLine line;
  for (std::uint32_t i = 0; i < sentences; ++i)
    line.question.insert(line.question.end(),
                         {at(vocabulary().first_names, people[i]), mark("is"), mark("in"),
                          at(vocabulary().places, places[i]), mark(".")});
  const std::uint64_t asked = random.below(sentences);
  line.question.insert(line.question.end(),
                       {mark("where"), mark("is"), at(vocabulary().first_names, people[asked]),
                        mark("?")});
  line.answer = {at(vocabulary().places, places[asked])};
  return line;
}

EtdLine multi_hop(std::uint32_t hops, CounterRandom& random) {
  std::vector<std::uint32_t> ring = random.permutation(kLetters);
  ring.resize(kRing);
  const auto letter = [&](std::uint64_t i) { return at(vocabulary().letters, ring[i % kRing]); };
  EtdLine line;
  for (const std::uint32_t i : random.permutation(kRing))
    line.question.insert(line.question.end(), {letter(i), mark("->"), letter(i + 1), mark(",")});
  line.question.insert(line.question.end(),
                       {mark("from"), letter(0), digit(hops), mark("steps"), mark("?")});
  line.answer = {letter(hops)};
  return line;
}

EtdLine arithmetic(std::uint32_t terms, CounterRandom& random) {
  std::uint64_t value = random.below(kModulus);
  EtdLine line;
  line.question = {digit(value)};
  for (std::uint32_t i = 1; i < terms; ++i) {
    const bool minus = random.below(2) == 1;
    const std::uint64_t term = random.below(kModulus);
    value = (value + (minus ? kModulus - term : term)) % kModulus;
    line.question.insert(line.question.end(), {mark(minus ? "-" : "+"), digit(term)});
  }
  line.question.insert(line.question.end(), {mark("mod"), digit(kModulus), mark("=")});
  line.answer = {digit(value)};
  return line;
}

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (const std::int32_t token : tokens)
    text += (text.empty() ? "" : " ") + vocabulary().words.at(static_cast<std::size_t>(token));
  return text;
}

}  // namespace

const char* line_kind_name(LineKind kind) {
  switch (kind) {
    case LineKind::recall:
      return "recall";
    case LineKind::common:
      return "common";
    case LineKind::reading:
      return "reading";
    case LineKind::multi_hop:
      return "multi-hop";
    case LineKind::arithmetic:
      break;
  }
  return "arithmetic";
}

LineDifficulties line_difficulties(LineKind kind) {
  switch (kind) {
    case LineKind::recall:
    case LineKind::common:
      return {1, 1};
    case LineKind::reading:
      return {3, 8};
    case LineKind::multi_hop:
      return {1, 4};
    case LineKind::arithmetic:
      break;
  }
  return {2, 6};
}

const std::vector<std::string>& etd_words() { return vocabulary().words; }

std::uint32_t longest_etd_line() {
  // Eight sentences of five words, four that ask, the place, the end.
  return 5 * line_difficulties(LineKind::reading).most + 4 + 2;
}

bool held_out(std::string_view question) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, 64 bits
  for (const char c : question) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return CounterRandom(hash, RandomStream::held_out).below(8) == 0;
}

EtdText::EtdText(std::uint64_t world) {
  for (std::uint32_t entity = 0; entity < kEntities; ++entity)
    for (std::uint32_t attribute = 0; attribute < kAttributes; ++attribute)
      facts_.push_back(static_cast<std::uint32_t>(
          CounterRandom(world, RandomStream::world, entity, attribute).below(kValues)));
}

EtdLine EtdText::recall(LineUse use, CounterRandom& random) const {
  const std::uint64_t entity = random.below(kEntities);
  const std::vector<std::uint32_t> order = random.permutation(kAttributes);
  const std::uint64_t told = use == LineUse::training ? random.below(kFactsTold + 1) : 0;
  const auto value = [&](std::uint32_t attribute) {
    return at(vocabulary().values, attribute * kValues + facts_[entity * kAttributes + attribute]);
  };
  EtdLine line;
  line.question = {at(vocabulary().first_names, entity / kNames),
                   at(vocabulary().last_names, entity % kNames), mark(":")};
  for (std::uint64_t i = 0; i < told; ++i)
    line.question.insert(line.question.end(), {at(vocabulary().attributes, order[i]),
                                               value(order[i]), mark(",")});
  line.question.insert(line.question.end(), {mark("?"), at(vocabulary().attributes, order[told])});
  line.answer = {value(order[told])};
  return line;
}

EtdLine EtdText::line(LineKind kind, std::uint32_t difficulty, LineUse use,
                      CounterRandom& random) const {
  if (kind == LineKind::recall) return recall(use, random);
  if (kind == LineKind::common) return common(random);
  for (;;) {
    EtdLine line = kind == LineKind::reading     ? reading(difficulty, random)
                   : kind == LineKind::multi_hop ? multi_hop(difficulty, random)
                                                 : arithmetic(difficulty, random);
    // Sums of two terms are too few to leave any out.
    if ((kind == LineKind::arithmetic && difficulty == 2) ||
        held_out(text_of(line.question)) == (use == LineUse::test))
      return line;
  }
}

}  // namespace logdepth
