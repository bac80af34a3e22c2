// README is short, every page for users is in the lists of pages, and links resolve, in the sources and
// where logdepth is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/documents.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::pages_tests {
namespace {

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
  // Two pages are lists of pages.
  for (const char* list : {"docs/README.md", "docs/library/README.md"}) {
    EXPECT_TRUE(linked.contains(list)) << list;
    linked.merge(linked_from(root, list));
  }
  for (const std::string& page : support::pages_below(root))
    if (page.starts_with("docs/") || page == "CONTRIBUTING.md" || page == "CHANGELOG.md") {
      EXPECT_TRUE(linked.contains(page)) << page << " is in no list of pages";
    }
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

}  // namespace
}  // namespace logdepth::pages_tests
