// Word problems for learned models: multiplication tables against moving points and broken on
// purpose, the two conventions of multiplication, and files of words.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "learned/records/counter_random.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/word_files.hpp"
#include "logdepth/errors.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::word_problems_tests { namespace {

using Elements = std::vector<std::uint32_t>;
using Rows = std::vector<Elements>;

constexpr ProductOrder kOurs = ProductOrder::first_letter_first;
constexpr ProductOrder kPublished = ProductOrder::published;

using support::refusal;

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

/// Labels by moving points, letter by letter, without any table.
class MovedPoints {
 public:
  explicit MovedPoints(const std::string& name)
      : oracle_(make_action_oracle(named_monoid(name, NamedLetters::all), name)) {
    const MonoidTable table = make_monoid_table(name);
    for (std::uint32_t e = 0; e < table.size; ++e) number_[table.element_names[e]] = e;
  }

  Elements products(const Elements& word) const {
    const std::vector<Transformation> maps = oracle_->prefix_products(word).value();
    Elements result;
    for (const Transformation& map : maps) result.push_back(number_.at(format_transformation(map)));
    return result;
  }

 private:
  std::unique_ptr<LanguageOracle> oracle_;
  std::map<std::string, std::uint32_t> number_;
};

Elements random_word(const MonoidTable& table, std::size_t length, std::uint64_t seed) {
  CounterRandom random(seed, RandomStream::data_files);
  Elements word(length);
  for (std::uint32_t& e : word) e = static_cast<std::uint32_t>(random.below(table.size));
  return word;
}

std::string file_of(const MonoidTable& table, ProductOrder order, const Rows& words,
                    std::uint64_t seed = 7) {
  std::string text = word_file_header(table, order);
  for (const Elements& word : words) text += word_file_row(table, order, seed, word);
  return text;
}

Rows words_of(const WordFile& file) {
  Rows words;
  for (const LabelledWord& row : file.rows) words.push_back(row.letters);
  return words;
}

// ---------------------------------------------------------------- tables

TEST(MonoidTables, OfAllGroupsOfTheSpecificationPassTheAxiomsAndHaveTheirSizes) {
  const std::map<std::string, std::size_t> sizes = {
      {"Z2", 2},  {"Z3", 3},   {"Z60", 60},     {"S3", 6},       {"A4", 12}, {"S4", 24},
      {"A5", 60}, {"S5", 120}, {"A4_x_Z5", 60}, {"flipflop", 3}, {"Z7", 7}};
  for (const auto& [name, size] : sizes) {
    const MonoidTable table = make_monoid_table(name);
    EXPECT_EQ(table.size, size) << name;
    EXPECT_EQ(table.identity, 0u) << name;
    EXPECT_EQ(table.letters.size(), size) << name;
    for (std::uint32_t a = 0; a < size; ++a)
      for (std::uint32_t b = 0; b < size; ++b)
        for (std::uint32_t c = 0; c < size; ++c)
          ASSERT_EQ(table.times(table.times(a, b), c), table.times(a, table.times(b, c))) << name;
  }
}

TEST(MonoidTables, LettersAreAllElementsOrTheGenerators) {
  const MonoidTable generators = make_monoid_table("S5", NamedLetters::generators);
  EXPECT_EQ(generators.size, 120u);
  ASSERT_EQ(generators.letters.size(), 2u);
  EXPECT_EQ(generators.element_names[generators.letters[0]], "[1,0,2,3,4]");
  EXPECT_EQ(generators.element_names[generators.letters[1]], "[1,2,3,4,0]");
  EXPECT_EQ(generators.product, make_monoid_table("S5").product);
  const MonoidTable flipflop = make_monoid_table("flipflop", NamedLetters::generators);
  EXPECT_EQ(flipflop.letters, (Elements{1, 2, 0}));  // reset, set, keep
  EXPECT_EQ(running_products(flipflop, {0, 2, 0, 1, 0, 2}), (Elements{0, 2, 2, 1, 1, 2}));
}

TEST(MonoidTables, BeyondTheirLimitAreRefusedWithIt) {
  expect_says(refusal<SizeLimit>([] { make_monoid_table("S7"); }), "more than 4096 elements");
  expect_says(refusal([] { make_monoid_table("M24"); }), "unknown group or monoid 'M24'");
}

// ---------------------------------------------------------------- labels and conventions

TEST(Labels, AgreeWithMovingThePointsLetterByLetter) {
  for (const std::string name :
       {"Z2", "Z60", "S3", "A4", "S4", "A5", "S5", "A4_x_Z5", "flipflop"}) {
    const MonoidTable table = make_monoid_table(name);
    const MovedPoints moved(name);
    for (std::uint64_t round = 0; round < 200; ++round) {
      const Elements word = random_word(table, 20, laws::seed() + round);
      ASSERT_EQ(running_products(table, word), moved.products(word)) << name;
    }
  }
}

TEST(Labels, OfThePublishedConventionLetTheLastLetterMoveThePointsFirst) {
  const MonoidTable table = make_monoid_table("A5");
  const MovedPoints moved("A5");
  for (std::uint64_t round = 0; round < 50; ++round) {
    const Elements word = random_word(table, 12, laws::seed() + round);
    const Elements products = running_products(table, word, kPublished);
    for (std::size_t i = 0; i < word.size(); ++i) {
      Elements turned(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      std::reverse(turned.begin(), turned.end());
      ASSERT_EQ(products[i], moved.products(turned).back());
    }
  }
}

TEST(Labels, OfTheTwoConventionsDifferOnA5AndAgreeOnZ60) {
  const MonoidTable a5 = make_monoid_table("A5");
  const MonoidTable z60 = make_monoid_table("Z60");
  std::size_t differ = 0;
  for (std::uint64_t round = 0; round < 100; ++round) {
    const Elements word = random_word(a5, 10, laws::seed() + round);
    differ += running_products(a5, word) != running_products(a5, word, kPublished);
    EXPECT_EQ(running_products(z60, word), running_products(z60, word, kPublished));
  }
  EXPECT_GT(differ, 90u);
}

TEST(PublishedElements, AreABijectionThatKeepsTheIdentityFirst) {
  for (const std::string name : {"S2", "S3", "S4", "S5", "A3", "A4", "A5", "Z1", "Z60", "A4_x_Z5",
                                 "S3_x_Z10", "Z2_x_S3_x_A4"}) {
    const MonoidTable table = make_monoid_table(name);
    ASSERT_EQ(table.published.size(), table.size) << name;
    EXPECT_EQ(table.published[table.identity], 0u) << name;
    const std::set<std::uint32_t> numbers(table.published.begin(), table.published.end());
    EXPECT_EQ(numbers.size(), table.size) << name;
    EXPECT_EQ(*numbers.rbegin(), table.size - 1) << name;
  }
  for (const std::string name : {"flipflop", "D4", "Q8", "S3_x_V4", "T2"})
    EXPECT_TRUE(make_monoid_table(name).published.empty()) << name;
}

TEST(PublishedElements, AreInLexicographicOrderOfTheirImages) {
  for (const std::string name : {"S4", "S5", "A4", "A5"}) {
    const MonoidTable table = make_monoid_table(name);
    std::vector<std::string> names = table.element_names;  // one digit an image: order of texts
    std::sort(names.begin(), names.end());
    for (std::size_t e = 0; e < table.size; ++e)
      EXPECT_EQ(names[table.published[e]], table.element_names[e]) << name;
  }
}

TEST(PublishedElements, OfAProductCountTheLastFactorFastest) {
  const MonoidTable table = make_monoid_table("A4_x_Z5");
  const auto number = [&](const std::string& name) {
    const auto found = std::find(table.element_names.begin(), table.element_names.end(), name);
    return table.published.at(static_cast<std::size_t>(found - table.element_names.begin()));
  };
  EXPECT_EQ(number("[0,1,2,3,4,5,6,7,8]"), 0u);
  EXPECT_EQ(number("[0,1,2,3,6,7,8,4,5]"), 2u);           // two steps of Z5
  EXPECT_EQ(number("[0,2,3,1,4,5,6,7,8]"), 5u);           // the second even permutation
  EXPECT_EQ(number("[3,2,1,0,8,4,5,6,7]"), 11u * 5 + 4);  // the last of both
}

/// All words of two letters in the order of their published numbers.
Rows all_pairs(const MonoidTable& table) {
  Elements element(table.size);
  for (std::uint32_t e = 0; e < table.size; ++e) element[table.published[e]] = e;
  Rows words;
  for (const std::uint32_t a : element)
    for (const std::uint32_t b : element) words.push_back({a, b});
  return words;
}

// The hashes are those that github.com/jopetty/word-problem keeps of its large files; the seed is
// the first column, found by trying all of six digits.
TEST(PublishedFiles, OfAllPairsComeOutByteForByte) {
  const MonoidTable a5 = make_monoid_table("A5");
  EXPECT_EQ(sha256(file_of(a5, kPublished, all_pairs(a5), 946607)),
            "5fa1b247ecf078d027a71fff7c486d6e4f12df4d0f8ff4526bc91cf759bbf307");  // A5=2.csv
  const MonoidTable a4z5 = make_monoid_table("A4_x_Z5");
  EXPECT_EQ(sha256(file_of(a4z5, kPublished, all_pairs(a4z5), 814239)),
            "8938e809eed273317847668dca40b01571d9ebc96a4151c12de9ae9b063c1259");  // A4_x_Z5=2.csv
}

// Rows that a program derived from the published one was reported to print.
TEST(PublishedFiles, OfS3AndA5AreRecognised) {
  const std::string s3 =
      "seed,input,target\n123,5 4 2 4,5 1 4 3\n123,5 0 2 2,5 5 3 5\n123,0 5 3 1,0 5 2 3\n"
      "123,1 0 2 0,1 1 4 4\n";
  const std::string a5 =
      "seed,input,target\n123,50 46 20 48,50 15 32 16\n123,51 9 20 20,51 55 30 41\n"
      "123,14 0 26 5,14 14 52 56\n123,35 4 18 26,35 31 47 31\n";
  for (const auto& [name, text] : {std::pair("S3", s3), std::pair("A5", a5)}) {
    const MonoidTable table = make_monoid_table(name);
    const WordFile file = parse_word_file(text, "x.csv", table);
    EXPECT_EQ(file.order, kPublished) << name;
    EXPECT_FALSE(file.either);
    EXPECT_EQ(file_of(table, kPublished, words_of(file), 123), text);
  }
}

// ---------------------------------------------------------------- files

RC_GTEST_PROP(WordFiles, AreReadBackInEitherConvention, ()) {
  static const std::vector<MonoidTable> tables = {
      make_monoid_table("S3"), make_monoid_table("A5"), make_monoid_table("A4_x_Z5"),
      make_monoid_table("Z60"), make_monoid_table("S5")};
  const MonoidTable& table = tables[*rc::gen::inRange<std::size_t>(0, tables.size())];
  const ProductOrder order = *rc::gen::element(kOurs, kPublished);
  const auto words = *rc::gen::container<Rows>(
      3, rc::gen::nonEmpty(rc::gen::container<Elements>(
             rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(table.size)))));
  const std::string text = file_of(table, order, words);
  const WordFile stated = parse_word_file(text, "x.csv", table, order);
  RC_ASSERT(words_of(stated) == words);
  RC_ASSERT(stated.either == parse_word_file(text, "x.csv", table).either);
  RC_ASSERT(stated.rows[2].line == 4u);
  const WordFile found = parse_word_file(text, "x.csv", table);
  if (found.order == order) RC_ASSERT(words_of(found) == words);
  RC_ASSERT(found.order == order || found.either);
  // There and back.
  const std::string turned = file_of(table, order == kOurs ? kPublished : kOurs, words);
  const WordFile back =
      parse_word_file(turned, "y.csv", table, order == kOurs ? kPublished : kOurs);
  RC_ASSERT(file_of(table, order, words_of(back)) == text);
}

TEST(WordFiles, InTheOtherConventionAreRecognisedAndRefused) {
  const MonoidTable table = make_monoid_table("A5");
  Rows words;
  for (std::uint64_t i = 0; i < 5; ++i) words.push_back(random_word(table, 8, i));
  for (const ProductOrder order : {kOurs, kPublished}) {
    const ProductOrder other = order == kOurs ? kPublished : kOurs;
    const std::string text = file_of(table, order, words);
    const std::string said = refusal([&] { parse_word_file(text, "x.csv", table, other); });
    EXPECT_TRUE(said.starts_with("x.csv:2: target index 2 is ")) << said;
    expect_says(said, std::string("expected "));
    expect_says(said, std::string("; all rows of the file are right ") + order_text(order));
    EXPECT_EQ(parse_word_file(text, "x.csv", table).order, order);
    EXPECT_FALSE(parse_word_file(text, "x.csv", table).either);
  }
}

TEST(WordFiles, OfOneLetterOrAnAbelianGroupAreRightInEither) {
  EXPECT_TRUE(parse_word_file("seed,input,target\n1,7,7\n", "x", make_monoid_table("A5")).either);
  EXPECT_TRUE(
      parse_word_file("seed,input,target\n1,30 50,30 20\n", "x", make_monoid_table("Z60")).either);
  EXPECT_FALSE(
      parse_word_file("seed,input,target\n1,1 2,1 2\n", "x", make_monoid_table("flipflop")).either);
}

TEST(WordFiles, WithAWrongTargetAreRefusedWithTheRightOne) {
  const MonoidTable s3 = make_monoid_table("S3");
  std::string text = file_of(s3, kOurs, {random_word(s3, 9, 1), random_word(s3, 9, 2)});
  text.replace(text.size() - 2, 1, text[text.size() - 2] == '0' ? "1" : "0");
  const auto said = refusal([&] { parse_word_file(text, "x.csv", s3); });
  EXPECT_TRUE(said.starts_with("x.csv:3: target index 9 is ")) << said;
  const Elements right = running_products(s3, random_word(s3, 9, 2));
  expect_says(said, "expected " + std::to_string(right[8]) +
                        " with the first letter first; in the "
                        "published convention line 2 is wrong too");
  const MonoidTable flipflop = make_monoid_table("flipflop");
  const auto plain =
      refusal([&] { parse_word_file("seed,input,target\n1,1 2,1 1\n", "x.csv", flipflop); });
  EXPECT_EQ(plain, "x.csv:2: target index 2 is 1, expected 2 with the first letter first");
}

TEST(WordFiles, OfBadFormAreRefusedWithTheLineAndWhatWasExpected) {
  const MonoidTable s3 = make_monoid_table("S3");
  const auto said = [&](const std::string& text) {
    return refusal([&] { parse_word_file(text, "x.csv", s3); });
  };
  const std::string header = "seed,input,target\n";
  expect_says(said(""), "x.csv:1: expected a header with the columns input and target, found ''");
  expect_says(said("1,1 2,1 3\n"), "x.csv:1: expected a header");
  expect_says(said(header), "x.csv:1: expected rows after the header, found none");
  expect_says(said(header + "1,1,1\n1,1\n"), "x.csv:3: expected the 3 columns");
  expect_says(said(header + "1,1,1,1\n"), "x.csv:2: expected the 3 columns of the header, found 4");
  expect_says(said(header + "1,1,1\n\n1,1,1\n"), "x.csv:3: expected the 3 columns");
  for (const std::string index : {"6", "-1", "+1", "01", "x", "1.0", "4294967296", "\"1\""})
    expect_says(said(header + "1,1 " + index + ",1 1\n"),
                "x.csv:2: expected an element of S3 from 0 to 5, found '");
  expect_says(said(header + "1,,\n"), "x.csv:2: expected a letter as input, found an empty word");
  expect_says(said(header + "1,1 2,1 9\n"),
              "x.csv:2: expected an element of S3 from 0 to 5, found '9', at column 9");
  expect_says(said(header + "1,1 2 0,1 3\n"), "expected a label for each of 3 letters");
  expect_says(said(header + "1,1,1 2\n"), "expected a label for each of 1 letter");
  expect_says(refusal([&] { parse_word_file(read_text_file("/nowhere/x.csv"), "x.csv", s3); }),
              "/nowhere/x.csv");
}

TEST(WordFiles, WithQuotedFieldsAreRead) {
  const MonoidTable table = make_monoid_table("S3");
  const WordFile plain = parse_word_file("seed,input,target\n0,0 0 0,0 0 0\n", "x.csv", table);
  for (const std::string text : {"seed,input,target\n0,\"0 0 0\",\"0 0 0\"\n",
                                 "\"seed\",\"input\",\"target\"\n\"0\",0 0 0,\"0 0 0\"\n"}) {
    const WordFile quoted = parse_word_file(text, "x.csv", table);
    ASSERT_EQ(quoted.rows.size(), 1u);
    EXPECT_EQ(quoted.rows[0].letters, plain.rows[0].letters);
  }
  const auto refusal = [&](const std::string& row) {
    return support::refusal(
        [&] { (void)parse_word_file("seed,input,target\n" + row, "x.csv", table); });
  };
  EXPECT_EQ(refusal("0,\"0 0,0 0\n"), "x.csv:2: column 2: expected '\"' to end the quoted field");
  EXPECT_EQ(refusal("0,\"0 0\"x,0 0\n"),
            "x.csv:2: column 2: expected '\"' to end the quoted field");
  EXPECT_TRUE(refusal("0,\"0,0\",0 0\n").starts_with("x.csv:2: expected an element"));
}

TEST(WordFiles, InThePublishedConventionNeedAPublishedGroup) {
  const MonoidTable flipflop = make_monoid_table("flipflop");
  const std::string sentence =
      "the published word problems have no 'flipflop', expected Sk, Ak, Zk";
  expect_says(refusal([&] { word_file_header(flipflop, kPublished); }), sentence);
  expect_says(refusal([&] { parse_word_file("", "x", flipflop, kPublished); }), sentence);
}

TEST(WordFiles, WithTheLastProductAloneAreRead) {
  const MonoidTable s3 = make_monoid_table("S3");
  const std::string product = std::to_string(running_products(s3, {1, 2})[1]);
  const std::string text = "length,input,target\n2,1 2,";
  EXPECT_EQ(words_of(parse_word_file(text + product + "\n", "x", s3, kOurs)), (Rows{{1, 2}}));
  expect_says(refusal([&] { parse_word_file(text + "1\n", "x.csv", s3, kOurs); }),
              "x.csv:2: target index 2 is 1, expected " + product);
}

TEST(WordFiles, WithLineEndsOfOtherSystemsOrNoneAtTheEndAreRead) {
  const MonoidTable s3 = make_monoid_table("S3");
  EXPECT_EQ(parse_word_file("seed,input,target\r\n1,1,1\r\n2,3,3", "x", s3).rows.size(), 2u);
}

}}  // namespace logdepth::word_problems_tests
