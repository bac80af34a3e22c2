#include "runtime/file/model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/overload.hpp"

namespace logdepth { inline namespace runtime_file {

const std::string* text_in(const OpenMembers& members, const std::string& name) {
  const auto found = members.find(name);
  return found == members.end() ? nullptr : std::get_if<std::string>(&found->second);
}

std::string member_text(const OpenMember& member) {
  return std::visit(
      Overload{[](const std::string& text) { return text; },
               [](const JsonText& json) { return nlohmann::json::parse(json.text).dump(); }},
      member);
}

double SeparationLaw::at(double size) const {
  if (!std::isfinite(size)) return 0;
  const mpq_class base(std::max(size, 1.0));  // a double is a rational
  mpq_class power = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) power *= base;
  // get_d cuts off, so a positive quotient is rounded down; beyond the range it is infinite.
  const double down = mpq_class(coefficient.to_mpq() / power).get_d();
  return std::clamp(down, 0.0, std::numeric_limits<double>::max());
}

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

std::string describe(const HeadPlace& place) {
  return fmt::format("layer {} of the file, head {}", place.layer + 1, place.head);
}

std::vector<std::string> descriptions(const std::vector<HeadPlace>& places) {
  std::vector<std::string> texts;
  for (const HeadPlace& place : places) texts.push_back(describe(place));
  return texts;
}

}}  // namespace logdepth::runtime_file
