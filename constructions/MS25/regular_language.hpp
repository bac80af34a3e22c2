#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "constructions/own_position.hpp"
#include "constructions/product_cells.hpp"
#include "objects/automaton.hpp"

namespace logdepth { inline namespace constructions_MS25 {

struct ScanOptions {
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
};

/// Units that the two tables need, before anything is built.
ProductForecast forecast_scan(const Action& action, const ScanOptions& options);

/// The cells of the loop: see the invariant in the .cpp.
struct ScanCells {
  cells::Pointer E, sE;  ///< where the interval before begins; that of the fetched token
  cells::Product d, sd;  ///< product of the token's interval; of the fetched one
};
ScanCells declare_scan(cells::Program& program, const OwnPosition& position,
                       const ProductCells& products);
/// E before the first loop, and the own position where it has to be computed.
cells::Statements begin_scan(cells::Program& program, const OwnPosition& position,
                             const ScanCells& scan);
/// The repeated block.
cells::Statements scan_step(const OwnPosition& position, const ScanCells& scan,
                            const ProductCells& products);

/// The program of the construction: see the head of the .cpp for statement and invariant; its code
/// says hypotheses, deviations and cells. `name` goes into the weights file. Errors: SizeLimit when the chosen table
/// cannot be built, with both figures and what to try.
Program regular_language_scan_MS25_thm4_1(const Action& action, const std::string& name,
                                          const ScanOptions& options = {});

struct TreeOptions {
  ScanTable table = ScanTable::automatic;
};

/// Units that the two tables need, before anything is built.
ProductForecast forecast_tree(const Action& action, const TreeOptions& options = {});

/// The binary tree of MS25 Theorem 4.1, repaired: see the head of the .cpp for statement,
/// invariant, hypotheses, deviations and cells. No beginning token, an end token, positions from the
/// first-flag. `name` goes into the weights file. Errors: SizeLimit when the chosen table cannot be
/// built, with both figures and what to try.
Program regular_language_tree_MS25_thm4_1(const Action& action, const std::string& name,
                                          const TreeOptions& options = {});

inline constexpr unsigned kMaxRadix = 64;

struct RadixOptions {
  unsigned radix = 2;            ///< k, from 2 to kMaxRadix
  std::uint64_t max_length = 0;  ///< T, the promised number of letters, below 2^32
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
};

/// The option --radix of both constructions that have one.
Option radix_option();

/// Per product layer, the shifts of its heads: c k^l for c = 1..k-1 as far as they are below T.
/// ceil(log_k T) layers, none for T <= 1.
std::vector<std::vector<std::uint32_t>> radix_shifts(const RadixOptions& options);

/// Units that the two tables need, all layers together, before anything is built.
/// Errors: InputError for a radix, SizeLimit for a length outside its range.
ProductForecast forecast_radix(const Action& action, const RadixOptions& options);

/// The program of the construction: see the head of the .cpp for statement and invariant; its code
/// says hypotheses, deviations and cells. `name` goes into the weights file. Errors: as above; SizeLimit when the
/// chosen table cannot be built, with both figures and what to try.
Program regular_language_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                           const RadixOptions& options);

struct UniformRadixOptions {
  unsigned radix = 2;  ///< k, from 2 to kMaxRadix
  unsigned block = 2;  ///< r, layers of the repeated block, at least 2; k^(r-1) <= kMaxReach
  ScanTable table = ScanTable::automatic;
};

/// Largest factor by which a repeated block may lengthen the intervals.
inline constexpr std::uint32_t kMaxReach = 1u << 20;

/// k^(r-1), the factor of one block. Errors: InputError for a radix or a block outside its range.
std::uint32_t reach_of_a_block(const UniformRadixOptions& options);

/// Units that the two tables need, before anything is built. Errors: as above.
ProductForecast forecast_uniform_radix(const Action& action, const UniformRadixOptions& options);

/// The radix-k multiplication of MS25 Corollary 4.2 in a looped network for all lengths: see the
/// head of the .cpp for statement and invariant. `name` goes into the
/// weights file. Errors: as above; SizeLimit when the chosen table cannot be built, with both
/// figures and what to try.
Program regular_language_uniform_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                                   const UniformRadixOptions& options);

}}  // namespace logdepth::constructions_MS25
