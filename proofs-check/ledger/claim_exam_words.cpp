#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "logdepth/errors.hpp"
#include "objects/phrases.hpp"
#include "proofs-check/check/right_prefixes.hpp"
#include "proofs-check/check/test_language.hpp"
#include "proofs-check/ledger/claim_exam.hpp"

namespace logdepth {
namespace {

std::string word_text(const Alphabet& alphabet, const Word& word) {
  if (word.empty()) return "the empty word";
  return "'" + alphabet.format_word(word) + "'";
}

/// The next word of the same length in lexicographic order; false after the last one.
bool next(Word& word, std::size_t letters) {
  std::size_t i = word.size();
  while (i > 0 && word[i - 1] + 1 == letters) word[--i] = 0;
  if (i == 0) return false;
  ++word[i - 1];
  return true;
}

/// Words to one weights file and one oracle.
class Words {
 public:
  Words(Exam& exam, const LanguageOracle& oracle)
      : exam_(exam),
        oracle_(oracle),
        alphabet_(exam.model().alphabet),
        right_(exam.model(), oracle) {}

  /// Letters are those of the file; its order of letters is the oracle's (checked by the caller).
  void ask(const Word& word) {
    const bool expected = oracle_.accepts(word);
    Finding finding{word_text(alphabet_, word), expected ? "accept" : "reject", "", {word.size()}};
    finding.order.insert(finding.order.end(), word.begin(), word.end());
    std::vector<std::string> names;
    for (const Letter letter : word) names.push_back(alphabet_.name(letter));
    const Exam::Attempt attempt = exam_.attempt(tokens_of(exam_.model(), names));
    exam_.record(attempt, finding);
    if (!attempt.stream) return;
    const Stream<ValueId>& stream = *attempt.stream;
    exam_.count_answers(1);
    const auto verdict = exam_.runner().accepts(stream, stream.tokens - 1);
    if (!verdict.has_value()) {
      finding.got = describe(verdict.refusal());
      exam_.without_answer(finding);
    } else if (verdict.value() != expected) {
      finding.got = verdict.value() ? "accept" : "reject";
      exam_.wrong(finding);
    } else {
      compare_prefixes(word, stream, finding);
    }
  }

 private:
  void compare_prefixes(const Word& word, const Stream<ValueId>& stream, Finding finding) {
    Runner& runner = exam_.runner();
    const auto right = right_.of(word);
    if (!right) return;
    for (std::size_t i = 0; i < right->size(); ++i) {
      const auto got = runner.prefix(stream, runner.first_letter() + i);
      finding.expected = right_.expected(i + 1, (*right)[i]);
      if (!got.has_value()) {
        finding.got = describe(got.refusal());
        exam_.without_answer(finding);
        return;
      }
      exam_.count_answers(1);
      if (got.value() != (*right)[i]) {
        finding.got = prefix_text(got.value());
        exam_.wrong(finding);
        return;
      }
    }
  }

  Exam& exam_;
  const LanguageOracle& oracle_;
  Alphabet alphabet_;
  RightPrefixes right_;
};

/// The oracle, over the letters of the file in its order.
std::unique_ptr<LanguageOracle> oracle_for(const Model& model, const AgainstLanguage& against) {
  auto oracle = against.oracle();
  if (oracle->alphabet().names() != model.alphabet)
    throw InputError("the weights file '" + model.name + "' and " + against.name +
                     " have different alphabets");
  return oracle;
}

}  // namespace

void examine(Exam& exam, const AgainstLanguage& against) {
  const Model& model = exam.model();
  FileVerdict& verdict = exam.verdict();
  const auto oracle = oracle_for(model, against);
  const std::size_t limit =
      model.unroll.max_length.value_or(std::numeric_limits<std::size_t>::max());
  Bounds& bounds = verdict.bounds;
  bounds.up_to = std::min(bounds.up_to, limit);
  bounds.max_size = std::min(bounds.max_size, limit);

  Words words(exam, *oracle);
  const std::size_t letters = model.alphabet.size();
  for (std::size_t length = 0; length <= bounds.up_to && !exam.settled(); ++length) {
    Word word(length, 0);
    do {
      ++verdict.exhaustive;
      words.ask(word);
    } while (!exam.settled() && next(word, letters));
  }
  verdict.bound = exam.settled() ? "stopped after " + counted(verdict.exhaustive, "word")
                                 : fmt::format("every word of at most {} ({})",
                                               counted(bounds.up_to, "letter"), verdict.exhaustive);
  if (exam.settled() || bounds.random == 0) return;

  TestOptions options;
  options.up_to = 0;
  options.random = bounds.random;
  options.max_length = bounds.max_size;
  options.seed = bounds.seed;
  const TestReport report = test_language(model, *oracle, options);
  exam.add_promises(report.promises, report.unevaluated);
  verdict.random = report.random_words;
  verdict.answers += report.random_words + report.prefixes;
  verdict.bound += fmt::format(", {} random ones of at most {} (seed {})", verdict.random,
                               bounds.max_size, bounds.seed);
  if (!report.counterexample) return;
  Word word;
  for (const std::string& name : report.counterexample->word)
    word.push_back(*oracle->alphabet().find(name));
  words.ask(word);
  if (!exam.settled() && !verdict.without_answer)  // about the run itself: depth, length
    exam.wrong({word_text(oracle->alphabet(), word),
                report.counterexample->expected,
                report.counterexample->got,
                {word.size()}});
}

std::optional<std::string> fails_at(Exam& exam, const AgainstLanguage& against,
                                    std::uint64_t size) {
  constexpr std::size_t kTried = 2000;
  const auto oracle = oracle_for(exam.model(), against);
  Words words(exam, *oracle);
  Word word(size, 0);
  for (std::size_t tried = 0; tried < kTried; ++tried) {
    // The first letter changes fastest: it is the one that a missing loop does not reach.
    words.ask(Word(word.rbegin(), word.rend()));
    const FileVerdict& verdict = exam.verdict();
    const auto& failure = verdict.counterexample ? verdict.counterexample : verdict.without_answer;
    if (failure) return describe(*failure);
    if (!next(word, exam.model().alphabet.size())) break;
  }
  return std::nullopt;
}

}  // namespace logdepth
