#include "learned/depth_recurrent/published_depth_recurrent.hpp"

namespace logdepth {

const AccuracyHeatmap& published_hop_heatmap() {
  static const AccuracyHeatmap kFigure1{{1, 2, 3, 4, 6, 8, 10, 12},
                                        {1, 2, 3, 5, 8, 12, 15, 20},
                                        {{.97, .97, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
                                         {.51, .98, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
                                         {.51, .54, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00},
                                         {.52, .54, .50, 1.00, 1.00, 1.00, 1.00, 1.00},
                                         {.50, .52, .50, .50, 1.00, 1.00, 1.00, 1.00},
                                         {.51, .54, .50, .50, .50, .97, 1.00, 1.00},
                                         {.51, .52, .50, .50, .50, .50, .50, .50},
                                         {.51, .53, .50, .50, .50, .50, .50, .50}}};
  return kFigure1;
}

const std::vector<std::string>& published_contradictions() {
  static const std::vector<std::string> kNotes = {
      "The paper's text says that N steps suffice for N hops and that 8 hops are perfect; its "
      "figure 1 has 8 hops at T = 8 at chance (.50) and .97 only at T = 12. It shows no row of 5 "
      "hops, to which it trains.",
      "Equation 6 normalises the input of attention, equation 7 projects queries, keys and values "
      "from the input that is not normalised; here the normalised one is projected.",
      "The paper says neither how large its graphs are nor how they and the negatives are drawn. A "
      "difference to the published numbers can come from there."};
  return kNotes;
}

}  // namespace logdepth
