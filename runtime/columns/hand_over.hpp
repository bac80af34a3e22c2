#pragma once

#include <stdexcept>

namespace logdepth::inline runtime_columns {

/// A certificate that does not apply: this input is for the general path. It says nothing about the
/// model; the sentence names the rule.
class HandOver : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace logdepth::inline runtime_columns
