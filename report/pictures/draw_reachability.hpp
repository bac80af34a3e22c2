#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/strip_picture.hpp"
#include "report/pictures/reachability_run.hpp"

namespace logdepth { inline namespace report_pictures {

/// A run on a graph in sentences and tables, for a picture of it.
class ReachabilityText {
 public:
  explicit ReachabilityText(const ReachabilityRun& run) : run_(run) {}

  std::string title() const;
  /// "connected", "not connected", or why there is no answer.
  std::string answer() const;
  /// What is drawn, and what is left out when so many vertices are, and not all arrows.
  std::vector<std::string> introduction(std::size_t drawn, bool all_arrows) const;
  /// What is wrong.
  std::vector<std::string> alarms() const;
  /// Short lines beside the first step.
  std::vector<std::string> how_to_read() const;

  std::string step_name(std::size_t step) const;
  /// How long the walks are that are known.
  std::string walks(std::size_t step) const;
  /// What the step has found.
  std::string news(std::size_t step) const;

  // What is said of a vertex, a pair, and a vertex between source and target.
  std::string vertex_note(std::size_t step, Vertex vertex) const;
  std::string pair_note(std::size_t step, Vertex from, Vertex to) const;
  std::string middle_note(const MiddleVertex& middle) const;
  /// The vertices by way of which walks are joined, "b", or "b -> c" where there are two; `limit`:
  /// characters of a name.
  std::string way(Between via, Vertex to, std::size_t limit) const;

  StripTable reach_table(std::size_t step) const;
  StripTable question_table(std::size_t step) const;
  /// Which tokens stand for what.
  StripTable token_table() const;

  std::string walk_sentence() const;
  /// What the answer was read from.
  std::vector<std::string> last_token() const;

 private:
  std::string names(const std::vector<Vertex>& vertices, std::size_t limit) const;
  std::string pair(Vertex from, Vertex to) const;
  std::vector<Vertex> reached(std::size_t step, Vertex from, bool only_new) const;
  std::size_t pairs(std::size_t step, bool only_new) const;
  std::string ways(const std::vector<Between>& joins, Vertex to) const;
  std::string token(std::size_t at, bool tuple) const;
  std::string fetched(const FetchedFlag& flag, bool tuple) const;

  const ReachabilityRun& run_;
};

/// More vertices make pictures that nobody can read: those of the walk that was found are drawn, and
/// the first to be reached.
inline constexpr std::size_t kMaxDrawnVertices = 24;

/// How reachability grew in a run: a strip for what is known before the loops and after each of
/// them (the graph with an arrow for each known pair, the same as a matrix, the question by way of
/// every vertex), and one for the answer with the walk that was found. The same run gives the same
/// bytes.
StripPicture draw_reachability(const ReachabilityRun& run);

}}  // namespace logdepth::report_pictures
