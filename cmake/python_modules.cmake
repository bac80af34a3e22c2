# The modules of python/logdepth that exports carry, as string literals: generated/python_modules.hpp.
foreach(module torch lens)
  set(source ${PROJECT_SOURCE_DIR}/python/logdepth/${module}.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} ${module}_source)
endforeach()
file(CONFIGURE OUTPUT generated/python_modules.hpp @ONLY CONTENT [[
#pragma once

namespace logdepth {

inline constexpr const char* kTorchModule = R"python(@torch_source@)python";
inline constexpr const char* kLensModule = R"python(@lens_source@)python";

}  // namespace logdepth
]])
