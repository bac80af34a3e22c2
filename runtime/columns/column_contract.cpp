#include "runtime/columns/column_contract.hpp"

#include <algorithm>
#include <variant>

#include "base/overload.hpp"
#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {
namespace {

void require_kept(bool kept) {
  if (!kept) throw HandOver("a selection contract that is not proved");
}

/// A linear form on the stream before the sublayer, as a number per class of tokens.
struct FormValues {
  Combinations at;
  Rationals values;

  const Rational& value(std::size_t token) const { return values[at.at(token)]; }
};
FormValues form_values(ColumnState& state, const SparseVector& form) {
  SparseMatrix matrix{1, state.pools.model.width, {}};
  for (const SparseEntry& e : form) matrix.entries.push_back({0, e.index, e.value});
  const ColumnMap map(matrix, state.pools.segments, Rationals(matrix.columns, Rational(1)));
  ColumnImages images = map(state, state.stream, nullptr);
  FormValues result{std::move(images.at), {}};
  for (const ColumnImage& image : images.images) {
    if (image.index) throw HandOver("a flag of a contract that depends on a code");
    result.values.push_back(image.v[0]);
  }
  return result;
}

/// Calls row(token, first token of its word, one past the last one that it sees) for all rows.
template <class Row>
void over_rows(const ColumnState& state, bool causal, Row row) {
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t word = i - i % state.period;
      row(i, word, causal ? i + 1 : word + state.period);
    }
  });
}

/// The last of the first positions of a word where the form is largest; asked for them in rising order.
void check_rightmost(ColumnState& state, const RightmostContract& contract,
                     const ColumnSelection& selection, bool causal) {
  require_kept(selection.selected != nullptr);
  const FormValues flag = form_values(state, contract.flag);
  std::size_t seen = 0, last = 0;
  over_rows(state, causal, [&](std::size_t i, std::size_t word, std::size_t end) {
    if (i == word) seen = last = word;
    for (; seen < end; ++seen)
      if (seen == word || flag.value(seen) >= flag.value(last)) last = seen;
    require_kept((*selection.selected)[i] == last);
  });
}

/// Where a row asks and sees a flag: all flagged positions and no other. Else all that it sees.
void check_flagged(ColumnState& state, const FlaggedContract& contract,
                   const ColumnSelection& selection, bool causal) {
  const FormValues flag = form_values(state, contract.flag);
  std::optional<FormValues> when;
  if (contract.when) when = form_values(state, *contract.when);
  std::size_t seen = 0, flagged = 0, last = 0;
  over_rows(state, causal, [&](std::size_t i, std::size_t word, std::size_t end) {
    if (i == word) {
      seen = word;
      flagged = 0;
    }
    for (; seen < end; ++seen)
      if (flag.value(seen).sign() > 0) {
        ++flagged;
        last = seen;
      }
    const bool asks = !when || when->value(i).sign() > 0;
    const std::size_t visible = end - word;
    const bool all = !asks || flagged == 0 || flagged == visible;
    if (selection.selected) {
      const std::size_t expected = all ? word : last;
      require_kept((all ? visible : flagged) == 1 && (*selection.selected)[i] == expected);
    } else {
      require_kept(all);
    }
  });
}

/// All keys are one vector.
bool is_one_key(const ColumnImages& keys) {
  return std::ranges::all_of(keys.images, [&](const ColumnImage& key) {
    return key.m.empty() && key.v == keys.images[0].v;
  });
}

}  // namespace

void check_contract(ColumnState& state, const Contract& contract, const ColumnSelection& selection,
                    const ColumnImages& keys, bool causal) {
  // A word of one token: its row selects one position, which is all that it sees.
  const bool single = selection.selected || state.period == 1;
  const bool all = !selection.selected || state.period == 1;
  std::visit(
      Overload{
          [&](const UniformContract&) { require_kept(all); },
          [&](const MatchContract& match) {
            require_kept(single || (!match.exactly_one && is_one_key(keys)));
          },
          [&](const RightmostContract& rightmost) {
            check_rightmost(state, rightmost, selection, causal);
          },
          [&](const FlaggedContract& flagged) { check_flagged(state, flagged, selection, causal); },
          [&](const FindContract&) { throw HandOver("a contract of kind `find`"); },
          [&](const RelatedContract&) { throw HandOver("a contract of kind `related`"); }},
      contract);
}

}  // namespace logdepth::inline runtime_columns
