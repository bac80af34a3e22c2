# What papers say of trained networks (learned/papers/*.json), as string literals: generated/paper_texts.cpp.
file(GLOB paper_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/learned/papers/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${paper_files})
set(paper_entries "")
foreach(file ${paper_files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND paper_entries "      {\"${name}\", R\"paper(${text})paper\"},\n")
endforeach()
file(CONFIGURE OUTPUT generated/paper_texts.cpp @ONLY CONTENT [[
#include "learned/report/criteria.hpp"

namespace logdepth { inline namespace learned_report {

const std::map<std::string, std::string>& paper_texts() {
  static const std::map<std::string, std::string> kTexts = {
@paper_entries@  };
  return kTexts;
}

}}  // namespace logdepth::learned_report
]])
target_sources(learned PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/paper_texts.cpp)
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/generated/paper_texts.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
