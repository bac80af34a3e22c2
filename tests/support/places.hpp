#pragma once

#include <string>

namespace logdepth::support {

/// Where this build has what. In functions of one file, so that no other file is compiled again for
/// a tree in another folder.
const std::string& source_dir();
const std::string& build_dir();
const std::string& program();  ///< logdepth
const std::string& python();
/// A library of tests/starved/preload, which takes something of the machine away from a program.
std::string preloaded(const std::string& name);
bool sanitized();

}  // namespace logdepth::support
