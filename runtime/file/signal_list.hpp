#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>

namespace logdepth { inline namespace runtime_file {

/// Files or folders that the handler of a signal removes: fixed storage. A fifth one at once, or one
/// of a very long name, is simply not listed.
struct SignalList {
  struct Slot {
    std::array<char, 4096> path;
    std::size_t levels;  ///< that are removed, of this path and the folders around it; 0: free
  };

  /// To be called before the path is made, so that none is ever forgotten. Null: not listed.
  Slot* add(const std::string& path, std::size_t levels = 1) {
    const std::lock_guard lock(listing);
    for (Slot& slot : slots)
      if (slot.levels == 0 && path.size() < slot.path.size()) {
        std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
        slot.levels = levels;
        return &slot;
      }
    return nullptr;
  }
  void drop(const std::string& path) {
    const std::lock_guard lock(listing);
    for (Slot& slot : slots)
      if (path == slot.path.data()) slot.levels = 0;
  }

  std::array<Slot, 4> slots{};
  std::mutex listing;
};

}}  // namespace logdepth::runtime_file
