#include "learned/depth_recurrent/published_depth_recurrent.hpp"

namespace logdepth::inline learned_depth_recurrent {

const PublishedHeatmap& published_hops() {
  static const PublishedHeatmap kFigure1{"figure 1",
                                         {{1, 2, 3, 4, 6, 8, 10, 12},
                                          {1, 2, 3, 5, 8, 12, 15, 20},
                                          {{.97, .97, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
                                           {.51, .98, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
                                           {.51, .54, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
                                           {.52, .54, .50, 1.00, 1.00, 1.00, 1.00, 1.00},
                                           {.50, .52, .50, .50, 1.00, 1.00, 1.00, 1.00},
                                           {.51, .54, .50, .50, .50, .97, 1.00, 1.00},
                                           {.51, .52, .50, .50, .50, .50, .50, .50},
                                           {.51, .53, .50, .50, .50, .50, .50, .50}}},
                                         {1, 5, 5, 8}};
  return kFigure1;
}

const PublishedHeatmap& published_expressions() {
  static const PublishedHeatmap kFigure2{
      "figure 2",
      {{2, 4, 6, 8, 10, 12, 14},
       {1, 2, 4, 6, 8, 10, 12, 16, 20, 24},
       {{.59, .82, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
        {.54, .74, .94, .99, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
        {.56, .67, .91, .97, .98, .99, .99, 1.00, .99, .99},
        {.58, .73, .90, .96, .98, .97, .97, .98, .97, .97},
        {.58, .64, .82, .88, .92, .93, .94, .96, .95, .94},
        {.58, .66, .85, .89, .92, .93, .93, .92, .93, .92},
        {.54, .67, .82, .89, .91, .92, .90, .91, .90, .90}}},
      {1, 8, 4, 16}};
  return kFigure2;
}

const PublishedHeatmap& published_families() {
  static const PublishedHeatmap kFigure3{"figure 3",
                                         {{2, 3, 4, 5, 6, 7, 8, 9},
                                          {1, 2, 4, 6, 8, 10, 12, 16, 20},
                                          {{.80, .86, .86, .86, .86, .86, .86, .86, .86},
                                           {.72, .83, .84, .83, .83, .83, .83, .83, .82},
                                           {.66, .81, .83, .83, .83, .82, .83, .82, .82},
                                           {.64, .79, .81, .82, .82, .82, .82, .81, .81},
                                           {.54, .66, .68, .69, .69, .69, .69, .69, .69},
                                           {.53, .63, .65, .66, .67, .67, .67, .67, .67},
                                           {.46, .51, .52, .53, .54, .55, .55, .57, .57},
                                           {.45, .49, .52, .53, .53, .54, .54, .55, .56}}},
                                         {2, 5, 1, 12}};
  return kFigure3;
}

const std::vector<std::string>& published_contradictions() {
  static const std::vector<std::string> kNotes = {
      "According to the paper's text, N steps suffice for N hops and that 8 hops are perfect; its "
      "figure 1 has 8 hops at T = 8 at chance (.50) and .97 only at T = 12. It shows no row of 5 "
      "hops, to which it trains.",
      "According to the text, accuracy on expressions grows with T; figure 2 falls again by up to "
      "two "
      "points (depth 10: .96 at T = 16, .94 at T = 24; depth 14: .92 at T = 10, .90 at T = 12). "
      "\"Above 90 % at depth 14\" is .90 to .92 there.",
      "According to the text, more steps strictly improve accuracy on family text at any depth; "
      "figure 3 "
      "gains "
      "at most a point from T = 4 to T = 20 at depths 2 to 5, and depth 3 loses two. Accuracy "
      "saturates at .86 where it was trained, so the task is solved nowhere.",
      "Equation 6 normalises the input of attention, equation 7 projects queries, keys and values "
      "from the input that is not normalised; here the normalised one is projected.",
      "The paper gives neither the size of its graphs nor how its graphs, expressions and texts "
      "and their negatives are drawn. A difference to the published numbers can come from there."};
  return kNotes;
}

}  // namespace logdepth::inline learned_depth_recurrent
