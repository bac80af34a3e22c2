#include "proofs-check/claims/claim_list.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

// proofs-check/papers/PAPER/NAME_claims.cpp defines PAPER_NAME_claims(), and so with defects.
#define LOGDEPTH_CLAIMS(paper, name)                       \
  namespace logdepth::inline proofs_check_papers_##paper { \
    std::vector<Claim> paper##_##name##_claims();          \
  }
#define LOGDEPTH_DEFECTS(paper, name)
#include <statements.list>
#undef LOGDEPTH_CLAIMS

namespace logdepth::inline proofs_check_claims {

const std::vector<Claim>& all_claims() {
  static const std::vector<Claim> kClaims = [] {
    std::vector<Claim> executed;
    const auto add = [&](std::vector<Claim> part, const std::string& paper) {
      for (Claim& claim : part) {
        claim.paper = paper;
        executed.push_back(std::move(claim));
      }
    };
#define LOGDEPTH_CLAIMS(paper, name) add(paper##_##name##_claims(), #paper);
#include <statements.list>
#undef LOGDEPTH_CLAIMS
#undef LOGDEPTH_DEFECTS
    std::vector<Claim> all = as_written_claims(executed);
    std::move(executed.begin(), executed.end(), std::back_inserter(all));
    // Paper by paper; Appendix A first, because the rest builds on it, then §3, §4, ...
    std::stable_sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
      static const auto key = [](const Claim& claim) {
        const std::string number = claim.id.substr(claim.id.find('-') + 1);
        return number[0] == 'A' ? "0" + number.substr(1) : number;
      };
      return std::tuple(a.paper, key(a), a.form) < std::tuple(b.paper, key(b), b.form);
    });
    return all;
  }();
  return kClaims;
}

std::vector<const Claim*> find_claims(const std::vector<Claim>& claims, const std::string& name) {
  std::vector<const Claim*> found;
  for (const Claim& claim : claims)
    if (claim.id == name || full_name(claim) == name) found.push_back(&claim);
  if (!found.empty()) return found;
  std::vector<std::string> ids;
  for (const Claim& claim : claims)
    if (std::ranges::find(ids, claim.id) == ids.end()) ids.push_back(claim.id);
  // "A.6" and "thm 5.1" are what the papers' own texts call them.
  const auto numbered = std::ranges::find_if(ids, [&](const std::string& id) {
    return id.substr(id.find('-') + 1) == name.substr(name.find_last_of(" -") + 1);
  });
  throw InputError("no claim " + in_quotes(name) + "; " +
                   (numbered != ids.end() ? "did you mean " + *numbered + "? " : "") +
                   "expected one of " + joined(ids) +
                   ", or one of them with a variant, as `logdepth check --list` prints them");
}

}  // namespace logdepth::inline proofs_check_claims
