// Passes over the tokens, the memory that they hold, threads that share them, and comparisons of projections:
// what runs by columns rest on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/columns/families.hpp"
#include "runtime/columns/hand_over.hpp"
#include "runtime/file/unrolling.hpp"
#include "tests/support/cascades.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/tree_forms.hpp"
#include "tests/support/uniform_radix_forms.hpp"

namespace logdepth::column_passes_tests {
namespace {

/// Combinations are numbered as they first occur, by the table and by the hash, and found again; also in
/// the second block of tokens, where labels exceed 16 bits, and with several threads.
TEST(ColumnPasses, CombineNumbersByFirstOccurrenceWithATableAndWithAHash) {
  constexpr std::size_t kTokens = 140000;
  std::mt19937_64 random(6);
  for (const auto& [size, threads] : std::vector<std::pair<std::size_t, std::size_t>>{
           {5, 1}, {5, 3}, {3000, 2}, {100000, 1}, {100000, 4}}) {
    ColumnPasses passes(std::make_shared<LabelMemory>(kTokens, std::size_t{1} << 30), threads);
    Column columns[2];
    for (Column& column : columns) {
      const auto local = passes.labels();
      for (std::size_t i = 0; i < kTokens; ++i)
        local->data()[i] =
            static_cast<Label>((random() % 20 * (size / 20 + 1) + random() % 2) % size);
      column.local = local;
      for (std::size_t k = 0; k < size; ++k)
        column.dictionary.push_back(static_cast<EntryId>(7 * k));
    }
    const Combinations both = passes.combine({&columns[0], &columns[1]});
    std::map<std::pair<Label, Label>, Label> expected;
    for (std::size_t i = 0; i < kTokens; ++i) {
      const std::pair key(columns[0].at(i), columns[1].at(i));
      const auto number =
          expected.try_emplace(key, static_cast<Label>(expected.size())).first->second;
      ASSERT_EQ(both.at(i), number) << size << ", token " << i;
      ASSERT_EQ(both.entries[number], (std::vector<EntryId>{7 * key.first, 7 * key.second}));
    }
    EXPECT_EQ(both.entries.size(), expected.size());
    EXPECT_EQ(passes.combine({&columns[0], &columns[1]}).local, both.local);
  }
}

TEST(ColumnPasses, LabelsInTheMemoryOfOthersAreNotTakenForThem) {
  ColumnPasses passes(std::make_shared<LabelMemory>(4, std::size_t{1} << 20));
  const auto column = [&](const std::vector<Label>& labels) {
    const auto local = passes.labels();
    std::ranges::copy(labels, local->data());
    return Column{local, {0, 1}, nullptr};
  };
  const auto numbers = [](const SharedLabels& local) {
    return std::vector<Label>(local->data(), local->data() + 4);
  };
  const Column left = column({0, 0, 1, 1});
  Column right = column({0, 1, 0, 1});
  const Label* const memory = right.local->data();
  const Combinations before = passes.combine({&left, &right});
  const Column one = passes.relabel({right.local, {{0}, {1}, {2}}}, {7, 8, 7}, {{}, {}, {}});
  right = {};
  right = column({1, 1, 1, 0});
  EXPECT_EQ(right.local->data(), memory);
  EXPECT_EQ(numbers(before.local), (std::vector<Label>{0, 1, 2, 3}));
  EXPECT_EQ(numbers(passes.combine({&left, &right}).local), (std::vector<Label>{0, 0, 1, 2}));
  EXPECT_EQ(numbers(one.local), (std::vector<Label>{0, 1, 0, 1}));
  const Column other = passes.relabel({right.local, {{0}, {1}, {2}}}, {7, 8, 7}, {{}, {}, {}});
  EXPECT_EQ(numbers(other.local), (std::vector<Label>{1, 1, 1, 0}));
}

TEST(ColumnPasses, WhatExceedsTheMemoryIsHandedOver) {
  const Model model = support::compile_scan(support::word_problem("S3").action);
  ColumnWords words(model);
  ASSERT_TRUE(words.add_letters(std::vector<std::string>(1000, model.alphabet[0])));
  ColumnRunner small(model, 20000), large(model, std::size_t{1} << 26);
  EXPECT_FALSE(small.run(words, 10));
  EXPECT_NE(small.statistics().reason.find("memory limit"), std::string::npos);
  EXPECT_EQ(small.statistics().handed_over, 1u);
  ASSERT_TRUE(large.run(words, 10));
  EXPECT_GT(large.statistics().bytes, 20000u);
  EXPECT_LT(large.statistics().bytes, std::size_t{1} << 24);
}

/// Everything that a run says, of long words and of many short ones: parts of threads begin within words.
TEST(ColumnPasses, NothingDependsOnTheNumberOfThreads) {
  std::mt19937_64 random(9);
  const Action s3 = support::word_problem("S3").action;
  support::ScanForm first_flag;
  first_flag.positions = ScanPositions::first_flag;
  const std::vector<std::pair<std::string, Model>> all = {
      {"scan", support::compile_scan(s3)},
      {"scan first-flag", support::compile_scan(s3, first_flag)},
      {"tree", support::compile_tree(s3)},
      {"uniform radix", support::compile_uniform_radix(s3, {})},
      {"cascade", support::compile_cascade(s3)}};
  constexpr std::size_t kTokens = 100000, kMemory = std::size_t{1} << 30;
  for (const auto& [name, model] : all)
    for (const std::size_t length : {kTokens, std::size_t{6500}}) {
      ColumnWords words(model);
      while (words.tokens() < kTokens) {
        std::vector<std::string> letters;
        for (std::size_t i = 0; i < length; ++i)
          letters.push_back(model.alphabet[random() % model.alphabet.size()]);
        ASSERT_TRUE(words.add_letters(letters));
      }
      ColumnRunner one(model, kMemory), several(model, kMemory, 3);
      const std::uint64_t loops = loops_at(model.unroll, length);
      const auto expected = one.run(words, loops), found = several.run(words, loops);
      ASSERT_TRUE(expected.has_value()) << name << ": " << one.statistics().reason;
      ASSERT_TRUE(found.has_value()) << name << ": " << several.statistics().reason;
      for (std::size_t word = 0; word < words.words(); ++word)
        for (std::size_t token = 0; token < expected->period(); token += 1 + random() % 7)
          ASSERT_EQ(found->logits(word, token), expected->logits(word, token))
              << name << ", word " << word << ", token " << token;
      EXPECT_EQ(several.statistics().passes, one.statistics().passes) << name;
      EXPECT_EQ(several.statistics().evaluations, one.statistics().evaluations) << name;
      EXPECT_EQ(several.statistics().rows, one.statistics().rows) << name;
      EXPECT_EQ(several.statistics().bytes, one.statistics().bytes) << name;
    }
}

/// Squares beyond 128 bits are compared exactly too.
TEST(Projections, CompareAsRealNumbers) {
  const std::int64_t g[] = {1, 0}, large = std::int64_t{1} << 61;
  const std::int64_t a[] = {large, large}, b[] = {large, large - 1}, c[] = {3, 3};
  EXPECT_EQ(Projection::compare({g, a, 2}, {g, b, 2}), -1);
  EXPECT_EQ(Projection::compare({g, b, 2}, {g, a, 2}), 1);
  EXPECT_EQ(Projection::compare({g, a, 2}, {g, c, 2}), 0);
  EXPECT_EQ(Projection::compare(-Projection(g, a, 2), -Projection(g, b, 2)), 1);
  EXPECT_EQ(Projection::compare(-Projection(g, a, 2), {g, b, 2}), -1);
  const std::vector<std::int64_t> many(12, std::int64_t{1} << 62);
  EXPECT_THROW(Projection(many.data(), many.data(), 12), HandOver);
}

}  // namespace
}  // namespace logdepth::column_passes_tests
