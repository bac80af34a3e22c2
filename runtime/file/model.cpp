#include "runtime/file/model.hpp"

#include "base/overload.hpp"

namespace logdepth::inline runtime_file {

std::vector<std::string> extra_kinds(const Input& input) {
  std::vector<std::string> kinds;
  std::visit(Overload{[&](const WordInput& word) {
                        if (word.begin) kinds.emplace_back(kBeginToken);
                        if (word.end) kinds.emplace_back(kEndToken);
                      },
                      [](const CellsInput&) {},
                      [&](const GraphInput& graph) {
                        if (graph.layout == GraphInput::Layout::rows) {
                          kinds.emplace_back(kVertexToken);
                        } else {
                          kinds = {kEdgeToken, kNoEdgeToken, kPadToken, kSourceToken, kTargetToken};
                        }
                      }},
             input);
  return kinds;
}

const char* norm_name(Norm norm) {
  return norm == Norm::rms ? "rms" : "layernorm";
}

const char* padding_name(GraphPadding padding) {
  return padding == GraphPadding::n3            ? "n3"
         : padding == GraphPadding::n3_minus_n2 ? "n3-n2"
                                                : "n4-n2";
}

const char* position_name(const Position& position) {
  return std::visit(Overload{[](const FirstFlagPosition&) { return kFirstFlag; },
                             [](const CodePosition& position) {
                               const PositionCode::Kind kind = position.code.kind;
                               return kind == PositionCode::Kind::circle ? kCircle
                                      : kind == PositionCode::Kind::fine ? kFine
                                                                         : kTwoCircle;
                             },
                             [](const TablePosition&) { return kTable; }},
                    position);
}

}  // namespace logdepth::inline runtime_file
