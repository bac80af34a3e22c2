// What ends long work early: interruption.hpp.
#include "logdepth/interruption.hpp"

#include <utility>

namespace logdepth {
namespace {

thread_local Interruption* current = nullptr;

}  // namespace

Interruption::Interruption(std::function<void()> look) : look_(std::move(look)), before_(current) {
  current = this;
}

Interruption::~Interruption() {
  current = before_;
}

void look_for_interruption() {
  if (current) current->look_();
}

}  // namespace logdepth
