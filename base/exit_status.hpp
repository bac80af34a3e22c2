#pragma once

namespace logdepth { inline namespace base {

/// Exit statuses of the program; docs/commands.md says what each means.
enum ExitStatus { kDone = 0, kCheckFailed = 1, kBadInput = 2, kNotDecided = 3 };

}}  // namespace logdepth::base
