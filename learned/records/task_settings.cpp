#include "learned/records/task_settings.hpp"

#include <stdexcept>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_records {

void TaskSettings::ask(const MeasureRequest& request) {
  const char* const asked = request.length > 0            ? "--length"
                            : request.samples > 0         ? "--words"
                            : !request.keep_edges.empty() ? "--keep-edges"
                            : !request.cut_edges.empty()  ? "--cut-edges"
                                                          : nullptr;
  if (asked)
    throw InputError(std::string(asked) + ": expected a run on words, this one is of the task " +
                     kind());
}

ProductQuestion TaskSettings::products() const {
  throw std::logic_error(std::string("a task of ") + kind() + " has no products");
}

}  // namespace logdepth::inline learned_records
