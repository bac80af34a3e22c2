#include "learned/records/task_settings.hpp"

#include <stdexcept>

namespace logdepth {

ProductQuestion TaskSettings::products() const {
  throw std::logic_error(std::string("a task of ") + kind() + " asks for no products");
}

}  // namespace logdepth
