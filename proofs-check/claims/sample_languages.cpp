#include "proofs-check/claims/sample_languages.hpp"

#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"

namespace logdepth::inline proofs_check_claims {

SampleLanguage regex_sample(const std::string& expression, const std::string& text,
                            std::size_t up_to) {
  return {
      expression,
      text,
      [expression] { return to_action(minimise(determinise(to_nfa(parse_regex(expression))))); },
      {text, [expression] { return make_regex_oracle(parse_regex(expression)); }},
      up_to};
}

SampleLanguage monoid_sample(const std::string& name, std::size_t up_to) {
  const std::string text = "the word problem of " + name;
  return {name,
          text,
          [name] { return named_monoid(name); },
          {text, [name] { return make_action_oracle(named_monoid(name), name); }},
          up_to};
}

}  // namespace logdepth::inline proofs_check_claims
