// The page of a run as a reader without a mouse and without a network has it: a headless Chromium
// opens it and says what is then seen.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_pages_tests { namespace {

class CommandLinePages : public support::CommandLine {
 protected:
  /// The page after its script has run, opened at this part of its address.
  std::string opened(const std::string& page, const std::string& part) const {
    const auto shown =
        support::run_process({"chromium", "--headless", "--no-sandbox", "--disable-gpu",
                              "--no-first-run", "--user-data-dir=" + folder.file("profile"),
                              "--dump-dom", "file://" + folder.file(page) + part},
                             folder.path());
    EXPECT_EQ(shown.status, 0) << shown.err;
    return shown.out;
  }
  bool has_chromium() const {
    return support::run_process({"sh", "-c", "command -v chromium"}, folder.path()).status == 0;
  }
  /// The same after a script of ours has acted on it.
  std::string acted(const std::string& page, const std::string& actions) const {
    const std::string text = folder.read(page);
    const std::size_t end = text.find("</body>");
    folder.write("acted.html",
                 text.substr(0, end) +
                     "<script>\nfunction press(element, key) { element.dispatchEvent(new "
                     "KeyboardEvent(\"keydown\", {key: key, bubbles: true, cancelable: true})); }\n"
                     "function place(step, key) { return document.querySelector('[data-step=\"' + "
                     "step + '\"] svg [data-key=\"' + key + '\"]'); }\n" +
                     actions + "\n</script>" + text.substr(end));
    return opened("acted.html", "");
  }
  void draw_rhine() const {
    done({"compile", "connectivity", "-o", "connectivity.json"});
    done({"draw", "connectivity.json", "--graph", example("graphs/rhine.edges"), "--source", "Chur",
          "--target", "Rotterdam", "-o", "run.html"});
  }
};

/// The tag that opens this step.
std::string section(const std::string& page, int step) {
  const std::size_t at =
      page.find("<section class=\"strip step\" data-step=\"" + std::to_string(step) + "\"");
  return at == std::string::npos ? "missing" : page.substr(at, page.find('>', at) - at);
}

bool is_hidden(const std::string& page, int step) {
  const std::string tag = section(page, step);
  EXPECT_NE(tag, "missing") << step;
  return tag.find(" hidden") != std::string::npos;
}

bool is_marked(const std::string& page, int step, const std::string& key) {
  const std::size_t begin = page.find("data-key=\"" + key + "\"", page.find(section(page, step)));
  return page.substr(begin, page.find('>', begin) - begin).find("\"marked\"") != std::string::npos;
}

std::string element(const std::string& page, const std::string& id) {
  const std::size_t at = page.find("id=\"" + id + "\"");
  if (at == std::string::npos) return "missing";
  const std::size_t begin = page.find('>', at) + 1;
  return page.substr(begin, page.find('<', begin) - begin);
}

TEST_F(CommandLinePages, TheAddressTurnsAPageToAStepAndSaysWhatAPlaceOfItHolds) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed";
  draw_rhine();
  const std::string first = opened("run.html", "");
  for (int step = 0; step <= 5; ++step) EXPECT_EQ(is_hidden(first, step), step != 0) << step;
  EXPECT_EQ(element(first, "turned"), "before the iterations");

  const std::string second = opened("run.html", "#step=2,m0-4");
  for (int step = 0; step <= 5; ++step) EXPECT_EQ(is_hidden(second, step), step != 2) << step;
  EXPECT_EQ(element(second, "turned"), "iteration 2");
  EXPECT_EQ(element(second, "note"),
            "Chur \xE2\x86\x92 Mannheim, iteration 2: found in iteration 2, by way of Basel. Token "
            "4: A = -1. "
            "C holds at token 28.");
  EXPECT_NE(second.find("class=\"marking\""), std::string::npos);
  EXPECT_TRUE(is_marked(second, 2, "m0-2")) << "Chur to Basel stands out";
  EXPECT_TRUE(is_marked(second, 2, "m2-4")) << "and Basel to Mannheim";
  EXPECT_FALSE(is_marked(second, 2, "m0-1"));

  const std::string all = opened("run.html", "#all");
  for (int step = 0; step <= 5; ++step) EXPECT_FALSE(is_hidden(all, step)) << step;
}

TEST_F(CommandLinePages, ElementsCanBeReachedByKeysAndAreNamed) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed";
  draw_rhine();
  const std::string page = opened("run.html", "#step=1");
  const std::size_t at = page.find("data-step=\"1\"");
  const std::string step = page.substr(at, page.find("</section>", at) - at);
  std::size_t stops = 0, named = 0;
  for (std::size_t i = step.find("tabindex=\"0\""); i != std::string::npos;
       i = step.find("tabindex=\"0\"", i + 1))
    ++stops;
  for (std::size_t i = step.find("role=\"img\" aria-label=\""); i != std::string::npos;
       i = step.find("role=\"img\" aria-label=\"", i + 1))
    ++named;
  EXPECT_EQ(stops, 3u) << "the graph, the matrix, the question";
  EXPECT_EQ(named, 12u + 144u + 12u);
}

TEST_F(CommandLinePages, KeysTurnThePageAndLeadFromPlaceToPlace) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed";
  draw_rhine();
  const std::string turned =
      acted("run.html",
            "press(document.body, 'ArrowRight'); press(document.body, 'ArrowRight');"
            "press(document.body, 'ArrowRight'); press(document.body, 'ArrowLeft');");
  for (int step = 0; step <= 5; ++step) EXPECT_EQ(is_hidden(turned, step), step != 2) << step;

  const std::string led = acted(
      "run.html",
      "place(0, 'm0-0').focus(); press(document.activeElement, 'ArrowRight');"
      "press(document.activeElement, 'ArrowDown'); press(document.activeElement, 'ArrowRight');");
  EXPECT_FALSE(is_hidden(led, 0)) << "keys of a place do not turn the page";
  EXPECT_EQ(element(led, "note"),
            "Konstanz \xE2\x86\x92 Basel, before the iterations: an edge. Token 14: A = 1.");
  EXPECT_TRUE(is_marked(led, 0, "m1-2"));

  const std::string all = acted("run.html", "document.getElementById('all').click();");
  for (int step = 0; step <= 5; ++step) EXPECT_FALSE(is_hidden(all, step)) << step;
  EXPECT_EQ(element(all, "turned"), "all steps");
}

TEST_F(CommandLinePages, AFileOfOnesOwnIsDrawnAsAttentionAndItIsSaidWhy) {
  done({"compile", "program", support::source_dir() + "/tests/programs/edges_and_loops.cells", "-o",
        "own.json"});
  folder.write("abc.edges", "a b\nb c\n");
  const auto drawn = logdepth({"draw", "own.json", "--graph", "abc.edges", "--source", "a",
                               "--target", "c", "-o", "own.svg"});
  EXPECT_EQ(drawn.status, 0);
  EXPECT_NE(
      drawn.err.find("does not name the cells of its reachability relation: it has no repeated "
                     "layers; drawing the attention instead"),
      std::string::npos)
      << drawn.err;
  EXPECT_NE(folder.read("own.svg").find("class=\"select\""), std::string::npos);
}

TEST_F(CommandLinePages, WithoutTheProgramThatRendersNothingIsWritten) {
  draw_rhine();
  for (const std::string form : {"png", "pdf"}) {
    const auto refused =
        support::run_process({"env", "PATH=" + folder.path().string(), support::program(), "draw",
                              "connectivity.json", "--graph", example("graphs/rhine.edges"),
                              "--source", "Chur", "--target", "Bonn", "-o", "run." + form},
                             folder.path());
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("rsvg-convert of the Debian package librsvg2-bin"),
              std::string::npos)
        << refused.err;
    EXPECT_FALSE(folder.names().contains("run." + form));
  }
}

TEST_F(CommandLinePages, TheSliderOfACircuitTurnsLayersAndKeysLeadFromCardToCard) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed";
  done({"compile", "connectivity", "-o", "connectivity.json"});
  done({"draw", "connectivity.json", "-o", "circuit.html"});
  const auto shows = [](const std::string& page, int layer) {
    for (int step = 1; step <= 8; ++step) EXPECT_EQ(is_hidden(page, step), step != layer) << step;
  };
  shows(opened("circuit.html", ""), 1);
  const std::string looped = opened("circuit.html", "#step=7,c13-1");
  shows(looped, 7);
  EXPECT_EQ(element(looped, "turned"), "layer 7 of 8, repeated block");
  EXPECT_EQ(element(looped, "note"), "look-up both (7 units): reads xA, xC, yA, yC; sets C.");
  EXPECT_TRUE(is_marked(looped, 7, "c13-1"));
  EXPECT_FALSE(is_marked(looped, 7, "c13-0"));

  const std::string slid = acted("circuit.html",
                                 "var slider = document.getElementById('turn'); slider.value = 5;"
                                 "slider.dispatchEvent(new Event('input'));"
                                 "press(document.body, 'ArrowLeft');");
  shows(slid, 4);
  EXPECT_EQ(element(slid, "turned"), "layer 4 of 8, initial block");
  const std::string led = acted(
      "circuit.html",
      "press(document.body, 'ArrowRight'); place(2, 'c2-0').focus();"
      "press(document.activeElement, 'ArrowRight'); press(document.activeElement, 'ArrowDown');");
  shows(led, 2);
  EXPECT_EQ(element(led, "note"), "normalise: R := direction of (x[0], x[1]).");

  const std::string all = acted("circuit.html", "document.getElementById('all').click();");
  for (int step = 1; step <= 8; ++step) EXPECT_FALSE(is_hidden(all, step)) << step;
  EXPECT_EQ(element(all, "turned"), "all layers");
  const std::string rest = std::regex_replace(
      folder.read("circuit.html"), std::regex("xmlns=\"http://www.w3.org/2000/svg\""), "");
  for (const char* const elsewhere : {"http", " src=", " href=", "url("})
    EXPECT_EQ(rest.find(elsewhere), std::string::npos) << elsewhere;
}

TEST_F(CommandLinePages, ASheetIsSaidToHaveColumnsAndLettersAndNeedsGraphviz) {
  done({"compile", "connectivity", "-o", "connectivity.json"});
  const auto draw = [&](const std::string& output, const std::string& path) {
    return support::run_process(
        {"env", "PATH=" + path, support::program(), "draw", "connectivity.json", "-o", output},
        folder.path());
  };
  for (const std::string output : {"c.svg", "c.pdf", "c.html"}) {
    const auto refused = draw(output, folder.path().string());
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("the Debian package graphviz"), std::string::npos) << refused.err;
    EXPECT_FALSE(folder.names().contains(output));
  }
  if (support::run_process({"sh", "-c", "command -v dot"}, folder.path()).status != 0)
    GTEST_SKIP() << "dot is not installed";
  const auto drawn = logdepth({"draw", "connectivity.json", "-o", "c.svg"});
  EXPECT_EQ(drawn.status, 0);
  EXPECT_TRUE(std::regex_match(
      drawn.err, std::regex("wrote c\\.svg: [3-9] columns, on an A4 page( across)? its smallest "
                            "letters are [5-9]\\.[0-9] pt\n")))
      << drawn.err;
}

TEST_F(CommandLinePages, AWordBeginsWithAllLevelsAndTurnsToOne) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed";
  done({"compile", "regular", "--group", "A5", "-o", "a5.json"});
  done({"draw", "a5.json", "--input", "abababab", "-o", "word.html"});
  const std::string all = opened("word.html", "");
  for (int step = 1; step <= 3; ++step) EXPECT_FALSE(is_hidden(all, step)) << step;
  const std::string one = opened("word.html", "#step=2,p0-t6");
  for (int step = 1; step <= 3; ++step) EXPECT_EQ(is_hidden(one, step), step != 2) << step;
  EXPECT_EQ(
      element(one, "note"),
      "6: b, iteration 2, layer 1. Selects 4. reaches: 3\xE2\x80\x93"
      "6. product: 14302. Cells after the "
      "layer: I = -33/65 56/65 -4/5 3/5; E = -5/13 12/13 -3/5 4/5; d.0 = 1; d.1 = 4; d.2 = 3; "
      "d.3 = 0; d.4 = 2.");
}

}}  // namespace logdepth::command_line_pages_tests
