// What is not exactly the documented format is refused with key and line, and no text whatever does
// more harm than a sentence.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/json_tape.hpp"
#include "logdepth/errors.hpp"
#include "recheck/refusal.hpp"
#include "recheck/weights.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::weights_refusals_tests { namespace {

std::string refusal_of(const std::string& text) {
  return support::refusal([&] { static_cast<void>(parse_weights(text, "m.json")); });
}

struct Edit {
  std::string find, replace;  ///< the first occurrence in the example's text
  std::string expected;       ///< in the message
  int line_offset = 0;        ///< of the reported line, from the line where `find` starts
};

/// The other readers of the format, which have to refuse the same: the checker's, and examples/exact_runner.py.
class OtherReaders {
 public:
#ifdef __EMSCRIPTEN__  // which has neither the checker nor Python: there the library's reader is tested alone
  void add(const std::string&, bool, bool = true) {}
#else
  /// A text has the hash of its content where it has one, so that the other rules decide.
  void add(std::string text, bool refused, bool seal = true) {
    const std::string key = "\"sha256\": \"";
    bool read = false;
    try {
      const recheck::Json whole = recheck::parse_json(text);
      recheck::Json hashed = whole;
      std::erase_if(hashed.members, [](const recheck::Member& member) {
        return member.key == "derived" || member.key == "sha256";
      });
      if (seal && whole.has("sha256"))
        text.replace(text.rfind(key) + key.size(), whole.at("sha256").string().size(),
                     recheck::sha256_of(recheck::canonical_text(hashed)));
      static_cast<void>(recheck::read_weights(recheck::parse_json(text)));
      read = true;
    } catch (const recheck::Malformed&) {
    }
    EXPECT_EQ(read, !refused) << "the checker reads another format:\n" << text.substr(0, 4000);
    folder_.write(std::to_string(count_++) + (refused ? ".refused" : ".read"), text);
  }
  ~OtherReaders() {
    const support::Finished finished =
        support::run_process({support::python(), "-c",
                              "import pathlib, sys\n"
                              "sys.path.insert(0, sys.argv[1])\n"
                              "from exact_runner import Model\n"
                              "for path in sorted(pathlib.Path().iterdir()):\n"
                              "    try:\n"
                              "        Model(path)\n"
                              "        found = '.read'\n"
                              "    except (ValueError, TypeError, KeyError, AttributeError, "
                              "IndexError, RecursionError):\n"
                              "        found = '.refused'\n"
                              "    if path.suffix != found:\n"
                              "        print(path, path.read_text()[:4000])\n",
                              support::source_dir() + "/examples"},
                             folder_.path());
    EXPECT_EQ(finished.out + finished.err, "") << "exact_runner.py reads another format";
  }

 private:
  support::TemporaryFolder folder_;
  int count_ = 0;
#endif
};

/// Makes each edit in turn and compares the refusal with what is expected; the other readers refuse it too.
void check(const std::string& valid, const std::vector<Edit>& edits) {
  OtherReaders others;
  others.add(valid, false);
  for (const Edit& edit : edits) {
    const auto at = valid.find(edit.find);
    ASSERT_NE(at, std::string::npos) << edit.find;
    std::string text = valid;
    text.replace(at, edit.find.size(), edit.replace);
    const std::string message = refusal_of(text);
    EXPECT_NE(message.find(edit.expected), std::string::npos) << edit.replace << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 400u) << message;
    others.add(text, true, !edit.expected.starts_with("sha256"));
    if (edit.line_offset == 1000) continue;  // the line of another key
    const auto line = 1 + std::count(valid.begin(), valid.begin() + static_cast<long>(at), '\n') +
                      edit.line_offset;
    EXPECT_TRUE(message.starts_with("m.json:" + std::to_string(line) + ": "))
        << edit.replace << " on line " << line << "\n"
        << message;
  }
}

TEST(WeightsRefusals, EveryRefusalNamesTheKeyAndTheLine) {
  const std::string valid = write_weights(example_model());
  const std::string number40(40, '7');
  const std::vector<Edit> edits = {
      // Spelling.
      {"\"name\": \"example\"", "\"name\": \"example", "not valid JSON: while parsing"},
      {"\"name\": \"example\"", "\"name\": \"\xff\"", "ill-formed UTF-8"},
      {"\"name\": \"example\"", "\"name\": \"\\ud800\"", "not valid JSON"},
      {"\"name\": \"example\"", "\"name\": NaN", "not valid JSON"},
      {"\"name\": \"example\"", "\"name\": 1e999", "not valid JSON"},
      {"\"name\": \"example\"", "\"name\": \"x\",\n\"name\": \"y\"", "the key name appears twice",
       1},
      {"\"name\": \"example\"", "\"name\": \"x\",\n\"colour\": \"y\"", "colour: unknown key", 1},
      {"\"begin\": true", "\"begin\": true,\n\"colour\": 1", "input.colour: unknown key", 1},
      {"\"causal\": true", "\"causal\": true,\n\"causal\": true",
       "the key layers[0].attention.heads[0].causal appears twice", 1},
      {"\"causal\": true,\n", "", "layers[0].attention.heads[0]: the key \"causal\" is missing",
       -1},
      {"\"name\": \"example\"", "\"name\": 7", "name: expected a string, found an integer"},
      {"\"name\": \"example\"", "\"name\": null", "name: expected a string, found null"},
      {"\"hypotheses\": [\"none\"]", "\"hypotheses\": \"none\"",
       "hypotheses: expected an array, found a string"},
      {"\"hypotheses\": [\"none\"]", "\"hypotheses\": [7]", "hypotheses[0]: expected a string"},
      {"\"parameters\": {}", "\"parameters\": []", "parameters: expected an object"},
      {"\"parameters\": {}", "\"parameters\": {\"a\":1,\n\"a\":2}",
       "the key parameters.a appears twice", 1},
      {"\"begin\": true", "\"begin\": 1", "input.begin: expected a boolean, found an integer"},
      {"\"width\": 4", "\"width\": 4.0",
       "width: expected an integer from 1 to 1048576, found \"4.0\""},
      {"\"width\": 4", "\"width\": \"4\"", "width: expected an integer"},
      {"\"width\": 4", "\"width\": 0", "width: expected an integer from 1"},
      {"\"width\": 4", "\"width\": -4", "width: expected an integer from 1"},
      {"\"width\": 4", "\"width\": 1048577", "width: expected an integer from 1 to 1048576"},
      {"\"width\": 4", "\"width\": " + number40, "width: expected an integer from 1"},
      // Rationals.
      {"[1,0,\"3/4\"]", "[1,0,\"6/8\"]", "output.entries[0][2]: expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/0\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/1\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"+3/4\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/-4\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"03/4\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/04\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"-0\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\" 3/4\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/4 \"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/4\\u0000\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"0.75\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,\"\"]", "expected a rational number"},
      {"[1,0,\"3/4\"]", "[1,0,0.75]", "entries[0][2]: expected a string, found a number"},
      {"[1,0,\"3/4\"]", "[1,0,1]", "entries[0][2]: expected a string, found an integer"},
      {"[1,0,\"3/4\"]", "[1,0,\"" + std::string(kMaxRationalDigits + 1, '7') + "\"]",
       "a number of 20001 characters; the limit is 20000"},
      {"[1,0,\"3/4\"]", "[1,0,\"0\"]", "entries[0]: the value 0 is written out"},
      {"[1,\"1/2\"]", "[1,\"0\"]", "layers[0].attention.mask[1]: the value 0 is written out"},
      // Indices and dimensions.
      {"[1,0,\"3/4\"]", "[4,0,\"3/4\"]", "entry (4,0) is outside 4 rows and 1 columns"},
      {"[1,0,\"3/4\"]", "[-1,0,\"3/4\"]", "entries[0][0]: expected an integer from 0"},
      {"[1,0,\"3/4\"]", "[1,0]", "entries[0]: expected [row,column,\"p/q\"]"},
      {"[1,0,\"3/4\"]", "{}", "entries[0]: expected [row,column,\"p/q\"]"},
      {"[1,0,\"3/4\"]", "[1,0,\"3/4\"],\n[1,0,\"3/4\"]", "entries[1]: entry (1,0) is not after", 1},
      {"[1,0,\"3/4\"]", "[1,0,\"3/4\"],\n[0,0,\"3/4\"]", "entries[1]: entry (0,0) is not after", 1},
      {"[1,\"1/2\"]", "[4,\"1/2\"]",
       "layers[0].attention.mask[1]: index 4 is not below the width 4"},
      {"[1,\"1/2\"]", "[0,\"1/2\"]", "layers[0].attention.mask[1]: index 0 does not increase"},
      {"[1,\"1/2\"]", "[1,\"1/2\",0]", "layers[0].attention.mask[1]: expected [index,\"p/q\"]"},
      {"\"rows\": 1", "\"rows\": 2", "key.rows: expected 1 (the rows of the query), found 2"},
      {"\"rows\": 1", "\"rows\": 16777217", "rows: expected an integer from 0 to 16777216"},
      {"\"columns\": 4", "\"columns\": 5", "key.columns: expected 4 (the width), found 5"},
      {"\"rows\": 4", "\"rows\": 5", "output.rows: expected 4 (the width), found 5"},
      {"\"initial\": 1", "\"initial\": 2", "layers: expected the 4 layers of the shape, found 3",
       1000},
      {"\"block\": \"initial\"", "\"block\": \"final\"",
       "layers[0].block: the shape makes this layer initial"},
      {"\"block\": \"initial\"", "\"block\": \"middle\"", "not \"middle\""},
      {"\"initial\": 1", "\"initial\": 5000", "shape.initial: expected an integer from 0 to 4096"},
      // Fields of the model.
      {"\"format\": \"logdepth-weights\"", "\"format\": \"weights\"",
       "format: expected \"logdepth-weights\""},
      {"\"version\": 1", "\"version\": 2", "version: expected version 1, found 2"},
      {"\"kind\": \"word\"", "\"kind\": \"picture\"",
       "input.kind: expected one of \"word\", \"cells\", \"graph\", not "
       "\"picture\""},
      {"\"kind\": \"word\"", "\"kind\": \"graph\"", "input: the key \"layout\" is missing", -2},
      {"\"begin\": true", "\"begin\": true,\n\"end\": false",
       "input.end: leave the key out instead of writing false", 1},
      {"\"begin\": true", "\"begin\": true,\n\"end\": true",
       "embedding: the token kind \"<end>\" has no embedding", 1000},
      {"\"kind\": \"word\"", "\"kind\": \"cells\"", "input.begin: unknown key", -1},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"a\"]",
       "the name \"a\" appears twice"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"\"]", "alphabet[1]: a name is empty"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"b c\"]",
       "alphabet[1]: a letter must"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"b\\u0000\"]",
       "alphabet[1]: a letter must"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"b\\u202e\"]",
       "alphabet[1]: a letter must"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"<begin>\"]", "alphabet[1]: a letter"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"<end>\"]",
       "alphabet[1]: a letter must not be \"<end>\""},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": []", "alphabet: a word needs at least one"},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\"]", "embedding.b: no such token kind",
       1000},
      {"\"alphabet\": [\"a\",\"b\"]", "\"alphabet\": [\"a\",\"b\",\"c\"]",
       "embedding: the token kind \"c\" has no embedding", 1000},
      {"\"begin\": true", "\"begin\": false", "embedding[\"<begin>\"]: no such token kind", 1000},
      {"\"norm\": \"rms\"", "\"norm\": \"batch\"", "norm: expected one of"},
      {"\"accept\": 0", "\"accept\": 1", "output.reject: row 1 already has another meaning", 1000},
      {"\"accept\": 0", "\"accept\": 9", "output.accept: row 9 is outside the unembedding"},
      {"\"first_row\": 2", "\"first_row\": 3", "output.prefix.first_row: row 5 is outside"},
      {"\"first_row\": 2", "\"first_row\": 1", "first_row: row 1 already has another meaning"},
      {"[0,1],\n[1]\n", "[0],\n[1]\n", "output: row 4 of the unembedding has no meaning", 1000},
      {"[0,1],\n[1]\n", "[0,2],\n[1]\n", "output.prefix.images[0][1]: image 2 is not a point"},
      {"[0,1],\n[1]\n", "[1,0],\n[1]\n", "output.prefix.images[0][1]: images do not increase"},
      {"[0,1],\n[1]\n", "[0,1]\n", "output.prefix.images: expected one list per point (2), found 1",
       -1},
      {"\"of\": \"letters\"", "\"of\": \"vertices\"", "unroll.of: a word has letters"},
      {"\"of\": \"letters\"", "\"of\": \"tokens\"", "unroll.of: expected one of"},
      {"\"kind\": \"ceil_log2\"", "\"kind\": \"ceil_log\"", "unroll: the key \"base\" is missing",
       -1},
      {"\"kind\": \"ceil_log2\"", "\"kind\": \"ceil_log\",\n\"base\": 2",
       "unroll.base: expected an integer from 3", 1},
      {"\"kind\": \"ceil_log2\"", "\"kind\": \"banana\"", "unroll.kind: expected one of"},
      {"\"minus\": 0", "\"minus\": 2", "unroll.minus: expected an integer from 0 to 1, found 2"},
      {"\"kind\": \"ceil_log2\"", "\"base\": 3,\n\"kind\": \"ceil_log2\"",
       "unroll.base: unknown key"},
      {"\"max_length\": 64", "\"max_length\": -1", "unroll.max_length: expected an integer"},
      {"\"at\": [2,3]", "\"at\": [2]", "position.fills[0].at: expected 2 coordinates, found 1"},
      {"\"at\": [2,3]", "\"at\": [2,4]", "position.fills[0].at[1]: coordinate 4 is not below"},
      {"\"at\": [2,3]", "\"at\": [2,2]", "position.fills[0].at[1]: coordinate 2 is filled twice"},
      {"\"scale\": \"1/2\"", "\"scale\": \"0\"", "position.fills[0].scale: the scale is zero"},
      {"\"kind\": \"circle\"", "\"kind\": \"two-circle\"", "at: expected 4 coordinates", 1000},
      {"\"kind\": \"circle\"", "\"kind\": \"circle\",\n\"offset\": 3",
       "position.offset: only the fine code has an offset", 1},
      {"\"kind\": \"circle\"", "\"kind\": \"fine\"", "position: the key \"offset\" is missing", -8},
      {"\"kind\": \"circle\"", "\"kind\": \"fine\",\n\"offset\": 0",
       "position.offset: expected an offset of at least 1", 1},
      {"\"kind\": \"circle\"", "\"kind\": \"circle\",\n\"parity\": []",
       "position.parity: the vector is zero; leave it out", 1},
      {"\"kind\": \"circle\"", "\"kind\": \"circle\",\n\"parity\": [[4,\"1\"]]",
       "position.parity[0]: index 4 is not below the width 4", 1},
      {"\"kind\": \"circle\"", "\"kind\": \"circle\",\n\"parity\": [[2,\"1\"]]",
       "position.fills[0].at[0]: coordinate 2 is filled twice", -5},
      {"\"kind\": \"circle\"", "\"kind\": \"spiral\"", "position.kind: expected one of"},
      {"{\n\"kind\": \"uniform\"\n}", "null", "heads[0].promise: expected an object, found null"},
      {"\"kind\": \"uniform\"", "\"kind\": \"sharp\"", "heads[0].promise.kind: expected one of"},
      {"\"selects\": \"exactly-one\"", "\"selects\": \"one\"",
       "heads[1].promise.selects: expected one of"},
      {"\"coordinates\": [0]", "\"coordinates\": [4]", "cells.one.coordinates[0]: coordinate 4"},
      {"\"coordinates\": [0]", "\"coordinates\": \"0\"",
       "cells.one.coordinates: expected an array"},
      {"\"coordinates\": [0]", "\"colour\": 1,\n\"coordinates\": [0]",
       "cells.one.colour: unknown key"},
      {"\"type\": \"constant\"", "\"type\": 1", "cells.one.type: expected a string"},
      // The hash.
      {"\"name\": \"example\"", "\"name\": \"sample\"", "sha256: the content hashes to ", 1000},
      {"\"sha256\": \"", "\"sha256\": \"0", "sha256: expected 64 lower-case hexadecimal digits"},
  };
  check(valid, edits);
}

TEST(WeightsRefusals, StatesOfPrefixesAreReadAsStrictly) {
  Model model = example_model();
  std::get<AcceptOutput>(model.output).prefix = StateReadout{3, 2};
  check(
      write_weights(model),
      {
          {"\"states\": 3", "\"states\": 0", "output.prefix.states: expected at least one state"},
          {"\"states\": 3", "\"states\": 2", "output: row 4 of the unembedding has no meaning",
           1000},
          {"\"states\": 3", "\"states\": 4", "output.prefix.first_row: row 5 is outside", 1000},
          {"\"states\": 3", "\"states\": 4294967295", "output.prefix.first_row: row 5 is outside",
           1000},
          {"\"states\": 3", "\"states\": -1", "output.prefix.states: expected an integer"},
          {"\"states\": 3", "\"points\": 3", "output.prefix.points: unknown key"},
          {"\"first_row\": 2", "\"first_row\": 1", "first_row: row 1 already has another meaning"},
          {"\"first_row\": 2,\n", "", "output.prefix: the key \"first_row\" is missing", -1},
          {"\"kind\": \"state\"", "\"kind\": \"states\"",
           "output.prefix.kind: expected one of \"transformation\", "
           "\"element\", \"state\", not \"states\""},
      });
}

TEST(WeightsRefusals, GraphsCellsAndTheirContractsAreReadAsStrictly) {
  const std::string find =
      "\"kind\": \"find\",\n\"prefer\": true,\n\"selects\": \"at-least-one\",\n\"terms\": 1";
  const std::string related = "\"kind\": \"related\",\n\"prefer\": [],\n\"pairs\": ";
  check(
      write_weights(example_rows_model()),
      {
          {"\"size\": 2", "\"size\": 0", "input.size: expected an integer from 1"},
          {"\"size\": 2", "\"size\": 10", "input.size: 10 vertices for a width of 9"},
          {"\"size\": 2", "\"size\": 3",
           "unembedding.rows: expected 3 (the vertices of the input), found 2", 1000},
          {",\n\"size\": 2", "", "input: the key \"size\" is missing", -2},
          {"\"size\": 2", "\"size\": 2,\n\"mirrored\": true", "input.size: mirrored values need",
           1000},
          {"\"size\": 2", "\"size\": 2,\n\"mirrored\": false", "input.mirrored: leave the key out",
           1},
          {"\"size\": 2", "\"size\": 2,\n\"padding\": \"n3\"", "input.padding: unknown key", 1},
          {"\"layout\": \"rows\"", "\"layout\": \"list\"", "input.layout: expected one of"},
          {"\"layout\": \"rows\"", "\"layout\": \"adjacency\",\n\"padding\": \"n3\"",
           "embedding[\"<vertex>\"]: no such token kind", 1000},
          {"\"alphabet\": []", "\"alphabet\": [\"a\"]",
           "alphabet: must be empty when the input is not a word"},
          {"\"<vertex>\"", "\"<edge>\"", "embedding[\"<edge>\"]: no such token kind"},
          {"\"of\": \"vertices\"", "\"of\": \"letters\"", "unroll.of: a graph has vertices"},
          {"\"kind\": \"relation\"", "\"kind\": \"accept\",\n\"accept\": 0,\n\"reject\": 1",
           "output: no token of the layout \"rows\" knows source and target", 1000},
          {"\"kind\": \"relation\"", "\"kind\": \"relation\",\n\"names\": []",
           "output.names: unknown key", 1},
          {"\"kind\": \"flagged\"", "\"kind\": \"flagged\",\n\"terms\": 1",
           "heads[0].promise.terms: unknown key", 1},
          {"\"kind\": \"find\"", "\"kind\": \"match\"", "heads[2].promise.prefer: unknown key", 1},
          {"\"terms\": 1", "\"terms\": 0", "promise.terms: expected an integer from 1"},
          {"\"terms\": 1", "\"terms\": 2",
           "promise.terms: 2 terms and a preference need 5 rows of the query, found 3"},
          {"\"selects\": \"at-least-one\"", "\"selects\": \"some\"",
           "promise.selects: expected one of"},
          {"\"prefer\": true", "\"prefer\": 1", "promise.prefer: expected a boolean"},
          {find, related + "[[0,9]]", "promise.pairs[0]: coordinate 9 is not below the width 9",
           1000},
          {find, related + "[]", "promise.pairs: expected at least one pair", 1000},
          {find, related + "[[0]]", "promise.pairs[0]: expected [coordinate,coordinate]", 1000},
          {"[8,\"2\"]", "[9,\"2\"]", "promise.when[0]: index 9 is not below the width 9"},
      });
  check(write_weights(example_adjacency_model()),
        {
            {"\"padding\": \"n3-n2\"", "\"padding\": \"n4\"", "input.padding: expected one of"},
            {",\n\"padding\": \"n3-n2\"", "", "input: the key \"padding\" is missing", -2},
            {"\"padding\": \"n3-n2\"", "\"padding\": \"n3-n2\",\n\"mirrored\": true",
             "input.mirrored: unknown key", 1},
            {"\"kind\": \"accept\"", "\"kind\": \"relation\"", "output.accept: unknown key", -1},
            {"\"<pad>\"", "\"<spare>\"", "embedding[\"<spare>\"]: no such token kind"},
        });
  check(write_weights(example_cells_model()),
        {
            {"[\"x\",\"y\"]", "[\"x\",\"x\"]", "input.names[1]: the name \"x\" appears twice"},
            {"[\"x\",\"y\"]", "[\"x\",\"y\",\"z\",\"u\",\"v\"]",
             "input.names: 5 names for a width of 8, half of it mirrors"},
            {"\"embedding\": {}", "\"embedding\": {\"x\":[]}",
             "embedding: must be empty when the input is cells"},
            {"\"kind\": \"fixed\",\n\"loops\": 0",
             "\"kind\": \"ceil_log2\",\n\"minus\": 0,\n\"of\": \"vertices\"",
             "unroll.of: cells have tokens", 1000},
            {"\"kind\": \"cells\",\n\"names\": [\"x-y\",\"2y\"]", "\"kind\": \"relation\"",
             "output: a relation is read from a graph of layout \"rows\"", 1000},
        });
}

TEST(WeightsRefusals, RulesThatNoFileCanBreakHoldForProgramsThatBuildModels) {
  Model m = example_rows_model();
  auto& graph = std::get<GraphInput>(m.input);
  graph.size.reset();
  EXPECT_EQ(first_violation(m), "input: the layout \"rows\" needs a `size`");
  graph.size = 2;
  graph.padding = GraphInput::Padding::n3;
  EXPECT_EQ(first_violation(m), "input: `padding` belongs to the layout \"adjacency\"");
  m = example_adjacency_model();
  std::get<GraphInput>(m.input).mirrored = true;
  EXPECT_EQ(first_violation(m), "input: `mirrored` belongs to the layout \"rows\"");
  m = example_rows_model();
  std::get<FindContract>(m.layers[0].attention.heads[2].contract).terms = 0;
  EXPECT_EQ(first_violation(m),
            "layers[0].attention.heads[2].promise.terms: expected at least one term");
  m = example_model();
  m.position = CodePosition{PositionCode::phi, {}};
  EXPECT_EQ(first_violation(m), "position.kind: the code phi is irrational");
}

// Each fill may be right on its own.
TEST(WeightsRefusals, TwoPositionFillsThatShareACoordinateAreRefused) {
  Model m = example_model();
  m.position =
      CodePosition{PositionCode::circle, {{{0, 1}, 0, Rational(1)}, {{2, 3}, 1, Rational(1)}}};
  EXPECT_EQ(first_violation(m), "");
  std::get<CodePosition>(m.position).fills[1].at = {2, 1};
  EXPECT_EQ(first_violation(m), "position.fills[1].at[1]: coordinate 1 is filled twice");
  EXPECT_THROW(write_weights(m), std::logic_error);
}

TEST(WeightsRefusals, TheStatedHashOfAnEditAcceptsIt) {
  std::string text = write_weights(example_model());
  const auto name = text.find("example");
  text.replace(name, 7, "edited!");
  const std::string message = refusal_of(text);
  const std::string marker = "hashes to ";
  const std::string hash = message.substr(message.find(marker) + marker.size(), 64);
  const std::string key = "\"sha256\": \"";
  text.replace(text.find(key) + key.size(), 64, hash);
  EXPECT_EQ(parse_weights(text, "m.json")->name, "edited!");
}

TEST(WeightsRefusals, DeepNestingIsRefused) {
  const std::string text = "{\"derived\": " + std::string(1000000, '[');
  EXPECT_EQ(refusal_of(text), "m.json:1: arrays and objects are nested deeper than 32 levels");
}

TEST(WeightsRefusals, TheLineOfANumberIsTheLineItStandsOn) {
  const JsonTape tape =
      JsonTape::parse("{\"a\":\n12\n,\"b\":\n\"x\"\n,\"c\":[1\n,\ntrue\n]}\n", "t");
  const auto line = [&](const JsonPath& path) { return tape.line(tape.nearest(path)); };
  EXPECT_EQ(line({std::string("a")}), 2u);
  EXPECT_EQ(line({std::string("b")}), 4u);
  EXPECT_EQ(line({std::string("c"), std::size_t{0}}), 5u);
  EXPECT_EQ(line({std::string("c"), std::size_t{1}}), 7u);
}

/// Whatever the bytes, the reader returns a model or an InputError of one sentence.
bool survives(const std::string& text) {
  try {
    const Model model = parse_weights(text, "m.json");
    return first_violation(model).empty();
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.find('\n') == std::string::npos && is_utf8(message) && message.size() < 1000;
  }
}

TEST(WeightsRefusals, SurvivesRandomDamage) {
  std::mt19937_64 engine(laws::seed());
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine);
  };
  const std::string interesting = "[]{}\",:0123456789-+eE.\\u/tfn \n\r\x01\x80\xff";
  for (int round = 0; round < 4000; ++round) {
    const std::string valid = write_weights(ModelMaker(round / 20).model());
    std::string text = valid;
    for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      const std::size_t length = std::min(1 + below(20), text.size() - at);
      switch (below(6)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text[at] = interesting[below(interesting.size())];
          break;
        case 2:
          text.resize(at);
          break;
        case 3:
          text.insert(at, text.substr(at, length));
          break;
        case 4:
          text.erase(at, length);
          break;
        case 5: {  // swap two lines' worth of text
          const std::size_t from = below(text.size());
          text.insert(at, text.substr(from, text.find('\n', from) - from));
          break;
        }
      }
    }
    ASSERT_TRUE(survives(text)) << "round " << round << "\n" << text;
  }
}

TEST(WeightsRefusals, SurvivesEveryTruncation) {
  const std::string valid = write_weights(example_model());
  for (std::size_t size = 0; size < valid.size() - 1; ++size) {
    ASSERT_TRUE(survives(valid.substr(0, size))) << size;
    ASSERT_THROW(parse_weights(valid.substr(0, size), "m.json"), InputError) << size;
  }
}

}}  // namespace logdepth::weights_refusals_tests
