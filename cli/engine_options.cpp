#include "cli/engine_options.hpp"

#include "cli/validators.hpp"
#include "library/requests/rounded_request.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline cli {
void EngineOptions::add_to(CLI::App& command) {
  command
      .add_option("--engine", name,
                  "arithmetic: exact, float64, float32, or mpfr:BITS (2 to 500, slow); "
                  "floating-point answers have a certificate")
      ->capture_default_str();
  command.add_option("--device", device, "device for floating point")
      ->check(choice_of(kFloatDevices))
      ->capture_default_str();
  command
      .add_option(
          "--temperature", temperature,
          "use the softmax of TAU * score instead of averaging-hard attention, in floating point")
      ->option_text("TAU");
}

void EngineOptions::settle(std::size_t threads) {
  exact = name == "exact";
  if (exact) {
    if (temperature) throw InputError("--temperature requires a floating-point --engine");
    if (device != "cpu") throw InputError("--device: the exact engine runs on the CPU only");
    return;
  }
  options = requested_engine(
      {.engine = name, .device = device, .temperature = temperature, .threads = threads});
}

}  // namespace logdepth::inline cli
