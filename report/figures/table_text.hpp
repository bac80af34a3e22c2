#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline report_figures {

// --- Markdown ------------------------------------------------------------------------------------

/// Text of any origin for a place in a paragraph, an item or a cell: what Markdown, or the HTML in
/// it, would read as something else has a backslash before it, and a line's end becomes a blank.
std::string markdown_text(std::string_view text);
std::vector<std::string> markdown_texts(const std::vector<std::string>& texts);

/// "| a | b |" and the line's end. Cells are Markdown already.
std::string markdown_row(const std::vector<std::string>& cells);
/// The row of headings and the rule under it; columns from `first_number` on are set to the right.
std::string markdown_headings(const std::vector<std::string>& cells,
                              std::size_t first_number = std::string::npos);

// --- HTML ----------------------------------------------------------------------------------------

/// "<td>...</td>"; the text is escaped. `kind`: the class of the cell, a word of ours; or none.
std::string html_cell(std::string_view text, std::string_view kind = "");
/// A row of such cells; of headings.
std::string html_row(const std::vector<std::string>& texts);
std::string html_headings(const std::vector<std::string>& texts);

/// A page of its own. The title is escaped, the body is HTML; `style`: what this page adds to the
/// looks that all pages share.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace logdepth::inline report_figures
