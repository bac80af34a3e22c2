#include "report/pictures/light_lines.hpp"

namespace logdepth::inline report_pictures {

void explain_light_lines(TokenBands& bands) {
  bool shared = false, quiet = false;
  for (const Band& band : bands.bands)
    for (const BandLine& line : band.lines) {
      shared = shared || line.share < 1;
      quiet = quiet || bands.tokens[line.to].quiet;
    }
  if (shared)
    bands.notes.emplace_back("light lines to several tokens: the head takes their average");
  if (quiet) bands.notes.emplace_back("light lines to one token: it holds nothing of the input");
}

}  // namespace logdepth::inline report_pictures
