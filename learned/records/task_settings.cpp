#include "learned/records/task_settings.hpp"

#include <stdexcept>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_records {

void TaskSettings::ask(const MeasureRequest& request) {
  if (request.length > 0 || request.samples > 0)
    throw InputError(std::string(request.length > 0 ? "--length" : "--words") +
                     ": expected a run on words, this one is of the task " + kind());
}

ProductQuestion TaskSettings::products() const {
  throw std::logic_error(std::string("a task of ") + kind() + " has no products");
}

}  // namespace logdepth::inline learned_records
