#include "runtime/promise_check.hpp"

#include <variant>

namespace logdepth {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::string promise_text(const Promise& promise) {
  if (std::holds_alternative<UniformPromise>(promise)) return "all visible positions";
  if (const auto* match = std::get_if<MatchPromise>(&promise))
    return match->exactly_one ? "exactly one position" : "the positions that share one key";
  return "the last flagged position";
}

}  // namespace

std::uint64_t PromiseCheck::total_evaluated() const {
  std::uint64_t total = 0;
  for (const auto& heads : evaluated_)
    for (const std::uint64_t rows : heads) total += rows;
  return total;
}

void PromiseCheck::before(const Location& location, const Stream<ValueId>& stream) {
  if (location.sublayer != Sublayer::attention) return;
  const auto& heads = model_.layers[location.layer].attention.heads;
  last_flagged_.assign(heads.size(), {});
  for (std::size_t k = 0; k < heads.size(); ++k) {
    const auto* promise = std::get_if<RightmostPromise>(&heads[k].promise);
    if (!promise) continue;
    std::size_t last = kNone;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      Real flag;
      for (const SparseEntry& e : promise->flag)
        flag = flag + arithmetic_.pool()[stream.at(token, e.index)].scaled(e.value);
      if (flag.sign() > 0) last = token;
      last_flagged_[k].push_back(last);
    }
  }
}

void PromiseCheck::on_row(const Location& location, std::size_t head, const SelectedRow& row) {
  ++evaluated_[location.layer][head];
  if (broken_) return;
  const Promise& promise = model_.layers[location.layer].attention.heads[head].promise;
  bool kept = true;
  if (std::holds_alternative<UniformPromise>(promise)) {
    kept = row.count == row.visible;
  } else if (const auto* match = std::get_if<MatchPromise>(&promise)) {
    kept = match->exactly_one ? row.count == 1 : row.one_key;
  } else {
    const std::size_t flagged = last_flagged_[head][row.visible - 1];
    kept = row.count == 1 && row.last == (flagged == kNone ? row.visible - 1 : flagged);
  }
  if (kept) return;
  std::string positions;
  for (const std::size_t p : (*row.positions)()) {
    if (positions.size() > 60) {
      positions += ", ...";
      break;
    }
    positions += (positions.empty() ? "" : ", ") + std::to_string(p);
  }
  broken_ = "layer " + std::to_string(location.step) + ", head " + std::to_string(head) +
            ", token " + std::to_string(row.row) + ": promised " + promise_text(promise) +
            ", selected " + std::to_string(row.count) + " of " + std::to_string(row.visible) +
            " (position " + positions + ")";
}

}  // namespace logdepth
