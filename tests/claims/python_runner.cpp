// The Python reader in examples/ and the exact runtime give the same answers on the same files.
#include <gtest/gtest.h>

#include <random>

#include "objects/action.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/words.hpp"

namespace logdepth::python_runner_tests {
namespace {

using support::compile_scan;
using support::Finished;
using support::Language;
using support::lines;
using support::Recogniser;
using support::ScanForm;

class PythonRunner : public testing::Test {
 protected:
  Finished python(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(),
                     {support::python(), support::source_dir() + "/examples/exact_runner.py"});
    return support::run_process(std::move(arguments), folder.path(), input);
  }

  /// Every word of at most `longest` letters and random words of the lengths given, in one batch
  /// for the verdicts and one for the prefix products.
  void same_answers(const Language& language, const ScanForm& form, std::size_t longest,
                    const std::vector<std::size_t>& lengths, const char* name = "m.json") const {
    Recogniser recogniser(compile_scan(language.action, form));
    save_weights(recogniser.model(), folder.file(name));
    const Alphabet& alphabet = language.action.alphabet;
    std::mt19937_64 random(laws::seed());
    std::vector<Word> words;
    support::for_each_word(alphabet.size(), longest,
                           [&](const Word& word) { words.push_back(word); });
    for (const std::size_t length : lengths)
      words.push_back(support::random_word(random, alphabet.size(), length));

    std::string batch, verdicts, prefixes;
    std::size_t accepted = 0;
    for (const Word& word : words) {
      batch += alphabet.format_word(word) + '\n';
      const support::Answer answer = recogniser.ask(word);
      ASSERT_TRUE(answer.accepts.has_value()) << answer.refusal;
      verdicts += *answer.accepts ? "accept\n" : "reject\n";
      accepted += *answer.accepts;
      for (const Transformation& prefix : answer.prefixes)
        prefixes += format_transformation(prefix) + '\n';
    }
    EXPECT_GT(accepted, 0u) << language.name;
    folder.write("batch.txt", batch);
    const Finished said = python({name, "--batch", "batch.txt"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, verdicts) << form.name();
    const Finished listed = python({name, "--batch", "batch.txt", "--prefixes"});
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_EQ(listed.out, prefixes) << form.name();
  }

  const support::TemporaryFolder folder;
};

ScanForm form_with(ScanPositions positions, Norm norm = Norm::rms) {
  ScanForm form;
  form.positions = positions;
  form.norm = norm;
  return form;
}

TEST_F(PythonRunner, AgreesOnARegularExpression) {
  same_answers(support::regex_language("(a|b)*abb", "ab"), {}, 5, {8, 9, 15, 17});
}

TEST_F(PythonRunner, AgreesOnACyclicGroupUnderTheCircle) {
  same_answers(support::word_problem("Z6"), form_with(ScanPositions::circle), 18, {});
}

TEST_F(PythonRunner, AgreesOnAFirstFlagModelWhoseNumbersAreSquareRoots) {
  same_answers(support::word_problem("S3"), form_with(ScanPositions::first_flag), 3, {5, 8, 9});
}

TEST_F(PythonRunner, AgreesOnA5) {
  same_answers(support::word_problem("A5"), form_with(ScanPositions::two_circle), 3, {5, 8, 9, 17});
}

TEST_F(PythonRunner, AgreesUnderLayerNorm) {
  same_answers(support::tomita(4), form_with(ScanPositions::two_circle, Norm::layernorm), 4,
               {9, 16});
  same_answers(support::tomita(5), form_with(ScanPositions::first_flag, Norm::layernorm), 2,
               {5, 6});
}

TEST_F(PythonRunner, AgreesOnAPaddedModelInAPackedFile) {
  ScanForm form;
  form.strict = true;
  same_answers(support::bounded_dyck(2), form, 4, {9}, "m.json.gz");
}

TEST_F(PythonRunner, AgreesOnAnUnrolledModelAndRefusesBeyond) {
  ScanForm form;
  form.unroll = 9;
  same_answers(support::word_problem("S3"), form, 3, {5, 8, 9});
  const Finished beyond = python({"m.json"}, "ab\nababababab\naa\n");
  EXPECT_EQ(beyond.status, 3);
  const auto said = lines(beyond.out);
  ASSERT_EQ(said.size(), 3u) << beyond.out;
  EXPECT_EQ(said[0], "reject");
  EXPECT_EQ(said[1].substr(0, 22), "outside the hypotheses");
  EXPECT_EQ(said[2], "accept");
}

TEST_F(PythonRunner, SaysUndecidedOnATieToo) {
  Model model = compile_scan(support::regex_language("(a|b)*abb", "ab").action);
  const std::uint32_t accept = std::get<AcceptOutput>(model.output).accept;
  std::erase_if(model.unembedding.entries,
                [&](const MatrixEntry& entry) { return entry.row == accept; });
  save_weights(model, folder.file("tie.json"));
  const Finished finished = python({"tie.json", "ab", "abb", "b"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "reject\nundecided\nreject\n");
}

TEST_F(PythonRunner, RefusesAFileWhoseContentWasChanged) {
  std::string text = write_weights(compile_scan(support::tomita(1).action));
  const std::size_t at = text.find("\"source\": \"MS25");
  ASSERT_NE(at, std::string::npos);
  folder.write("m.json", text.replace(at, 15, "\"source\": \"MS26"));
  EXPECT_EQ(python({"m.json", "1"}).status, 2);
  folder.write("m.json", "{}");
  EXPECT_EQ(python({"m.json", "1"}).status, 2);
}

}  // namespace
}  // namespace logdepth::python_runner_tests
