#include "library/requests/crasp_request.hpp"

#include <fmt/core.h>

#include "base/phrases.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "library/requests/source_file.hpp"
#include "objects/crasp.hpp"

namespace logdepth::inline library_requests {

RequestedCrasp requested_program(const SourceFile& crasp, const Say& say) {
  const CraspProgram read = parse_crasp(content_of(crasp), crasp.name);
  RequestedCrasp requested{counting_program(read, "crasp " + base_name(crasp)), read.lines.size()};
  const auto number = [&](const char* name) -> std::size_t {
    return static_cast<std::size_t>(std::stoull(requested.program.parameters.at(name)));
  };
  requested.nesting = number("nesting");
  requested.comparisons = number("comparisons");
  requested.table_layers = number("table_layers");
  if (requested.program.parameters.contains("position_layers"))
    requested.position_layers = number("position_layers");
  say(fmt::format(
      "program: {}, {}, counts nested to depth {}; layers: {} for comparisons, {} for tables{}",
      requested.program.name, counted(requested.lines, "line"), requested.nesting,
      requested.comparisons, requested.table_layers,
      requested.position_layers
          ? fmt::format(", at most {} for positions", *requested.position_layers)
          : ""));
  return requested;
}

}  // namespace logdepth::inline library_requests
