#include "runtime/columns/column.hpp"

#include <set>
#include <unordered_map>

namespace logdepth { inline namespace runtime_columns {
namespace {

constexpr Label kUnknown = static_cast<Label>(-1);
/// Bytes of a vector, and of what the system keeps of an array.
constexpr std::size_t kBesideNumbers = 40;
/// Combinations that are always worth their evaluation; beyond them a quarter of the tokens is.
constexpr std::size_t kFewCombinations = std::size_t{1} << 16;

/// {0}, {1}, ..., {size - 1}.
std::vector<std::vector<Label>> counted(std::size_t size) {
  std::vector<std::vector<Label>> numbers(size);
  for (Label k = 0; k < size; ++k) numbers[k] = {k};
  return numbers;
}

/// Numbers of pairs, as they are first asked for: by a table where that is small, else by a hash.
class PairNumbers {
 public:
  /// Errors: HandOver beyond `most` pairs.
  PairNumbers(std::size_t lefts, std::size_t rights, std::size_t table, std::size_t most)
      : rights_(rights), most_(most) {
    if (lefts * rights <= table) table_.assign(lefts * rights, kUnknown);
  }
  Label number(Label x, Label y) {
    Label& known = table_.empty()
                       ? hash_.try_emplace(std::uint64_t{x} << 32 | y, kUnknown).first->second
                       : table_[x * rights_ + y];
    if (known == kUnknown) {
      if (pairs_.size() == most_)
        throw HandOver("most tokens differ in the columns that are combined");
      known = static_cast<Label>(pairs_.size());
      pairs_.emplace_back(x, y);
    }
    return known;
  }
  const std::vector<std::pair<Label, Label>>& pairs() const { return pairs_; }

 private:
  std::size_t rights_, most_;
  std::vector<Label> table_;
  std::unordered_map<std::uint64_t, Label> hash_;
  std::vector<std::pair<Label, Label>> pairs_;
};

}  // namespace

/// All parts number the pairs that occur in them. Pairs of the first part come first, then those that the
/// next one adds: as they first occur among all tokens.
std::shared_ptr<Labels> ColumnPasses::join_pair(const SharedLabels& left, Numbers& numbers,
                                                const Part& right, std::size_t most) {
  const auto both = labels();
  const Label *a = left->data(), *b = right.local->data();
  Label* out = both->data();
  const Parts shared = parts();
  const std::size_t table = std::max<std::size_t>(4 * tokens() / shared.size(), kFewCombinations);
  std::vector<PairNumbers> found(shared.size(),
                                 PairNumbers(numbers.size(), right.size, table, most));
  shared.share([&](std::size_t part, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = found[part].number(a[i], b[i]);
  });
  PairNumbers all = std::move(found[0]);
  std::vector<std::vector<Label>> to(shared.size());
  for (std::size_t part = 1; part < shared.size(); ++part)
    for (const auto& [x, y] : found[part].pairs()) to[part].push_back(all.number(x, y));
  if (shared.size() > 1)
    shared.share([&](std::size_t part, std::size_t begin, std::size_t end) {
      if (part == 0) return;
      for (std::size_t i = begin; i < end; ++i) out[i] = to[part][out[i]];
    });
  Numbers next;
  for (const auto& [x, y] : all.pairs()) {
    next.push_back(numbers[x]);
    next.back().push_back(y);
  }
  numbers = std::move(next);
  return both;
}

Combinations ColumnPasses::combine(const Columns& columns, std::optional<std::size_t> most) {
  std::vector<Part> parts;
  std::vector<std::size_t> part_of;
  for (const Column* column : columns) {
    const auto part = std::ranges::find(parts, column->local, &Part::local);
    part_of.push_back(static_cast<std::size_t>(part - parts.begin()));
    if (column->local && part == parts.end()) parts.push_back({column->local, 0});
    // Whoever made a column of these labels knows how many there are at most.
    if (column->local)
      parts[part_of.back()].size = std::max(parts[part_of.back()].size, column->dictionary.size());
  }
  Combinations result;
  Numbers numbers = {{}};
  if (parts.size() == 1) {
    result.local = parts[0].local;
    numbers = counted(parts[0].size);
  } else if (parts.size() > 1) {
    std::vector<std::uint64_t> name;
    for (const Part& part : parts) name.insert(name.end(), {part.local->serial, part.size});
    Joined& known = joined_[name];
    result.local = known.local.lock();
    if (!result.local) {
      result.local = parts[0].local;
      known.numbers = counted(parts[0].size);
      for (std::size_t p = 1; p < parts.size(); ++p)
        result.local = join_pair(result.local, known.numbers, parts[p],
                                 most.value_or(std::max(kFewCombinations, tokens() / 4)));
      known.local = result.local;
      known.held = HeldBytes(
          memory_, known.numbers.size() * (parts.size() * sizeof(Label) + kBesideNumbers));
    }
    numbers = known.numbers;
  }
  for (const auto& number : numbers) {
    auto& entries = result.entries.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c)
      entries.push_back(columns[c]->dictionary[columns[c]->local ? number[part_of[c]] : 0]);
  }
  return result;
}

SharedLabels ColumnPasses::renamed(const SharedLabels& from, const std::vector<Label>& to) {
  auto& known = renamed_[{from->serial, to}];
  if (auto again = known.lock()) return again;
  const SharedLabels result = gather(to.data(), from);
  known = result;
  return result;
}

SharedLabels ColumnPasses::gather(const Label* from, const SharedLabels& at) {
  const auto result = labels();
  Label* out = result->data();
  parts().share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = from[(*at)[i]];
  });
  return result;
}

SharedIndex ColumnPasses::merged(const Combinations& from,
                                 const std::vector<SharedIndex>& indices) {
  std::set<SharedIndex> sources;
  for (const SharedIndex& index : indices)
    if (index) sources.insert(index);
  if (sources.empty()) return nullptr;
  const SharedFamily family = (*sources.begin())->family;
  if (sources.size() == 1) return *sources.begin();
  for (const SharedIndex& source : sources)
    if (source->family != family) throw HandOver("two families in one column");
  const auto ids = labels();
  parts().share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SharedIndex& source = indices[from.at(i)];
      ids->data()[i] = source ? static_cast<Label>(source->at(i)) : 0;  // 0: nobody asks
    }
  });
  return std::make_shared<ColumnIndex>(ColumnIndex{family, ids});
}

Column ColumnPasses::relabel(const Combinations& from, const std::vector<EntryId>& entries,
                             const std::vector<SharedIndex>& indices) {
  Column result;
  std::unordered_map<EntryId, Label> number;
  std::vector<Label> to;
  for (const EntryId entry : entries) {
    const auto [known, fresh] = number.try_emplace(entry, static_cast<Label>(number.size()));
    to.push_back(known->second);
    if (fresh) result.dictionary.push_back(entry);
  }
  if (number.size() == entries.size() || !from.local) {
    result.local = from.local;
  } else if (number.size() > 1) {
    result.local = renamed(from.local, to);
  }
  result.index = merged(from, indices);
  return result;
}

void ColumnPasses::forget_dead() {
  std::erase_if(joined_, [](const auto& known) { return known.second.local.expired(); });
  std::erase_if(renamed_, [](const auto& known) { return known.second.expired(); });
}

}}  // namespace logdepth::runtime_columns
