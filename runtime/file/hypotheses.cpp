#include "runtime/file/hypotheses.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace logdepth { inline namespace runtime_file {
namespace {

/// A clause, and what may stand inside it.
struct Form {
  enum class Inside { nothing, word, number };
  Assumption kind;
  std::string_view before;
  Inside inside = Inside::nothing;
  std::string_view after = "";
};

/// Of the forms of a kind the first that has room for what stands inside is the one that is written.
constexpr std::array kForms = {
    Form{Assumption::causal_heads, "averaging-hard causal attention"},
    Form{Assumption::causal_heads, "causal attention"},
    Form{Assumption::unmasked_heads, "unmasked heads"},
    Form{Assumption::uniform_heads, "uniform only"},
    Form{Assumption::first_flag, "the position encoding only separates the first position"},
    Form{Assumption::position_table,
         "a table of positions that holds the coordinates of every token"},
    Form{Assumption::position_table, "a table of ", Form::Inside::number, " positions"},
    Form{Assumption::position_encoding, "rational position encoding: ", Form::Inside::word},
    Form{Assumption::begin_token, "one beginning token at position 0"},
    Form{Assumption::no_begin_token, "no beginning token"},
    Form{Assumption::end_token, "then an end token"},
    Form{Assumption::any_length, "any length"},
    Form{Assumption::letters_at_most, "then at most ", Form::Inside::number, " letters"},
    Form{Assumption::letters_at_most, "at most ", Form::Inside::number, " letters"},
    Form{Assumption::vertices_at_most, "a graph of at most ", Form::Inside::number, " vertices"},
    Form{Assumption::vertices_at_most, "at most ", Form::Inside::number, " vertices"},
    Form{Assumption::tokens_at_most, "at most ", Form::Inside::number, " tokens"}};

bool may_stand_inside(std::string_view text, Form::Inside inside) {
  constexpr std::size_t kMostDigits = 19;  // of 64 bits
  switch (inside) {
    case Form::Inside::nothing:
      return text.empty();
    case Form::Inside::word:
      return !text.empty() &&
             std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    case Form::Inside::number:
      return !text.empty() && text.size() <= kMostDigits &&
             std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

std::optional<Assumed> read(std::string_view words) {
  for (const Form& form : kForms) {
    if (words.size() < form.before.size() + form.after.size() || !words.starts_with(form.before) ||
        !words.ends_with(form.after))
      continue;
    const std::string_view inside =
        words.substr(form.before.size(), words.size() - form.before.size() - form.after.size());
    if (may_stand_inside(inside, form.inside)) return Assumed{form.kind, std::string(inside)};
  }
  return std::nullopt;
}

}  // namespace

std::string clause(Assumption kind, const std::string& what) {
  const auto form = std::ranges::find_if(kForms, [&](const Form& one) {
    return one.kind == kind && may_stand_inside(what, one.inside);
  });
  if (form == kForms.end())
    throw std::logic_error("no clause of this kind can hold '" + what + "'");
  return std::string(form->before) + what + std::string(form->after);
}

std::vector<Assumed> assumptions_of(const std::string& hypothesis) {
  std::vector<Assumed> found;
  for (std::size_t from = 0; from < hypothesis.size();) {
    const std::size_t end =
        std::min({hypothesis.find(", ", from), hypothesis.find("; ", from), hypothesis.size()});
    if (auto assumed = read(std::string_view(hypothesis).substr(from, end - from)))
      found.push_back(*std::move(assumed));
    from = end + 2;
  }
  return found;
}

}}  // namespace logdepth::runtime_file
