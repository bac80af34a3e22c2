// Pages, --help and messages are plain English, as far as a program can check it (plain_prose.hpp).
// Findings that were there before this test are listed in plain_words.txt, which may only shrink:
// plain_words.sh lowers the list after a page or a message was reworded.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/documents/plain_prose.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::plain_words_tests {
namespace {

namespace fs = std::filesystem;
using namespace plain_prose;
using support::TemporaryFolder;
using Texts = std::vector<std::string>;

/// Written by people for readers: no generated reports.
Texts written_pages() {
  Texts pages = support::pages_below(support::source_dir());
  std::erase_if(pages, [](const std::string& page) {
    return page == "proofs-check/CLAIMS.md" || page.starts_with("bench/results/");
  });
  return pages;
}

std::string words(std::size_t count) {
  std::string text = "Word";
  for (std::size_t i = 1; i < count; ++i) text += " word";
  return text + ".";
}

Texts checks(const std::string& page, const std::string& unread = "") {
  Texts names;
  for (const Failure& finding : findings(page, unread)) names.push_back(finding.check);
  return names;
}

/// Every finding of the pages and the messages of the product; `texts`: what was found where.
Counts count_all(std::map<std::string, std::string>& texts) {
  const fs::path root = support::source_dir();
  Counts counts;
  for (const std::string& page : written_pages())
    for (const Failure& finding : findings(support::read_page(root / page),
                                           page == "CONTRIBUTING.md" ? "## Include rules" : "")) {
      const std::string place = finding.check + " " + page;
      ++counts[place];
      texts[place] += "\n  line " + std::to_string(finding.line) + ": " + finding.text;
    }
  for (const char* folder :
       {"base", "objects", "oracle", "logdepth", "runtime", "compiler", "constructions", "report",
        "proofs-check", "library", "learned", "cli", "python"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      for (const auto& [pattern, count] : message_words(literals(support::read_page(entry.path()))))
        if (count > 0) {
          counts["messages " + pattern] += count;
          texts["messages " + pattern] += "\n  " + fs::relative(entry.path(), root).string();
        }
    }
  return counts;
}

TEST(PlainWords, PagesAndMessagesGetNoWorse) {
  const fs::path list = fs::path(support::source_dir()) / "tests/documents/plain_words.txt";
  std::map<std::string, std::string> texts;
  const Counts counted = count_all(texts);
  Counts listed = read_counts(support::read_page(list));
  EXPECT_GT(written_pages().size(), 50u) << "the test did not find the pages";
  if (const char* lower = std::getenv("LOGDEPTH_LOWER")) {
    listed = lowered(counted, listed);
    EXPECT_TRUE(std::ofstream(lower) << print_counts(listed)) << lower;
  }
  for (const std::string& complaint : complaints(counted, listed))
    ADD_FAILURE() << complaint << texts[complaint.substr(0, complaint.find(':'))];
}

TEST(PlainWords, ReadmesAreNoStubs) {
  for (const std::string& page : written_pages())
    if (fs::path(page).filename() == "README.md") {
      EXPECT_FALSE(is_stub(support::read_page(fs::path(support::source_dir()) / page))) << page;
    }
}

/// The help of a command and of all below it.
void read_help(const Texts& path, std::map<std::string, std::string>& helps) {
  const TemporaryFolder folder;
  Texts command = {support::program()};
  command.insert(command.end(), path.begin(), path.end());
  command.push_back("--help");
  const support::Finished finished = support::run_process(command, folder.path());
  ASSERT_EQ(finished.status, 0) << finished.err;
  std::string name = "logdepth";
  for (const std::string& word : path) name += " " + word;
  helps[name] = finished.out;
  bool listed = false;
  static const std::regex kCommand("^  ([a-z-]+)( .*)?");
  for (const std::string& line : support::lines(finished.out)) {
    std::smatch match;
    if (line == "Subcommands:") {
      listed = true;
    } else if (listed && std::regex_match(line, match, kCommand)) {
      Texts below = path;
      below.push_back(match[1]);
      read_help(below, helps);
    }
  }
}

TEST(PlainWords, HelpFitsIntoItsColumns) {
  std::map<std::string, std::string> helps;
  read_help({}, helps);
  EXPECT_GT(helps.size(), 35u) << "the test did not find the commands";
  for (const auto& [command, help] : helps) EXPECT_EQ(wide_lines(help), Texts{}) << command;
}

TEST(PlainWords, DescriptionsOfOptionsMakeSenseAlone) {
  const TemporaryFolder folder;
  const std::string manual = support::run_process({support::program(), "--man"}, folder.path()).out;
  EXPECT_NE(manual.find("\n.TP\n"), std::string::npos);
  EXPECT_EQ(dependent_descriptions(manual), Texts{});
}

// --- the checker ---------------------------------------------------------------------------------

TEST(PlainProse, CountsTheVisibleCharactersOfACell) {
  const std::string longest(200, 'x');
  EXPECT_EQ(checks("| " + longest + " | b |\n|---|---|\n"), Texts{});
  EXPECT_EQ(checks("| a | " + longest + "x |\n|---|---|\n"), Texts{"cell"});
  EXPECT_EQ(checks("| [" + longest + "](a/long/target.md) |\n"), Texts{});
  EXPECT_EQ(checks("| `" + longest + "` |\n"), Texts{}) << "backquotes are not visible";
  EXPECT_EQ(checks("| `" + longest + "x` |\n"), Texts{"cell"}) << "code is";
  EXPECT_EQ(checks("| `a\\|" + longest.substr(2) + "` |\n"), Texts{}) << "one cell";
  EXPECT_EQ(checks("| `a\\|" + longest.substr(1) + "` |\n"), Texts{"cell"}) << "one cell";
  EXPECT_EQ(checks("| " + longest.substr(100) + "\\|" + longest.substr(100) + " |\n"),
            Texts{"cell"});
  std::string utf8;
  for (int i = 0; i < 200; ++i) utf8 += "\u00e9";
  EXPECT_EQ(checks("| " + utf8 + " |\n"), Texts{});
  EXPECT_EQ(checks("## Unread\n\n| " + longest + "x |\n", "## Unread"), Texts{});
  EXPECT_EQ(checks("## Others\n\n| " + longest + "x |\n", "## Unread"), Texts{"cell"});
  EXPECT_EQ(checks("| " + longest + "x |\n\n## Unread\n", "## Unread"), Texts{"cell"});
}

TEST(PlainProse, CountsTheWordsOfASentence) {
  EXPECT_EQ(checks(words(35) + "\n"), Texts{});
  EXPECT_EQ(checks(words(36) + "\n"), Texts{"sentence"});
  EXPECT_EQ(checks(words(35) + " " + words(35) + "\n"), Texts{}) << "two sentences";
  const std::string open = words(35).substr(0, words(35).size() - 1);  // no full stop
  EXPECT_EQ(checks("- " + open + "\n- " + open + "\n"), Texts{}) << "two items";
  EXPECT_EQ(checks("# " + open + "\n" + open + "\n"), Texts{}) << "a heading";
  EXPECT_EQ(checks(open + "\n# " + open + "\n"), Texts{}) << "a heading";
  EXPECT_EQ(checks("See Thm. 4.1 " + words(33) + "\n"), Texts{"sentence"}) << "no end of one";
  EXPECT_EQ(checks(words(20).substr(0, 99) + "\n" + words(20) + "\n"), Texts{"sentence"})
      << "of two lines";
  EXPECT_EQ(checks("```text\n" + words(36) + "\n```\n"), Texts{});
  EXPECT_EQ(checks("| " + words(36) + " |\n"), Texts{}) << "in a table only characters count";
  EXPECT_EQ(checks("`a b c` " + words(34) + "\n"), Texts{}) << "code is one word";
  EXPECT_EQ(checks("`a b c` " + words(35) + "\n"), Texts{"sentence"});
  EXPECT_EQ(checks("= - " + words(35) + "\n"), Texts{}) << "signs are none";
}

TEST(PlainProse, CountsTheColonsOfASentence) {
  EXPECT_EQ(checks("One: two; three.\n"), Texts{});
  EXPECT_EQ(checks("One: two; three; four.\n"), Texts{"colons"});
  EXPECT_EQ(checks("One: two; at 12:00:00 `a: b; c`.\n"), Texts{});
  EXPECT_EQ(checks("One: two. Three; four: five.\n"), Texts{});
  EXPECT_EQ(checks("One: two; three:\n\n- four\n"), Texts{"colons"});
}

TEST(PlainProse, KnowsEveryPatternOfWords) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"What is printed arrives by whole answers.", "What is printed?"},
      {"Files: Who reads them is free.", "Files: who reads them is free."},
      {"It stands above the table.", "It stands."},
      {"The run goes on.", "The run goes through."},
      {"The file said no.", "The file has a saying."},
      {"It asks for more.", "It has tasks."},
      {"Held by the tests.", "Held up."},
      {"The graph is so large.", "The graph is so."},
      {"One line a row.", "One line per row."},
      {"The program of the user's.", "The program of the user."},
      {"Begun anew.", "Begun a new one."},
      {"The file as it is.", "The file as is."},
      {"Beside the file.", "Besides the file."},
      {"Two thousand million words.", "Two million words."},
      {"Made for words.", "Made of words."},
      {"Roots of roots.", "Roots of numbers."},
      {"A promise.", "Promising results."},
      {"200 numbers.", "200 parameters."},
      {"The curve is flat.", "The curve is flatter."},
      {"In this room.", "A roomy cell."}};
  for (const auto& [bad, good] : pairs) {
    EXPECT_EQ(banned_words(bad), 1u) << bad;
    EXPECT_EQ(banned_words(good), 0u) << good;
    EXPECT_EQ(checks(bad + "\n"), Texts{"words"}) << bad;
    EXPECT_EQ(checks("| " + bad + " |\n"), Texts{"words"}) << bad;
    EXPECT_EQ(checks("# " + bad + "\n"), Texts{"words"}) << bad;
    EXPECT_EQ(checks("`" + bad + "` [x](" + bad + ")\n\n```\n" + bad + "\n```\n"), Texts{}) << bad;
  }
  for (const char* bad :
       {"Ready to go on.", "A file that holds it.", "A word of yours.", "A file of ours.",
        "A tool of one's own.", "He asked.", "All but for one.", "Left where it is.",
        "One second of a processor.", "A job a core.", "The curve is still rising.",
        "Two layers, flat.", "It is low, flat at 3.", "Not for the inside.", "Seen from outside."})
    EXPECT_EQ(banned_words(bad), 1u) << bad;
  EXPECT_EQ(banned_words("Four unless said."), 2u);
  EXPECT_EQ(checks("He said what she said.\n"), (Texts{"words", "words"}));
}

TEST(PlainProse, NamesTheLineOfAFinding) {
  const auto found = findings("# A\n\nOne.\nTwo said so.\n\n| a |\n|---|\n| said |\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].line, 3u) << "where the paragraph begins";
  EXPECT_EQ(found[0].text, "Two said so.");
  EXPECT_EQ(found[1].line, 8u);
}

TEST(PlainProse, ReadsTheLiteralsOfASource) {
  EXPECT_EQ(literals("#include \"a b.hpp\"\n// \"no\"\nf(\"one \"\n  \"text\", '\"', \"two\");\n"
                     "w = R\"in(f)\"ive)in\"; x = 1'000; y = \"th\\\"ree\"; z = R\"(fo\"ur)\";"),
            (Texts{"one text", "two", "f)\"ive", "th\\\"ree", "fo\"ur"}));
}

TEST(PlainProse, CountsTheWordsOfMessages) {
  const auto counts = message_words(
      {", got ", "got", "--a goes with --b", "it goes without", "a broken promise", "promises",
       "compromise is made", "twice it stands", "standing there", "asked for", "tasked by",
       "it says no", "essays are", "a number from 1 on", "from 1 to"});
  EXPECT_EQ(counts, (std::map<std::string, std::size_t>{{"got", 1},
                                                        {"goes with", 1},
                                                        {"promise", 1},
                                                        {"stand", 1},
                                                        {"ask", 1},
                                                        {"say", 1},
                                                        {"from N on", 1}}));
}

TEST(PlainProse, SeesWideLinesAndDescriptionsThatDependOnTheirOption) {
  const std::string widest(100, 'x');
  EXPECT_EQ(wide_lines(widest + "\n" + widest + "x\n"), Texts{widest + "x"});
  EXPECT_EQ(dependent_descriptions(".TP\n--a\nof the proofs\n.TP\n--b\noften printed\n"
                                   ".TP\n--c\nwhat is read\n.TP\n--d\n\n"),
            (Texts{"--a: of the proofs", "--c: what is read", "--d: "}));
  EXPECT_EQ(dependent_descriptions(".PP\n--a\nof the proofs\n"), Texts{}) << "no option";
  EXPECT_TRUE(is_stub("1\n2\n3\n4\n"));
  EXPECT_FALSE(is_stub("1\n2\n3\n4\n5\n"));
}

TEST(PlainProse, AListOfFindingsMayOnlyShrink) {
  const Counts listed = read_counts("2 words a b.md\n1 cell c.md\n");
  EXPECT_EQ(listed, (Counts{{"words a b.md", 2}, {"cell c.md", 1}}));
  EXPECT_EQ(print_counts(listed), "1 cell c.md\n2 words a b.md\n");
  EXPECT_EQ(print_counts({{"cell c.md", 0}}), "");
  EXPECT_EQ(complaints(listed, listed), Texts{});
  const Counts counted = {{"words a b.md", 3}, {"colons d.md", 1}};
  EXPECT_EQ(complaints(counted, listed),
            (Texts{"cell c.md: 0 found, 1 listed; lower the list",
                   "colons d.md: 1 found, 0 listed; reword the text",
                   "words a b.md: 3 found, 2 listed; reword the text"}));
  EXPECT_EQ(print_counts(lowered(counted, listed)), "2 words a b.md\n");
  EXPECT_EQ(print_counts(lowered({{"words a b.md", 1}}, listed)), "1 words a b.md\n");
}

}  // namespace
}  // namespace logdepth::plain_words_tests
