// Drawings: what stands in a circuit and in a picture of attention, for sound and for hostile
// names, and in which files a drawing is saved.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/xml_text.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/circuit_sheet.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/draw_circuit.hpp"
#include "report/pictures/render.hpp"
#include "report/pictures/save_drawing.hpp"
#include "report/pictures/svg_text.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/places.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::drawings_tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHostile = "\"<&'\\N\\G]]>%--;{|}";

class Drawings : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("logdepth_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  /// The text content of every .svg and .html file of the folder, as an independent XML reader sees
  /// it; no-break spaces count as spaces. Fails when one of them is not well formed.
  std::string texts() const {
    write_whole_file(at("read.py"),
                     "import glob, sys, xml.etree.ElementTree as tree\n"
                     "out = ''\n"
                     "for name in sorted(glob.glob(sys.argv[1] + '/*.svg') + "
                     "glob.glob(sys.argv[1] + '/*.html')):\n"
                     "    text = open(name, encoding='utf-8').read().replace("
                     "'<!DOCTYPE html>', '')\n"
                     "    out += '\\n'.join(t for t in tree.fromstring(text).itertext()) + '\\n'\n"
                     "open(sys.argv[1] + '/texts', 'w', encoding='utf-8').write("
                     "out.replace('\\u00a0', ' '))\n");
    const std::string command =
        "\"" + support::python() + "\" \"" + at("read.py") + "\" \"" + folder_.string() + "\"";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return fs::exists(at("texts")) ? read_whole_file(at("texts")) : "";
  }

  fs::path folder_;
};

bool has_graphviz() {
  try {
    render_graphs("digraph g { a -> b; }");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string dot_of(const Model& model) {
  return circuit_dot(circuit_cards(model));
}

Program scan(const std::string& monoid, const ScanOptions& options = {}) {
  return regular_language_scan_MS25_thm4_1(named_monoid(monoid), monoid, options);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part;
}

std::vector<std::string> word(const Model& model, std::size_t length) {
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < length; ++i)
    letters.push_back(model.alphabet[(7 * i * i + i / 3) % model.alphabet.size()]);
  return letters;
}

/// Counts what the heads select.
class SelectionCount : public ForwardObserver<ValueId> {
 public:
  void on_row(const Location& location, std::size_t, const SelectedRow& row) override {
    positions += row.count;
    if (location.step != last_step) ++levels;
    last_step = location.step;
  }
  std::size_t positions = 0, levels = 0, last_step = 0;
};

TEST_F(Drawings, CircuitOfA5NamesBlocksHeadsContractsUnitsAndCells) {
  const std::string dot = dot_of(with_derived(compile(scan("A5"))));
  expect_parts(dot,
               {"<B>A5&#160;<", "depth ceil(log2 n)", "shape (0, 1, 0)", "MS25 Thm 4.1",
                "repeated block: 1 layer \xC3\x97 ceil(log2 n)", "head prev", "causal",
                "selects exactly one position", "query E \xC2\xB7 key I",
                "sd.0\xE2\x80\xA6sd.4 := d.0\xE2\x80\xA6"
                "d.4",
                "sE := E", "look-up product", "125 units", "191 units", "E := sE", "norm: constant",
                "two-circle", "E: code of max(p-1, 0)", "one-hot, 5 labels"});
  EXPECT_EQ(dot.find("initial block"), std::string::npos);
  EXPECT_EQ(dot.find("final block"), std::string::npos);
}

TEST_F(Drawings, CircuitWithFirstFlagShowsTheInitialBlockAndTheDirection) {
  ScanOptions options;
  options.positions = ScanPositions::first_flag;
  const std::string dot = dot_of(with_derived(compile(scan("Z6", options))));
  expect_parts(dot, {"initial block: 1 layer", "repeated block: 1 layer", "head count",
                     "selects all visible positions", "norm: direction of the group",
                     "I, E := direction of (a[0], a[1])", "first-flag", "key I, 1 back"});
}

TEST_F(Drawings, EveryFamilyOfCellsStandsInTheCircuit) {
  for (const char* const name : {"A5", "S3", "Z6", "flipflop", "A4_x_Z5"}) {
    const Model model = with_derived(compile(scan(name)));
    const CircuitView view = view_circuit(model);
    const std::string dot = dot_of(model);
    EXPECT_TRUE(view.named) << name;
    ASSERT_FALSE(view.cells.empty());
    for (const CellRow& row : view.cells) expect_parts(dot, {xml_text(row.names)});
    EXPECT_LE(view.cells.size(), 12u) << "families, not cells: " << name;
  }
}

TEST_F(Drawings, BothNormsAndUnrolledFilesKeepTheNames) {
  const Program program = scan("S3");
  CompileOptions layernorm, unrolled;
  layernorm.norm = Norm::layernorm;
  unrolled.unroll = 16;
  expect_parts(dot_of(with_derived(compile(program, layernorm))),
               {"head prev", "norm: constant", "sE := E"});
  const std::string dot = dot_of(with_derived(compile(program, unrolled)));
  expect_parts(dot, {"initial block: 4 layers", "head prev", "up to n = 16"});
  EXPECT_EQ(count(dot, "the same weights as layer 1"), 3u);
}

TEST_F(Drawings, WithoutProgramAndCellsTheWeightsAloneAreDrawn) {
  Model model = with_derived(compile(scan("A5")));
  model.derived = {};
  expect_parts(dot_of(model), {"head 1", "selects exactly one position", "sE += E",
                               "query E \xC2\xB7 key I", "191 units", "125 units"});
  model.cells.clear();
  expect_parts(dot_of(model), {"head 1", "selects exactly one position",
                               "query h[5\xE2\x80\xA6"
                               "8] \xC2\xB7 key h[1\xE2\x80\xA6"
                               "4]",
                               "191 units"});
}

TEST_F(Drawings, AProgramThatDoesNotFitTheWeightsNamesNothing) {
  Model model = with_derived(compile(scan("A5")));
  model.derived = with_derived(compile(scan("Z6")))->derived;
  EXPECT_FALSE(view_circuit(model).named);
  expect_parts(dot_of(model), {"head 1", "191 units"});
  model.derived = {};
  model.derived.program = "nonsense";
  EXPECT_FALSE(view_circuit(model).named);
  model.derived = {};
  model.derived.others["program"] = JsonText{"3"};
  EXPECT_FALSE(view_circuit(model).named);
}

TEST_F(Drawings, HostileNamesAreTextInEveryForm) {
  if (!has_graphviz()) GTEST_SKIP() << "dot is not installed";
  Program program = scan("A5");
  program.name = kHostile;
  program.source = "<script>alert(1)</script>\x01\n";
  program.hypotheses.push_back("</td></table>&nbsp;");
  for (std::string& letter : program.alphabet) {
    auto fills = program.embedding.extract(letter);
    letter = kHostile + letter;
    fills.key() = letter;
    program.embedding.insert(std::move(fills));
  }
  std::get<FetchStatement>(program.repeated[0]).name = kHostile;
  Model model = with_derived(compile(program));
  EXPECT_TRUE(view_circuit(model).named);
  save_circuit(model, circuit_cards(model), at("a.svg"));
  const std::string svg = texts();
  // The title of the file, the heading, a head, two letters listed and explained.
  EXPECT_EQ(count(svg, kHostile), 3u + 4u) << svg;
  expect_parts(svg, {"<script>alert(1)</script>\xE2\x90\x81\xE2\x90\x8A"});

  save_circuit(model, circuit_cards(model), at("b.html"));
  Runner runner(model);
  const auto attention = draw_attention(runner, word(model, 5));
  ASSERT_TRUE(attention.has_value());
  save_run(model, attention.value(), true, at("c.svg"));
  save_run(model, attention.value(), true, at("d.html"));
  expect_parts(texts(), {"</td></table>&nbsp;"});

  // Cells are named by the file alone; its index is hashed but free.
  auto cell = model.cells.extract("E");
  cell.key() = kHostile;
  model.cells.insert(std::move(cell));
  auto broken = model.cells.extract("I");
  broken.key() = "\xFF\x80 broken";
  model.cells.insert(std::move(broken));
  save_circuit(model, circuit_cards(model), at("a.svg"));
  expect_parts(texts(), {"sE += " + std::string(kHostile)});
}

TEST_F(Drawings, RandomModelsAreDrawnAndGraphvizTakesThem) {
  const bool graphviz = has_graphviz();
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Model model = ModelMaker(seed).model();
    const std::string dot = dot_of(model);
    ASSERT_EQ(dot, dot_of(model)) << seed;
    if (!graphviz || seed > 20) continue;
    ASSERT_NO_THROW(save_circuit(model, circuit_cards(model), at(std::to_string(seed) + ".html")))
        << seed;
    ASSERT_EQ(render_graphs(dot).size(), 1u) << seed;
  }
  if (graphviz) texts();
}

TEST_F(Drawings, EveryHeadLookupContractAndCellOfARandomProgramIsShown) {
  support::RandomPrograms programs(20260301);
  for (int i = 0; i < 150; ++i) {
    const Program program = programs.draw_valid();
    CompileOptions options;
    if (i % 3 == 0) options.norm = Norm::layernorm;
    const Model model = with_derived(compile(program, options));
    const CircuitCards circuit = circuit_cards(model);
    const CircuitView& view = circuit.view;
    const std::string dot = circuit_dot(circuit);
    std::string lookups;
    for (const SublayerCards& sublayer : circuit.sublayers)
      for (const Card& card : sublayer.parts) {
        expect_parts(dot, {card_label(card)});
        if (card.title.find("look-up") != std::string::npos) lookups += card_text(card);
      }
    ASSERT_TRUE(view.named);
    ASSERT_EQ(view.layers.size(), model.layers.size());
    std::size_t heads = 0, fetches = 0;
    for (const LayerView& layer : view.layers) {
      for (const HeadView& head : layer.heads) {
        expect_parts(dot, {xml_text(head.name)});
        EXPECT_FALSE(head.contract.empty());
      }
      heads += layer.heads.size();
    }
    for (const Block block : {Block::initial, Block::repeated, Block::final}) {
      EXPECT_EQ(dot.find(block_name(block) + " block") != std::string::npos,
                !program.block(block).empty());
      for (const Statement& statement : program.block(block)) {
        if (std::holds_alternative<FetchStatement>(statement)) ++fetches;
        if (const auto* lookup = std::get_if<LookupStatement>(&statement))
          expect_parts(lookups, {" " + lookup->name});
      }
    }
    EXPECT_EQ(heads, fetches);
    for (const CellRow& row : view.cells) expect_parts(dot, {xml_text(row.type)});
    ASSERT_FALSE(HasFailure()) << dot;
  }
}

TEST_F(Drawings, LinesOfAttentionAreTheSelectedPositions) {
  ScanOptions first_flag;
  first_flag.positions = ScanPositions::first_flag;
  for (const ScanOptions& options : {ScanOptions{}, first_flag}) {
    const Model model = with_derived(compile(scan("S3", options)));
    Runner runner(model);
    for (const std::size_t length : {0u, 1u, 2u, 13u, 33u}) {
      SelectionCount selected;
      ASSERT_TRUE(runner.run_word(word(model, length), {&selected}).has_value());
      const auto svg = draw_attention(runner, word(model, length));
      ASSERT_TRUE(svg.has_value());
      const std::string text = strips_svg(svg.value());
      EXPECT_EQ(count(text, "class=\"select\""), selected.positions) << length;
      EXPECT_EQ(count(text, ">reaches</text>"), selected.levels) << length;
    }
  }
}

TEST_F(Drawings, AttentionShowsLoopsHeadsPrefixesAndVerdict) {
  const Model model = with_derived(compile(scan("A5")));
  Runner runner(model);
  const auto drawn = draw_attention(runner, {"a", "a", "a"});
  ASSERT_TRUE(drawn.has_value());
  const std::string svg = strips_svg(drawn.value());
  expect_parts(svg, {">iteration 1<", ">iteration 2<", "head prev: selects exactly one position",
                     ">begin<", ">accept<", ">prefix product<", ">12034<", ">20134<",
                     ">0\xE2\x80\x93"
                     "3<"});
  EXPECT_EQ(svg.find(">iteration 3<"), std::string::npos);
  const auto other = draw_attention(runner, {"a", "b"});
  ASSERT_TRUE(other.has_value());
  expect_parts(strips_svg(other.value()), {">reject<"});
}

TEST_F(Drawings, AKindOfHeadIsExplainedOnceAndEveryLineIsOfAKindOfItsBand) {
  const Model model = with_derived(
      compile(regular_language_tree_MS25_thm4_1(named_monoid("S3"), "S3", TreeOptions{})));
  Runner runner(model);
  const auto tokens = tokens_of(model, word(model, 6));
  const TokenBands bands = attention_bands(runner, tokens.value()).value();
  std::set<std::string> meanings;
  for (const BandStyle& style : bands.styles) {
    const std::size_t comma = style.meaning.find(", ");
    EXPECT_TRUE(meanings.insert(style.meaning.substr(comma)).second) << style.meaning;
  }
  EXPECT_TRUE(meanings.contains(", head prev: selects exactly one position"));
  std::size_t heads = 0, lines = 0;
  for (const Layer& layer : model.layers) heads += layer.attention.heads.size();
  EXPECT_LT(bands.styles.size(), heads) << "the last layers are the last loop once more";
  for (const Band& band : bands.bands) {
    const std::set<std::size_t> own(band.styles.begin(), band.styles.end());
    EXPECT_EQ(own.size(), band.styles.size()) << "heads of one layer are told apart";
    for (const BandLine& line : band.lines) EXPECT_TRUE(own.contains(line.style));
    lines += band.lines.size();
    EXPECT_EQ(band.details.size(), bands.tokens.size());
  }
  EXPECT_EQ(count(strips_svg(token_bands_picture({bands}, "")), "class=\"select\""), lines);

  // Without a program heads have numbers, which say nothing from layer to layer.
  Model nameless = model;
  nameless.derived = {};
  Runner same(nameless);
  EXPECT_EQ(attention_bands(same, tokens.value()).value().styles.size(), heads);
}

TEST_F(Drawings, LinesToTokensThatCarryNothingStandBackAndMoreTokensGetHigherBands) {
  const Model model = with_derived(compile(scan("Z2")));
  Runner runner(model);
  const auto height = [&](std::size_t letters) {
    const StripPicture picture = draw_attention(runner, word(model, letters)).value();
    return picture.strips[1].bottom - picture.strips[1].top;
  };
  EXPECT_EQ(height(8), height(19));
  EXPECT_LT(height(19), height(40));
  EXPECT_LT(height(40), height(70));
  const std::string svg = strips_svg(draw_attention(runner, word(model, 2)).value());
  EXPECT_EQ(count(svg, "stroke-opacity=\"0.34\""), 2u) << "the beginning reads itself";
  EXPECT_EQ(count(svg, "stroke-opacity=\"0.85\""), 1u) << "the second letter reads the first";
}

TEST_F(Drawings, TheSameInputGivesTheSameBytes) {
  const Model model = with_derived(compile(scan("S3")));
  Runner first(model), second(model);
  const auto letters = word(model, 9);
  static_cast<void>(first.run_word(word(model, 4)));  // what a runner computed before does not show
  EXPECT_EQ(run_page(model, draw_attention(first, letters).value(), true),
            run_page(model, draw_attention(second, letters).value(), true));
  EXPECT_EQ(dot_of(model), dot_of(with_derived(compile(scan("S3")))));
  if (!has_graphviz()) GTEST_SKIP() << "dot is not installed";
  const CircuitCards circuit = circuit_cards(model);
  const std::string svg = circuit_sheet(circuit).svg;
  EXPECT_EQ(svg, circuit_sheet(circuit).svg);
  EXPECT_EQ(circuit_page(model, circuit_strips(circuit)),
            circuit_page(model, circuit_strips(circuit)));
  EXPECT_EQ(svg.find("graphviz version"), std::string::npos);
  EXPECT_EQ(svg.find("<!"), std::string::npos);
}

TEST_F(Drawings, NoAnswerIsReportedAndNotDrawn) {
  CompileOptions unrolled;
  unrolled.unroll = 4;
  const Model small = with_derived(compile(scan("S3"), unrolled));
  Runner runner(small);
  const auto beyond = draw_attention(runner, word(small, 5));
  ASSERT_FALSE(beyond.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(beyond.refusal()));

  Model tied = with_derived(compile(scan("S3")));
  tied.unembedding.entries.clear();
  Runner undecided(tied);
  const auto tie = draw_attention(undecided, word(tied, 3));
  ASSERT_FALSE(tie.has_value());
  EXPECT_TRUE(std::holds_alternative<Undecided>(tie.refusal()));
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no refusal";
}

TEST_F(Drawings, WordsTooLongForAPictureAreRefusedWithTheLimit) {
  const Model model = with_derived(compile(scan("Z2")));
  Runner runner(model);
  EXPECT_TRUE(draw_attention(runner, word(model, 79)).has_value());  // and the beginning token
  const std::string message =
      refusal([&] { static_cast<void>(draw_attention(runner, word(model, 80))); });
  expect_parts(message, {"80", "81"});
}

TEST_F(Drawings, TheEndingOfTheNameChoosesTheForm) {
  const Model model = with_derived(compile(scan("S3")));
  const CircuitCards circuit = circuit_cards(model);
  EXPECT_EQ(save_circuit(model, circuit, at("a.dot")), "");
  EXPECT_EQ(read_whole_file(at("a.dot")), circuit_dot(circuit));
  expect_parts(refusal([&] { save_circuit(model, circuit, at("a.gif")); }),
               {".svg", ".dot", ".html", ".pdf", ".png", "a.gif"});
  Runner runner(model);
  const StripPicture attention = draw_attention(runner, word(model, 3)).value();
  expect_parts(refusal([&] { save_run(model, attention, true, at("b.dot")); }),
               {"b.dot", ".html", "no DOT form"});
  save_run(model, attention, true, at("b.svg"));
  EXPECT_EQ(read_whole_file(at("b.svg")), strips_svg(attention));
  save_run(model, attention, true, at("b.html"));
  expect_parts(texts(), {"hypotheses", "deviations", "MS25 Thm 4.1", "ceil(log2 n)"});
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_FALSE(entry.path().string().ends_with(".part"));
}

TEST_F(Drawings, WithoutTheProgramsThatRenderTheirPackagesAreNamed) {
  const char* const path = std::getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", folder_.c_str(), 1);
  const std::string dot = refusal([] { render_graphs("digraph g {}"); });
  const std::string rsvg = refusal([] { render_svg("<svg/>", "png"); });
  setenv("PATH", before.c_str(), 1);
  expect_parts(dot, {"Debian package graphviz"});
  expect_parts(rsvg, {"a .png", "Debian package librsvg2-bin"});
}

TEST_F(Drawings, PdfAndPngAreTheSamePictureAndTheSameBytes) {
  const std::string svg = strips_svg({"t", 40, {{.name = "s", .bottom = 30}}});
  std::string png;
  try {
    png = render_svg(svg, "png");
  } catch (const InputError&) {
    GTEST_SKIP() << "rsvg-convert is not installed";
  }
  ASSERT_TRUE(png.starts_with("\x89PNG"));
  // Width and height stand at the bytes 16 and 20, most significant first.
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x50\0\0\0\x3C", 8)) << "twice the size";
  const std::string pdf = render_svg(svg, "pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_EQ(pdf, render_svg(svg, "pdf"));
}

}  // namespace
}  // namespace logdepth::drawings_tests
