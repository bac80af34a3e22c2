#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_map.hpp"
#include "runtime/columns/token_sets.hpp"

namespace logdepth { inline namespace runtime_columns {

/// A vector of integers in a plane.
using Plane = std::array<std::int64_t, 2>;
__extension__ using PlaneProduct = __int128;

inline PlaneProduct cross(const Plane& x, const Plane& y) {
  return PlaneProduct(x[0]) * y[1] - PlaneProduct(x[1]) * y[0];
}
inline PlaneProduct dot(const Plane& x, const Plane& y) {
  return PlaneProduct(x[0]) * y[0] + PlaneProduct(x[1]) * y[1];
}
/// m * (a positive multiple of code(e)), for an integer matrix of two rows. Errors: HandOver.
Plane planar(const ColumnFamily& family, const std::vector<std::int64_t>& m, std::size_t e,
             std::vector<std::int64_t>& vector);

/// Two rows of queries or keys that are vectors of a plane, at all tokens.
struct PlaneColumn {
  Column directions;         ///< its dictionary: numbers of directions
  Reals squares;             ///< per image: the square of the length of all vectors, or zero
  Reals least;               ///< per image: no vector has a smaller square
  std::vector<char> occurs;  ///< per image: whether a token has it

  /// The length's square, where all tokens have one; else zero.
  Real one_square() const;
  Real least_square() const;
};

/// Directions of vectors in planes, as numbers: two vectors have one number if and only if they are
/// positive multiples of one another. Kept from head to head.
class PlaneDirections {
 public:
  const Plane& operator[](Label number) const { return planes_[number]; }

  /// The directions of two rows. Every image has to be a number or a matrix times a code, and no vector zero;
  /// else absent. Errors: HandOver.
  std::optional<PlaneColumn> of(ColumnState& state, const ColumnImages& images);
  /// Drops what the latest so many calls did not ask for.
  void forget_older_than(std::uint64_t calls);
  void forget() { *this = PlaneDirections(); }

 private:
  struct Known {
    Column directions;
    std::uint64_t used = 0;
  };
  struct Hash {
    std::size_t operator()(const Plane& p) const {
      return static_cast<std::size_t>(static_cast<std::uint64_t>(p[0]) * 0x9e3779b97f4a7c15 ^
                                      static_cast<std::uint64_t>(p[1]) * 0xc2b2ae3d27d4eb4f);
    }
  };
  Label number(Plane vector);
  static bool find_squares(const ColumnImage& image, Real& square, Real& least);
  Column directions(ColumnState& state, const ColumnImages& images,
                    const std::vector<char>& occurs);

  std::unordered_map<Plane, Label, Hash> numbers_;
  std::vector<Plane> planes_;
  /// Of one image that is a matrix times a code: by index and matrix.
  std::map<std::pair<SharedIndex, std::vector<std::int64_t>>, Known> known_;
  std::uint64_t calls_ = 0;
  HeldBytes held_;  ///< by the planes and their numbers
};

/// Two rows of the queries and keys of a head, or the last one, at all tokens. They are read one after the
/// other, as queries of several indices have no image.
struct RowPair {
  ColumnImages query, key;
  std::optional<PlaneColumn> query_plane, key_plane;
};

/// Cells that were found of labels alone, as long as heads ask for them.
class KnownCells {
 public:
  using Cells = std::shared_ptr<const RankedCells>;

  /// What `find` made of these columns and of the number, or makes.
  Cells of(std::uint64_t number, const Columns& columns, const std::function<RankedCells()>& find);
  /// Drops what the latest so many calls did not ask for.
  void forget_older_than(std::uint64_t calls);
  void forget() { known_.clear(); }

 private:
  struct Known {
    Cells cells;
    std::vector<SharedLabels> held;  ///< a serial number names what lives
    std::uint64_t used = 0;
  };
  std::map<std::vector<std::uint64_t>, Known> known_;
  std::uint64_t calls_ = 0;
};

/// What a head selects whose queries and keys are vectors of several planes: at every row all keys of the
/// query's directions in all planes, and of these the ones whose other rows score most. Errors: HandOver where
/// this is not proved for every row.
KnownCells::Cells select_by_planes(ColumnState& state, const PlaneDirections& directions,
                                   const std::vector<RowPair>& rows, KnownCells& known);

}}  // namespace logdepth::runtime_columns
