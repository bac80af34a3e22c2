// The weights file on disk and back: what is written is read back, the same model gives the same
// bytes, and files that hold something else are refused. (The text itself: weights_refusals.cpp.)

#include "runtime/file/weights_file.hpp"

#include <gtest/gtest.h>
#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK  // wasm32 has none
#include <rapidcheck/gtest.h>
#endif
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/json_tape.hpp"
#include "compiler/program/program.hpp"
#include "constructions/own_position.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/sha256.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::weights_file_tests { namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, removed with it.
class WeightsFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("logdepth_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string with_bytes(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  fs::path folder_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

using support::refusal;

std::string refusal_of_file(const std::string& path) {
  return refusal([&] { static_cast<void>(read_weights(path)); });
}

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
RC_GTEST_PROP(WeightsFileLaw, ReadingGivesBackWhatWasWritten, (std::uint64_t seed)) {
  const Model model = ModelMaker(seed).model();
  RC_ASSERT(first_violation(model) == "");
  const std::string text = write_weights(model);
  const Model read = parse_weights(text, "m.json");
  RC_ASSERT(read == model);
  RC_ASSERT(write_weights(read) == text);
  RC_ASSERT(text.find(weights_hash(model)) != std::string::npos);
}

RC_GTEST_PROP(WeightsFileLaw, TheTextIsCanonical, (std::uint64_t seed)) {
  const std::string text = write_weights(ModelMaker(seed).model());
  std::string again;
  JsonTape::parse(text, "m.json").append_canonical(0, again);
  RC_ASSERT(again + "\n" == text);
}
#endif

TEST_F(WeightsFile, LayoutAndKeyOrderDoNotMatterToTheReader) {
  const Model model = example_model();
  std::string text = write_weights(model);
  // "width" first, everything on one line.
  const auto width = text.find(",\n\"width\": 4");
  ASSERT_NE(width, std::string::npos);
  text.erase(width, std::string(",\n\"width\": 4").size());
  text.replace(0, 2, "{ \"width\" : 4 ,\t");
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_EQ(parse_weights(text, "m.json"), model);
}

// Files are cited by their hashes: what a later version adds must not change those of earlier
// files.
TEST_F(WeightsFile, TheTextOfAModelStaysTheSameFromVersionToVersion) {
  EXPECT_EQ(weights_hash(example_model()),
            "90b71dcf388f6914ce7d65d3f659355231c3d1b6cf2c9cb1d4e17bd7636a0c59");
  EXPECT_EQ(weights_hash(example_rows_model()),
            "59b58ed5f8342c9e082dac0b1d63b665b9b62753b6b8e69063a2a106230f5b66");
  EXPECT_EQ(weights_hash(example_adjacency_model()),
            "42ae228e76e46d411305388cfc6351652fcff763c8c0d23929b8ba0fbcae499c");
  EXPECT_EQ(weights_hash(example_cells_model()),
            "7aa424d39a0bebeed7c59f54af091ebd0583bb2a919dcb4db84e8c62cc89e181");
}

TEST(WeightsFileNames, AreTheSameEverywhere) {
  EXPECT_STREQ(norm_name(Norm::rms), "rms");
  EXPECT_STREQ(norm_name(Norm::layernorm), "layernorm");
  EXPECT_STREQ(position_name(FirstFlagPosition{}), "first-flag");
  EXPECT_STREQ(position_name(CodePosition{PositionCode::circle, {}}), "circle");
  EXPECT_STREQ(position_name(CodePosition{PositionCode::two_circle, {}}), "two-circle");
  EXPECT_STREQ(position_name(TablePosition{}), "table");
  // Programs and constructions speak of the same encodings.
  EXPECT_STREQ(position_name(CodePosition{PositionCode::fine(3), {}}), "fine");
  EXPECT_EQ(code_name(PositionCode::phi), "phi");
  EXPECT_EQ(code_name(PositionCode::phi_over(9)), "phi over 9");
  EXPECT_EQ(code_name(PositionCode::fine(3)), "fine 3");
  for (const PositionCode code : {PositionCode::circle, PositionCode::two_circle})
    EXPECT_EQ(code_name(code), position_name(CodePosition{code, {}}));
  EXPECT_STREQ(positions_name(ScanPositions::first_flag), position_name(FirstFlagPosition{}));
  EXPECT_EQ(positions_name(ScanPositions::circle), code_name(PositionCode::circle));
  EXPECT_EQ(positions_name(ScanPositions::two_circle), code_name(PositionCode::two_circle));
}

TEST_F(WeightsFile, DerivedIsOutsideTheHash) {
  Model model = example_model();
  const std::string hash = weights_hash(model);
  model.derived.others["gap"] = JsonText{"0.25"};
  EXPECT_EQ(weights_hash(model), hash);
  EXPECT_EQ(parse_weights(write_weights(model), "m.json"), model);
  model.source = "other";
  EXPECT_NE(weights_hash(model), hash);
}

TEST_F(WeightsFile, OpenEndedFieldsAreWrittenCanonically) {
  Model model = example_model();
  model.parameters = {{"b", JsonText{" 1"}}, {"a", JsonText{"[ 1, \"\\u00e9\" ]"}}};
  const std::string text = write_weights(model);
  EXPECT_NE(text.find("\"parameters\": {\n\"a\": [1,\"é\"],\n\"b\": 1\n}"), std::string::npos)
      << text;
  const OpenMembers canonical = {{"a", JsonText{"[1,\"é\"]"}}, {"b", JsonText{"1"}}};
  EXPECT_EQ(parse_weights(text, "m.json")->parameters, canonical);
}

TEST_F(WeightsFile, AModelThatBreaksARuleIsNotWritten) {
  Model model = example_model();
  model.layers[2].attention.heads[1].key.rows = 2;
  EXPECT_EQ(first_violation(model),
            "layers[2].attention.heads[1].key.rows: expected 1 (the rows of the query), found 2");
  EXPECT_THROW(write_weights(model), std::logic_error);
}

TEST_F(WeightsFile, GzipGoesRoundAndRepeatsItsBytes) {
  const Model model = example_model();
  save_weights(model, path("m.json"));
  save_weights(model, path("m.json.gz"));
  save_weights(model, path("again.json.gz"));
  EXPECT_EQ(bytes_of(path("m.json")), write_weights(model));
  EXPECT_EQ(bytes_of(path("m.json.gz")), bytes_of(path("again.json.gz")));
  EXPECT_EQ(read_weights(path("m.json")), model);
  EXPECT_EQ(read_weights(path("m.json.gz")), model);
  // Compression is recognised by content, whatever the name says.
  EXPECT_EQ(read_weights(with_bytes("renamed.json", bytes_of(path("m.json.gz")))), model);
  // Nothing but the four files is left: no temporary names.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 4);
}

TEST_F(WeightsFile, SavingWhereNothingCanBeWrittenIsRefused) {
  EXPECT_NE(refusal([&] { save_weights(example_model(), path("no/such/m.json")); }).find("m.json"),
            std::string::npos);
  fs::create_directories(path("folder.json/inside"));
  EXPECT_NE(
      refusal([&] { save_weights(example_model(), path("folder.json")); }).find("folder.json"),
      std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(WeightsFile, FilesThatAreNotWeightsAreRefused) {
  const std::string valid = write_weights(example_model());
  save_weights(example_model(), path("m.json.gz"));
  const std::string packed = bytes_of(path("m.json.gz"));
  std::string damaged = packed;
  damaged[packed.size() / 2] ^= 0x55;

  const std::vector<std::array<std::string, 2>> cases = {
      {path("absent.json"), "cannot be read"},
      {folder_.string(), "is a directory"},
      {with_bytes("empty.json", ""), "empty.json:1: the file is empty"},
      {with_bytes("blank.json", " \n\n"), "the file is empty"},
      {with_bytes("bom.json", "\xef\xbb\xbf" + valid), "bom.json:1: the text starts with a byte"},
      {with_bytes("nul.json", valid + std::string(1, '\0')), "NUL"},
      {with_bytes("two.json", valid + valid), "not valid JSON"},
      {with_bytes("text.json", "hello"), "text.json:1: not valid JSON"},
      {with_bytes("array.json", "[1]"), "array.json:1: expected an object, found an array"},
      {with_bytes("other.json", "{}"), "this is not a weights file"},
      {with_bytes("short.json.gz", packed.substr(0, packed.size() - 9)), "ends too early"},
      {with_bytes("header.json.gz", packed.substr(0, 2)), "ends too early"},
      {with_bytes("tail.json.gz", packed + "x"), "1 bytes follow"},
      {with_bytes("damaged.json.gz", damaged), "gz: "},
  };
  for (const auto& [file, expected] : cases) {
    const std::string message = refusal_of_file(file);
    EXPECT_NE(message.find(expected), std::string::npos) << file << "\n" << message;
    EXPECT_NE(message.find(file), std::string::npos) << message;
  }
}

TEST_F(WeightsFile, AGzipBombIsRefusedBeforeItUnfolds) {
  const std::string name = path("bomb.json.gz");
  gzFile out = gzopen(name.c_str(), "wb1");
  ASSERT_NE(out, nullptr);
  const std::vector<char> zeros(std::size_t{1} << 20, '\0');
  for (int i = 0; i < 300; ++i) gzwrite(out, zeros.data(), static_cast<unsigned>(zeros.size()));
  gzclose(out);
  EXPECT_EQ(refusal_of_file(name),
            name + ": the unpacked text is larger than the limit of 256 MiB");
}

TEST_F(WeightsFile, SurvivesDamagedGzip) {
  save_weights(example_model(), path("m.json.gz"));
  const std::string packed = bytes_of(path("m.json.gz"));
  std::mt19937_64 engine(laws::seed());
  for (int round = 0; round < 500; ++round) {
    std::string bytes = packed;
    bytes[engine() % bytes.size()] = static_cast<char>(engine());
    if (round % 3 == 0) bytes.resize(engine() % bytes.size());
    const std::string file = with_bytes("damaged.json.gz", bytes);
    try {
      static_cast<void>(read_weights(file));
    } catch (const InputError&) {
    }
  }
}

// Each place of the padding; the last hash is Python's hashlib's, of the same texts.
TEST(Sha256, IsRightForEveryLengthOfALastBlock) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::string hashes;
  for (std::size_t letters = 0; letters < 200; ++letters)
    hashes += sha256(std::string(letters, 'a'));
  EXPECT_EQ(sha256(hashes), "019f2b9f1af27a53a1f046da7e98af2c179f431e4b5bebb000e74040917a4123");
}

TEST_F(WeightsFile, TheIndependentReaderComputesTheSameHash) {
  std::string expected;
  std::string files;
  for (int i = 0; i < 60; ++i) {
    Model model = ModelMaker(1000 + i).model();
    const std::string file = path(std::to_string(i) + (i % 2 ? ".json.gz" : ".json"));
    save_weights(model, file);
    expected += weights_hash(model) + "\n";
    files += " '" + file + "'";
  }
  const std::string script =
      "import gzip, hashlib, json, sys\n"
      "sys.path.insert(0, sys.argv[1])\n"
      "sys.dont_write_bytecode = True\n"
      "from exact_runner import Spelled, canonical, distinct\n"
      "for path in sys.argv[2:]:\n"
      "    data = open(path, 'rb').read()\n"
      "    data = gzip.decompress(data) if path.endswith('.gz') else data\n"
      "    file = json.loads(data, parse_float=Spelled, object_pairs_hook=distinct)\n"
      "    assert canonical(file) + chr(10) == data.decode(), path\n"
      "    rest = {k: v for k, v in file.items() if k not in ('derived', 'sha256')}\n"
      "    print(hashlib.sha256((canonical(rest) + chr(10)).encode()).hexdigest())\n";
  const std::string command = support::python() + " '" + with_bytes("hash.py", script) + "' '" +
                              support::source_dir() + "/examples'" + files;
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string printed;
  std::array<char, 4096> chunk{};
  while (const auto count = fread(chunk.data(), 1, chunk.size(), pipe)) {
    printed.append(chunk.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(printed, expected);
}

}}  // namespace logdepth::weights_file_tests
