// The public headers: what is installed, what they include, what the shared object exports.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tests/library/installed.hpp"

namespace logdepth::header_tests { namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::regex kWord("[A-Za-z_]\\w*");

class PublicHeaders : public support::Installed {
 protected:
  /// "compile.hpp" and the others, as they are installed.
  std::vector<std::string> headers() const {
    return support::files_below(prefix / "include/logdepth");
  }
};

TEST_F(PublicHeaders, AreInstalledAndNothingElseIs) {
  std::set<std::string> public_ones;
  for (const auto& entry : fs::directory_iterator(root / "logdepth"))
    if (entry.path().extension() == ".hpp") public_ones.insert(entry.path().filename());
  const std::vector<std::string> installed = headers();
  EXPECT_EQ(std::set<std::string>(installed.begin(), installed.end()), public_ones);
  for (const char* header :
       {"program", "compile", "constructions", "run", "test", "compare", "draw", "inspect"})
    EXPECT_TRUE(public_ones.contains(std::string(header) + ".hpp")) << header;
  for (const std::string& file : support::files_below(prefix)) {
    const bool expected =
        file.starts_with("include/logdepth/") ||
        file.find("/cmake/logdepth/logdepthConfig") != std::string::npos ||
        file.ends_with("/pkgconfig/logdepth.pc") ||
        file.find("/liblogdepth.so") != std::string::npos ||
        (file.find("/doc/liblogdepth") != std::string::npos && file.ends_with("/copyright"));
    EXPECT_TRUE(expected) << file;
  }
}

TEST_F(PublicHeaders, IncludeTheStandardLibraryAndOneAnother) {
  static const std::regex kInclude("(?:^|\n)\\s*#\\s*include\\s*(\\S+)");
  std::size_t seen = 0;
  for (const std::string& header : headers()) {
    const std::string text = content(prefix / "include/logdepth" / header);
    for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end;
         ++it, ++seen) {
      const std::string included = (*it)[1];
      // Headers of the standard library have neither a folder nor an ending.
      const bool standard = std::regex_match(included, std::regex("<[a-z_]+>"));
      const bool own = included.starts_with("\"logdepth/") &&
                       fs::exists(prefix / "include" / included.substr(1, included.size() - 2));
      EXPECT_TRUE(standard || own) << header << " includes " << included;
    }
  }
  EXPECT_GT(seen, 30u) << "the test did not find the includes";
}

TEST_F(PublicHeaders, CompileAloneWithBothCompilers) {
  for (const char* compiler : {"g++", "clang++"}) {
    if (support::run_process({"sh", "-c", std::string("command -v ") + compiler}, folder.path())
            .status != 0)
      GTEST_SKIP() << compiler << " is not installed; the headers were not compiled with it";
    for (const std::string& header : headers()) {
      folder.write("alone.cpp", "#include <logdepth/" + header + ">\n");
      done({compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            "-I" + (prefix / "include").string(), "alone.cpp"});
    }
  }
}

/// What is exported is a name that some header says; types of the inside occur nowhere.
TEST_F(PublicHeaders, MakeCompilersWarnWhereANewValueIsDropped) {
  const std::vector<std::string> dropped = {
      "head.causal(uniform());",
      "head.unmasked(uniform());",
      "head.under(number);",
      "head.copy(label, label);",
      "head.copy(product, product);",
      "head.add(number, flag);",
      "head.add(number[0], flag);",
      "head.set(flag);",
      "match(pointer).back(1);",
      "match(pointer).key(key);",
      "rightmost(flag).key(key);",
      "rightmost(flag).same(label, label);",
      "nearest(Ratio(key)).key(key);",
      "flagged(flag).when(flag);",
      "find(Ratio(key)).key(key);",
      "find(Ratio(key)).key(key).also(Ratio(key));",
      "find(Ratio(key)).key(key).prefer(flag, flag);",
      "related({flag}).label(label);",
      "related({flag}).label(label).prefer(flag);",
      "Ratio(key).back(1);",
      "fetch(\"name\");",
      "undone(head);",
      "lookup(\"name\", {});",
      "when(flag).then(flag);",
      "move(label, label);",
      "erase(label);",
      "normalise(key).from(number);",
      "test(flag).zero(number);",
      "test(flag).positive(number);",
  };
  std::string text =
      "#include <logdepth/program.hpp>\n"
      "using namespace logdepth::cells;\n"
      "void used(Program& p, const Fetch& head, const Flag& flag, const Number& number, const Key& "
      "key, const Pointer& pointer, const OneHot& label, const Product& product) {\n"
      "p.final(head.set(flag).causal(uniform()).copy(label, label));\n";
  for (const std::string& statement : dropped) text += statement + "\n";
  folder.write("dropped.cpp", text + "}\n");
  const auto compiled = support::run_process({"g++", "-std=c++20", "-fsyntax-only", "-Wall",
                                              "-I" + (prefix / "include").string(), "dropped.cpp"},
                                             folder.path());
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  const std::regex warning("dropped\\.cpp:(\\d+):[^\n]*Wunused-result");
  std::set<std::size_t> warned, expected;
  for (std::sregex_iterator it(compiled.err.begin(), compiled.err.end(), warning), end; it != end;
       ++it)
    warned.insert(std::stoul((*it)[1]));
  for (std::size_t line = 5; line < 5 + dropped.size(); ++line) expected.insert(line);
  EXPECT_EQ(warned, expected) << compiled.err;
}

TEST_F(PublicHeaders, SayWhatTheSharedObjectExports) {
  std::set<std::string> said;
  for (const std::string& header : headers()) {
    const std::string text = content(prefix / "include/logdepth" / header);
    // Words of comments do not count.
    const std::string code = std::regex_replace(text, std::regex("//[^\n]*"), "");
    for (std::sregex_iterator it(code.begin(), code.end(), kWord), end; it != end; ++it)
      said.insert(it->str());
  }
  const std::string symbols =
      done({"nm", "-DC", "--defined-only", (prefix / "lib/liblogdepth.so").string()}).out;
  static const std::regex kOurs("logdepth::[\\w:]*\\w");
  std::size_t seen = 0;
  for (std::sregex_iterator it(symbols.begin(), symbols.end(), kOurs), end; it != end; ++it) {
    const std::string name = it->str();
    for (std::sregex_iterator word(name.begin(), name.end(), kWord); word != end; ++word, ++seen)
      EXPECT_TRUE(said.contains(word->str())) << name << " is exported and in no public header";
  }
  EXPECT_GT(seen, 300u);
}

}}  // namespace logdepth::header_tests
