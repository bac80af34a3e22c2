#include "tests/support/radix_forms.hpp"

#include "compiler/passes/compile.hpp"
#include "tests/support/languages.hpp"

namespace logdepth::support {

std::string RadixForm::name() const {
  std::string text = std::string("Radix") + std::to_string(radix) + "Length";
  text += std::to_string(max_length);
  text += test_name(positions);
  text += table == ScanTable::matrix ? "Matrix" : table == ScanTable::monoid ? "Monoid" : "Auto";
  text += norm == Norm::rms ? "Rms" : "Layernorm";
  return strict ? text + "Strict" : text;
}

Model compile_radix(const Action& action, const RadixForm& form) {
  CompileOptions options;
  options.norm = form.norm;
  options.strict = form.strict;
  return compile(
             regular_language_radix_MS25_cor4_2(
                 action, form.name(), {form.radix, form.max_length, form.positions, form.table}),
             options)
      .model;
}

std::vector<RadixForm> radix_forms(unsigned radix, std::uint64_t max_length) {
  std::vector<RadixForm> forms;
  for (const auto positions : kScanPositions)
    for (const auto table : {ScanTable::matrix, ScanTable::monoid})
      for (const auto norm : {Norm::rms, Norm::layernorm})
        forms.push_back({radix, max_length, positions, table, norm, false});
  return forms;
}

std::size_t levels_to_reach(unsigned radix, std::uint64_t length) {
  std::size_t levels = 0;
  for (std::uint64_t reach = 1; reach < length; reach *= radix) ++levels;
  return levels;
}

}  // namespace logdepth::support
