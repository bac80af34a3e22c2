#include "compiler/passes/statement_place.hpp"

#include <fmt/core.h>

namespace logdepth::inline compiler_passes {

void StatementPlace::refuse(const Statement& statement, const std::string& reason) const {
  throw ProgramRefused(fmt::format("{} block, layer {}, {}, {}: {}", block_name(block), layer + 1,
                                   attention ? "attention" : "feed-forward",
                                   statement_name(program, statement), reason));
}

void StatementPlace::refuse_block(const std::string& reason) const {
  throw ProgramRefused(block_name(block) + " block: " + reason);
}

}  // namespace logdepth::inline compiler_passes
