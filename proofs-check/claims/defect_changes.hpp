#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/file/head_place.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline proofs_check_claims {

// Changes of weights, by the names of cells, for what no program says (changed_program.hpp for the
// rest). Each throws std::logic_error when what it should change is not there: an edit never does nothing.

std::uint32_t coordinate_of(const Model& model, const std::string& cell, std::uint32_t index = 0);
std::uint32_t mirror_of(const Model& model, std::uint32_t coordinate);  ///< layernorm

/// The `which`-th head (from 0, in the order of the file) that writes to the cell.
HeadPlace head_writing(const Model& model, const std::string& cell, std::size_t which = 0);
Head& head_at(Model& model, const HeadPlace& place);
/// The first layer whose feed-forward sublayer writes to the cell and keeps `read` in its mask.
std::size_t feedforward_of(const Model& model, const std::string& written, const std::string& read);

const Rational& entry(const SparseVector& vector, std::uint32_t index);
const Rational& entry(const SparseMatrix& matrix, std::uint32_t row, std::uint32_t column);
/// Sets an entry that is there, or with `absent` one that is not; 0 takes it away.
enum class Before { present, absent };
void set_entry(SparseVector& vector, std::uint32_t index, const Rational& value,
               Before before = Before::present);
void set_entry(SparseMatrix& matrix, std::uint32_t row, std::uint32_t column, const Rational& value,
               Before before = Before::present);
/// Multiplies all entries of a row; there must be some.
void scale_row(SparseMatrix& matrix, std::uint32_t row, const Rational& factor);
/// The row of `head.value` whose average goes to the coordinate.
std::uint32_t value_row(const Head& head, std::uint32_t coordinate);
/// A copy of the layer "where all signs are flipped" (MS25 Lemma A.5).
Layer negated(Layer layer);

}  // namespace logdepth::inline proofs_check_claims
