#include "compiler/file/contract_text.hpp"

#include <fmt/core.h>

#include "base/overload.hpp"
#include "base/phrases.hpp"

namespace logdepth::inline compiler_file {

std::string linear_form(const CellNames& names, const SparseVector& form) {
  std::string text;
  for (const SparseEntry& entry : form) {
    if (names.is_mirror(entry.index)) continue;
    const bool minus = entry.value.text().starts_with('-');
    const Rational size = minus ? -entry.value : entry.value;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    if (!(size == Rational(1))) text += size.text() + " ";
    text += names.component(entry.index);
  }
  return text.empty() ? "0" : text;
}

std::string contract_text(const CellNames& names, const Contract& contract) {
  return std::visit(
      Overload{
          [](const UniformContract&) -> std::string { return "all visible positions"; },
          [](const MatchContract& match) -> std::string {
            return match.exactly_one ? "exactly one position"
                                     : "at least one position, all with the same key";
          },
          [&](const RightmostContract& rightmost) -> std::string {
            return "the last position where " + linear_form(names, rightmost.flag) + " is largest";
          },
          [&](const FlaggedContract& flagged) -> std::string {
            std::string text = "the positions with " + linear_form(names, flagged.flag) + " > 0";
            if (flagged.when)
              text += " for tokens with " + linear_form(names, *flagged.when) + " > 0";
            return text + ", else all";
          },
          [](const FindContract& find) -> std::string {
            return (find.exactly_one ? std::string("the one position that matches in ")
                                     : "the positions that match in ") +
                   counted(find.terms, "term") + (find.prefer ? ", the preferred ones if any" : "");
          },
          [&](const RelatedContract& related) -> std::string {
            return fmt::format("the positions related by {} pairs, those with {} > 0 if any",
                               related.pairs.size(), linear_form(names, related.prefer));
          }},
      contract);
}

}  // namespace logdepth::inline compiler_file
