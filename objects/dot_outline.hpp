#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "logdepth/errors.hpp"

namespace logdepth::inline objects {

/// What Boost's DOT parser lacks: it crashes on some texts, misreads others, needs the square of
/// the memory for a third kind, and its errors have no line. `source` names the file in messages.

enum class StrictGraphs { refused, read };  ///< `strict` merges parallel edges

/// Refuses the first three: braces nested deeply (the parser recurses), HTML strings, and edges
/// between subgraphs (each is as many edges as pairs of their nodes). Errors: InputError with the
/// line; SizeLimit for many subgraphs among many names, all of which each subgraph copies.
void check_dot_outline(const std::string& text, const std::string& source, StrictGraphs strict);

/// The text with an edge per target in place of `a -> {b c} [...]`, as Mata writes it. Lines stay
/// where they are. Errors: SizeLimit when the text would be longer than 2^28 bytes.
std::string with_single_edges(const std::string& text, const std::string& source);

/// Where this text first stands in an attribute or a name, as an offset; absent where it does not.
std::optional<std::size_t> place_of_dot_text(const std::string& text, const std::string& source,
                                             const std::string& wanted);

/// The text with its lists of attributes emptied, for a reader that uses none: every node and edge
/// copies the defaults of its subgraph. Lines stay where they are.
std::string without_attributes(const std::string& text, const std::string& source);

/// The message about the error that `parse` finds in the text, with its place; `parse` gives Boost's
/// sentence, empty when the text parses.
InputError dot_error(const std::string& text, const std::string& source,
                     const std::string& expected, const std::string& error,
                     const std::function<std::string(const std::string&)>& parse);

/// The name of a node as a writer puts it into a file: bare where it is a plain word, else quoted.
/// Errors: InputError for a name that DOT cannot say, as `a\\`: a backslash before a quotation mark
/// escapes it, and nothing escapes the backslash.
std::string dot_name(const std::string& name);

}  // namespace logdepth::inline objects
