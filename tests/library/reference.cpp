// What Doxygen makes of the comments of the public headers: no warning, and nothing undocumented in
// those that are the library's own.
#include <gtest/gtest.h>

#include "tests/library/installed.hpp"

namespace logdepth::reference_tests { namespace {

namespace fs = std::filesystem;

class Reference : public support::OutsideTheTree {
 protected:
  /// Runs Doxygen in the root of the sources, with more settings after those of the tree.
  support::Finished doxygen(const std::string& settings) const {
    return support::run_process(
        {"bash", "-c",
         "cd '" + root.string() + "' && (cat docs/library/Doxyfile; printf '%b' '" + settings +
             "OUTPUT_DIRECTORY=" + folder.path().string() + "\\n') | doxygen -"},
        folder.path());
  }
  bool missing() const {
    return support::run_process({"sh", "-c", "command -v doxygen"}, folder.path()).status != 0;
  }
};

TEST_F(Reference, IsMadeWithoutAWarning) {
  if (missing()) GTEST_SKIP() << "doxygen is not installed; comments of headers were not read";
  const support::Finished finished = doxygen("");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.err, "");
  EXPECT_TRUE(fs::exists(folder.path() / "html/classlogdepth_1_1Transformer.html"));
}

TEST_F(Reference, LeavesNothingOut) {
  if (missing()) GTEST_SKIP() << "doxygen is not installed; comments of headers were not read";
  const std::string whole = "EXTRACT_ALL=NO\\nGENERATE_HTML=NO\\nGENERATE_XML=YES\\nINPUT=";
  std::string headers;
  for (const char* header :
       {"compile", "constructions", "run", "test", "compare", "draw", "inspect", "export"})
    headers += std::string("logdepth/") + header + ".hpp ";
  EXPECT_EQ(doxygen(whole + headers + "\\n").err, "");
  folder.write("bare.hpp", "/** \\file */\nstruct Bare { int field; };\n");
  EXPECT_NE(doxygen(whole + folder.file("bare.hpp") + "\\n").status, 0) << "it looks for nothing";
}

}}  // namespace logdepth::reference_tests
