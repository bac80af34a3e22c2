# The modules of python/logdepth that exports carry, the script that writes certificates of floating-point answers, and the
# server of the page, as string literals: generated/python_modules.cpp, a file of its own, so that a change of a module compiles nothing else.
foreach(module python/logdepth/answers python/logdepth/torch python/logdepth/lens recheck/float_recheck playground/serve)
  set(source ${PROJECT_SOURCE_DIR}/${module}.py)
  cmake_path(GET module FILENAME module)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} ${module}_source)
endforeach()
file(CONFIGURE OUTPUT generated/python_modules.cpp @ONLY CONTENT [[
#include "library/exports/python_modules.hpp"

namespace logdepth::exports {

const char* const kAnswersModule = R"python(@answers_source@)python";
const char* const kTorchModule = R"python(@torch_source@)python";
const char* const kLensModule = R"python(@lens_source@)python";
const char* const kFloatRecheck = R"python(@float_recheck_source@)python";
const char* const kServe = R"python(@serve_source@)python";

}  // namespace logdepth::exports
]])
target_sources(exports PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/python_modules.cpp)
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/generated/python_modules.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
