#pragma once

#include <string>

#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_figures {

/// A picture of strips as a part of a page that needs nothing else: every strip a picture of its
/// own with its tables below it, all in their order where nothing runs scripts. A script makes it
/// one step at a time, with a slider, arrow keys, and what the notes say of elements that a reader
/// points at or comes to by keys. The address chooses what it begins with: `#step=2` this step,
/// `#step=2,KEY` also the note of this key, `#all` all steps; none of them: the first, or all if
/// `together`.
std::string strips_section(const StripPicture& picture, bool together);

/// What this part adds to the looks of its page, for light and for dark ones.
std::string strips_style(const StripPicture& picture);

}  // namespace logdepth::inline report_figures
