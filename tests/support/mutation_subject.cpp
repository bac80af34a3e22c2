#include "tests/support/mutation_subject.hpp"

#include <random>
#include <set>
#include <tuple>

#include "compiler/program/program.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/file/model_meaning.hpp"
#include "tests/support/languages.hpp"

namespace logdepth::support {
namespace {

/// Short words, and random words that show something new: an element that a token holds with one that it
/// fetches, step by step where the model is unrolled.
std::vector<std::vector<std::string>> covering_words(const MutationSubject& subject,
                                                     const Action& action,
                                                     std::mt19937_64& random) {
  const TransitionMonoid monoid = *enumerate_monoid(action.generators, action.points, 1000);
  const std::vector<std::uint32_t> table = monoid.product_table();
  const bool unrolled = subject.options.unroll.has_value();
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> seen;
  const auto shows_more = [&](const Word& word) {
    const std::size_t before = seen.size();
    const std::size_t loops = unrolled ? subject.model.layers.size() : ceil_log2(word.size());
    std::vector<std::uint32_t> now = {0};  // the identity
    for (const Letter letter : word) now.push_back(monoid.generator[letter]);
    for (std::size_t step = 0, s = 1; step < loops; ++step, s *= 2) {
      const auto held = now;
      for (std::size_t p = 0; p < now.size(); ++p) {
        const auto fetched = held[p >= s ? p - s : 0];
        seen.emplace(unrolled ? step : 0, fetched, held[p]);
        now[p] = table[fetched * monoid.size() + held[p]];
      }
    }
    return seen.size() > before;
  };
  std::vector<std::vector<std::string>> words;
  const auto add = [&](const Word& word) { words.push_back(letter_names(action.alphabet, word)); };
  const std::size_t letters = action.alphabet.size();
  add({});
  for (Letter letter = 0; letter < letters; ++letter) add({letter});
  for (int tries = 0; tries < 4000; ++tries)
    if (const Word word = random_word(random, letters, 1 + random() % subject.max_length);
        shows_more(word))
      add(word);
  // The layers of an unrolled model are told apart by few positions each: more words to see them.
  for (int i = 0; i < (unrolled ? 60 : 1); ++i)
    add(random_word(random, letters, subject.max_length));
  return words;
}

MutationSubject scan_subject(const std::string& name, const Action& action,
                             const ScanOptions& options, const CompileOptions& form,
                             std::size_t up_to, std::mt19937_64& random) {
  MutationSubject subject;
  subject.name = name;
  subject.program = regular_language_scan_MS25_thm4_1(action, name, options);
  subject.options = form;
  subject.model = compile(subject.program, form).model;
  subject.oracle = make_action_oracle(action, name);
  subject.up_to = up_to;
  if (form.unroll) subject.max_length = *form.unroll;
  subject.words = covering_words(subject, action, random);
  return subject;
}

// --- a program with the other selectors, flags and three conditions ------------------------------

constexpr const char* kLastMark = R"(logdepth-cells 1
program "the last a or b is an a"
alphabet a b c
begin
cell one constant
cell I key circle
cell mark flag
cell x onehot a b c none
cell r onehot a b c none
cell s onehot a b c none
cell yes flag
position I
token <begin> x=none mark=false
token a x=a mark=true
token b x=b mark=true
token c x=c mark=false
initial
  fetch last causal rightmost mark=true key I
    copy r x
  fetch equal causal same x
    copy s x
  lookup decide
    rule mark=true s=a x=a -> yes=true
    rule mark=true s=a x=b -> yes=false
    rule mark=true s=a x=c -> yes=false
    rule mark=true s=a x=none -> yes=false
    rule mark=true s=b -> yes=false
    rule mark=true s=c -> yes=false
    rule mark=true s=none -> yes=false
    rule mark=false r=a -> yes=true
    rule mark=false r=b -> yes=false
    rule mark=false r=c -> yes=false
    rule mark=false r=none -> yes=false
output accept + yes
output reject - yes
)";

MutationSubject last_mark_subject(std::mt19937_64& random) {
  MutationSubject subject;
  subject.name = "last mark";
  subject.program = parse_program(kLastMark, "last mark");
  subject.model = compile(subject.program).model;
  const Alphabet letters({"a", "b", "c"});
  subject.oracle = make_regex_oracle(parse_regex("(a|b|c)*ac*", letters));
  subject.up_to = 4;

  subject.words = {{}, {"a", "c"}, {"b", "c"}, {"c", "c"}};
  for (int i = 0; i < 6; ++i)
    subject.words.push_back(letter_names(letters, random_word(random, 3, 12)));
  return subject;
}

/// Three states: a keeps 0 and 1 apart from 2 by one step down, b goes one step up.
Action three_states() {
  Dfa dfa;
  dfa.alphabet = Alphabet({"a", "b"});
  dfa.accepting = {false, false, true};
  dfa.next = {0, 1, 0, 2, 1, 2};
  return to_action(dfa);
}

}  // namespace

std::vector<MutationSubject> mutation_subjects(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Action abb =
      to_action(minimise(determinise(to_nfa(parse_regex("(a|b)*abb", Alphabet({"a", "b"}))))));
  const auto options = [](ScanPositions positions, ScanTable table) {
    return ScanOptions{positions, table};
  };
  const CompileOptions rms;
  const CompileOptions layernorm{Norm::layernorm, false, std::nullopt};
  const CompileOptions unrolled{Norm::rms, false, 8};
  using P = ScanPositions;
  using T = ScanTable;
  std::vector<MutationSubject> subjects;
  const auto add = [&](const std::string& name, const Action& action, P positions, T table,
                       const CompileOptions& form, std::size_t up_to) {
    subjects.push_back(scan_subject(name, action, options(positions, table), form, up_to, random));
  };
  add("abb, monoid, two-circle", abb, P::two_circle, T::monoid, rms, 6);
  add("three states, matrix, circle", three_states(), P::circle, T::matrix, rms, 6);
  add("S3, matrix, first-flag", named_monoid("S3"), P::first_flag, T::matrix, rms, 6);
  add("Z3, monoid, circle, layernorm", named_monoid("Z3"), P::circle, T::monoid, layernorm, 12);
  add("flip-flop, monoid, first-flag, layernorm", named_monoid("flipflop"), P::first_flag,
      T::monoid, layernorm, 5);
  add("flip-flop, matrix, two-circle, unrolled", named_monoid("flipflop"), P::two_circle, T::matrix,
      unrolled, 5);
  subjects.push_back(last_mark_subject(random));
  return subjects;
}

}  // namespace logdepth::support
