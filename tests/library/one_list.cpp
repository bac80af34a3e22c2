// What the program can do, what a user of the headers can do, and what a user of the Python package
// can do is one list, commands_and_functions.txt; what is missing somewhere is counted.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/library/installed.hpp"

namespace logdepth::one_list_tests { namespace {

namespace fs = std::filesystem;

// These numbers may only become smaller. Of kMissingInCpp, one is Python's notebooks.
constexpr std::size_t kMissingInProgram = 2, kMissingInCpp = 28, kMissingInPython = 31;

struct Row {
  std::string program, cpp, python;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

class OneList : public support::OutsideTheTree {
 protected:
  void SetUp() override {
    std::istringstream lines(text_of("tests/library/commands_and_functions.txt"));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      std::istringstream fields(line);
      Row row;
      std::getline(fields, row.program, '|');
      std::getline(fields, row.cpp, '|');
      std::getline(fields, row.python);
      rows.push_back({trimmed(row.program), trimmed(row.cpp), trimmed(row.python)});
    }
    for (const char* header : {"compile", "constructions", "run", "test", "compare", "draw",
                               "inspect", "certify", "export", "interruption"})
      headers += text_of("logdepth/" + std::string(header) + ".hpp");
    headers = std::regex_replace(headers, std::regex("//[^\n]*"), "");
  }
  std::string text_of(const std::string& file) const {
    std::ifstream in(root / file);
    EXPECT_TRUE(in) << file;
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// All that the expression finds, its first group.
  static std::set<std::string> found(const std::string& text, const std::string& expression) {
    std::set<std::string> all;
    const std::regex wanted(expression);
    for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
      all.insert((*at)[1]);
    return all;
  }
  /// The text between `begin` and the next `end`; empty where there is none.
  static std::string between(const std::string& text, const std::string& begin,
                             const std::string& end) {
    const auto from = text.find(begin);
    return from == std::string::npos ? "" : text.substr(from, text.find(end, from) - from);
  }
  /// The members of a struct of the headers.
  std::set<std::string> members(const std::string& name) const {
    return found(between(headers, "struct " + name + " {", "\n};"), R"((\w+)(?: = [^;]*)?;)");
  }
  std::set<std::string> named(std::string Row::*column) const {
    std::set<std::string> names;
    for (const Row& row : rows) names.insert(row.*column);
    return names;
  }
  std::size_t missing(std::string Row::*column) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [&](const Row& row) { return row.*column == "-"; }));
  }

  std::vector<Row> rows;
  std::string headers;
};

TEST_F(OneList, HasEveryCommandWithItsOptions) {
  const std::set<std::string> listed = named(&Row::program);
  const std::string completion = done({LOGDEPTH_BINARY, "--completion", "bash"}).out;
  const std::regex command(R"(\n    '?([a-z -]+)'?\) commands='([^']*)'; options='([^']*)')");
  std::set<std::string> there;
  for (std::sregex_iterator at(completion.begin(), completion.end(), command), end; at != end;
       ++at) {
    const std::string name = (*at)[1];
    there.insert(name);
    const std::string whole = name.substr(0, name.find(' ')) + " *";
    if (there.insert(whole).second && listed.contains(whole)) continue;
    if (listed.contains(whole) || (*at)[2].length() > 0) continue;
    std::istringstream options((*at)[3]);
    for (std::string option; options >> option;) {
      if (!option.starts_with("--") || option == "--help") continue;
      EXPECT_TRUE(listed.contains(name + " " + option))
          << name << " " << option << " is not listed";
      there.insert(name + " " + option);
    }
  }
  for (const std::string& row : listed)
    EXPECT_TRUE(row == "-" || row == "=" || there.contains(row)) << row << " is no option";
  EXPECT_GT(there.size(), 150u);
}

TEST_F(OneList, HasEveryFunctionAndSettingOfTheHeaders) {
  const std::set<std::string> listed = named(&Row::cpp);
  std::set<std::string> there = found(headers, R"(\n[A-Za-z][A-Za-z:<>_ ]* ([a-z_]+)\()");
  for (const char* settings :
       {"CompileSettings", "AutomatonSource", "RegularSettings", "ConnectivitySettings",
        "DivisionSettings", "ComputationGraphSettings", "BatchSettings", "RoundedSettings",
        "TestedWords", "TestedGraphs", "TestedDivisions", "TestedComputationGraphs",
        "RunComparison", "DiffSettings"}) {
    const std::set<std::string> all = members(settings);
    EXPECT_GE(all.size(), 2u) << settings;
    for (const std::string& member : all) there.insert(std::string(settings) + "::" + member);
  }
  EXPECT_GT(there.size(), 60u);
  for (const std::string& name : there)
    EXPECT_TRUE(listed.contains(name)) << name << " is not listed";
  for (const std::string& name : listed) {
    if (name == "-" || name == "=" || there.contains(name)) continue;
    const auto colons = name.find("::");
    EXPECT_TRUE(std::regex_search(headers, std::regex("\\b" + name.substr(0, colons) + "\\b")) &&
                (colons == std::string::npos ||
                 std::regex_search(headers, std::regex("\\b" + name.substr(colons + 2) + "\\b"))))
        << name << " is not declared";
  }
}

TEST_F(OneList, HasEveryFunctionOfThePythonPackage) {
  const std::string model = text_of("python/logdepth/model.py");
  const std::string functions =
      text_of("python/logdepth/constructions.py") + model.substr(model.find("class Rounded:"));
  const std::map<std::string, std::string> scopes = {
      {"", functions},
      {"Model", between(model, "class Model:", "\nclass ")},
      {"Rounded", between(model, "class Rounded:", "\ndef ")},
      {"Drawing", text_of("python/logdepth/drawing.py")}};
  const std::set<std::string> listed = named(&Row::python);
  const std::string exported = between(text_of("python/logdepth/__init__.py"), "__all__", "]");
  const std::regex shape(R"((?:(\w+)\.)?(\w+)(?:\((\w+)\))?)");
  for (const std::string& name : listed) {
    if (name == "-" || name == "=") continue;
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(name, parts, shape)) << name;
    const std::string scope = parts[1], function = parts[2], argument = parts[3];
    const std::string signature = between(scopes.at(scope), "def " + function + "(", " -> ");
    EXPECT_TRUE(!signature.empty() ||
                (scope.empty() && exported.find("\"" + function + "\"") != std::string::npos))
        << name << " is no function of the package";
    EXPECT_TRUE(argument.empty() ||
                std::regex_search(signature, std::regex("\\b" + argument + ":")))
        << name << " is no argument";
  }
  std::set<std::string> all;
  for (const std::string& name : found(scopes.at("Model"), R"(\n    def ([a-z]\w*)\()"))
    all.insert("Model." + name);
  for (const std::string& name : found(functions, R"(\ndef ([a-z]\w*)\()")) all.insert(name);
  EXPECT_GT(all.size(), 20u);
  for (const std::string& name : all)
    EXPECT_TRUE(std::ranges::any_of(
        listed, [&](const auto& row) { return row == name || row.starts_with(name + "("); }))
        << name << " is not listed";
}

TEST_F(OneList, LacksNoMoreThanItDid) {
  EXPECT_EQ(missing(&Row::program), kMissingInProgram);
  EXPECT_EQ(missing(&Row::cpp), kMissingInCpp);
  EXPECT_EQ(missing(&Row::python), kMissingInPython);
}

}}  // namespace logdepth::one_list_tests
