// README is short, its results are those of their sources, every page for users is in the lists of pages, and links
// resolve, in the sources and where logdepth is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/documents.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::pages_tests { namespace {

namespace fs = std::filesystem;

/// The files that the links of a page name, as paths from the root.
std::set<std::string> linked_from(const fs::path& root, const std::string& page) {
  std::set<std::string> linked;
  for (const support::PageLink& link : support::page_links(support::read_page(root / page)))
    linked.insert((fs::path(page).parent_path() / link.target).lexically_normal().string());
  return linked;
}

TEST(Readme, IsShortAndLeadsToTheListOfAllPagesForUsers) {
  const fs::path root = support::source_dir();
  EXPECT_LE(support::lines(support::read_page(root / "README.md")).size(), 90u);
  std::set<std::string> linked = linked_from(root, "README.md");
  EXPECT_TRUE(linked.contains("docs/README.md"));
  linked.merge(linked_from(root, "docs/README.md"));
  for (const std::string& page : support::pages_below(root))
    if (page.starts_with("docs/") || page == "CONTRIBUTING.md" || page == "CHANGELOG.md") {
      EXPECT_TRUE(linked.contains(page)) << page << " is in no list of pages";
    }
}

/// A source, the place in it that has the numbers, and how README shows them.
struct Result {
  const char *page, *numbers, *shown;
};
const std::vector<Result> kResults = {
    {"docs/constructions.md", R"(MS25 Thm 4\.1, as [^|]*\| [^|]*\| ([^|]*) \|)",
     "(MS25: $1 layers)"},
    {"proofs-check/CLAIMS.md",
     R"(scan-two-circle \| optimised \| checked \| \(0, 1, 0\), depth ceil\(log2 n\) )",
     "one looped layer, ⌈log₂ n⌉ iterations"},
    {"TRUST.md", R"(The test proves (\d+) files)", "[$1 weights files]"},
    {"docs/learned.md", R"(For (S3), (\d) layers suffice at every length)", "$1 takes $2 layers"},
    {"proofs-check/CLAIMS.md", R"(as written: (\d+) checked, (\d+) contradicted, (\d+) not-exec)",
     "[$2 are contradicted], $1 hold and $3 cannot be run"},
    {"proofs-check/CLAIMS.md", R"(repaired and optimised: (\d+) checked)",
     "all $1 repaired and optimised forms that run passed"},
    {"proofs-check/CLAIMS.md",
     R"(thm-(4\.1)/key-of-the-token-itself \| as-written \| contradicted \| - \| '(\w+)')",
     "Theorem $1 is `$2`"},
    {"proofs-check/CLAIMS.md",
     R"(compact-n3 \| optimised \| checked \| \(6, 1, 1\), depth ceil\(log2\(n-1\)\) \+ (\d) \|)",
     "⌈log₂(n−1)⌉ + $1 layers"},
    {"docs/constructions.md", R"(MS25 Thm 5\.1, as [^|]*\| [^|]*\| ([^|]*) \|)", "[MS25: $1]"},
    {"proofs-check/CLAIMS.md", R"(lem-3\.1/compact \| optimised \| checked \| (\d) layers)",
     "division $1 layers"},
    {"docs/constructions.md", R"(MS25 Lemma 3\.1, as [^|]*\| (\d) layers)", "(MS25: $1)"},
    {"bench/exact_cost.md", R"(\| (1)(048)(576) \| \d+ \| (\d+) ms)",
     "[$1 $2 $3 letters] of A5 take $4 ms"},
    {"docs/exports.md", R"(--to torch --length (32) [^;]*; (32)(125) answers of \d+ inputs agree)",
     "PyTorch up to $1 letters: [$2 $3 answers] compared with the exact run, 0 wrong"},
    {"docs/learned.md",
     R"(Given ⌈log₂ n⌉ iterations, (2 of 14) networks on A5 [^.]* reach (32) letters)",
     "on A5 [reaches $2 letters] in $1 networks"},
    {"TRUST.md", R"(The checker has about (\d+) lines)", "[by a checker in C++] of $1 lines"}};

TEST(Readme, HasTheNumbersOfItsSources) {
  const auto text_of = [](const std::string& page) {  // in one line, without targets of links
    const std::string text = support::read_page(fs::path(support::source_dir()) / page);
    return std::regex_replace(std::regex_replace(text, std::regex(R"(\]\([^)]*\))"), "]"),
                              std::regex("\\s+"), " ");
  };
  const std::string readme = text_of("README.md");
  const std::size_t begin = readme.find("## Results"), end = readme.find("## Start");
  ASSERT_LT(begin, end);
  std::string rest = readme.substr(begin, end - begin);
  for (const Result& result : kResults) {
    const std::string source = text_of(result.page);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(source, found, std::regex(result.numbers))) << result.numbers;
    const std::string shown = found.format(result.shown);
    const std::size_t at = rest.find(shown);
    ASSERT_NE(at, std::string::npos) << result.page << " has: " << shown;
    rest.erase(at, shown.size());
  }
  EXPECT_FALSE(std::regex_search(rest, std::regex("\\b[0-9]"))) << "no source: " << rest;
}

TEST(Links, OfThePagesLeadSomewhere) {
  const fs::path root = support::source_dir();
  EXPECT_GT(support::page_links(support::read_page(root / "README.md")).size(), 20u);
  EXPECT_EQ(support::dead_links(root), std::vector<std::string>{});
}

TEST(Links, OfTheInstalledPagesLeadSomewhere) {
  const support::TemporaryFolder folder;
  const support::Finished finished =
      support::run_process({"cmake", "--install", support::build_dir(), "--prefix",
                            folder.file("prefix"), "--component", "pages"},
                           folder.path());
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(support::dead_links(folder.path()), std::vector<std::string>{});
  const std::vector<std::string> pages = support::pages_below(folder.path());
  for (const char* page : {"README.md", "CHANGELOG.md", "docs/commands.md", "runtime/README.md",
                           "proofs-check/CLAIMS.md", "examples/README.md"}) {
    const fs::path installed = fs::path("prefix/share/doc/logdepth") / page;
    EXPECT_TRUE(fs::exists(folder.path() / installed)) << installed;
  }
  EXPECT_GT(pages.size(), 10u);
}

TEST(Links, ThatAreDeadAreNoticed) {
  const support::TemporaryFolder folder;
  folder.write("b.md",
               "# A Heading, with `code`\n\n```text\n[not](a-link)\n# no heading\n```\n## "
               "Twice\n## Twice\n");
  folder.write("a.md",
               "# Here\n[1](b.md) [2](b.md#a-heading-with-code) [3](#here) ![4](b.md#twice-1)\n"
               "[5](https://nowhere.example/) [6](c.md)\n[7](b.md#no-heading) [8](#there)\n");
  EXPECT_EQ(support::dead_links(folder.path()),
            (std::vector<std::string>{"a.md:3: c.md is not there",
                                      "a.md:4: b.md has no heading for #no-heading",
                                      "a.md:4:  has no heading for #there"}));
}

// One place says which version this is: project(VERSION) in CMakeLists.txt. Who else names it agrees.

/// What the first match of an expression with one group says.
std::string found(const std::string& text, const std::string& expression) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(expression)) ? match[1].str() : "nothing";
}

std::string page(const std::string& name) {
  return support::read_page(fs::path(support::source_dir()) / name);
}

std::string printed_by(const fs::path& program) {
  const support::TemporaryFolder folder;
  return support::run_process({program, "--version"}, folder.path()).out;
}

TEST(Version, IsTheSameEverywhere) {
  const std::string version =
      found(page("CMakeLists.txt"), R"(project\(logdepth VERSION (\d+\.\d+\.\d+))");
  EXPECT_NE(version, "nothing");
  EXPECT_EQ(printed_by(support::program()), "logdepth " + version + "\n");
  EXPECT_EQ(found(page("CHANGELOG.md"), R"(\n## \[([^\]]+)\])"), version);
  EXPECT_EQ(found(page("CITATION.cff"), R"(\nversion: (\S+))"), version);
}

TEST(Version, IsThatOfTheTrainingProgramToo) {
  const fs::path program = fs::path(support::program()).parent_path() / "logdepth-train";
  if (!fs::exists(program))
    GTEST_SKIP() << "logdepth-train was not built (libtorch is missing): its version was not asked";
  const std::string version = found(page("CITATION.cff"), R"(\nversion: (\S+))");
  EXPECT_TRUE(printed_by(program).starts_with("logdepth-train " + version + ", libtorch "))
      << printed_by(program);
}

}}  // namespace logdepth::pages_tests
