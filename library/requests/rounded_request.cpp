#include "library/requests/rounded_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/quoted_text.hpp"
#include "library/requests/option_checks.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline library_requests {
namespace {

/// The bits of "mpfr:BITS".
std::optional<std::uint32_t> mpfr_bits(const std::string& name) {
  const std::string prefix = "mpfr:";
  if (!name.starts_with(prefix)) return std::nullopt;
  std::uint32_t bits = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, bits);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return bits;
}

}  // namespace

FloatOptions requested_engine(const RoundedSettings& settings) {
  FloatOptions options;
  if (settings.engine == "float64") {
    options.engine = FloatOptions::Engine::float64;
  } else if (settings.engine == "float32") {
    options.engine = FloatOptions::Engine::float32;
  } else if (const auto bits = mpfr_bits(settings.engine)) {
    options.engine = FloatOptions::Engine::mpfr;
    options.bits = *bits;
    if (*bits < FloatOptions::kFewestBits || *bits > FloatOptions::kMostBits)
      throw InputError("--engine: expected mpfr:" + std::to_string(FloatOptions::kFewestBits) +
                       " to mpfr:" + std::to_string(FloatOptions::kMostBits) + ", found " +
                       settings.engine);
  } else {
    throw InputError("--engine: expected exact, float64, float32 or mpfr:BITS, found " +
                     in_quotes(settings.engine));
  }
  require_one_of("--device", settings.device, kFloatDevices);
  require_one_of("--rule", settings.rule, kFloatRules);
  if (settings.temperature && !(*settings.temperature > 0 && std::isfinite(*settings.temperature)))
    throw InputError("--temperature: expected a finite number above 0");
  if (!(settings.tolerance >= 0 && std::isfinite(settings.tolerance)))
    throw InputError("--tolerance: expected a finite number of at least 0");
  options.temperature = settings.temperature;
  options.device =
      settings.device == "cuda" ? FloatOptions::Device::cuda : FloatOptions::Device::cpu;
  options.rule = settings.rule == "plain"     ? FloatOptions::Rule::plain
                 : settings.rule == "snapped" ? FloatOptions::Rule::snapped
                                              : FloatOptions::Rule::bounded;
  options.tolerance = settings.tolerance;
  options.threads = std::max<std::size_t>(1, settings.threads);
  return options;
}

}  // namespace logdepth::inline library_requests
