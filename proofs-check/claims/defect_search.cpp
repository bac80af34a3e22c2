#include "proofs-check/claims/defect_search.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"

namespace logdepth::inline proofs_check_claims {
namespace {

/// The first case that fails, by its answers alone: a defect of a text is about these.
template <class Input>
std::optional<DefectCounterexample> search(const Model& model, TestDomain<Input>& questions,
                                           CaseGenerator<Input> cases, SearchBounds bounds) {
  ExactRuns runs(model, true);
  Asking how;
  how.shrinks = false;  // cases come by increasing size
  how.most = bounds.inputs;
  const auto found = examine(runs, questions, std::move(cases), how);
  if (!found.counterexample) return std::nullopt;
  const auto& [input, finding, first, number] = *found.counterexample;
  DefectCounterexample example{questions.text(input), expected_text(finding), got_text(finding),
                               static_cast<std::size_t>(found.asked), std::nullopt};
  if (const auto* none = std::get_if<NoAnswer>(&finding)) example.refusal = none->refusal;
  return example;
}

template <class Input>
CaseGenerator<Input> one_by_one(const std::vector<Input>& inputs) {
  std::vector<AskedCase<Input>> cases;
  for (const Input& input : inputs) cases.push_back({CaseStage::exhaustive, {input}});
  return listed_cases(std::move(cases));
}

/// The product of a word, as the file reads it at the last token. What changes a part of a construction
/// may have no verdict and no other prefixes.
class ProductDomain : public WordDomain {
 public:
  ProductDomain(const Model& model, const Action& action, const LanguageOracle& oracle)
      : WordDomain(model, oracle), action_(action) {}

  FileAnswer expected(const Word& word) const override {
    Transformation product = identity_transformation(action_.points);
    for (const Letter letter : word) product = compose(product, action_.generators[letter]);
    return PrefixValue{word.size(), false, product};
  }
  std::optional<Failure> judge(const Word& word, DecidedRun& run, ComparedCounts&) override {
    const auto right = std::get<PrefixValue>(expected(word));
    const auto got = run.prefix(run.tokens() - 1);
    if (!got.has_value()) return NoAnswer{right, got.refusal()};
    if (got.value() == right.value) return std::nullopt;
    return WrongAnswer{right, PrefixValue{word.size(), false, got.value()}};
  }

 private:
  const Action& action_;
};

/// Numbers that depend on the length of a word alone.
class NumbersOfLengths : public LanguageOracle {
 public:
  NumbersOfLengths(const Model& model, std::function<std::vector<Real>(std::size_t)> numbers)
      : alphabet_(model.alphabet),
        names_(std::get<CellsOutput>(model.output).names),
        numbers_(std::move(numbers)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  bool accepts(const Word&) const override { return false; }  // nobody asks for verdicts
  std::optional<std::string> named_values(const Word& word) const override {
    std::string text;
    const std::vector<Real> numbers = numbers_(word.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::string number = numbers.at(i).text();
      std::erase(number, ' ');
      text += names_[i] + "=" + number + " ";
    }
    return text;
  }
  std::string name() const override { return "the length"; }

 private:
  Alphabet alphabet_;
  std::vector<std::string> names_;
  std::function<std::vector<Real>(std::size_t)> numbers_;
};

}  // namespace

std::optional<DefectCounterexample> search_division(const Model& model, SearchBounds bounds) {
  DivisionDomain questions(model);
  std::vector<DivisionInput> inputs;
  for (std::uint64_t i = 0; i <= bounds.size; ++i)
    for (std::uint64_t m = 1; m <= i + 1; ++m)
      for (std::uint64_t back = 0; back <= i; ++back) {
        DivisionInput input{m, {}};
        for (std::uint64_t j = 0; j <= i; ++j) input.dividends.push_back(j);
        input.dividends.back() = i - back;
        inputs.push_back(std::move(input));
      }
  return search(model, questions, one_by_one(inputs), bounds);
}

std::optional<DefectCounterexample> search_graphs(const Model& model, SearchBounds bounds) {
  GraphDomain questions(model, false);
  return search(model, questions, every_graph(questions, GraphClass::labelled, 1, bounds.size, 1),
                bounds);
}

std::optional<DefectCounterexample> search_words(const Model& model, SearchBounds bounds,
                                                 const Action& action) {
  const auto oracle = make_action_oracle(action, "the product of the letters");
  ProductDomain questions(model, action, *oracle);
  return search(model, questions, every_word(model, bounds.size), bounds);
}

std::optional<DefectCounterexample> search_raw(
    const Model& model, SearchBounds bounds,
    const std::function<std::vector<RawCase>(std::size_t size)>& cases,
    const std::vector<std::string>& blank) {
  std::vector<RawInput> inputs;
  std::map<std::string, std::vector<Real>> expected;  // by the input's text
  for (std::size_t size = 0; size <= bounds.size; ++size)
    for (RawCase& one : cases(size)) {
      expected[one.input.text] = std::move(one.expected);
      inputs.push_back(std::move(one.input));
    }
  std::vector<std::string> cells = blank;
  std::erase_if(cells, [&](const std::string& cell) { return !model.cells.contains(cell); });
  StreamDomain questions(
      model,
      [&](const RawInput& input) {
        std::vector<std::vector<Real>> outputs(input.rows.size());
        outputs.back() = expected.at(input.text);
        return outputs;
      },
      cells);
  return search(model, questions, one_by_one(inputs), bounds);
}

std::optional<DefectCounterexample> search_lengths(
    const Model& model, SearchBounds bounds,
    const std::function<std::vector<Real>(std::size_t letters)>& expected) {
  const NumbersOfLengths oracle(model, expected);
  WordDomain questions(model, oracle);
  std::vector<Word> words;
  for (std::size_t letters = 1; letters <= bounds.size; ++letters) words.emplace_back(letters, 0);
  return search(model, questions, one_by_one(words), bounds);
}

}  // namespace logdepth::inline proofs_check_claims
