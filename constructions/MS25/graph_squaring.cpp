#include "constructions/MS25/graph_squaring.hpp"

namespace logdepth {

std::string squaring_loop(const std::string& row, const std::string& middle_row,
                          const std::string& margin) {
  const std::string prefer = " prefer C=true margin " + margin;
  return R"cells(
repeated
  fetch left_edge unmasked find-one )cells" +
         row + R"cells( key U and K key J
    copy xA A
  fetch left_walk unmasked find T key T and K key J)cells" +
         prefer + R"cells(
    copy xC C
  fetch right_edge unmasked find-one K key U and J key J
    copy yA A
  fetch right_walk unmasked find )cells" +
         middle_row + " key T and J key J" + prefer + R"cells(
    copy yC C
  lookup both
    rule xA=true yA=true -> C=true
    rule xA=true yA=false yC=true -> C=true
    rule xA=true yA=false yC=false -> C=false
    rule xA=false xC=true yA=true -> C=true
    rule xA=false xC=true yA=false yC=true -> C=true
    rule xA=false xC=true yA=false yC=false -> C=false
    rule xA=false xC=false -> C=false
  erase xA xC yA yC
)cells";
}

}  // namespace logdepth
