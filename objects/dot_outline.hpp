#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {

/// What Boost's DOT parser lacks: it crashes on some texts, misreads others, needs the square of
/// the memory for a third kind, and its errors have no line. `source` names the file in messages.

enum class StrictGraphs { refused, read };  ///< `strict` merges parallel edges

/// Refuses braces nested deeply (the parser recurses), HTML strings but as values of attributes, and edges
/// that are drawn in another direction. Errors: InputError with the
/// line; SizeLimit for many subgraphs among many names, all of which each subgraph copies.
void check_dot_outline(const std::string& text, const std::string& source, StrictGraphs strict);

/// The text with an edge per pair of nodes in place of `{a b} -> c -> {d e} [...]`, `subgraph` before braces
/// that lack it, and quoted strings in place of HTML strings that are values of attributes. Lines stay where
/// they are. Errors: InputError for edges of other subgraphs; SizeLimit when the text would be longer than
/// 2^28 bytes, or for more than 20000 edges from subgraphs to subgraphs.
std::string plain_dot(const std::string& text, const std::string& source);

/// Where this text first stands in an attribute or a name, as an offset; absent where it does not.
std::optional<std::size_t> place_of_dot_text(const std::string& text, const std::string& source,
                                             const std::string& wanted);

/// The text with its lists of attributes emptied, for a reader that uses none: every node and edge
/// copies the defaults of its subgraph. Lines stay where they are.
std::string without_attributes(const std::string& text, const std::string& source);

/// The message about the error that `parse` finds in the text, with its place in the file, whose lines it
/// has; `parse` gives Boost's sentence, empty when the text parses.
InputError dot_error(const std::string& text, const std::string& file, const std::string& source,
                     const std::string& expected, const std::string& error,
                     const std::function<std::string(const std::string&)>& parse);

/// The name of a node as a writer puts it into a file: bare where it is a plain word, else quoted.
/// Errors: InputError for a name that DOT cannot say, as `a\\`: a backslash before a quotation mark
/// escapes it, and nothing escapes the backslash.
std::string dot_name(const std::string& name);

}}  // namespace logdepth::objects
