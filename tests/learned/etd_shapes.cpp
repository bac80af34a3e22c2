// Shapes of Encode-Think-Decode: how they are spelt, what they make of a pretrained model, and the
// series that the paper compares.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/encode_think_decode/presets.hpp"
#include "learned/encode_think_decode/think_shape.hpp"
#include "learned/records/task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::etd_shapes_tests {
namespace {

using support::refusal;

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;
using Layers = std::vector<std::uint32_t>;

constexpr LayerCut kPublished = {7, 4, 5, false, false};

PretrainedModel base_of(EtdSize size) {
  return {"base", etd_base(size).model, static_cast<std::uint32_t>(etd_words().size()), 48};
}

RunConfig run_of(const std::string& shape) {
  return etd_middle(base_of(EtdSize::small), parse_think_shape(shape, "--shape"), EtdSize::small,
                    "");
}

Names names_of(ShapeSeries series, const LayerCut& cut) {
  Names names;
  for (const ThinkShape& shape : series_shapes(series, cut)) names.push_back(shape_name(shape));
  return names;
}

TEST(EtdShapes, AreSpeltAsThePaperSpellsThem) {
  using Block = ThinkShape::Block;
  constexpr auto none = ModelConfig::Router::none;
  EXPECT_EQ(parse_think_shape("7-4*2-5", ""), (ThinkShape{7, 4, 5, Block::looped, 2, none}));
  EXPECT_EQ(parse_think_shape("7-4x12-5", ""), (ThinkShape{7, 4, 5, Block::looped, 12, none}));
  EXPECT_EQ(parse_think_shape("0-16-0", ""), (ThinkShape{0, 16, 0, Block::looped, 1, none}));
  EXPECT_EQ(parse_think_shape("3-2+2+2-3", ""), (ThinkShape{3, 2, 3, Block::untied, 3, none}));
  for (const char* name : {"7-4x2-5", "0-16x1-0", "3-2+2+2-3"})
    EXPECT_EQ(shape_name(parse_think_shape(name, "")), name);
  EXPECT_EQ(shape_name({3, 2, 3, Block::adaptive, 10, ModelConfig::Router::straight_through}),
            "3-2-3-straight-through");
}

TEST(EtdShapes, WhatIsNoneIsRefusedInASentence) {
  for (const char* text :
       {"", "3", "3-2", "3-2*-3", "3-2*2", "a-2*2-3", "3-2*2-3 ", "-3-2-3", "3--2-3", "3-2+3-3",
        "3-2+-3", "3-2*2+2-3", "3-2*2-3-1", "99999999999-2-3", "3-2**2-3"})
    EXPECT_EQ(refusal([&] { parse_think_shape(text, "--shape"); }),
              "--shape: expected a shape as 3-2*2-3, or 3-2+2-3 with layers of their own, found '" +
                  std::string(text) + "'");
  for (const char* text : {"3-0*2-3", "3-2*0-3", "3-0+0-3"})
    EXPECT_EQ(refusal([&] { parse_think_shape(text, "--shape"); }),
              "--shape: expected at least one layer in the block and one pass, found '" +
                  std::string(text) + "'");
  EXPECT_EQ(refusal([] { parse_think_shape("3-200+200+200-3", "--shape"); }),
            "--shape: expected at most 512 layers, found '3-200+200+200-3'");
  for (const char* text : {"3-2*65-3", "3-2*1000-3", "3-2x999999999-3"})
    EXPECT_EQ(refusal([&] { parse_think_shape(text, "--shape"); }),
              "--shape: expected at most 64 passes, found '" + std::string(text) + "'");
  EXPECT_EQ(parse_think_shape("3-2*64-3", "--shape").passes, 64u);
  EXPECT_EQ(refusal([] { parse_think_shape("3-999999999-999999999", "--shape"); }),
            "--shape: expected at most 512 layers, found '3-999999999-999999999'");
  EXPECT_EQ(refusal([] { parse_layer_cut("3-2*2-3", "--cut"); }),
            "--cut: expected a cut as 3-2-3, found '3-2*2-3'");
  EXPECT_EQ(refusal([] { parse_layer_cut("3-0-5", "--cut"); }),
            "--cut: expected at least one layer in the block, found '3-0-5'");
  EXPECT_EQ(refusal([] { run_of("3-2*2-2"); }),
            "3-2x2-2: expected 8 layers in all, as the model has, found 7");
}

TEST(EtdShapes, TheBlockPassedOnceIsTheBaseWithItsLayersInThreeParts) {
  for (const EtdSize size : {EtdSize::small, EtdSize::large}) {
    const PretrainedModel base = base_of(size);
    const std::uint32_t layers = base.model.initial;
    const RunConfig run =
        etd_middle(base, looped_shape({3, layers - 5, 2, false, false}, 1), size, "");
    validate(run);
    RunConfig expected = run;
    expected.model = base.model;
    Json model = to_json(expected)["model"];
    EXPECT_EQ(model["repeated"], 0);
    model["initial"] = 3;
    model["repeated"] = layers - 5;
    model["final"] = 2;
    EXPECT_EQ(to_json(run)["model"], model);
    EXPECT_EQ(run.initial_weights, "base");
    EXPECT_TRUE(run.initial_layers.empty());
  }
}

TEST(EtdShapes, LoopsAndRoutersChangeTheLoopOnly) {
  RunConfig run = run_of("3-2*4-3");
  validate(run);
  EXPECT_EQ(run.model.loops.kind, LoopRule::Kind::fixed);
  EXPECT_EQ(run.model.loops.least, 4u);
  run = etd_middle(base_of(EtdSize::small),
                   {3, 2, 3, ThinkShape::Block::adaptive, 10, ModelConfig::Router::mixture},
                   EtdSize::small, "");
  validate(run);
  EXPECT_EQ(run.model.loops.kind, LoopRule::Kind::adaptive);
  EXPECT_EQ(run.model.loops.most, 10u);
  EXPECT_EQ(run.model.router, ModelConfig::Router::mixture);
  EXPECT_EQ(run.model.repeated, 2u);
}

TEST(EtdShapes, AnUntiedTwinHasTheBlocksLayersTwiceAndIsPassedOnce) {
  const RunConfig run = run_of("3-2+2-3");
  validate(run);
  EXPECT_EQ(run.initial_layers, (Layers{0, 1, 2, 3, 4, 3, 4, 5, 6, 7}));
  EXPECT_EQ(run.model.initial, 3u);
  EXPECT_EQ(run.model.repeated, 4u);
  EXPECT_EQ(run.model.final, 3u);
  EXPECT_EQ(run.model.loops.least, 1u);
  EXPECT_EQ(run_of("0-3+3+3-5").initial_layers, (Layers{0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(EtdShapes, OfSixteenLayersTheSeriesAreThoseOfThePaper) {
  EXPECT_EQ(names_of(ShapeSeries::loops, kPublished),
            (Names{"7-4x1-5", "7-4x2-5", "7-4x3-5", "7-4x4-5", "7-4x5-5"}));
  EXPECT_EQ(names_of(ShapeSeries::position, kPublished),
            (Names{"7-4x1-5", "1-4x2-11", "3-4x2-9", "5-4x2-7", "7-4x2-5", "9-4x2-3", "11-4x2-1"}));
  EXPECT_EQ(names_of(ShapeSeries::size, kPublished),
            (Names{"7-4x1-5", "8-2x2-6", "7-4x2-5", "6-6x2-4", "5-8x2-3"}));
  EXPECT_EQ(names_of(ShapeSeries::alternatives, kPublished),
            (Names{"7-4x1-5", "7-4x2-5", "2-12x2-2", "0-16x2-0"}));
  EXPECT_EQ(names_of(ShapeSeries::untied, kPublished), (Names{"7-4x1-5", "7-4x2-5", "7-4+4-5"}));
  EXPECT_EQ(names_of(ShapeSeries::adaptive, kPublished),
            (Names{"7-4x1-5", "7-4x2-5", "7-4x3-5", "7-4x4-5", "7-4x5-5", "7-4-5-straight-through",
                   "7-4-5-mixture", "7-4-5-untrained"}));
}

TEST(EtdShapes, EverySeriesFitsEveryCut) {
  for (std::uint32_t layers = 1; layers <= 32; ++layers)
    for (std::uint32_t encoder = 0; encoder < layers; ++encoder)
      for (std::uint32_t think = 1; encoder + think <= layers; ++think)
        for (const ShapeSeries series :
             {ShapeSeries::loops, ShapeSeries::position, ShapeSeries::size,
              ShapeSeries::alternatives, ShapeSeries::untied, ShapeSeries::adaptive}) {
          const LayerCut cut{encoder, think, layers - encoder - think, false, false};
          const auto shapes = series_shapes(series, cut);
          ASSERT_EQ(shapes.front(), looped_shape(cut, 1));
          for (const ThinkShape& shape : shapes) {
            ASSERT_EQ(shape.layers(), layers) << shape_name(shape);
            ASSERT_GE(shape.think, 1u);
          }
        }
}

TEST(EtdShapes, AllShapesOfASeedAreTrainedOnTheSameLines) {
  const auto batch = [](const RunConfig& run, std::uint64_t seed, std::uint64_t step) {
    return run.task->make_task(seed)->training_batch(0, step).indices;
  };
  const RunConfig once = run_of("3-2*1-3");
  for (const char* shape : {"3-2*3-3", "0-8*2-0", "3-2+2-3", "1-2*2-5"})
    for (const std::uint64_t step : {0, 299})
      EXPECT_EQ(batch(run_of(shape), 4, step), batch(once, 4, step)) << shape;
  EXPECT_NE(batch(once, 4, 0), batch(once, 5, 0));
  EXPECT_NE(batch(once, 4, 0), batch(etd_base(EtdSize::small), 4, 0));
  EXPECT_EQ(to_json(run_of("3-2+2-3"))["training"], to_json(once)["training"]);
  EXPECT_EQ(to_json(run_of("3-2+2-3"))["task"], to_json(once)["task"]);
}

TEST(EtdShapes, AModelOfOtherWordsNeedsAFileOfLines) {
  PretrainedModel other = base_of(EtdSize::small);
  other.vocabulary = 49152;
  const ThinkShape shape = looped_shape({3, 2, 3, false, false}, 2);
  EXPECT_EQ(refusal([&] { etd_middle(other, shape, EtdSize::small, ""); }),
            "base: expected a model of the " + std::to_string(etd_words().size()) +
                " words of the own corpus, found 49152; or --text, a file of lines in its tokens");
  const RunConfig run = etd_middle(other, shape, EtdSize::small, "lines.jsonl");
  const auto& task = run.task.as<LinesConfig>();
  EXPECT_EQ(task.text, "lines.jsonl");
  EXPECT_EQ(task.tokens, "base");
  EXPECT_EQ(task.length, 48u) << "no longer than the context";
}

}  // namespace
}  // namespace logdepth::etd_shapes_tests
