#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/columns/families.hpp"

namespace logdepth::inline runtime_columns {

using EntryId = std::uint32_t;

/// The tuple v + M code(e), for the index e that stands beside it.
struct ColumnEntry {
  Reals v;
  Reals m;  ///< a row of the family's dimension per component of v; empty: numbers alone

  bool operator==(const ColumnEntry&) const = default;
};

/// Interned entries of one length. A million positions are one entry.
class EntryPool {
 public:
  EntryId intern(ColumnEntry entry) {
    if (all_zero(entry.m)) entry.m.clear();
    std::size_t hash = entry.m.size();
    for (const Reals* numbers : {&entry.v, &entry.m})
      for (const Real& x : *numbers)
        hash = static_cast<std::size_t>(hash * 0x9e3779b97f4a7c15 + x.hash());
    auto& bucket = known_[hash];
    for (const EntryId id : bucket)
      if (entries_[id] == entry) return id;
    const auto id = static_cast<EntryId>(entries_.size());
    bytes_ += (entry.v.size() + entry.m.size()) * sizeof(Real) + kBesideNumbers;
    whole_.push_back(entry.m.empty() ? whole_numbers(entry.v) : WholeNumbers());
    bytes_ += whole_.back().numerators.size() * sizeof(std::int64_t);
    entries_.push_back(std::move(entry));
    bucket.push_back(id);
    return id;
  }
  const ColumnEntry& operator[](EntryId id) const { return entries_[id]; }
  /// Its v, where it has no matrix.
  const WholeNumbers& whole(EntryId id) const { return whole_[id]; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBesideNumbers = 160;  // three vectors, a node and a bucket
  std::unordered_map<std::size_t, std::vector<EntryId>> known_;
  std::vector<ColumnEntry> entries_;
  std::vector<WholeNumbers> whole_;
  std::size_t bytes_ = 0;
};

/// x^T y of two matrices of so many rows.
Reals transposed_product(const Reals& x, const Reals& y, std::size_t rows);
/// into[at + d] += weight * from[begin + d] for d < count.
void add_multiple(Reals& into, std::size_t at, const Reals& from, std::size_t begin,
                  std::size_t count, const Real& weight);
/// into += x, without a copy where both are rational.
void add(Real& into, const Real& x);

}  // namespace logdepth::inline runtime_columns
