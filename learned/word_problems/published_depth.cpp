#include "learned/word_problems/published_depth.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

constexpr const char* kTraining = "about 100 million words, of at most 128 or 512 letters";

}  // namespace

const PublishedLine& published_depth_line() {
  // MS25, figure 2 left and section 7: the best of 3 to 8 seeds per depth.
  static const PublishedLine kLine = {PublishedLine::Of::depth,
                                      "A5",
                                      "stack",
                                      "d = 4.8 log2 n* - 15.8",
                                      "MS25 section 7",
                                      "width 512, best seed of 3 to 8 per depth, 95 %",
                                      {6, 9, 12, 15, 18, 21, 24},
                                      4.8,
                                      -15.8,
                                      0.93,
                                      16,
                                      512,
                                      kTraining};
  return kLine;
}

const PublishedLine& published_width_line() {
  // MS25, figure 2 right; the appendix prints the width 258 for 256.
  static const PublishedLine kLine = {PublishedLine::Of::width,
                                      "A5",
                                      "stack",
                                      "n* = 7.2 log2 w - 41.7",
                                      "MS25 section 7",
                                      "depth 6, best seed of 5 per width, 95 %",
                                      {128, 256, 512, 1024},
                                      7.2,
                                      -41.7,
                                      0.98,
                                      128,
                                      1024,
                                      kTraining};
  return kLine;
}

}  // namespace logdepth::inline learned_word_problems
