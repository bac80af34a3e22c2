// A project of a user's: found by find_package and by pkg-config, built against what is installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/library/installed.hpp"
#include "tests/support/documents.hpp"

namespace logdepth::outside_project_tests { namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether one of the texts holds these very lines.
bool holds(const std::vector<std::string>& texts, const std::vector<std::string>& lines) {
  std::string wanted = "\n";
  for (const std::string& line : lines) wanted += line + "\n";
  return std::ranges::any_of(texts, [&](const std::string& text) {
    return ("\n" + text).find(wanted) != std::string::npos;
  });
}

using OutsideProject = support::Installed;

TEST_F(OutsideProject, IsBuiltWithFindPackageAndIsWhatThePagesShow) {
  const fs::path project = root / "examples/library";
  std::vector<std::string> printed, code, cmake = {content(project / "CMakeLists.txt")};
  for (const auto& [program, text] : build_and_run(project, prefix)) printed.push_back(text);
  for (const auto& entry : fs::directory_iterator(project)) code.push_back(content(entry.path()));

  std::size_t blocks = 0;
  for (const std::string& page : support::pages_below(root / "docs/library"))
    for (const support::FencedBlock& block :
         support::fenced_blocks(support::read_page(root / "docs/library" / page))) {
      const auto& source = block.kind == "cpp" ? code : block.kind == "cmake" ? cmake : printed;
      EXPECT_TRUE(holds(source, block.text))
          << page << ":" << block.line << " shows something else than examples/library";
      ++blocks;
    }
  EXPECT_GE(blocks, 12u);
  EXPECT_EQ(content(root / "docs/library/majority.svg"), folder.read("run.svg"));
}

TEST(PageOfTheLibrary, HasAPartForEachHeaderThatIsToBeIncluded) {
  const std::string page = content(fs::path(LOGDEPTH_SOURCE_DIR) / "docs/library/README.md");
  for (const char* header : {"program", "compile", "constructions", "run", "test", "compare",
                             "draw", "inspect", "certify", "export"})
    EXPECT_NE(page.find("\n## " + std::string(header) + ".hpp\n"), std::string::npos) << header;
}

TEST_F(OutsideProject, IsBuiltWithPkgConfig) {
  const std::string with_packages =
      "export PKG_CONFIG_PATH=" + (prefix / "lib/pkgconfig").string() + "\n";
  EXPECT_EQ(done({"bash", "-c", with_packages + "pkg-config --modversion logdepth"}).out,
            LOGDEPTH_VERSION "\n");
  done({"bash", "-c",
        with_packages + LOGDEPTH_CXX + " -std=c++20 " + LOGDEPTH_CXX_FLAGS + " '" +
            (root / "examples/library/majority.cpp").string() +
            "' -o majority $(pkg-config --cflags --libs logdepth)"});
  const std::string said =
      done({"env", "LD_LIBRARY_PATH=" + (prefix / "lib").string(), folder.file("majority")}).out;
  EXPECT_NE(said.find("01101 has a majority"), std::string::npos) << said;
  EXPECT_NE(said.find("passed: 511 short words"), std::string::npos) << said;
  EXPECT_TRUE(folder.names().contains("majority.json"));
  EXPECT_TRUE(folder.read("run.svg").starts_with("<svg"));
}

TEST_F(OutsideProject, GetsNoOtherVersionThanItAskedFor) {
  folder.write("CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES CXX)\n"
               "find_package(logdepth 99.1 REQUIRED)\n");
  const support::Finished finished = support::run_process(
      {"cmake", "-S", ".", "-B", "build", "-DCMAKE_PREFIX_PATH=" + prefix.string()}, folder.path());
  EXPECT_NE(finished.status, 0);
  EXPECT_NE(finished.err.find("requested version \"99.1\""), std::string::npos) << finished.err;
}

}}  // namespace logdepth::outside_project_tests
