#pragma once

#include <cstdint>

#include "learned/reachability/relation_task.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_reachability {

/// The whole reachability relation, rows or pairs as tokens. `depth` different layers for rows, or
/// one block repeated; pairs: a block of two layers per doubling, as MS25 Thm 5.1.
RunConfig relation(RelationTaskConfig::Tokens tokens, std::uint32_t vertices, std::uint32_t depth,
                   bool looped);

}  // namespace logdepth::inline learned_reachability
