#include "tests/support/mutation_subject.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

#include "compiler/difference/first_difference.hpp"
#include "compiler/program/program_text.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/scan_moments.hpp"
#include "tests/support/words.hpp"

namespace logdepth::support {
namespace {

/// Random words until every combination has occurred in one of them.
std::vector<std::vector<std::string>> covering_words(const MutationSubject& subject,
                                                     const Action& action, const ScanReach& reach,
                                                     std::mt19937_64& random) {
  const bool unrolled = subject.options.unroll.has_value();
  std::set<std::pair<std::size_t, Pair>> missing;
  const std::size_t layers = unrolled ? subject.model.layers.size() : 1;
  for (std::size_t step = 0; step < layers; ++step)
    for (const Pair& pair : reach.pairs(unrolled ? step : kAnyStep)) missing.insert({step, pair});
  auto known = missing;
  std::vector<std::vector<std::string>> words;
  const auto try_word = [&](const Word& word, bool keep) {
    const std::size_t before = missing.size();
    reach.simulate(word, unrolled ? layers : ceil_log2(word.size()),
                   [&](std::size_t step, const Pair& pair) {
                     const std::pair<std::size_t, Pair> found{unrolled ? step : 0, pair};
                     if (!known.contains(found))
                       throw std::logic_error("a combination occurs that was not enumerated");
                     missing.erase(found);
                   });
    if (keep || missing.size() < before) words.push_back(letter_names(action.alphabet, word));
  };
  const std::size_t letters = action.alphabet.size();
  try_word({}, true);
  for (Letter letter = 0; letter < letters; ++letter) try_word({letter}, true);
  for (int tries = 0; tries < 4000 && !missing.empty(); ++tries)
    try_word(random_word(random, letters, 1 + random() % subject.max_length), false);
  if (!missing.empty()) throw std::logic_error("a combination occurs in none of the words tried");
  // The layers of an unrolled model are told apart by few positions each: more words to see them.
  for (int i = 0; i < (unrolled ? 60 : 1); ++i)
    try_word(random_word(random, letters, subject.max_length), true);
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
  const ScanReach reach(action);
  subject.moments = scan_moments(subject.program, subject.model, reach);
  subject.words = covering_words(subject, action, reach, random);
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

  const Program& p = subject.program;
  const RangeBuilder builder(p, subject.model);
  const auto key = cells_named(p, {"I"});
  auto& layer = subject.moments.layers.emplace_back();
  layer.only_first = 3;  // x = none
  const auto token = [&](std::uint32_t x) {
    return FiniteValues{{*p.find("x"), x}, {*p.find("mark"), x < 2}};
  };
  for (std::uint32_t x = 0; x < 4; ++x) {
    layer.attention.push_back(builder.build({token(x), {}, key}));
    // The last mark before c is an a, a b or none; without one the head reads its own token.
    for (const std::uint32_t r : x == 2 ? std::vector{0u, 1u, 2u} : std::vector{x}) {
      FiniteValues values = token(x);
      values[*p.find("r")] = r;
      values[*p.find("s")] = x;
      layer.feedforward.push_back(builder.build({values, {}, key}));
      values[*p.find("yes")] = r == 0;
      subject.moments.verdicts.push_back(builder.build({values, {}, key}));
    }
  }
  subject.moments.finite_combinations = layer.feedforward.size();
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

/// Under layer norm every coordinate x stands beside -x, or the mean is not zero by design.
class MirrorCheck : public ForwardObserver<ValueId> {
 public:
  explicit MirrorCheck(const Exact& arithmetic) : arithmetic_(arithmetic) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    look(location, stream);
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    look(location, stream);
  }
  const std::string& broken() const { return broken_; }

 private:
  void look(const Location& location, const Stream<ValueId>& stream) {
    const std::size_t half = stream.width / 2;
    for (std::size_t token = 0; token < stream.tokens && broken_.empty(); ++token)
      for (std::size_t c = 0; c < half; ++c) {
        const Real& value = arithmetic_.pool()[stream.at(token, c)];
        if (!(arithmetic_.pool()[stream.at(token, c + half)] == -value))
          broken_ = "step " + std::to_string(location.step) + ", token " + std::to_string(token) +
                    ": coordinate " + std::to_string(c + half) + " does not mirror " +
                    std::to_string(c);
      }
  }

  const Exact& arithmetic_;
  std::string broken_;
};

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

Judgement judge(const MutationSubject& subject, const Model& mutant, std::uint64_t seed) {
  if (const std::string violation = first_violation(mutant); !violation.empty())
    return {"format", violation};
  const auto report =
      examine_words(mutant, *subject.oracle, {subject.up_to, 60, subject.max_length, seed});
  if (const auto& found = report.counterexample) {
    std::string word;
    for (const Letter letter : found->input) word += mutant.alphabet[letter];
    const TestedProperty property = property_of(found->finding);
    const std::string means = property == TestedProperty::contract ? "promise"
                              : property == TestedProperty::prefix ? "prefix product"
                              : property == TestedProperty::cell   ? "cell types"
                              : property == TestedProperty::depth  ? "depth"
                              : property == TestedProperty::limit  ? "limit"
                                                                   : "verdict";
    return {means, "'" + word + "': expected " + expected_text(found->finding) + ", found " +
                       got_text(found->finding)};
  }
  for (std::uint64_t n = 0; n <= subject.max_length; ++n)
    if (depth_at(mutant, n) != depth_at(subject.model, n))
      return {"depth", "another depth than claimed for " + std::to_string(n) + " letters"};
  if (!report.unevaluated.empty())
    return {"promise", describe(report.unevaluated.front()) + " never asked"};
  for (const auto& word : subject.words) {
    try {
      const auto difference = first_difference(subject.program, mutant, word);
      if (!difference.has_value()) return {"cells", describe(difference.refusal())};
      if (const auto& found = difference.value())
        return {found->sublayer == "unembedding" ? "logits" : "cells",
                "step " + std::to_string(found->step) + " " + found->sublayer + ", token " +
                    std::to_string(found->token) + ", " + found->cell + ": expected " +
                    found->expected + ", found " + found->got};
    } catch (const InputError& error) {
      return {"cells", error.what()};
    }
  }
  if (mutant.norm == Norm::layernorm)
    for (const auto& word : subject.words) {
      Runner runner(mutant);
      MirrorCheck mirrors(runner.arithmetic());
      if (!runner.run_word(word, {&mirrors}).has_value() || !mirrors.broken().empty())
        return {"mirrors", mirrors.broken()};
    }
  // A file for inputs up to some size says so, and refuses larger ones.
  if (mutant.unroll.max_length != subject.model.unroll.max_length)
    return {"limit", "made for another largest length"};
  if (const auto limit = subject.model.unroll.max_length) {
    Runner runner(mutant);
    const std::vector<std::string> longer(*limit + 1, mutant.alphabet.front());
    if (runner.run_word(longer).has_value()) return {"limit", "a longer word is not refused"};
  }
  return {};
}

}  // namespace logdepth::support
