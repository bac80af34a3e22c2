#pragma once

#include <string>
#include <vector>

namespace logdepth::inline learned_language_model {

/// The paragraphs of a text: what stands between blank lines, without the line end at its end. Of a
/// folder: those of all files *.md and *.txt in it and below, in byte order of the paths. Errors:
/// InputError naming the file, and the line when it is not UTF-8; no paragraph at all is one.
std::vector<std::string> text_paragraphs(const std::string& file);

}  // namespace logdepth::inline learned_language_model
