#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {

struct CircleVertex {
  std::string name;
  std::string mark = {};                          ///< a character or two inside
  std::string fill = "#FFFFFF", ink = "#000000";  ///< of the inside; of mark and edge
  bool ringed = false;                            ///< a second circle around it
  std::string key = {};                           ///< of vertex and name (strip_picture.hpp)
  std::optional<PlotPoint> place = {};            ///< with its name below; absent: on the circle
};

/// An arrow between two vertices, or from one to itself.
struct CircleArrow {
  std::size_t from = 0, to = 0;
  std::string colour;
  double width = 1, opacity = 1;
  std::string key = {};
  double bend = 0.14;  ///< of its length, to the left of it
};

/// Vertices clockwise on a circle, the first on the left, with their names outside. Arrows bend, so
/// that there and back are two.
struct VertexCircle {
  std::vector<CircleVertex> vertices;
  std::vector<CircleArrow> arrows;  ///< in this order, vertices above them
};

/// Width and height of the box that it needs.
PlotPoint circle_size(const VertexCircle& circle);
std::string circle_elements(const VertexCircle& circle, PlotPoint corner);

struct PairCell {
  std::string mark;  ///< a character or two; none where nothing is said
  std::string fill = {}, ink = {};
  bool framed = false;
  std::string key = {};  ///< strip_picture.hpp
};

/// Who is related to whom: a row for each that is, a column for each that it is related to.
struct PairMatrix {
  std::vector<std::string> names;            ///< of rows and columns
  std::vector<std::vector<PairCell>> cells;  ///< [row][column]
  std::string row_title, column_title;
};

PlotPoint pair_matrix_size(const PairMatrix& matrix);
std::string pair_matrix_elements(const PairMatrix& matrix, PlotPoint corner);

struct FanMiddle {
  std::string name;
  bool first = false, second = false;  ///< a line from the source; to the target
  bool joined = false;                 ///< both stand out
  std::string key = {};                ///< strip_picture.hpp
};

/// A source, a target, and what may lie between them.
struct MiddleFan {
  std::string source, target, title;
  std::vector<FanMiddle> middles;
};

PlotPoint middle_fan_size(const MiddleFan& fan);
std::string middle_fan_elements(const MiddleFan& fan, PlotPoint corner);

/// A stretch of the walk from one of its places to another.
struct WalkArc {
  std::size_t from = 0, to = 0;
  std::size_t level = 0;  ///< how high it stands; 0: a line between the two
  std::string label = {};
  std::string colour;
  std::string key = {};  ///< strip_picture.hpp
};

/// The vertices of a walk in a row, and over them what it was put together from.
struct WalkArcs {
  std::vector<std::string> names;
  std::vector<WalkArc> arcs;
};

PlotPoint walk_arcs_size(const WalkArcs& walk);
std::string walk_arcs_elements(const WalkArcs& walk, PlotPoint corner);

}}  // namespace logdepth::report_figures
