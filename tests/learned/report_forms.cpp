// A report as data and blocks: every block in its forms, cells of every kind of number, criteria.
#include <gtest/gtest.h>

#include <string>

#include "report/report.hpp"

namespace logdepth::report_forms_tests {
namespace {

using report::Data;
using report::Verdict;

report::Criterion some_criterion() {
  report::Criterion criterion{"X-1", "a_series"};
  return criterion.part("at least .5", "0.6", Verdict::passed).needs(1, "").needs(0, "more runs");
}

report::Report some_report() {
  report::Report page{"name", "A < title"};
  const Data list = Data::array({{{"x", 1}, {"y", 0.5}}, {{"x", 2}, {"y", nullptr}}});
  page.add(report::Heading{"Part"})
      .add("Text of `a<b` and **bold** \\*")
      .add(report::List{{"one", "two"}})
      .add(report::table_of(list, {report::column("x", "/x"), report::column("y", "/y", {1})}, 0))
      .add(report::Table{{"a"}, 0, {}, "Nothing of this."})
      .add(report::Criteria{{some_criterion()}, "median"})
      .add(report::Figure{"name.svg", "a picture"});
  page.data = {{"rows", list}};
  page.add_picture({"name.svg", "title", 10, 5, {{{{report::heading("words", 20, 12), 3}}}}});
  return page;
}

TEST(ReportForms, MarkdownHasEveryBlockSetOffByAnEmptyLine) {
  EXPECT_EQ(
      report::markdown(some_report()),
      "# A < title\n\n## Part\n\nText of `a<b` and **bold** \\*\n\n- one\n- two\n\n| x | y |\n"
      "|--:|--:|\n| 1 | 0.5 |\n| 2 | – |\n\nNothing of this.\n\n"
      "- X-1, a\\_series: **reproduced**, 1 of 3 seeds, so this is preliminary; missing: more "
      "runs.\n  - at least .5: 0.6, **passed**.\n\n![a picture](name.svg)\n");
}

TEST(ReportForms, HtmlSaysTheSameWithItsPicturesInIt) {
  const std::string page = report::html(some_report());
  for (const char* part :
       {"<h1>A &lt; title</h1>",
        "<h2>Part</h2>\n<p>Text of <code>a&lt;b</code> and <b>bold</b> *</p>",
        "<ul>\n<li>one</li>\n<li>two</li>\n</ul>", "<tr><th>x</th><th>y</th></tr>\n<tr><td>1</td>",
        "<p>Nothing of this.</p>",
        "<p>X-1, a_series: <b>reproduced</b>, 1 of 3 seeds, so this is preliminary; missing: more "
        "runs.</p>\n<ul>\n<li>at least .5: 0.6, <b>passed</b>.</li>\n</ul>",
        "<figure>\n<svg", ">words</text>"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

TEST(ReportForms, FilesAreThePageItsDataAndThePictures) {
  const auto files = report::files_of(some_report());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name + " " + files[1].name + " " + files[2].name,
            "name.md name.json name.svg");
  EXPECT_EQ(Data::parse(files[1].text)["rows"][0]["y"], 0.5);
}

TEST(ReportCells, WriteNumbersRangesMeansAndNothing) {
  using report::cell_text;
  EXPECT_EQ(cell_text(nullptr), "–");
  EXPECT_EQ(cell_text(7), "7");
  EXPECT_EQ(cell_text(0.25, {.digits = 2, .sign = true}), "+0.25");
  EXPECT_EQ(cell_text(2e-5, {.digits = 2, .shortest = true}), "2e-05");
  EXPECT_EQ(cell_text("a_b"), "a\\_b");
  EXPECT_EQ(cell_text(Data::array({1, 2})), "1, 2");
  EXPECT_EQ(cell_text(report::data_of(report::range_of({0.5, 0.25, 0.75}))),
            "0.500 (0.250 to 0.750)");
  EXPECT_EQ(cell_text(report::data_of(report::range_of({0.5}))), "0.500");
  EXPECT_EQ(cell_text(report::data_of(report::mean_of({0.5, 0.25})), {.sign = true}),
            "+0.375 ± 0.125");
}

TEST(ReportCriteria, PassAtTheirThresholdsAndCountTheFirstPartsOnly) {
  using Is = report::Threshold::Is;
  EXPECT_EQ(report::judge(0.56 - 0.5, {Is::at_most, 0.06}), Verdict::passed);
  EXPECT_EQ(report::judge(0.0, {Is::above, 0}), Verdict::failed);
  EXPECT_EQ(report::judge(-1.0, {Is::below, 0}), Verdict::passed);
  EXPECT_EQ(report::judge(std::nullopt, {Is::at_least, 0}), Verdict::undecided);
  report::Criterion criterion{"X", ""};
  EXPECT_EQ(criterion.verdict(), Verdict::undecided);
  criterion.part("", "", Verdict::passed).part("", "", std::nullopt).part("", "", Verdict::failed);
  EXPECT_EQ(criterion.verdict(1), Verdict::passed);
  EXPECT_EQ(criterion.verdict(2), Verdict::failed);
  EXPECT_EQ(criterion.verdict(), Verdict::failed);
}

}  // namespace
}  // namespace logdepth::report_forms_tests
