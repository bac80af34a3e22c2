#pragma once

#include <cstdint>
#include <string>

#include "logdepth/compare.hpp"
#include "logdepth/compile.hpp"
#include "logdepth/run.hpp"

namespace logdepth {

/// The circuit of a transformer as SVG: what every sublayer reads of the residual stream and what it
/// adds to it, by the names of cells, heads and look-ups. Deterministic. Errors: InputError where
/// Graphviz, which sets the letters, is not installed.
std::string svg(const Transformer& transformer);

/// A run on a word as SVG: who attends where, layer by layer; prefix products, the verdict, and in
/// red every promise that breaks and whatever differs from `comparison`. A run that is refused is
/// drawn as far as it came. Deterministic. Errors: InputError for a word of more than 80 tokens, as
/// run and check, and where the file is not made for the word.
std::string svg(const Transformer& transformer, const Letters& word,
                const RunComparison& comparison = {});

/// A run on a graph as SVG: pairs known before the iterations and after each of them, and the way that
/// was found, if the file names the cells of its reachability; else who attends where. Deterministic.
/// Errors: as run; InputError as for a word, where a run without such steps is refused.
std::string svg(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
                std::uint32_t target, const RunComparison& comparison = {});

/// A run on raw streams as SVG: who attends where. Deterministic. Errors: as for a word.
std::string svg(const Transformer& transformer, const RawStreams& streams,
                const RunComparison& comparison = {});

/// The same into a file, in the form that its name asks for: .svg, .html (a page with a slider over
/// the layers), .pdf and .png. It appears when it is complete. Errors: as above;
/// InputError for another ending, where the file cannot be written, and for .pdf and .png where
/// librsvg's program is not installed.
void draw(const Transformer& transformer, const std::string& file);
/// A run on a word, in the form of its name.
void draw(const Transformer& transformer, const Letters& word, const std::string& file,
          const RunComparison& comparison = {});
/// A run on a graph, in the form of its name.
void draw(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
          std::uint32_t target, const std::string& file, const RunComparison& comparison = {});
/// A run on raw streams, in the form of its name.
void draw(const Transformer& transformer, const RawStreams& streams, const std::string& file,
          const RunComparison& comparison = {});

}  // namespace logdepth
