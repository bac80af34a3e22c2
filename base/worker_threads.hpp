#pragma once

#include <cstddef>
#include <functional>

namespace logdepth { inline namespace base {

/// Calls work(0), ..., work(parts - 1), each once and in any order, on at most `threads` threads
/// with the calling one among them. Threads that the system refuses are done without. When all that
/// began have ended, what the first of them threw is thrown again; parts that had not begun by then
/// are left out.
void share_work(std::size_t parts, std::size_t threads,
                const std::function<void(std::size_t)>& work);

/// How many threads the system lets run at a time just now, the calling one among them, at most
/// `wanted`: for libraries that start their own and end where one is refused.
std::size_t startable_threads(std::size_t wanted);

}}  // namespace logdepth::base
