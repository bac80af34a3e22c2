#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logdepth::inline base {

/// Text of any origin for a place between tags or between double quotes of XML, HTML, or a
/// Graphviz label of the `<...>` kind: the five special characters become entities, control
/// characters become their visible pictures, and bytes that are not UTF-8 the replacement sign.
std::string xml_text(std::string_view text);

/// Number of characters (code points) of the text.
std::size_t count_characters(std::string_view text);
/// The text cut to `limit` characters, with an ellipsis in the last place when something is lost.
std::string cut_text(std::string_view text, std::size_t limit);

}  // namespace logdepth::inline base
