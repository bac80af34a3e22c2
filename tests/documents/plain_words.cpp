// Pages, --help and messages are plain English, as far as a program can check it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/documents.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::plain_words_tests { namespace {

namespace fs = std::filesystem;
using support::lines;
using support::TemporaryFolder;
using Texts = std::vector<std::string>;

// --- the style of the pages, of --help and of messages, as far as a program can check it

constexpr std::size_t kMostCellCharacters = 200;  ///< visible ones: no link targets
constexpr std::size_t kMostSentenceWords = 35;    ///< outside tables
constexpr std::size_t kMostColons = 2;            ///< colons and semicolons of a sentence
constexpr std::size_t kMostHelpColumns = 100;
constexpr std::size_t kFewestReadmeLines = 5;

struct Failure {
  std::string check;     ///< "cell", "sentence", "colons", "words"
  std::size_t line = 0;  ///< where its paragraph or row begins, from 1
  std::string text;      ///< the sentence or cell
};

std::size_t characters(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Without targets of links, marks of emphasis and backquotes. A code span of the prose is one word.
std::string visible(const std::string& markdown, bool code_is_a_word) {
  static const std::regex kLink(R"(\]\([^)]*\))"), kSpan("`[^`]*`"),
      kMarks(R"([*`\[\]]|!(?=\[)|\\(?=\|))");
  std::string text = markdown;
  if (code_is_a_word) text = std::regex_replace(text, kSpan, "CODE");
  text = std::regex_replace(text, kLink, "]");
  return std::regex_replace(text, kMarks, "");
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

/// The cells of a row of a table; none of the row that separates the heading.
std::vector<std::string> cells_of(const std::string& row) {
  if (row.find_first_not_of("|-: ") == std::string::npos) return {};
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '|' && row[i - 1] != '\\') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  return cells;
}

/// A sentence ends at ". " before what can begin one: not within "Thm. 4.1" or "e.g. this".
std::vector<std::string> sentences_of(const std::string& paragraph) {
  static const std::regex kEnd(R"([.!?][)\x22]* +(?=[A-Z(\x22]))");
  std::vector<std::string> sentences;
  std::sregex_iterator at(paragraph.begin(), paragraph.end(), kEnd), end;
  std::size_t from = 0;
  for (; at != end; ++at) {
    const auto to = static_cast<std::size_t>(at->position() + at->length());
    sentences.push_back(trimmed(paragraph.substr(from, to - from)));
    from = to;
  }
  sentences.push_back(trimmed(paragraph.substr(from)));
  return sentences;
}

std::size_t words_in(const std::string& sentence) {
  std::istringstream in(sentence);
  std::size_t words = 0;
  for (std::string word; in >> word;)
    words +=
        std::ranges::any_of(word, [](unsigned char c) { return c >= 0x80 || std::isalnum(c); });
  return words;
}

/// Not those of "12:00".
std::size_t colons_in(const std::string& sentence) {
  std::size_t colons = 0;
  for (std::size_t i = 0; i < sentence.size(); ++i)
    colons += (sentence[i] == ':' || sentence[i] == ';') &&
              (i + 1 == sentence.size() || sentence[i + 1] == ' ');
  return colons;
}

const std::vector<std::regex>& banned() {
  static const std::vector<std::regex> kBanned = [] {
    const auto icase = std::regex::ECMAScript | std::regex::icase;
    std::vector<std::regex> all = {
        std::regex("(?:^|[.:;] )(?:What|Whoever|Whatever|Who|How far|How near) [a-z][^?]*$")};
    for (
        const char* expression :
        {R"(\b(?:stands?|stood) (?:in|on|at|beside|behind|there|for|above|below|once|twice)\b)",
         R"(\b(?:goes|go) (?:on|with)\b|\bto go on\b)", R"(\b(?:says?|said)\b)",
         R"(\basks?\b|\basked\b)", R"(\bheld (?:by|to)\b|\bholds? (?:it|them|against)\b)",
         R"(\bso (?:many|large|deep|much)\b)",
         R"(\b(?:one|line|layer|step|token|hop) an? (?:line|level|shift|group|loop|run|row|second|step)\b)",
         R"(\bof the user's\b|\bof yours\b|\bof one's own\b|\bof ours\b)",
         R"(\banew\b|\bbut for\b|\bunless said\b|\bwhere it is\b)", R"(\bas (?:it is|they are)\b)",
         R"(\bbeside\b)", R"(\bthousand million\b|\bof a processor\b|\ba core\b)",
         R"(\bmade for\b)", R"(\broots of roots\b)", R"(\bpromis(?:e|es|ed)\b)", R"(\d numbers\b)",
         R"(\bstill rising\b|\b(?:is|are) flat\b|, flat\b|\bflat at\b)",
         R"(\bthe inside\b|\bfrom outside\b|\brooms?\b)"})
      all.emplace_back(expression, icase);
    return all;
  }();
  return kBanned;
}

/// How often a text has one of the turns that a reader has to decode.
std::size_t banned_words(const std::string& text) {
  std::size_t found = 0;
  for (const std::regex& expression : banned()) {
    const std::sregex_iterator at(text.begin(), text.end(), expression), end;
    found += static_cast<std::size_t>(std::distance(at, end));
  }
  return found;
}

void check_words(const std::string& text, std::size_t line, std::vector<Failure>& found) {
  found.insert(found.end(), banned_words(text), Failure{"words", line, text});
}

void check_paragraph(const std::string& markdown, std::size_t line, std::vector<Failure>& found) {
  for (const std::string& sentence : sentences_of(visible(markdown, true))) {
    if (words_in(sentence) > kMostSentenceWords) found.push_back({"sentence", line, sentence});
    if (colons_in(sentence) > kMostColons) found.push_back({"colons", line, sentence});
    check_words(sentence, line, found);
  }
}

void check_row(const std::string& row, std::size_t line, std::vector<Failure>& found) {
  for (const std::string& cell : cells_of(row)) {
    if (characters(visible(cell, false)) > kMostCellCharacters)
      found.push_back({"cell", line, visible(cell, false)});
    for (const std::string& sentence : sentences_of(visible(cell, true)))
      check_words(sentence, line, found);
  }
}

/// Of a page in Markdown, without its code blocks. Code spans are visible, but not prose: their words
/// and signs do not count. Tables below the heading `unread` are left out.
std::vector<Failure> findings(const std::string& page, const std::string& unread = "") {
  static const std::regex kBegins(R"(^ *(?:[-*+]|\d+\.|>|#+) +)");
  std::vector<Failure> found;
  std::string paragraph, heading;
  std::size_t number = 0, begun = 0;
  bool code = false;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) check_paragraph(paragraph, begun, found);
    paragraph.clear();
  };
  for (const std::string& line : lines(page)) {
    ++number;
    const std::string text = trimmed(line);
    const bool fence = text.starts_with("```");
    if (fence) code = !code;
    if (fence || code || text.empty() || text.starts_with('|')) {
      end_paragraph();
      if (!fence && !code && !text.empty() && (unread.empty() || heading != unread))
        check_row(text, number, found);
      continue;
    }
    const bool is_heading = text.starts_with('#');
    if (is_heading) heading = text;
    if (std::regex_search(line, kBegins)) end_paragraph();
    if (paragraph.empty()) begun = number;
    paragraph += (paragraph.empty() ? "" : " ") + std::regex_replace(line, kBegins, "");
    if (is_heading) end_paragraph();
  }
  end_paragraph();
  return found;
}

/// String literals of C++ as the compiler joins them, without those of includes and comments.
std::vector<std::string> literals(const std::string& source) {
  std::vector<std::string> found;
  bool adjacent = false;  // to the last literal: only blanks and comments since then
  const auto add = [&](const std::string& text) {
    if (adjacent)
      found.back() += text;
    else
      found.push_back(text);
    adjacent = true;
  };
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    const auto begins = [&](const char* text) {
      return source.compare(at, std::strlen(text), text) == 0;
    };
    if (begins("//") || begins("#include")) {
      at = std::min(source.find('\n', at), source.size());
    } else if (begins("R\"")) {
      const std::size_t open = source.find('(', at);
      const std::string end = ")" + source.substr(at + 2, open - at - 2) + "\"";
      const std::size_t close = std::min(source.find(end, open), source.size());
      add(source.substr(open + 1, close - open - 1));
      at = close + end.size() - 1;
    } else if (c == '"' || (c == '\'' && (at == 0 || !std::isalnum(source[at - 1])))) {
      std::size_t close = at + 1;
      while (close < source.size() && source[close] != c) close += source[close] == '\\' ? 2 : 1;
      if (c == '"')
        add(source.substr(at + 1, close - at - 1));
      else
        adjacent = false;
      at = close;
    } else if (std::isspace(c) == 0) {
      adjacent = false;
    }
  }
  return found;
}

/// Patterns of messages and how many of the literals have each. A literal of one word is a key or a
/// name, and is left out.
std::map<std::string, std::size_t> message_words(const std::vector<std::string>& literals) {
  static const std::vector<std::pair<std::string, std::regex>> kPatterns = {
      {"got", std::regex(R"(\bgot )")},
      {"goes with", std::regex(R"(\bgo(?:es)? with\b)")},
      {"promise", std::regex(R"(\bpromis(?:e|es|ed)\b)")},
      {"stand", std::regex(R"(\b(?:stands?|stood)\b)")},
      {"ask", std::regex(R"(\b(?:asks?|asked)\b)")},
      {"say", std::regex(R"(\b(?:says?|said)\b)")},
      {"from N on", std::regex(R"(\bfrom \S+ on\b)")}};
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, expression] : kPatterns)
    counts[name] = static_cast<std::size_t>(
        std::ranges::count_if(literals, [&expression = expression](const std::string& text) {
          return text.find(' ') != std::string::npos &&
                 text.find("typing.Literal") == std::string::npos &&
                 std::regex_search(text, expression);
        }));
  return counts;
}

/// Lines of more columns than --help may have.
std::vector<std::string> wide_lines(const std::string& help) {
  std::vector<std::string> wide;
  for (const std::string& line : lines(help))
    if (characters(line) > kMostHelpColumns) wide.push_back(line);
  return wide;
}

/// Descriptions of a manual page in roff that make no sense alone, as "of the proofs".
std::vector<std::string> dependent_descriptions(const std::string& manual) {
  static const std::regex kDepends("^(?:of|that|what|who|how|so|as) .*|^$");
  std::vector<std::string> found;
  const std::vector<std::string> all = lines(manual);
  for (std::size_t i = 0; i + 2 < all.size(); ++i)
    if (all[i] == ".TP" && std::regex_match(all[i + 2], kDepends))
      found.push_back(all[i + 1] + ": " + all[i + 2]);
  return found;
}

/// Whether a page is too short for the README of a folder.
bool is_stub(const std::string& page) {
  return lines(page).size() < kFewestReadmeLines;
}

// --- pages and messages

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

TEST(PlainWords, PagesAndMessagesArePlain) {
  const fs::path root = support::source_dir();
  EXPECT_GT(written_pages().size(), 50u) << "the test did not find the pages";
  for (const std::string& page : written_pages())
    for (const Failure& finding : findings(support::read_page(root / page),
                                           page == "CONTRIBUTING.md" ? "## Include rules" : ""))
      ADD_FAILURE() << page << ":" << finding.line << ": " << finding.check << ": " << finding.text;
  for (const char* folder :
       {"base", "objects", "oracle", "logdepth", "runtime", "compiler", "constructions", "report",
        "proofs-check", "library", "learned", "cli", "python"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      for (const auto& [pattern, count] : message_words(literals(support::read_page(entry.path()))))
        EXPECT_EQ(count, 0u) << entry.path() << ": '" << pattern << "' in messages";
    }
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
  EXPECT_GE(helps.size(), 33u) << "the test did not find the commands";
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
  const auto counts =
      message_words({", got ", "got", "--a goes with --b", "it goes without", "a broken promise",
                     "promises", "compromise is made", "twice it stands", "standing there",
                     "asked for", "tasked by", "it says no", "essays are", "a number from 1 on",
                     "from 1 to", "typing.Literal['a', 'promise']"});
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

}}  // namespace logdepth::plain_words_tests
