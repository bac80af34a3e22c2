#pragma once

#include <cstddef>
#include <string>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_passes {

/// Where in a schedule a program is refused, and how the sentence begins.
struct StatementPlace {
  const Program& program;
  Block block = Block::initial;
  std::size_t layer = 0;
  bool attention = true;

  /// "initial block, layer 1, attention, fetch 'f': reason"
  [[noreturn]] void refuse(const Statement& statement, const std::string& reason) const;
  /// "initial block: reason"
  [[noreturn]] void refuse_block(const std::string& reason) const;
};

}  // namespace logdepth::inline compiler_passes
