#pragma once

#include <functional>

namespace logdepth {

/// While it lives, whatever the library does in this thread calls a function from time to time: every
/// few tokens of a run, exact or rounded, whoever asked for it. What the function throws ends the work
/// and comes through as it is. The last one made is called; an earlier one again when it is gone.
class Interruption {
 public:
  explicit Interruption(std::function<void()> look);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  std::function<void()> look_;
  Interruption* before_;
  friend void look_for_interruption();
};

/// Calls the function, where there is one; for long work of one's own as well.
void look_for_interruption();

}  // namespace logdepth
