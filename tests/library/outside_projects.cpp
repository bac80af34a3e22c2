// A project of a user's: found by find_package and by pkg-config, built against what is installed.
#include <gtest/gtest.h>

#include "tests/library/installed.hpp"

namespace logdepth::outside_project_tests {
namespace {

using OutsideProject = support::Installed;

TEST_F(OutsideProject, IsBuiltWithFindPackageAndEveryExampleRuns) {
  build_and_run(root / "examples/library", prefix);
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
  EXPECT_NE(said.find("01101 accepted"), std::string::npos) << said;
  EXPECT_NE(said.find("passed: 511 short words"), std::string::npos) << said;
  EXPECT_TRUE(folder.names().contains("majority.json"));
  EXPECT_TRUE(folder.read("majority.svg").starts_with("<svg"));
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

}  // namespace
}  // namespace logdepth::outside_project_tests
