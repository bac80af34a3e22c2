#include "base/spelling.hpp"

#include <algorithm>
#include <string_view>

namespace logdepth::inline base {
namespace {

/// Letters to insert, leave out, replace or exchange with a neighbour to make one of the other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> errors(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        errors[i][j] = i + j;
        continue;
      }
      errors[i][j] = std::min({errors[i - 1][j] + 1, errors[i][j - 1] + 1,
                               errors[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
    }
  return errors[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> meant(const std::string& written,
                                 const std::vector<std::string>& names) {
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(written.size() / 3, 1);
  for (const std::string& name : names)
    if (const std::size_t errors = typing_errors(written, name); errors <= fewest) {
      if (nearest && errors == fewest) continue;
      nearest = name;
      fewest = errors;
    }
  return nearest;
}

}  // namespace logdepth::inline base
