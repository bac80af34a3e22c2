// One name, one type: two definitions of one class in one namespace are no error that a compiler or
// linker must report, and whoever sees both reads the wrong one.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace logdepth::one_name_one_type_tests {
namespace {

namespace fs = std::filesystem;

/// The tokens that matter here, words and punctuation: comments, literals and lines of the
/// preprocessor are left out. (A regular expression would recurse once per character of a literal.)
std::vector<std::string> tokens_of_source(const std::string& text) {
  std::vector<std::string> tokens;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto after = [&](const std::string& mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string::npos ? text.size() : found + mark.size();
  };
  const auto after_quoted = [&](std::size_t i) {  // of a string or a character
    const char quote = text[i++];
    while (i < text.size() && text[i] != quote) i += text[i] == '\\' ? 2 : 1;
    return i + 1;
  };
  const auto after_line = [&](std::size_t i) {
    while (i < text.size() && (text[i] != '\n' || text[i - 1] == '\\')) ++i;
    return i;
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#') {
      i = after_line(i);
    } else if (text.compare(i, 2, "//") == 0) {
      i = after("\n", i);
    } else if (text.compare(i, 2, "/*") == 0) {
      i = after("*/", i + 2);
    } else if (text.compare(i, 2, "R\"") == 0) {
      const std::size_t open = text.find('(', i);
      i = after(")" + text.substr(i + 2, open - i - 2) + "\"", open);
    } else if (c == '"' || c == '\'') {
      i = after_quoted(i);
    } else if (is_word(c)) {
      const bool number = std::isdigit(static_cast<unsigned char>(c));
      std::size_t end = i;
      while (end < text.size() && (is_word(text[end]) || (number && text[end] == '\''))) ++end;
      if (!number) tokens.push_back(text.substr(i, end - i));
      i = end;
    } else {
      if (!std::isspace(static_cast<unsigned char>(c))) tokens.push_back(std::string(1, c));
      ++i;
    }
  }
  return tokens;
}

/// Full names of the classes and enumerations that a text defines outside functions, other classes
/// and unnamed namespaces.
std::vector<std::string> defined_types(const std::string& text) {
  std::vector<std::string> tokens = tokens_of_source(text);
  tokens.insert(tokens.end(), 4, ";");  // looking ahead needs no end
  struct Scope {
    bool names = false;  // a namespace with a name
    std::string name;
  };
  std::vector<Scope> scopes;
  const auto outside = [&] {
    for (const Scope& scope : scopes)
      if (!scope.names) return false;
    return true;
  };
  std::vector<std::string> types;
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "}") {
      if (!scopes.empty()) scopes.pop_back();
    } else if (token == "{") {
      scopes.push_back({});
    } else if (token == "namespace") {
      std::size_t j = i + 1;
      std::string name;
      while (tokens[j] != "{" && tokens[j] != ";" && tokens[j] != "=") name += tokens[j++];
      if (tokens[j] == "{") scopes.push_back({!name.empty(), name});
      i = j;
    } else if ((token == "struct" || token == "class" || token == "union" || token == "enum") &&
               outside()) {
      std::size_t j = i + 1;
      if (tokens[j] == "class" || tokens[j] == "struct") ++j;
      while (tokens[j] == "[" || tokens[j] == "]" || tokens[j] == "nodiscard") ++j;
      const std::string& next = tokens[j + 1];  // "::" is two tokens
      if (next != "{" && next != "final" && (next != ":" || tokens[j + 2] == ":")) continue;
      std::string name;
      for (const Scope& scope : scopes) name += scope.name + "::";
      types.push_back(name + tokens[j]);
      i = j;
    }
  }
  return types;
}

TEST(OneNameOneType, TheReaderOfSourcesSeesWhatItShould) {
  const std::string text = R"(
#define A struct Macro {
namespace a { namespace b::c { struct [[nodiscard]] First { struct Inner {}; enum E { x }; }; }
enum class Second : int { one }; class Declared; template <class T> class Third final {};
template <> struct Third<int> {}; void f(struct Declared d) { struct Local {}; }
// struct Comment {
const char* text = "struct Literal {"; char brace = '{'; int big = 1'000;
namespace { struct Hidden {}; } } union Fourth { int i; };
namespace short_name = a::b;
)";
  EXPECT_EQ(defined_types(text),
            (std::vector<std::string>{"a::b::c::First", "a::Second", "a::Third", "Fourth"}));
}

TEST(OneNameOneType, EveryTypeOfANamedNamespaceIsDefinedOnce) {
  const fs::path root = support::source_dir();
  std::map<std::string, std::set<std::string>> places;
  for (const char* folder :
       {"logdepth", "objects", "oracle", "runtime", "compiler", "constructions", "proofs-check",
        "library", "learned", "cli", "bench", "tests/support"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".cu") continue;
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      const std::string place = fs::relative(entry.path(), root).string();
      for (const std::string& type : defined_types(text.str()))
        EXPECT_TRUE(places[type].insert(place).second) << type << " twice in " << place;
    }
  EXPECT_GT(places.size(), 300u) << "the test did not find the sources";
  for (const auto& [type, files] : places) {
    std::string list;
    for (const std::string& file : files) list += (list.empty() ? "" : ", ") + file;
    EXPECT_EQ(files.size(), 1u) << type << " is defined in " << list;
  }
}

}  // namespace
}  // namespace logdepth::one_name_one_type_tests
