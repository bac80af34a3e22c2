// A report as data and blocks: every block in Markdown, and the files.
#include <gtest/gtest.h>

#include <string>

#include "report/report.hpp"

namespace logdepth::report_forms_tests { namespace {

using report::Data;

report::Report some_report() {
  report::Report page{"name", "A < title"};
  const Data list = Data::array({{{"x", 1}, {"y", 0.5}}, {{"x", 2}, {"y", nullptr}}});
  page.add("## Part")
      .add("Text of `a<b` and **bold** \\*")
      .add_list({"one", "two"})
      .add(report::Table{{"x", "y"}, 1, {{"1", "0.5"}, {"2", report::kNothing}}})
      .add("![a picture](name.svg)");
  page.data = {{"rows", list}};
  page.pictures.push_back({"name.svg", draw_legend({{"words", {"#123456"}}}, {3, 5})});
  return page;
}

TEST(ReportForms, MarkdownHasEveryBlockSetOffByAnEmptyLine) {
  EXPECT_EQ(
      report::markdown(some_report()),
      "# A < title\n\n## Part\n\nText of `a<b` and **bold** \\*\n\n- one\n- two\n\n| x | y |\n"
      "|---|--:|\n| 1 | 0.5 |\n| 2 | – |\n\n![a picture](name.svg)\n");
}

TEST(ReportForms, FilesAreThePageItsDataAndThePictures) {
  const auto files = report::files_of(some_report());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name + " " + files[1].name + " " + files[2].name,
            "name.md name.json name.svg");
  EXPECT_EQ(Data::parse(files[1].text)["rows"][0]["y"], 0.5);
  EXPECT_NE(files[2].text.find(">words</text>"), std::string::npos);
}

}}  // namespace logdepth::report_forms_tests
