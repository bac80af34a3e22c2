#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace logdepth::inline learned_records {

/// The tree of a JSON file that people write. Errors: InputError naming line and column of what is not
/// JSON, and of a comma that nothing follows.
nlohmann::json read_json_tree(const std::string& file);

}  // namespace logdepth::inline learned_records
