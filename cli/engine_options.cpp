#include "cli/engine_options.hpp"

#include <charconv>
#include <cmath>

#include "logdepth/errors.hpp"

namespace logdepth {
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

void EngineOptions::add_to(CLI::App& command) {
  command
      .add_option("--engine", name,
                  "arithmetic: exact, float64, float32, or mpfr:BITS (2 to 500, slow); other "
                  "answers than exact ones come with a certificate")
      ->capture_default_str();
  command.add_option("--device", device, "where floating point runs")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command
      .add_option("--temperature", temperature,
                  "softmax of TAU * score instead of averaging-hard attention, in floating "
                  "point (the larger, the harder)")
      ->option_text("TAU");
}

void EngineOptions::settle(std::size_t threads) {
  exact = name == "exact";
  if (exact) {
    if (temperature) throw InputError("--temperature: needs a floating-point --engine");
    if (device != "cpu") throw InputError("--device: the exact engine runs on the CPU only");
    return;
  }
  if (name == "float64") {
    options.engine = FloatOptions::Engine::float64;
  } else if (name == "float32") {
    options.engine = FloatOptions::Engine::float32;
  } else if (const auto bits = mpfr_bits(name)) {
    options.engine = FloatOptions::Engine::mpfr;
    options.bits = *bits;
  } else {
    throw InputError("--engine: expected exact, float64, float32 or mpfr:BITS, got '" + name + "'");
  }
  if (temperature && !(*temperature > 0 && std::isfinite(*temperature)))
    throw InputError("--temperature: expected a finite number above 0");
  options.temperature = temperature;
  options.device = device == "cuda" ? FloatOptions::Device::cuda : FloatOptions::Device::cpu;
  options.threads = threads;
}

}  // namespace logdepth
