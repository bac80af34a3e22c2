#include "learned/records/task_settings.hpp"

#include <stdexcept>

namespace logdepth {

ProductQuestion TaskSettings::products() const {
  throw std::logic_error(std::string("a task of ") + kind() + " asks for no products");
}

TaskConfig::TaskConfig() : TaskConfig(task_kinds().front()) {}

void TaskConfig::visit(SettingVisitor& visit) {
  std::vector<const char*> kinds;
  std::size_t now = 0;
  for (const TaskConfig& known : task_kinds()) {
    if (std::string(known->kind()) == settings_->kind()) now = kinds.size();
    kinds.push_back(known->kind());
  }
  std::size_t wanted = now;
  visit.word("kind", wanted, kinds);
  if (wanted != now) *this = task_kinds()[wanted];
  settings_->visit(visit);
}

}  // namespace logdepth
