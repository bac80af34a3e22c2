#include "proofs-check/claims/claim.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

#define LOGDEPTH_STATEMENTS(paper, name)                   \
  namespace logdepth::inline proofs_check_papers_##paper { \
    PaperPart paper##_##name();                            \
  }
#include <statements.list>
#undef LOGDEPTH_STATEMENTS

namespace logdepth { inline namespace proofs_check_claims {
namespace {

/// Of all papers; errors by number.
const PaperPart& all_statements() {
  static const PaperPart kAll = [] {
    PaperPart all;
    const auto add = [&](PaperPart part, const std::string& paper, const std::string& name) {
      for (Claim& claim : part.claims) {
        claim.paper = paper;
        all.claims.push_back(std::move(claim));
      }
      for (Defect& defect : part.defects) {
        defect.paper = paper;
        defect.file = "proofs-check/papers/" + paper + "/" + name + ".cpp";
        all.defects.push_back(std::move(defect));
      }
    };
#define LOGDEPTH_STATEMENTS(paper, name) add(paper##_##name(), #paper, #name);
#include <statements.list>
#undef LOGDEPTH_STATEMENTS
    std::stable_sort(all.defects.begin(), all.defects.end(),
                     [](const Defect& a, const Defect& b) { return a.number < b.number; });
    return all;
  }();
  return kAll;
}

/// The text as it stands: one claim per defect, the repaired construction in `others` with one change
/// back.
std::vector<Claim> as_written_claims(const std::vector<Claim>& others) {
  std::vector<Claim> claims;
  for (const Defect& defect : all_defects()) {
    Claim claim = claim_named(defect.id, Form::as_written);
    claim.paper = defect.paper;
    const auto same = std::find_if(others.begin(), others.end(), [&](const Claim& other) {
      return other.paper == claim.paper && other.id == claim.id;
    });
    if (same != others.end()) {
      claim.title = same->title;
      claim.claimed.text = same->claimed.text;
      claim.claimed.initial = same->claimed.initial;
      claim.claimed.repeated = same->claimed.repeated;
      claim.claimed.final = same->claimed.final;
    }
    if (claim.title.empty()) claim.title = defect.place;
    claim.statement = defect.quote;
    claim.source = defect.paper + ", " + defect.place;
    claim.file = defect.file;
    claim.tests = {"tests/claims/ledger.cpp"};
    claim.defect = &defect;
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace

std::string form_name(Form form) {
  constexpr std::array kNames = {"as-written", "repaired", "optimised"};
  return kNames[static_cast<std::size_t>(form)];
}

std::string full_name(const Claim& claim) {
  return claim.variant.empty() ? claim.id : claim.id + "/" + claim.variant;
}

Claim claim_named(const std::string& name, Form form) {
  Claim claim;
  const std::size_t slash = name.find('/');
  claim.id = name.substr(0, slash);
  if (slash != std::string::npos) claim.variant = name.substr(slash + 1);
  claim.form = form;
  return claim;
}

const std::vector<Defect>& all_defects() {
  return all_statements().defects;
}

const std::vector<Claim>& all_claims() {
  static const std::vector<Claim> kClaims = [] {
    std::vector<Claim> executed = all_statements().claims;
    std::vector<Claim> all = as_written_claims(executed);
    std::move(executed.begin(), executed.end(), std::back_inserter(all));
    // Paper by paper; Appendix A first, because the rest builds on it, then §3, §4, ...
    std::stable_sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
      static const auto key = [](const Claim& claim) {
        const std::string number = claim.id.substr(claim.id.find('-') + 1);
        return number[0] == 'A' ? "0" + number.substr(1) : number;
      };
      return std::tuple(a.paper, key(a), a.form) < std::tuple(b.paper, key(b), b.form);
    });
    return all;
  }();
  return kClaims;
}

std::vector<const Claim*> find_claims(const std::vector<Claim>& claims, const std::string& name) {
  std::vector<const Claim*> found;
  for (const Claim& claim : claims)
    if (claim.id == name || full_name(claim) == name) found.push_back(&claim);
  if (!found.empty()) return found;
  std::vector<std::string> ids;
  for (const Claim& claim : claims)
    if (std::ranges::find(ids, claim.id) == ids.end()) ids.push_back(claim.id);
  // "A.6" and "thm 5.1" are what the papers' own texts call them.
  const auto numbered = std::ranges::find_if(ids, [&](const std::string& id) {
    return id.substr(id.find('-') + 1) == name.substr(name.find_last_of(" -") + 1);
  });
  throw InputError("no claim " + in_quotes(name) + "; " +
                   (numbered != ids.end() ? "did you mean " + *numbered + "? " : "") +
                   "expected one of " + joined(ids) +
                   ", or one of them with a variant, as `logdepth check --list` prints them");
}

SampleLanguage regex_sample(const std::string& expression, const std::string& text,
                            std::size_t up_to) {
  return {
      expression,
      text,
      [expression] { return to_action(minimise(determinise(to_nfa(parse_regex(expression))))); },
      {text, [expression] { return make_regex_oracle(parse_regex(expression)); }},
      up_to};
}

SampleLanguage monoid_sample(const std::string& name, std::size_t up_to) {
  const std::string text = "the word problem of " + name;
  return {name,
          text,
          [name] { return named_monoid(name); },
          {text, [name] { return make_action_oracle(named_monoid(name), name); }},
          up_to};
}

Instance sample_instance(const SampleLanguage& sample, std::function<Program()> program) {
  return {.name = sample.text,
          .program = std::move(program),
          .against = sample.against,
          .bounds = {sample.up_to, 10, 100}};
}

namespace {

/// Words of this many letters: one letter again and again, each letter, and two with letters drawn.
std::vector<Word> words_of(std::size_t length, std::size_t letters, std::mt19937_64& random) {
  std::vector<Word> words;
  for (Letter letter = 0; letter < letters; ++letter) words.emplace_back(length, letter);
  for (int k = 0; k < 2; ++k) {
    Word word;
    for (std::size_t i = 0; i < length; ++i)
      word.push_back(static_cast<Letter>(random() % letters));
    words.push_back(std::move(word));
  }
  return words;
}

/// Everything that is asked of a word: verdict, products, promises, cells.
class Words {
 public:
  Words(const Model& model, const LanguageOracle& oracle)
      : runs_(model), questions_(model, oracle) {}

  std::vector<std::string> letters(const Word& word) const { return questions_.names(word); }
  std::string text(const Word& word) const { return questions_.text(word); }
  std::optional<std::string> wrong(const Word& word) {
    ComparedCounts counts;
    const auto found = runs_.ask(questions_, word, counts);
    if (!found) return std::nullopt;
    return text(word) + ": expected " + expected_text(*found) + ", found " + got_text(*found);
  }

 private:
  ExactRuns runs_;
  WordDomain questions_;
};

/// The first coordinate in which two residual streams differ.
std::optional<std::string> differing(Runner& one, const Stream<ValueId>& a, Runner& other,
                                     const Stream<ValueId>& b) {
  for (std::size_t token = 0; token < a.tokens; ++token)
    for (std::size_t at = 0; at < one.model().width; ++at)
      if (one.arithmetic().pool()[a.at(token, at)] != other.arithmetic().pool()[b.at(token, at)])
        return fmt::format("coordinate {} of token {}", at, token);
  return std::nullopt;
}

}  // namespace

Calculation unrolled_network(const Program& program, const Action& action, const std::string& name,
                             std::uint64_t largest) {
  Calculation result;
  const auto oracle = make_action_oracle(action, name);
  const Model looped = compile(program).model;
  std::mt19937_64 random(1);
  std::size_t streams = 0, answers = 0;
  for (std::uint64_t n = 1; n <= largest && !result.counterexample; ++n) {
    const Model standard = compile(program, {.unroll = n}).model;
    const auto wrong = [&](const std::string& what) {
      if (!result.counterexample)
        result.counterexample = fmt::format("unrolled for {}: {}", counted(n, "letter"), what);
    };
    if (depth_at(standard, n) != depth_at(looped, n) || loops_at(standard.unroll, n) != 0)
      wrong("another depth than the looped network's, or loops");
    Runner one(looped), other(standard);
    Words words(standard, *oracle);
    for (std::uint64_t length = 0; length <= n; ++length)
      for (const Word& word : words_of(length, action.alphabet.size(), random)) {
        if (const auto found = words.wrong(word)) wrong(*found);
        ++answers;
        // Where both have as many layers, they hold the same numbers.
        if (depth_at(looped, length) != depth_at(standard, length)) continue;
        const auto a = one.run_word(words.letters(word)), b = other.run_word(words.letters(word));
        if (!a.has_value() || !b.has_value()) {
          wrong(words.text(word) + ": no answer");
          continue;
        }
        if (const auto place = differing(one, a.value(), other, b.value()))
          wrong(words.text(word) + ": another number at " + *place);
        ++streams;
      }
  }
  result.figures = {{"residual streams compared, number by number", std::to_string(streams)},
                    {"words answered, with every prefix", std::to_string(answers)}};
  result.bound = fmt::format(
      "for every n up to {}, words of at most n letters (one letter again and again, two drawn "
      "with seed 1)",
      largest);
  return result;
}

Calculation on_shorter_words(const std::function<Program(std::uint64_t n)>& network,
                             const Action& action, const std::string& name, std::uint64_t largest) {
  Calculation result;
  const auto oracle = make_action_oracle(action, name);
  std::mt19937_64 random(1);
  std::size_t answers = 0;
  for (std::uint64_t n = 1; n <= largest && !result.counterexample; ++n) {
    const Model model = compile(network(n)).model;
    Words words(model, *oracle);
    for (std::uint64_t length = 0; length <= n && !result.counterexample; ++length)
      for (const Word& word : words_of(length, action.alphabet.size(), random)) {
        ++answers;
        if (const auto found = words.wrong(word))
          result.counterexample =
              fmt::format("the network for {}, {}", counted(n, "letter"), *found);
      }
  }
  result.figures = {{"words answered, with every prefix", std::to_string(answers)}};
  result.bound = fmt::format(
      "the network for every n up to {}, on words of every length up to n (one letter again and "
      "again, two drawn with seed 1)",
      largest);
  return result;
}

}}  // namespace logdepth::proofs_check_claims
