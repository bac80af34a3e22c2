#include "learned/papers.hpp"

#define PAPER_WITH_NETWORK(folder) PAPER(folder)
#define PAPER(folder)                           \
  namespace logdepth::inline learned_##folder { \
    Paper folder##_paper();                     \
  }
#include "learned/papers.list"
#undef PAPER

namespace logdepth::inline learned {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kPapers = {
#define PAPER(folder) folder##_paper(),
#include "learned/papers.list"
#undef PAPER
#undef PAPER_WITH_NETWORK
  };
  return kPapers;
}

namespace {

/// What all papers offer of one thing, one after the other.
template <class T>
std::vector<T> gathered(std::vector<T> Paper::*part) {
  std::vector<T> all;
  for (const Paper& paper : papers())
    all.insert(all.end(), (paper.*part).begin(), (paper.*part).end());
  return all;
}

}  // namespace

const std::vector<PublishedLine>& published_lines() {
  static const std::vector<PublishedLine> kLines = gathered(&Paper::published);
  return kLines;
}

}  // namespace logdepth::inline learned

namespace logdepth::inline learned_records {

template <>
const std::vector<TaskConfig>& known_kinds<TaskSettings>() {
  static const std::vector<TaskConfig> kKinds = gathered(&Paper::tasks);
  return kKinds;
}

template <>
const std::vector<NetworkConfig>& known_kinds<NetworkSettings>() {
  static const std::vector<NetworkConfig> kKinds = gathered(&Paper::networks);
  return kKinds;
}

}  // namespace logdepth::inline learned_records
