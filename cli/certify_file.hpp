#pragma once

#include <iosfwd>
#include <string>

#include "logdepth/export.hpp"

namespace logdepth::inline cli {

/// Proves the weights file correct for every length, writes the certificate to `output` (if it has a name) and a note of it
/// beside the file, and prints what was proved to `out`; or which step of which theorem fails. The exit status.
int certify_file(const std::string& file, const std::string& output, bool json, std::ostream& out);

/// Writes the file and its theorem for Coq to `output`, or to `out` without a name. The exit status.
int certify_for_coq(const std::string& file, const std::string& output, std::ostream& out);

/// Bounds for floating-point runs of every word up to settings.length: writes the certificate for
/// recheck/float_recheck.py to `output` and says what it states, or prints it without a name. The
/// exit status.
int certify_floats(const std::string& file, const ExportSettings& settings,
                   const std::string& output, std::ostream& out);

/// a5.json, a5.json.gz: a5.cert.json
std::string certificate_path(const std::string& file);

}  // namespace logdepth::inline cli
