#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/compile.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/run.hpp"

namespace logdepth {

/// What a run is compared with.
struct RunComparison {
  /// A test oracle, as `logdepth draw --against` takes it: "group:A5", a regular expression,
  /// "graph:reachability", "division", ...; "program": only the embedded program; empty: nothing.
  std::string against = {};
  /// A program; absent: with `against`, the one that the weights file carries.
  std::optional<cells::Program> program = std::nullopt;
  /// Called with a sentence for each comparison that is left out, and why.
  Say note = {};
};

/// What is wrong in one run.
struct RunCheck {
  Answer answer;                      ///< what `run` says of the input
  std::vector<std::string> problems;  ///< sentences; empty where nothing is wrong
  /// Nothing was found.
  bool passed() const { return problems.empty(); }
};

/// Checks the run of a word: the selection contract of every head, and what `comparison` names:
/// answer, prefix products or states, every value of the program. Errors: as run; InputError where
/// the comparison does not fit the transformer.
[[nodiscard]] RunCheck check(const Transformer& transformer, const Letters& word,
                             const RunComparison& comparison = {});
/// The same of a question about a graph.
[[nodiscard]] RunCheck check(const Transformer& transformer, const DirectedGraph& graph,
                             std::uint32_t source, std::uint32_t target,
                             const RunComparison& comparison = {});
/// The same of raw streams; a division is compared at every token with `against` "division".
[[nodiscard]] RunCheck check(const Transformer& transformer, const RawStreams& streams,
                             const RunComparison& comparison = {});

/// What a run is compared with by `diff`; values and defaults are those of `logdepth diff`.
struct DiffSettings {
  std::string engine = "exact";  ///< "exact": with a program; else a float, with the exact run
  std::optional<std::string> rule = std::nullopt;    ///< of a float: "plain" or "bounded"
  std::optional<std::string> scores = std::nullopt;  ///< of a float: "product" or "distance"
  /// A program for an exact run; absent: the one that the weights file carries.
  std::optional<cells::Program> program = std::nullopt;
};

/// The first place where a run leaves what it is compared with.
struct FirstDifference {
  std::uint64_t layer = 0;  ///< executed, from 1; 0: the embedding
  /// "embedding", "attention", "feed-forward", "unembedding" or "the end"
  std::string sublayer;
  std::size_t token = 0;  ///< from 0
  std::string cell;       ///< with its component, or a coordinate
  std::string expected;   ///< exactly
  std::string found;      ///< exactly, or as the float prints
  std::string text = {};  ///< all of it in a sentence
};

/// What `diff` found.
struct Diff {
  std::optional<FirstDifference> first;  ///< absent where all is equal, or the run is refused
  std::string refused;                   ///< why there is no run to compare; or empty
  /// Every value of every token after every sublayer is as expected.
  bool equal() const { return !first && refused.empty(); }
};

/// Compares the run of a word, value by value. Errors: as run; InputError for settings that do not go
/// together, and where there is no program to compare with.
[[nodiscard]] Diff diff(const Transformer& transformer, const Letters& word,
                        const DiffSettings& settings = {});
/// The same of a question about a graph.
[[nodiscard]] Diff diff(const Transformer& transformer, const DirectedGraph& graph,
                        std::uint32_t source, std::uint32_t target,
                        const DiffSettings& settings = {});
/// The same of raw streams.
[[nodiscard]] Diff diff(const Transformer& transformer, const RawStreams& streams,
                        const DiffSettings& settings = {});

}  // namespace logdepth
