#pragma once

#include <string>

namespace logdepth {

/// The loop of MS25 Theorem 5.1 in one layer, as text (the compact forms; statement and invariant
/// at the head of graph_connectivity_MS25_thm5_1.cpp): C(i,k,j) := W(i,k) and W(k,j), W an edge A
/// or some C. Cells A, C, xA, xC, yA, yC; keys (U, J) of pairs and (T, J) of triples; K, J own
/// indices. `row`: i as an index of pairs; `middle_row`: k as a first index of triples; `margin` of
/// ties.
std::string squaring_loop(const std::string& row, const std::string& middle_row,
                          const std::string& margin);

}  // namespace logdepth
