#include "learned/encode_think_decode/etd_text.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <utility>

namespace logdepth::inline learned_encode_think_decode {
namespace {

using Tokens = std::vector<std::int32_t>;
using Names = std::initializer_list<const char*>;

constexpr std::uint32_t kModulus = 3, kRing = 8, kLetters = 16;
constexpr std::uint32_t kDigits = 5;  // of terms, of the modulus and of steps
constexpr std::uint32_t kNames = 20, kAttributes = 5, kValues = 16, kPlaces = 16, kThings = 7;
constexpr std::uint32_t kEntities = kNames * kNames, kThingsNamed = 3, kSums = 5;
/// The share of training lines that tell as many answered questions as they have room for.
constexpr double kTelling = 0.75;

constexpr Names kMarks = {"<end>", "+",  "-",     "mod", "=",    ".",     ",",      ":",  "?",
                          "->",    "is", "where", "in",  "from", "steps", "belong", "to", "also"};
constexpr Names kFirstNames = {"ann",  "bob",  "carl", "dora", "emil", "fay", "gus",
                               "hana", "ivan", "jane", "kurt", "lena", "max", "nora",
                               "otto", "pia",  "rob",  "sara", "tom",  "uma"};
constexpr Names kLastNames = {"adler", "baum",  "clark", "diaz",  "ernst", "frank", "grant",
                              "hahn",  "ives",  "jones", "klein", "lopez", "moore", "nagy",
                              "olsen", "perez", "quinn", "reyes", "stone", "turner"};
constexpr Names kAttributeNames = {"colour", "city", "job", "pet", "dish"};
constexpr Names kAttributeValues = {
    "red",    "blue",   "green",    "yellow",  "white",    "black",   "brown",     "pink",
    "purple", "orange", "grey",     "violet",  "silver",   "gold",    "beige",     "teal",
    "paris",  "london", "rome",     "madrid",  "vienna",   "prague",  "berlin",    "lisbon",
    "athens", "dublin", "oslo",     "cairo",   "tokyo",    "delhi",   "lima",      "quito",
    "baker",  "doctor", "pilot",    "farmer",  "painter",  "writer",  "singer",    "lawyer",
    "tailor", "miner",  "judge",    "driver",  "sailor",   "barber",  "potter",    "weaver",
    "cat",    "dog",    "rabbit",   "parrot",  "hamster",  "turtle",  "goldfish",  "canary",
    "mouse",  "lizard", "ferret",   "gecko",   "pony",     "snake",   "frog",      "duck",
    "soup",   "bread",  "rice",     "pasta",   "salad",    "pizza",   "curry",     "stew",
    "cheese", "sushi",  "porridge", "pancake", "omelette", "noodles", "dumplings", "pie"};
constexpr Names kPlaceNames = {"kitchen", "garden",  "office", "school", "hospital", "library",
                               "station", "harbour", "stable", "museum", "theatre",  "church",
                               "bakery",  "garage",  "beach",  "bank"};
/// Seven things of each place.
constexpr Names kThingNames = {
    "fork",    "spoon",    "plate",   "pan",       "kettle",     "oven",     "sink",        //
    "rake",    "spade",    "hose",    "hedge",     "lawn",       "flower",   "fence",       //
    "desk",    "printer",  "stapler", "folder",    "memo",       "keyboard", "calendar",    //
    "teacher", "pupil",    "chalk",   "lesson",    "homework",   "satchel",  "blackboard",  //
    "nurse",   "surgeon",  "patient", "bandage",   "syringe",    "ward",     "scalpel",     //
    "novel",   "shelf",    "atlas",   "librarian", "dictionary", "chapter",  "bookmark",    //
    "train",   "platform", "ticket",  "track",     "conductor",  "luggage",  "timetable",   //
    "ship",    "anchor",   "crane",   "dock",      "cargo",      "captain",  "lighthouse",  //
    "horse",   "saddle",   "hay",     "bridle",    "hoof",       "groom",    "manger",      //
    "statue",  "exhibit",  "guide",   "relic",     "curator",    "gallery",  "fossil",      //
    "stage",   "actor",    "curtain", "script",    "audience",   "costume",  "orchestra",   //
    "altar",   "priest",   "organ",   "choir",     "pew",        "candle",   "bell",        //
    "flour",   "dough",    "yeast",   "loaf",      "bun",        "cake",     "whisk",       //
    "car",     "tyre",     "wrench",  "engine",    "mechanic",   "jack",     "oil",         //
    "sand",    "wave",     "towel",   "shell",     "parasol",    "swimmer",  "dune",        //
    "coin",    "vault",    "teller",  "loan",      "cheque",     "safe",     "cashier"};

/// The words, with where each of their groups begins.
struct Vocabulary {
  std::vector<std::string> words;
  std::map<std::string, std::int32_t> tokens;
  std::int32_t digits = 0, letters = 0, first_names = 0, last_names = 0, attributes = 0, values = 0,
               places = 0, things = 0;

  Vocabulary() {
    add(kMarks, kMarks.size());
    digits = next();
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) words.push_back(std::to_string(digit));
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
        throw std::logic_error("duplicate word: " + words[static_cast<std::size_t>(token)]);
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

std::int32_t mark(const char* word) {
  return vocabulary().tokens.at(word);
}
std::int32_t digit(std::uint64_t value) {
  return vocabulary().digits + static_cast<std::int32_t>(value);
}
std::int32_t at(std::int32_t group, std::uint64_t index) {
  return group + static_cast<std::int32_t>(index);
}

/// What is asked, and the one word that answers it.
struct Query {
  Tokens words;
  std::int32_t answer = 0;
};

/// What a line is made of: the passage, then questions about it. The first is the line's own, the
/// others may be told before it with their answers.
struct Drawn {
  Tokens passage;
  Tokens mark;  ///< before the line's own question
  std::vector<Query> queries;
};

Drawn recall(const std::vector<std::uint32_t>& facts, CounterRandom& random) {
  const std::uint64_t entity = random.below(kEntities);
  Drawn drawn{{at(vocabulary().first_names, entity / kNames),
               at(vocabulary().last_names, entity % kNames), mark(":")},
              {mark("?")},
              {}};
  for (const std::uint32_t attribute : random.permutation(kAttributes))
    drawn.queries.push_back(
        {{at(vocabulary().attributes, attribute)},
         at(vocabulary().values, attribute * kValues + facts[entity * kAttributes + attribute])});
  return drawn;
}

Drawn common(CounterRandom& random) {
  const std::uint64_t place = random.below(kPlaces);
  Query query{{}, at(vocabulary().places, place)};
  for (std::uint32_t i = 0; const std::uint32_t thing : random.permutation(kThings))
    if (i++ < kThingsNamed) query.words.push_back(at(vocabulary().things, place * kThings + thing));
  query.words.insert(query.words.end(), {mark("belong"), mark("to")});
  return {{}, {}, {query}};
}

Drawn reading(std::uint32_t sentences, CounterRandom& random) {
  const std::vector<std::uint32_t> people = random.permutation(kNames),
                                   places = random.permutation(kPlaces);
  const auto person = [&](std::uint32_t i) { return at(vocabulary().first_names, people[i]); };
  const auto place = [&](std::uint32_t i) { return at(vocabulary().places, places[i]); };
  Drawn drawn{{}, {mark("where")}, {}};
  for (std::uint32_t i = 0; i < sentences; ++i)
    drawn.passage.insert(drawn.passage.end(),
                         {person(i), mark("is"), mark("in"), place(i), mark(".")});
  for (const std::uint32_t i : random.permutation(sentences))
    drawn.queries.push_back({{mark("is"), person(i)}, place(i)});
  return drawn;
}

Drawn multi_hop(std::uint32_t hops, CounterRandom& random) {
  std::vector<std::uint32_t> ring = random.permutation(kLetters);
  ring.resize(kRing);
  const auto letter = [&](std::uint64_t i) { return at(vocabulary().letters, ring[i % kRing]); };
  Drawn drawn{{}, {mark("?")}, {}};
  for (const std::uint32_t i : random.permutation(kRing))
    drawn.passage.insert(drawn.passage.end(), {letter(i), mark("->"), letter(i + 1)});
  const std::uint32_t most = line_difficulties(LineKind::multi_hop).most;
  for (const std::uint32_t start : random.permutation(kRing)) {
    const std::uint64_t steps = drawn.queries.empty() ? hops : 1 + random.below(most);
    drawn.queries.push_back(
        {{digit(steps), mark("steps"), mark("from"), letter(start)}, letter(start + steps)});
  }
  return drawn;
}

Query sum(std::uint32_t terms, CounterRandom& random) {
  std::uint64_t value = random.below(kModulus);
  Query query;
  query.words = {digit(value)};
  for (std::uint32_t i = 1; i < terms; ++i) {
    const bool minus = random.below(2) == 1;
    const std::uint64_t term = random.below(kModulus);
    value = (value + (minus ? kModulus - term : term)) % kModulus;
    query.words.insert(query.words.end(), {mark(minus ? "-" : "+"), digit(term)});
  }
  query.words.push_back(mark("="));
  query.answer = digit(value);
  return query;
}

Drawn arithmetic(std::uint32_t terms, CounterRandom& random) {
  const LineDifficulties range = line_difficulties(LineKind::arithmetic);
  Drawn drawn{{mark("mod"), digit(kModulus), mark(":")}, {mark("?")}, {}};
  for (std::uint32_t i = 0; i < kSums; ++i)
    drawn.queries.push_back(sum(i == 0 ? terms
                                       : range.least + static_cast<std::uint32_t>(random.below(
                                                           range.most - range.least + 1)),
                                random));
  return drawn;
}

Tokens one_after_another(Tokens first, const Tokens& second, const Tokens& third) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (const std::int32_t token : tokens)
    text += (text.empty() ? "" : " ") + vocabulary().words.at(static_cast<std::size_t>(token));
  return text;
}

/// Whether a question may stand in a training line, or in a measured one.
bool serves(LineKind kind, const Drawn& drawn, const Query& query, LineUse use) {
  if (kind == LineKind::recall || kind == LineKind::common) return true;
  // Sums of two terms are too few to leave any out.
  if (kind == LineKind::arithmetic && query.words.size() == 4) return true;
  return held_out(text_of(one_after_another(drawn.passage, drawn.mark, query.words))) ==
         (use == LineUse::test);
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

const std::vector<std::string>& etd_words() {
  return vocabulary().words;
}

std::uint32_t longest_etd_line() {
  // Eight sentences of five words, three that ask, the place, the end.
  return 5 * line_difficulties(LineKind::reading).most + 3 + 2;
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

EtdLine EtdText::line(LineKind kind, std::uint32_t difficulty, LineUse use,
                      CounterRandom& random) const {
  const auto drawn_once = [&] {
    switch (kind) {
      case LineKind::recall:
        return recall(facts_, random);
      case LineKind::common:
        return common(random);
      case LineKind::reading:
        return reading(difficulty, random);
      case LineKind::multi_hop:
        return multi_hop(difficulty, random);
      case LineKind::arithmetic:
        break;
    }
    return arithmetic(difficulty, random);
  };
  Drawn drawn = drawn_once();
  while (!serves(kind, drawn, drawn.queries.front(), use)) drawn = drawn_once();
  const Query& own = drawn.queries.front();
  EtdLine line{drawn.passage, {own.answer}, {}};
  if (use == LineUse::training && random.chance(kTelling)) {
    std::size_t room = longest_etd_line() - drawn.passage.size() - drawn.mark.size() -
                       own.words.size() - 2;  // the answer and the end
    for (std::size_t i = 1; i < drawn.queries.size(); ++i) {
      const Query& told = drawn.queries[i];
      const std::size_t size = told.words.size() + 3;  // also, the answer, a comma
      if (size > room || !serves(kind, drawn, told, use)) continue;
      room -= size;
      line.question.push_back(mark("also"));
      line.question.insert(line.question.end(), told.words.begin(), told.words.end());
      line.told.push_back(line.question.size());
      line.question.insert(line.question.end(), {told.answer, mark(",")});
    }
  }
  line.question = one_after_another(std::move(line.question), drawn.mark, own.words);
  return line;
}

}  // namespace logdepth::inline learned_encode_think_decode
