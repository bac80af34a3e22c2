#include "learned/encode_think_decode/published.hpp"

#include <vector>

namespace logdepth::etd {
namespace {

using report::Data;
using Numbers = std::vector<double>;

constexpr const char* kGroups[] = {"factual",     "reading", "commonsense",
                                   "multi-disc.", "BBH",     "mathematics"};

Data loops(int times, int passes, const Numbers& accuracy, const Data& relative) {
  return {{"loops", times}, {"passes", passes}, {"accuracy", accuracy}, {"relative", relative}};
}

Data task(const char* name, std::size_t group, const Numbers& accuracy) {
  return {{"name", name}, {"group", kGroups[group]}, {"accuracy", accuracy}};
}

Data shape(const char* name, int passes, const Numbers& accuracy, const char* compares) {
  return {{"shape", name}, {"passes", passes}, {"accuracy", accuracy}, {"compares", compares}};
}

}  // namespace

Data published() {
  static const char *const kBlocks = "which layers are looped", *const kUntied = "untied layers",
                           *const kPosition = "position of the block",
                           *const kSize = "size of the block", *const kLarge = "the 7B model";
  return {
      {"groups", kGroups},
      {"cuts",
       {{{"model", "OLMo 2 1B"}, {"cut", "7-4-5"}}, {{"model", "OLMo 2 7B"}, {"cut", "16-10-6"}}}},
      {"loops",
       {loops(1, 16, {37.55, 52.19, 65.29, 45, 31.8, 24.31}, {}),
        loops(2, 20, {38.1, 56.14, 66.74, 48.41, 31.67, 28.27},
              Numbers{1.5, 7.6, 2.2, 7.6, -0.4, 16.3}),
        loops(3, 24, {37.55, 56.07, 67.75, 49.55, 32.62, 30.29},
              Numbers{0, 7.4, 3.77, 10.1, 2.6, 24.6}),
        loops(4, 28, {37.74, 57.76, 68.16, 50.18, 33.01, 29.62},
              Numbers{0, 10.7, 4.4, 11.5, 3.8, 21.8}),
        loops(5, 32, {38.23, 58.5, 68.41, 50.58, 33.49, 30.45},
              Numbers{1.8, 12.1, 4.8, 12.4, 5.3, 25.3})}},
      {"tasks",
       {task("NaturalQuestions", 0, {20.98, 20.76, 19.97, 20.35, 20.53}),
        task("TriviaQA", 0, {54.12, 55.43, 55.13, 55.13, 55.93}),
        task("BoolQ", 1, {72.0, 75.7, 76.0, 78.0, 76.4}),
        task("OpenBookQA", 1, {52.8, 57.0, 57.4, 58.8, 61.0}),
        task("DROP", 1, {31.761, 35.73, 34.82, 36.47, 38.086}),
        task("HellaSwag", 2, {69.7, 69.8, 69.6, 71.0, 70.4}),
        task("SocialIQA", 2, {58.1, 62.9, 63.9, 65.0, 66.2}),
        task("WinoGrande", 2, {66.69, 66.85, 68.19, 68.51, 68.59}),
        task("CommonsenseQA", 2, {66.67, 67.40, 69.29, 68.14, 68.47}),
        task("ARC-Easy", 3, {78.5, 78.4, 79.7, 79.8, 80.4}),
        task("ARC-Challenge", 3, {50.85, 58.36, 60.24, 62.03, 61.43}),
        task("MMLU", 3, {44.52, 47.59, 49.40, 49.84, 49.95}),
        task("MMLU-Pro", 3, {15.55, 17.53, 18.13, 18.37, 19.07}),
        task("AGIEval-English", 3, {35.58, 40.16, 40.27, 40.88, 42.07}),
        task("BBH", 4, {31.8, 31.67, 32.62, 33.01, 33.49}),
        task("GSM8K", 5, {44.05, 51.10, 54.36, 55.50, 56.56}),
        task("MATH", 5, {4.57, 5.45, 6.22, 3.73, 4.33})}},
      {"shapes",
       {shape("2-12*2-2", 28, {37.7, 56.44, 67.73, 47.58, 32.30, 29.27}, kBlocks),
        shape("0-16*2-0", 32, {37.35, 53.58, 64.7, 45.24, 30.59, 24.99}, kBlocks),
        shape("7-4+4-5", 20, {31.78, 52.03, 62.45, 44.42, 30.21, 21.68}, kUntied),
        shape("1-4*2-11", 20, {37.92, 55.53, 64.82, 44.99, 31.23, 25.6}, kPosition),
        shape("3-4*2-9", 20, {37.43, 56.93, 65.87, 46.9, 29.80, 27.31}, kPosition),
        shape("5-4*2-7", 20, {37.58, 56.51, 66.86, 49.03, 32.21, 26.8}, kPosition),
        shape("7-4*2-5", 20, {38.1, 56.14, 66.74, 48.41, 31.67, 28.27}, kPosition),
        shape("9-4*2-3", 20, {37.7, 53.46, 65.52, 45.71, 31.05, 27.35}, kPosition),
        shape("11-4*2-1", 20, {37.67, 54.79, 64.45, 45.18, 30.93, 24.63}, kPosition),
        shape("8-2*2-6", 18, {37.99, 55.23, 65.88, 47.00, 30.98, 26.63}, kSize),
        shape("6-6*2-4", 22, {38.37, 57.43, 67.01, 49.09, 31.81, 29.04}, kSize),
        shape("5-8*2-3", 24, {37.00, 57.67, 67.73, 49.54, 33.71, 29.35}, kSize)}},
      {"large_shapes",
       {shape("16-10*1-6", 32, {56.63, 74.68, 76.73, 62.9, 48.18, 41.63}, kLarge),
        shape("16-10*2-6", 42, {56.89, 75.05, 76.82, 62.95, 49.77, 42.64}, kLarge)}},
      {"contradictions",
       {"Appendix C prints the difference curve of Kneedle as y - (1 - x), which has a minimum at "
        "the "
        "knee of a convex decreasing curve, and takes its maxima. The library that it runs uses "
        "(1 - y) - x, the negative; so does the cut here.",
        "Figure 1 needs the reader to know whether the curve that the decoder is read off ends "
        "behind "
        "or with the last layer of the encoder (\"until reaching the last layer assigned to\" it). "
        "Here: with it.",
        "The text calls 7-4*2-5 \"effective depth 22\"; 7 + 2 * 4 + 5 is 20, as table 2 counts.",
        "One table of the 7B model prints 40 passes for 16-10*2-6; 16 + 2 * 10 + 6 is 42.",
        "Table 2 prints a change of 0 % for factual knowledge at k = 4; 37.74 over 37.55 is +0.5 "
        "%.",
        "DROP is printed to three digits after the point at k = 1 and 5 and to two between; "
        "CommonsenseQA is printed as a percentage, other accuracies without the sign.",
        "MATH falls below k = 1 at k = 4 and 5 (-18.28 and -5.17 %), while mathematics is summed "
        "up "
        "as "
        "gaining 25.3 % at k = 5: the gain is that of GSM8K.",
        "Figure 4, adaptive depth, has no printed numbers. With a hard stop and no mixture of "
        "states "
        "the router gets no gradient from the loss, and the paper does not specify what trains it: "
        "three "
        "ways are measured here, each under its name.",
        "The router's cap is 10 passes in training and none when measuring; here it is 64, and how "
        "often a token took as many is printed."}}};
}

}  // namespace logdepth::etd
