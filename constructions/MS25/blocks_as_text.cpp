// Lemma A.6 and the first step of Lemma 3.1 as program text: used by graph_connectivity_thm5_1.cpp
// alone, until it is written with the builder. blocks.hpp has both as statements.
#include "constructions/MS25/building_blocks_appA.hpp"

namespace logdepth::blocks {

std::string offset(const std::string& name, const std::string& number, const std::string& one,
                   const std::string& first, std::uint32_t k) {
  const auto halves = [&](std::int64_t odd, const std::string& cell) {
    if (odd == 0) return std::string();
    const Rational factor(odd, 2);
    return (odd < 0 ? " - " : " + ") + factor.abs().text() + " " + cell;
  };
  const std::int64_t steps = k;
  return "fetch " + name + " causal uniform\n  add " + number + "[0]" + halves(1 - steps, one) +
         halves(-1 - steps, first) + "\n  add " + number + "[1]" + halves(1, one) +
         halves(1, first) + "\n";
}

std::string multiples() {
  return "fetch near causal nearest R key I\n  copy Q I\n  add D + I[0]\n"
         "fetch mark causal match I key I\n  add D - R[0]\n  set e=true\n"
         "test e zero D\n";
}

}  // namespace logdepth::blocks
