#include "learned/papers.hpp"

namespace logdepth {

#define PAPER_WITH_NETWORK(folder) PAPER(folder)
#define PAPER(folder) Paper folder##_paper();
#include "learned/papers.list"
#undef PAPER

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kPapers = {
#define PAPER(folder) folder##_paper(),
#include "learned/papers.list"
#undef PAPER
#undef PAPER_WITH_NETWORK
  };
  return kPapers;
}

const std::vector<TaskConfig>& task_kinds() {
  static const std::vector<TaskConfig> kKinds = [] {
    std::vector<TaskConfig> kinds;
    for (const Paper& paper : papers())
      kinds.insert(kinds.end(), paper.tasks.begin(), paper.tasks.end());
    return kinds;
  }();
  return kKinds;
}

const std::vector<PublishedLine>& published_lines() {
  static const std::vector<PublishedLine> kLines = [] {
    std::vector<PublishedLine> lines;
    for (const Paper& paper : papers())
      lines.insert(lines.end(), paper.published.begin(), paper.published.end());
    return lines;
  }();
  return kLines;
}

}  // namespace logdepth
