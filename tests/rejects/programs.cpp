// The zoo of programs that must be refused. Each .cells file of this folder is one misuse; its
// first two lines say which sentence must be in the message and to which family the reason belongs.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "compiler/rules/program_rules.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/places.hpp"

namespace logdepth::programs_tests {
namespace {

struct Misuse {
  std::string file, sentence, family, text;

  friend void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.file; }
};

std::string line_after(const std::string& prefix, const std::string& text) {
  const std::size_t start = text.find(prefix);
  if (start == std::string::npos) return "";
  const std::size_t from = start + prefix.size();
  return text.substr(from, text.find('\n', from) - from);
}

std::vector<Misuse> zoo() {
  std::vector<Misuse> misuses;
  for (const auto& entry :
       std::filesystem::directory_iterator(support::source_dir() + "/tests/rejects")) {
    if (entry.path().extension() != ".cells") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    misuses.push_back({entry.path().filename().string(), line_after("# refused: ", text.str()),
                       line_after("# family: ", text.str()), text.str()});
  }
  std::sort(misuses.begin(), misuses.end(),
            [](const Misuse& a, const Misuse& b) { return a.file < b.file; });
  return misuses;
}

/// Who refuses, and the message; every other exception passes through as a failure of the test.
struct Refused {
  std::string by, message;
};

Refused refuse(const Misuse& misuse) {
  Program program;
  try {
    program = parse_program(misuse.text, misuse.file);
  } catch (const InputError& error) {
    return {"parser", error.what()};
  }
  try {
    check_program(program);
  } catch (const ProgramRefused& error) {
    return {"rules", error.what()};
  }
  try {
    (void)compile(program);
  } catch (const ProgramRefused& error) {
    return {"passes", error.what()};
  } catch (const SizeLimit& error) {
    return {"size limit", error.what()};
  }
  return {"nobody", ""};
}

class RejectedPrograms : public testing::TestWithParam<Misuse> {};

TEST_P(RejectedPrograms, AreRefusedForTheStatedReason) {
  const Misuse& misuse = GetParam();
  ASSERT_GE(misuse.sentence.size(), 15u) << "no '# refused: ...' line";
  Refused refused;
  ASSERT_NO_THROW(refused = refuse(misuse))
      << "neither InputError nor ProgramRefused nor SizeLimit";
  ASSERT_NE(refused.by, "nobody") << "the program compiles";
  EXPECT_NE(refused.message.find(misuse.sentence), std::string::npos)
      << "expected: " << misuse.sentence << "\ngot:      " << refused.message;
  // The parser names file and line; the rules come before any pass.
  static const std::map<std::string, std::vector<std::string>> kBy = {
      {"text", {"parser"}},           {"rules", {"rules"}},
      {"lookups", {"rules"}},         {"norms", {"passes"}},
      {"memory", {"passes"}},         {"loop", {"passes"}},
      {"twice", {"rules", "passes"}}, {"format", {"parser", "rules", "passes", "size limit"}}};
  ASSERT_TRUE(kBy.contains(misuse.family)) << "unknown family " << misuse.family;
  const auto& allowed = kBy.at(misuse.family);
  EXPECT_NE(std::find(allowed.begin(), allowed.end(), refused.by), allowed.end())
      << "refused by the " << refused.by;
  if (refused.by == "parser") {
    EXPECT_TRUE(refused.message.starts_with(misuse.file + ":"));
  }
  EXPECT_EQ(refused.message.find('\n'), std::string::npos) << "one sentence, one line";
}

// A file that is lost, or refused for a reason of another family, shows here.
TEST(RejectedPrograms, AreAsManyPerFamilyAsPinnedHere) {
  std::map<std::string, int> count;
  for (const Misuse& misuse : zoo()) ++count[misuse.family];
  const std::map<std::string, int> pinned = {{"text", 67},  {"rules", 116}, {"lookups", 9},
                                             {"norms", 44}, {"memory", 5},  {"loop", 5},
                                             {"twice", 8},  {"format", 13}};
  EXPECT_EQ(count, pinned);
}

INSTANTIATE_TEST_SUITE_P(Zoo, RejectedPrograms, testing::ValuesIn(zoo()), [](const auto& info) {
  return info.param.file.substr(0, info.param.file.find('.'));
});

}  // namespace
}  // namespace logdepth::programs_tests
