#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline learned_language_model {

/// A regular expression that cuts texts into pieces: its matches, and what stands between them.
/// Written as in tokenizer.json (Oniguruma) and read by PCRE2, characters as Unicode has them.
class SplitPattern {
 public:
  /// Errors: InputError "SOURCE: expected ..., found ..." when the expression is not one.
  SplitPattern(std::string pattern, std::string source);

  /// Appends the pieces of `text`, valid UTF-8, none of them empty. Errors: InputError when the
  /// expression takes too many steps.
  void split(std::string_view text, std::vector<std::string_view>& pieces) const;
  /// The first match in `text`, valid UTF-8. Errors: as split.
  std::optional<std::string_view> first_match(std::string_view text) const;

 private:
  std::string pattern_, source_;
  std::shared_ptr<const void> code_;  // as PCRE2 compiled it; its header stays in the source file
};

}  // namespace logdepth::inline learned_language_model
