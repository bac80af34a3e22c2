// Drawings: what stands in a circuit and in a picture of attention, for sound and for hostile
// names, and in which files a drawing is saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/SHT24/induction_hops_thm4_2.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/render.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::drawings_tests { namespace {

using support::refusal;

namespace fs = std::filesystem;

constexpr const char* kHostile = "\"<&'\\N\\G]]>%--;{|}";

class Drawings : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.file(name); }

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
    const std::string command = "\"" + support::python() + "\" \"" + at("read.py") + "\" \"" +
                                folder_.path().string() + "\"";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return fs::exists(at("texts")) ? read_whole_file(at("texts")) : "";
  }

  const support::TemporaryFolder folder_;
};

bool has_graphviz() {
  try {
    render_graphs("digraph g { a -> b; }");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// All labels of a circuit, as Graphviz sets them.
std::string labels_of(const CircuitCards& circuit) {
  std::string text = heading_label(circuit);
  for (const Card* card : {&circuit.embedding, &circuit.position, &circuit.output})
    text += card_label(*card);
  for (const Block block : circuit.blocks) text += block_label(block_text(circuit, block));
  for (const SublayerCards& sublayer : circuit.sublayers) {
    if (sublayer.mask) text += card_label(*sublayer.mask);
    for (const Card& card : sublayer.parts) text += card_label(card);
  }
  const auto& cells = circuit.view.cells;
  return text + cells_label(cells, 0, cells.size());
}

std::string labels_of(const Model& model) {
  return labels_of(circuit_cards(model));
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

/// The attention on a word of the model's letters.
Outcome<StripPicture> drawn_word(Runner& runner, const std::vector<std::string>& letters) {
  const auto tokens = tokens_of(runner.model(), letters);
  if (!tokens.has_value()) return tokens.refusal();
  return draw_attention(runner, tokens.value());
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
  const std::string labels = labels_of(with_derived(compile(scan("A5"))));
  expect_parts(labels,
               {"<B>A5&#160;<", "depth ceil(log2 n)", "shape (0, 1, 0)", "MS25 Thm 4.1",
                "repeated block: 1 layer \xC3\x97 ceil(log2 n)", "head prev", "causal",
                "selects exactly one position", "query E \xC2\xB7 key I",
                "sd.0\xE2\x80\xA6sd.4 := d.0\xE2\x80\xA6"
                "d.4",
                "sE := E", "look-up product", "125 units", "191 units", "E := sE", "norm: constant",
                "two-circle", "E: code of max(p-1, 0)", "one-hot, 5 labels"});
  EXPECT_EQ(labels.find("initial block"), std::string::npos);
  EXPECT_EQ(labels.find("final block"), std::string::npos);
}

TEST_F(Drawings, CircuitWithFirstFlagShowsTheInitialBlockAndTheDirection) {
  ScanOptions options;
  options.positions = ScanPositions::first_flag;
  const std::string labels = labels_of(with_derived(compile(scan("Z6", options))));
  expect_parts(labels, {"initial block: 1 layer", "repeated block: 1 layer", "head count",
                        "selects all visible positions", "norm: direction of the group",
                        "I, E := direction of (a[0], a[1])", "first-flag", "key I, 1 back"});
}

TEST_F(Drawings, CircuitOfRowsSaysWhatItsTokensHold) {
  expect_parts(labels_of(with_derived(compile(graph_connectivity_rows_MS25_thm5_1(2)))),
               {"a row of the adjacency matrix"});
}

TEST_F(Drawings, EveryFamilyOfCellsStandsInTheCircuit) {
  for (const char* const name : {"A5", "S3", "Z6", "flipflop", "A4_x_Z5"}) {
    const Model model = with_derived(compile(scan(name)));
    const CircuitView view = view_circuit(model);
    const std::string labels = labels_of(model);
    EXPECT_TRUE(view.named) << name;
    ASSERT_FALSE(view.cells.empty());
    for (const CellRow& row : view.cells) expect_parts(labels, {xml_text(row.names)});
    EXPECT_LE(view.cells.size(), 12u) << "families, not cells: " << name;
  }
}

TEST_F(Drawings, BothNormsAndUnrolledFilesKeepTheNames) {
  const Program program = scan("S3");
  CompileOptions layernorm, unrolled;
  layernorm.norm = Norm::layernorm;
  unrolled.unroll = 16;
  expect_parts(labels_of(with_derived(compile(program, layernorm))),
               {"head prev", "norm: constant", "sE := E"});
  const std::string labels = labels_of(with_derived(compile(program, unrolled)));
  expect_parts(labels, {"initial block: 4 layers", "head prev", "up to n = 16"});
  EXPECT_EQ(count(labels, "the same weights as layer 1"), 3u);
}

TEST_F(Drawings, WithoutProgramAndCellsTheWeightsAloneAreDrawn) {
  Model model = with_derived(compile(scan("A5")));
  model.derived = {};
  expect_parts(labels_of(model), {"head 1", "selects exactly one position", "sE += E",
                                  "query E \xC2\xB7 key I", "191 units", "125 units"});
  model.cells.clear();
  expect_parts(labels_of(model), {"head 1", "selects exactly one position",
                                  "query h[5\xE2\x80\xA6"
                                  "8] \xC2\xB7 key h[1\xE2\x80\xA6"
                                  "4]",
                                  "191 units"});
}

TEST_F(Drawings, AProgramThatDoesNotFitTheWeightsNamesNothing) {
  Model model = with_derived(compile(scan("A5")));
  model.derived = with_derived(compile(scan("Z6")))->derived;
  EXPECT_FALSE(view_circuit(model).named);
  expect_parts(labels_of(model), {"head 1", "191 units"});
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
  const auto attention = drawn_word(runner, word(model, 5));
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
    const std::string labels = labels_of(model);
    ASSERT_EQ(labels, labels_of(model)) << seed;
    if (!graphviz || seed > 20) continue;
    ASSERT_NO_THROW(save_circuit(model, circuit_cards(model), at(std::to_string(seed) + ".html")))
        << seed;
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
    const std::string labels = labels_of(circuit);
    std::string lookups;
    for (const SublayerCards& sublayer : circuit.sublayers)
      for (const Card& card : sublayer.parts) {
        if (card.title.find("look-up") != std::string::npos) lookups += card_text(card);
      }
    ASSERT_TRUE(view.named);
    ASSERT_EQ(view.layers.size(), model.layers.size());
    std::size_t heads = 0, fetches = 0;
    for (const LayerView& layer : view.layers) {
      for (const HeadView& head : layer.heads) {
        expect_parts(labels, {xml_text(head.name)});
        EXPECT_FALSE(head.contract.empty());
      }
      heads += layer.heads.size();
    }
    for (const Block block : {Block::initial, Block::repeated, Block::final}) {
      EXPECT_EQ(labels.find(block_name(block) + " block") != std::string::npos,
                !program.block(block).empty());
      for (const Statement& statement : program.block(block)) {
        if (std::holds_alternative<FetchStatement>(statement)) ++fetches;
        if (const auto* lookup = std::get_if<LookupStatement>(&statement))
          expect_parts(lookups, {" " + lookup->name});
      }
    }
    EXPECT_EQ(heads, fetches);
    for (const CellRow& row : view.cells) expect_parts(labels, {xml_text(row.type)});
    ASSERT_FALSE(HasFailure()) << labels;
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
      const auto svg = drawn_word(runner, word(model, length));
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
  const auto drawn = drawn_word(runner, {"a", "a", "a"});
  ASSERT_TRUE(drawn.has_value());
  const std::string svg = strips_svg(drawn.value());
  expect_parts(svg, {">iteration 1<", ">iteration 2<", "head prev: selects exactly one position",
                     ">begin<", ">accept<", ">prefix product<", ">12034<", ">20134<",
                     ">0\xE2\x80\x93"
                     "3<"});
  EXPECT_EQ(svg.find(">iteration 3<"), std::string::npos);
  const auto other = drawn_word(runner, {"a", "b"});
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
    const StripPicture picture = drawn_word(runner, word(model, letters)).value();
    return picture.strips[1].bottom - picture.strips[1].top;
  };
  EXPECT_EQ(height(8), height(19));
  EXPECT_LT(height(19), height(40));
  EXPECT_LT(height(40), height(70));
  const std::string svg = strips_svg(drawn_word(runner, word(model, 2)).value());
  EXPECT_EQ(count(svg, "stroke-opacity=\"0.34\""), 2u) << "the beginning reads itself";
  EXPECT_EQ(count(svg, "stroke-opacity=\"0.85\""), 1u) << "the second letter reads the first";
}

TEST_F(Drawings, AnswersByNameStandUnderTheTokens) {
  const Model model = with_derived(compile(induction_hops({HopsForm::fixed, 2, 3})));
  Runner runner(model);
  const auto tokens = tokens_of(model, {"a", "b", "a", "b", "a"});
  const TokenBands bands = attention_bands(runner, tokens.value()).value();
  ASSERT_EQ(bands.results.size(), 1u);
  EXPECT_EQ(bands.results[0].label, "answer");
  // The second b leads to the second a, that to the first b; the third a to the second b, that to the second a.
  EXPECT_EQ(bands.results[0].texts,
            (std::vector<std::string>{"none", "none", "none", "none", "b", "a"}));
  const Model scanned = with_derived(compile(scan("S3")));
  Runner other(scanned);
  const TokenBands products =
      attention_bands(other, tokens_of(scanned, word(scanned, 3)).value()).value();
  for (const BandRow& row : products.results) EXPECT_NE(row.label, "answer");
}

TEST_F(Drawings, TheSameInputGivesTheSameBytes) {
  const Model model = with_derived(compile(scan("S3")));
  Runner first(model), second(model);
  const auto letters = word(model, 9);
  static_cast<void>(first.run_word(word(model, 4)));  // what a runner computed before does not show
  EXPECT_EQ(run_page(model, drawn_word(first, letters).value(), true),
            run_page(model, drawn_word(second, letters).value(), true));
  EXPECT_EQ(labels_of(model), labels_of(with_derived(compile(scan("S3")))));
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
  const auto beyond = drawn_word(runner, word(small, 5));
  ASSERT_FALSE(beyond.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(beyond.refusal()));

  Model tied = with_derived(compile(scan("S3")));
  tied.unembedding.entries.clear();
  Runner undecided(tied);
  const auto tie = drawn_word(undecided, word(tied, 3));
  ASSERT_FALSE(tie.has_value());
  EXPECT_TRUE(std::holds_alternative<Undecided>(tie.refusal()));
}

TEST_F(Drawings, WordsTooLongForAPictureAreRefusedWithTheLimit) {
  const Model model = with_derived(compile(scan("Z2")));
  Runner runner(model);
  EXPECT_TRUE(drawn_word(runner, word(model, 79)).has_value());  // and the beginning token
  const std::string message =
      refusal([&] { static_cast<void>(drawn_word(runner, word(model, 80))); });
  expect_parts(message, {"80", "81"});
}

TEST_F(Drawings, TheEndingOfTheNameChoosesTheForm) {
  const Model model = with_derived(compile(scan("S3")));
  const CircuitCards circuit = circuit_cards(model);
  expect_parts(refusal([&] { save_circuit(model, circuit, at("a.gif")); }),
               {".svg", ".html", ".pdf", ".png", "a.gif"});
  Runner runner(model);
  const StripPicture attention = drawn_word(runner, word(model, 3)).value();
  expect_parts(refusal([&] { save_run(model, attention, true, at("b.dot")); }), {"b.dot", ".html"});
  save_run(model, attention, true, at("b.svg"));
  EXPECT_EQ(read_whole_file(at("b.svg")), strips_svg(attention));
  save_run(model, attention, true, at("b.html"));
  expect_parts(texts(), {"hypotheses", "deviations", "MS25 Thm 4.1", "ceil(log2 n)"});
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().string().ends_with(".part"));
}

TEST_F(Drawings, WithoutTheProgramsThatRenderTheirPackagesAreNamed) {
  const char* const path = std::getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", folder_.path().c_str(), 1);
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

// Circuits on a page: every card once and in order, columns that the stream leads through, heads
// that select alike as one card that is true of each, letters as large as is said.

Model connectivity(ConnectivityForm form = ConnectivityForm::compact) {
  return with_derived(
      compile(graph_connectivity_MS25_thm5_1(form, GraphInput::Padding::n3_minus_n2)));
}
Model division() {
  return with_derived(compile(division_MS25_lem3_1()));
}
Model scan_of(const std::string& monoid, std::uint32_t unroll = 0) {
  CompileOptions options;
  if (unroll > 0) options.unroll = unroll;
  return with_derived(
      compile(regular_language_scan_MS25_thm4_1(named_monoid(monoid), monoid, {}), options));
}
Model tree() {
  return with_derived(compile(regular_language_tree_MS25_thm4_1(named_monoid("S3"), "S3", {})));
}
Model arithmetic() {
  return with_derived(compile(computation_graph({.prime = 5, .names = 16, .depth = 8})));
}

class CircuitSheets : public testing::Test {
 protected:
  void SetUp() override {
    try {
      render_graphs("graph { a; }");
    } catch (const InputError&) {
      GTEST_SKIP() << "dot is not installed";
    }
  }
};

/// Where a card of a sublayer stands, as the bytes of the SVG say it.
struct Seen {
  std::string key;
  double x = 0, y = 0;
};

std::vector<std::smatch> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()};
}

std::vector<Seen> cards_seen(const std::string& svg) {
  std::vector<Seen> seen;
  for (const std::smatch& card : matches(
           svg, "<g data-key=\"([^\"]+)\">\\s*<g transform=\"translate\\(([0-9.]+) ([0-9.]+)\\)"))
    seen.push_back({card[1], std::stod(card[2]), std::stod(card[3])});
  return seen;
}

/// The keys that a circuit has, in the order of the stream.
std::vector<std::string> keys_of(const CircuitCards& circuit) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < circuit.sublayers.size(); ++i) {
    const std::size_t cards =
        circuit.sublayers[i].parts.size() + (circuit.sublayers[i].mask ? 1 : 0);
    for (std::size_t card = 0; card < cards; ++card)
      keys.push_back("c" + std::to_string(i) + "-" + std::to_string(card));
  }
  return keys;
}

std::vector<std::string> keys_seen(const std::string& svg) {
  std::vector<std::string> keys;
  for (const Seen& card : cards_seen(svg)) keys.push_back(card.key);
  return keys;
}

TEST_F(CircuitSheets, EveryCardStandsOnceAndInOrderAndColumnsAreReadFromTheLeft) {
  for (const Model& model : {connectivity(), connectivity(ConnectivityForm::paper), division(),
                             tree(), arithmetic(), scan_of("A5"), scan_of("S3", 1 << 20)}) {
    const CircuitCards circuit = circuit_cards(model);
    const CircuitSheet sheet = circuit_sheet(circuit);
    EXPECT_EQ(keys_seen(sheet.svg), keys_of(circuit)) << circuit.name;
    // The next sublayer stands below, or at the top of a column further right.
    std::size_t columns = 1;
    double right = 0, above = 0;
    std::string sublayer;
    for (const Seen& card : cards_seen(sheet.svg)) {
      const std::string own = card.key.substr(0, card.key.find('-'));
      if (own != sublayer && card.y < above) {
        EXPECT_GT(card.x, right) << circuit.name << " " << card.key;
        ++columns;
      }
      sublayer = own;
      above = card.y;
      right = std::max(right, card.x);
    }
    EXPECT_LE(columns, sheet.columns) << "cells may have columns of their own: " << circuit.name;
    EXPECT_GE(columns + 1, sheet.columns) << circuit.name;
  }
}

TEST_F(CircuitSheets, OnlyWhatIsLongerThanAPageHasColumns) {
  EXPECT_EQ(circuit_sheet(circuit_cards(scan_of("Z2"))).columns, 1u);
  EXPECT_GE(circuit_sheet(circuit_cards(division())).columns, 2u);
  EXPECT_GE(circuit_sheet(circuit_cards(connectivity())).columns, 3u);
}

TEST_F(CircuitSheets, TheStreamLeavesAColumnAtItsBottomAndEntersTheNextAtItsTop) {
  for (const Model& model : {connectivity(), division(), tree(), scan_of("A5")}) {
    const CircuitSheet sheet = circuit_sheet(circuit_cards(model));
    const auto streams =
        matches(sheet.svg,
                "<line x1=\"([0-9.]+)\" y1=\"([0-9.]+)\" x2=\"\\1\" y2=\"([0-9.]+)\" "
                "stroke=\"#8A8A8A\" stroke-width=\"2.4\"");
    const auto ways =
        matches(sheet.svg,
                "d=\"M([0-9.]+) ([0-9.]+)V([0-9.]+)H([0-9.]+)V[0-9.]+H([0-9.]+)V([0-9.]+)\" "
                "fill=\"none\" stroke=\"#8A8A8A\" stroke-width=\"2.4\"");
    ASSERT_EQ(streams.size(), ways.size() + 1) << model.name;
    EXPECT_LE(streams.size(), sheet.columns);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      EXPECT_EQ(ways[i][1], streams[i][1]);
      EXPECT_EQ(ways[i][2], streams[i][3]) << "from the bottom";
      EXPECT_EQ(ways[i][5], streams[i + 1][1]);
      EXPECT_EQ(ways[i][6], streams[i + 1][2]) << "to the top";
      EXPECT_GT(std::stod(ways[i][3]), std::stod(streams[i][3]));
      EXPECT_LT(std::stod(ways[i][4]), std::stod(streams[i + 1][1]));
    }
  }
}

TEST_F(CircuitSheets, FramesAreContinuedAndTheLoopLeadsBackThroughEveryColumnOfItsBlock) {
  for (const Model& model : {connectivity(), connectivity(ConnectivityForm::paper), tree()}) {
    const CircuitCards circuit = circuit_cards(model);
    const CircuitSheet sheet = circuit_sheet(circuit);
    std::size_t parts = 0;
    for (const std::string block : {"initial", "repeated", "final"}) {
      EXPECT_EQ(count(sheet.svg, ">" + block + " block: "), 1u);
      parts += count(sheet.svg, ">" + block + " block, continued<");
    }
    EXPECT_LE(parts, sheet.columns - 1);
    const std::size_t more = count(sheet.svg, ">repeated block, continued<");
    EXPECT_EQ(count(sheet.svg, "stroke-dasharray"), 1 + 2 * more) << model.name;
  }
  EXPECT_EQ(count(circuit_sheet(circuit_cards(division())).svg, "stroke-dasharray"), 0u);
}

/// As large as it can stand within margins of 15 mm of a page of 210 mm by 297 mm.
double points_on_paper(double letters, double width, double height) {
  const double mm = 72 / 25.4;
  const double upright = std::min(180 * mm / width, 267 * mm / height);
  const double across = std::min(267 * mm / width, 180 * mm / height);
  return letters * std::min(1.0, std::max(upright, across));
}

TEST_F(CircuitSheets, TheStatedLettersAreTheSmallestOfTheFileOnAPage) {
  bool across = false;
  for (const Model& model :
       {connectivity(), division(), tree(), arithmetic(), scan_of("Z2"), scan_of("S3", 1 << 20)}) {
    const CircuitSheet sheet = circuit_sheet(circuit_cards(model));
    double smallest = 1000;
    for (const std::smatch& size : matches(sheet.svg, "font-size=\"([0-9.]+)\""))
      smallest = std::min(smallest, std::stod(size[1]));
    const std::smatch size =
        matches(sheet.svg, "^<svg [^>]*width=\"([0-9.]+)\" height=\"([0-9.]+)\"").at(0);
    const double points = points_on_paper(smallest, std::stod(size[1]), std::stod(size[2]));
    EXPECT_NEAR(sheet.letters, points, 0.01) << model.name;
    const std::string said = sheet_text(sheet);
    const std::size_t at = said.find("letters are ") + 12;
    EXPECT_NEAR(std::stod(said.substr(at)), points, 0.051) << said;
    EXPECT_EQ(std::stoul(said), sheet.columns) << said;
    EXPECT_GE(points, 5) << model.name;
    EXPECT_EQ(said.find(" across ") != std::string::npos, sheet.across);
    across = across || sheet.across;
    // Nothing stands outside of the picture.
    for (const Seen& card : cards_seen(sheet.svg)) {
      EXPECT_LT(card.x, std::stod(size[1]));
      EXPECT_LT(card.y, std::stod(size[2]));
    }
  }
  EXPECT_TRUE(across) << "a wide sheet is among them";
}

/// What the card says of this member: what all have in common, and the line of its own.
std::string said_of(const Card& card, const std::string& name) {
  std::string said = card.title + " " + card.aside + " " + card.emphasis + " " + card.quiet;
  for (const std::string& line : card.lines) {
    const bool of_another = card.title.find(" heads") != std::string::npos &&
                            line.find(": ") != std::string::npos && !line.starts_with(name + ": ");
    if (!of_another) said += "\n" + line;
  }
  return said;
}

TEST_F(CircuitSheets, HeadsThatSelectAlikeAreOneCardThatIsTrueOfEachOfThem) {
  support::RandomPrograms programs(20261123);
  std::vector<Model> models = {connectivity(), division(), arithmetic(), tree()};
  for (int i = 0; i < 60; ++i) models.push_back(with_derived(compile(programs.draw_valid())));
  std::size_t grouped = 0;
  for (const Model& model : models) {
    const CircuitCards circuit = circuit_cards(model);
    for (const LayerView& layer : circuit.view.layers) {
      if (layer.heads.empty() || layer.same_as) continue;
      const auto sublayer =
          std::find_if(circuit.sublayers.begin(), circuit.sublayers.end(),
                       [&](const SublayerCards& s) { return s.layer == layer.layer; });
      std::set<std::pair<std::string, std::string>> kinds;
      for (const HeadView& head : layer.heads) {
        kinds.emplace(head.contract, head.scope);
        const auto card =
            std::find_if(sublayer->parts.begin(), sublayer->parts.end(), [&](const Card& c) {
              return c.aside == head.scope && c.emphasis.ends_with("selects " + head.contract);
            });
        ASSERT_NE(card, sublayer->parts.end()) << head.name;
        const std::string said = said_of(*card, head.name);
        std::vector<std::string> own = head.writes;
        own.push_back(head.match);
        own.push_back("score dimension " + std::to_string(head.dimension));
        own.push_back("value dimension " + std::to_string(head.values));
        own.push_back(head.name);
        for (const std::string& line : own)
          EXPECT_NE(said.find(line), std::string::npos) << line << " of " << head.name << ":\n"
                                                        << said;
      }
      EXPECT_EQ(sublayer->parts.size(), kinds.size());
      grouped += layer.heads.size() - kinds.size();
    }
  }
  EXPECT_GT(grouped, 10u);
}

TEST_F(CircuitSheets, AGroupSaysOnceWhatAllHaveInCommonAndNamesEachWithItsOwn) {
  const CircuitCards circuit = circuit_cards(arithmetic());
  const Card& card = circuit.sublayers.at(2).parts.at(0);
  EXPECT_EQ(card.title, "4 heads: own, operand.0\xE2\x80\xA6operand.2");
  EXPECT_EQ(card.aside, "causal");
  EXPECT_EQ(card.emphasis, "each selects the one position that matches in 1 term");
  EXPECT_EQ(card.quiet, "score dimension 2, value dimension 7");
  ASSERT_EQ(card.lines.size(), 4u);
  EXPECT_EQ(card.lines[2],
            "operand.1: query one, n.1[0\xE2\x80\xA6"
            "7, 9\xE2\x80\xA6"
            "17] \xC2\xB7 key K; f.1 := v");
  EXPECT_EQ(circuit.sublayers.at(0).parts.at(0).lines.size(), 7u) << "one line for each of seven";
}

TEST_F(CircuitSheets, APageHasEveryLayerAsAStepWithItsCardsNotesAndTables) {
  for (const Model& model : {connectivity(), tree(), scan_of("S3", 16)}) {
    const CircuitCards circuit = circuit_cards(model);
    const StripPicture picture = circuit_strips(circuit);
    std::vector<std::string> keys;
    std::size_t step = 0;
    for (const Strip& strip : picture.strips) {
      const auto own = keys_seen(strip.elements);
      keys.insert(keys.end(), own.begin(), own.end());
      EXPECT_FALSE(strip.tables.empty()) << strip.name;
      if (!strip.step) continue;
      EXPECT_EQ(*strip.step, ++step);
      ASSERT_EQ(strip.notes.size(), own.size());
      for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(strip.notes[i].key, own[i]);
      const LayerView& layer = circuit.view.layers[step - 1];
      if (layer.same_as) continue;
      EXPECT_EQ(strip.tables.front().rows.size(), layer.heads.size()) << "each head by itself";
    }
    EXPECT_EQ(step, model.layers.size());
    EXPECT_EQ(count(picture.strips.back().elements, "<rect"), 0u) << "tables stand by themselves";
    EXPECT_EQ(keys, keys_of(circuit));
  }
}

}}  // namespace logdepth::drawings_tests
