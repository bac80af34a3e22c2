// What stops a network of one repeated layer and no other (docs/constructions.md) that computes
// positions in its first pass and multiplies in the others: a mask has one norm type for all passes.

#include <gtest/gtest.h>

#include <string>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::one_norm_tests {
namespace {

const std::string kCells = R"(logdepth-cells 1
program "parity"
alphabet a b
cell one constant
cell fst flag
cell d state onehot even odd
cell sd scratch onehot even odd
position fst
token <begin> d=even
token a d=odd
token b d=even
output accept + d[even]
output reject + d[odd]
)";
const std::string kCount = R"(fetch count causal uniform
add a[0] + 1/2 one - 1/2 fst
add a[1] + 1/2 one + 1/2 fst
)";
const std::string kPosition = "normalise I from a[0] a[1]\n";
const std::string kProduct = R"(fetch prev causal match I back 1 key I
copy sd d
lookup product
rule sd=even d=even -> d=even
rule sd=even d=odd -> d=odd
rule sd=odd d=even -> d=odd
rule sd=odd d=odd -> d=even
erase sd
)";

TEST(OneNormForAllPasses, APositionThatTheFirstPassLeavesBehindIsRefused) {
  const std::string text = kCells + "cell I state key phi\ncell a state number 2\nrepeated\n" +
                           kCount + kPosition + kProduct;
  try {
    (void)compile(parse_program(text, "test"));
    FAIL() << "the program compiles";
  } catch (const ProgramRefused& refused) {
    EXPECT_NE(std::string(refused.what())
                  .find("repeated block: cell I is zero when the loop begins and a value of its "
                        "type when it ends: a second loop would read it differently"),
              std::string::npos)
        << refused.what();
  }
}

TEST(OneNormForAllPasses, APositionThatEveryPassComputesAgainTakesALayerOfItsOwn) {
  const std::string text = kCells + "cell I scratch key phi\ncell a state number 2\ninitial\n" +
                           kCount + "repeated\n" + kPosition + kProduct + "erase I\n";
  EXPECT_EQ(compile(parse_program(text, "test")).model->shape, (Shape{1, 2, 0}));
}

}  // namespace
}  // namespace logdepth::one_norm_tests
