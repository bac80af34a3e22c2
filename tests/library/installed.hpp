#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "logdepth/compile.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/processes.hpp"

/// liblogdepth as its users have it: installed somewhere, and nothing of this tree beside it.
namespace logdepth::support {

namespace fs = std::filesystem;

/// The sentence of the InputError that a call ends with.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

/// Weights that were changed by hand, with the hash that they have now.
inline Transformer changed(const Transformer& from, const std::string& text) {
  const std::string said = refusal([&] { return Transformer::from_text(text, "changed.json"); });
  EXPECT_TRUE(said.starts_with("changed.json")) << said;
  std::string hash;
  static const std::regex kHash("[0-9a-f]{64}");
  for (std::sregex_iterator it(said.begin(), said.end(), kHash), end; it != end; ++it)
    if (it->str() != from.sha256()) hash = it->str();
  return Transformer::from_text(std::regex_replace(text, std::regex(from.sha256()), hash));
}

/// Paths of all files below a folder, relative to it and sorted.
inline std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(fs::relative(entry.path(), folder).string());
  std::ranges::sort(files);
  return files;
}

/// Tests with a folder of their own.
class OutsideTheTree : public testing::Test {
 protected:
  /// Runs a command that has to end well; what it printed.
  Finished done(const std::vector<std::string>& command) const {
    Finished finished = run_process(command, folder.path());
    std::string line;
    for (const std::string& word : command) line += word + " ";
    EXPECT_EQ(finished.status, 0) << line << "\n" << finished.out << finished.err;
    return finished;
  }

  /// Builds a project with find_package below `prefix` and runs all its programs; what each printed.
  std::map<std::string, std::string> build_and_run(const fs::path& project,
                                                   const fs::path& prefix) const {
    const std::string build = folder.file("build");
    done({"cmake", "-G", "Ninja", "-S", project, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
          std::string("-DCMAKE_CXX_COMPILER=") + LOGDEPTH_CXX,
          std::string("-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror ") + LOGDEPTH_CXX_FLAGS,
          "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DCMAKE_PREFIX_PATH=" + prefix.string()});
    done({"cmake", "--build", build});
    std::map<std::string, std::string> printed;
    for (const auto& entry : fs::directory_iterator(project))
      if (entry.path().extension() == ".cpp") {
        const std::string program = entry.path().stem();
        printed[program] = done({build + "/" + program}).out;
        EXPECT_NE(printed[program], "") << program;
      }
    EXPECT_GE(printed.size(), 2u) << project;
    return printed;
  }

  const TemporaryFolder folder;
  const fs::path root = LOGDEPTH_SOURCE_DIR;
};

/// With the library installed there, headers and all.
class Installed : public OutsideTheTree {
 protected:
  Installed() : prefix(folder.path() / "prefix") {
    for (const char* component : {"library", "development"})
      done(
          {"cmake", "--install", LOGDEPTH_BUILD_DIR, "--prefix", prefix, "--component", component});
  }
  const fs::path prefix;
};

}  // namespace logdepth::support
