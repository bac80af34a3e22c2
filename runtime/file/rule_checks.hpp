#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/file/violation.hpp"

namespace logdepth::inline runtime_file {

/// The tools that the rules of model_rules.cpp are written with.

std::string number(std::uint64_t value);

/// A place in the file, linked to the place around it: costs nothing until a rule is broken.
class Place {
 public:
  Place() = default;
  Place operator/(std::string_view name) const { return Place(this, name, 0); }
  Place operator/(std::size_t index) const { return Place(this, {}, index); }
  JsonPath path() const {
    if (outer_ == nullptr) return {};
    JsonPath path = outer_->path();
    if (name_.data() == nullptr) {
      path.emplace_back(index_);
    } else {
      path.emplace_back(std::string(name_));
    }
    return path;
  }

 private:
  Place(const Place* outer, std::string_view name, std::size_t index)
      : outer_(outer), name_(name), index_(index) {}
  const Place* outer_ = nullptr;
  std::string_view name_;  ///< no data: an index
  std::size_t index_ = 0;
};

/// Throws the Violation.
[[noreturn]] void violate(const Place& place, std::string sentence);

void check_text(const std::string& text, const Place& place);
void check_texts(const std::vector<std::string>& texts, const Place& place);
void check_distinct_names(const std::vector<std::string>& names, const Place& place);
void check_members(const OpenMembers& members, const Place& place);
void check_vector(const SparseVector& vector, std::uint32_t width, const Place& place);
void check_matrix(const SparseMatrix& matrix, const Place& place);
void expect_dimension(std::uint32_t actual, std::uint32_t expected, const Place& place,
                      const char* meaning);

}  // namespace logdepth::inline runtime_file
