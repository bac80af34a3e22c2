#include "runtime/file/prefix_answer.hpp"

#include "objects/action.hpp"

namespace logdepth::inline runtime_file {

std::string prefix_text(const PrefixAnswer& answer) {
  if (const auto* images = std::get_if<std::vector<std::uint32_t>>(&answer))
    return format_transformation(*images);
  return std::to_string(std::get<std::uint32_t>(answer));
}

bool reads_prefixes(const Model& model) {
  const auto* output = std::get_if<AcceptOutput>(&model.output);
  return output && !std::holds_alternative<std::monostate>(output->prefix);
}

bool reads_states(const Model& model) {
  return reads_prefixes(model) &&
         std::holds_alternative<StateReadout>(std::get<AcceptOutput>(model.output).prefix);
}

}  // namespace logdepth::inline runtime_file
