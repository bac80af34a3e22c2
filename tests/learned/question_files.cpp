// Files of questions with answers, and paragraphs of texts.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "learned/language_model/question_answers.hpp"
#include "learned/language_model/text_paragraphs.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::question_files_tests {
namespace {

const std::string kStored = support::source_dir() + "/examples/texts/reasoning-gym.jsonl";

class QuestionFiles : public testing::Test {
 protected:
  std::vector<QuestionAnswer> read(const std::string& text) const {
    folder.write("q.jsonl", text);
    return read_question_answers(folder.file("q.jsonl"));
  }
  /// What is said of the text, without the folder.
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder.file("").size());
    }
    return "";
  }
  std::vector<std::string> paragraphs(const std::string& text) const {
    folder.write("t.txt", text);
    return text_paragraphs(folder.file("t.txt"));
  }

  const support::TemporaryFolder folder;
};

TEST_F(QuestionFiles, LinesAreQuestions) {
  const auto questions = read(
      "{\"question\": \"1 + 1 =\", \"answer\": \"2\", \"kind\": \"sums\", \"difficulty\": 3}\n"
      "\n  \n"
      "{\"answer\": \"é\\n\", \"question\": \"?\", \"other\": [1]}");
  ASSERT_EQ(questions.size(), 2u);
  EXPECT_EQ(questions[0].question, "1 + 1 =");
  EXPECT_EQ(questions[0].answer, "2");
  EXPECT_EQ(questions[0].kind, "sums");
  EXPECT_EQ(questions[0].difficulty, 3);
  EXPECT_EQ(questions[1].question, "?");
  EXPECT_EQ(questions[1].answer, "é\n");
  EXPECT_EQ(questions[1].kind, "");
  EXPECT_EQ(questions[1].difficulty, 0);
}

TEST_F(QuestionFiles, OtherLinesAreRefusedByNumber) {
  const std::string good = R"({"question": "q", "answer": "a"})";
  EXPECT_EQ(refusal(good + "\n{\"question\": \"q\"}"),
            "q.jsonl:2: expected 'answer' to be a text that is not empty, found none");
  EXPECT_EQ(refusal("\n" + good + "\n{\"answer\": \"a\", \"question\": \"\"}"),
            "q.jsonl:3: expected 'question' to be a text that is not empty, found \"\"");
  EXPECT_EQ(refusal(R"({"question": "q", "answer": 4})"),
            "q.jsonl:1: expected 'answer' to be a text that is not empty, found 4");
  EXPECT_EQ(refusal(R"({"question": ["q"], "answer": "4"})"),
            "q.jsonl:1: expected 'question' to be a text that is not empty, found array");
  EXPECT_EQ(refusal(R"({"question": "q", "answer": "a", "kind": null})"),
            "q.jsonl:1: expected 'kind' to be a text that is not empty, found null");
  for (const char* bad : {"-1", "1.5", "\"2\"", "2147483648"})
    EXPECT_EQ(
        refusal(R"({"question": "q", "answer": "a", "difficulty": )" + std::string(bad) + "}"),
        "q.jsonl:1: expected 'difficulty' to be a whole number of at least 0, found " +
            std::string(bad));
  for (const char* bad : {"what?", "[1]", "\"q\"", "{\"question\": \"\xFF\", \"answer\": \"a\"}"})
    EXPECT_NE(refusal(good + "\n" + bad).find("q.jsonl:2: expected a JSON object with 'question'"),
              std::string::npos)
        << bad;
  EXPECT_EQ(refusal("\n"), "q.jsonl: expected questions, found none");
}

TEST_F(QuestionFiles, TheStoredQuestionsAreTwentyOfSevenKinds) {
  std::map<std::string, int> kinds;
  for (const QuestionAnswer& question : read_question_answers(kStored)) ++kinds[question.kind];
  EXPECT_EQ(kinds.size(), 7u);
  for (const auto& [kind, count] : kinds) EXPECT_EQ(count, 20) << kind;
}

TEST_F(QuestionFiles, TheScriptWritesTheStoredQuestionsOrSaysWhatIsMissing) {
  const auto script = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {support::peers_python(),
                                     support::source_dir() + "/examples/reasoning_gym_lines.py"});
    return support::run_process(std::move(options), folder.path(), "");
  };
  for (const auto& options :
       std::vector<std::vector<std::string>>{{"--kinds", "sums"},
                                             {"--kinds", "syllogism,syllogism"},
                                             {"--count", "0"},
                                             {"--seed", "-1"}})
    EXPECT_EQ(script(options).status, 2) << options[0] << " " << options[1];
  const auto finished = script({"--seed", "1", "--count", "20", "-o", "q.jsonl"});
  if (finished.status != 0) {
    EXPECT_EQ(finished.status, 2);
    EXPECT_TRUE(finished.err.starts_with(
        "reasoning_gym_lines.py: expected the package reasoning-gym 0.1.25"))
        << finished.err;
    EXPECT_EQ(folder.names().count("q.jsonl"), 0u);
    GTEST_SKIP() << support::kInstallPeers;
  }
  EXPECT_EQ(folder.read("q.jsonl"), read_whole_file(kStored));
}

TEST_F(QuestionFiles, ParagraphsStandBetweenBlankLines) {
  EXPECT_EQ(paragraphs("\n\na\nb\r\n \t\nc\n\n\n d \n"),
            (std::vector<std::string>{"a\nb", "c", " d "}));
  EXPECT_EQ(paragraphs("漢字"), std::vector<std::string>{"漢字"});
  EXPECT_THROW(paragraphs(""), InputError);
  EXPECT_THROW(paragraphs(" \n\n"), InputError);
  EXPECT_THROW(text_paragraphs(folder.file("nothing.txt")), InputError);
  try {
    paragraphs("a\n\nb \xC3( c");
    ADD_FAILURE() << "bytes that are not UTF-8 were read";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              folder.file("t.txt") + ":3: expected UTF-8, found '\\xc3'");
  }
}

TEST_F(QuestionFiles, ParagraphsOfAFolderAreThoseOfItsTextsInOrder) {
  std::filesystem::create_directory(folder.path() / "texts");
  std::filesystem::create_directory(folder.path() / "texts" / "b");
  folder.write("texts/c.md", "third\n");
  folder.write("texts/a.txt", "first\n");
  folder.write("texts/b/x.md", "second\n");
  folder.write("texts/b/y.csv", "\xFF");
  EXPECT_EQ(text_paragraphs(folder.file("texts")),
            (std::vector<std::string>{"first", "second", "third"}));
}

}  // namespace
}  // namespace logdepth::question_files_tests
