#pragma once

#include <string>

#include "compiler/file/cell_names.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

/// "a[0] - 1/2 b[1]", mirrors left out.
std::string linear_form(const CellNames& names, const SparseVector& form);

/// What a head promises to select, for the drawings: "exactly one position", ...
std::string contract_text(const CellNames& names, const Contract& contract);

}  // namespace logdepth::inline compiler_file
