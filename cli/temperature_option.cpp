#include "cli/temperature_option.hpp"

#include <charconv>
#include <system_error>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline cli {

void read_temperature(const std::string& text, ExportSettings& settings) {
  if (text == "auto") return;
  if (text == "hard" || text == "tested") {
    settings.attention = text == "hard" ? ExportAttention::hard : ExportAttention::tested;
    return;
  }
  settings.attention = ExportAttention::temperature;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, settings.temperature);
  require(
      error == std::errc() && next == end && settings.temperature > 0,
      "--temperature: expected auto, tested, hard or a number above 0, found " + in_quotes(text));
}

}  // namespace logdepth::inline cli
