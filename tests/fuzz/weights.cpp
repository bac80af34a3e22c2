#include "runtime/file/weights_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

const Registered kWeights("weights", [](const std::string& bytes) {
  Model model;
  if (!accepted([&] { model = parse_weights(bytes, "weights"); })) return;
  const std::string text = write_weights(model);
  hold(write_weights(parse_weights(text, "written")) == text, "what was written is read");
});

}  // namespace
}  // namespace logdepth::fuzz
