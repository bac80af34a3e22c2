// One place says which version this is: project(VERSION) in CMakeLists.txt. Who else names it agrees.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/support/documents.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::version_tests {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace logdepth::version_tests
