#include "runtime/stream/prefix_answer.hpp"

#include "objects/action.hpp"

namespace logdepth {

std::string prefix_text(const PrefixAnswer& answer) {
  if (const auto* images = std::get_if<std::vector<std::uint32_t>>(&answer))
    return format_transformation(*images);
  return std::to_string(std::get<std::uint32_t>(answer));
}

}  // namespace logdepth
