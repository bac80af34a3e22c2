#include "compiler/passes/statement_place.hpp"

namespace logdepth {

void StatementPlace::refuse(const Statement& statement, const std::string& reason) const {
  throw ProgramRefused(block_name(block) + " block, layer " + std::to_string(layer + 1) + ", " +
                       (attention ? "attention" : "feed-forward") + ", " +
                       statement_name(program, statement) + ": " + reason);
}

void StatementPlace::refuse_block(const std::string& reason) const {
  throw ProgramRefused(block_name(block) + " block: " + reason);
}

}  // namespace logdepth
