#pragma once

#include <string>

namespace logdepth::support {

/// Where this build has what. In functions of one file, so that no other file is compiled again for
/// a tree in another folder.
const std::string& source_dir();
const std::string& build_dir();
const std::string& program();  ///< logdepth
const std::string& python();
const std::string& peers_folder();
const std::string& few_processes();  ///< the library that lets a program start no other
bool sanitized();

}  // namespace logdepth::support
