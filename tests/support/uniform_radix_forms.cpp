#include "tests/support/uniform_radix_forms.hpp"

#include "compiler/passes/compile.hpp"

namespace logdepth::support {

std::string UniformRadixForm::name() const {
  std::string text = "Radix" + std::to_string(radix) + "Block" + std::to_string(block);
  text += table == ScanTable::matrix ? "Matrix" : table == ScanTable::monoid ? "Monoid" : "Auto";
  text += norm == Norm::rms ? "Rms" : "Layernorm";
  return strict ? text + "Strict" : text;
}

Model compile_uniform_radix(const Action& action, const UniformRadixForm& form) {
  CompileOptions options;
  options.norm = form.norm;
  options.strict = form.strict;
  return compile(regular_language_uniform_radix_MS25_cor4_2(action, form.name(),
                                                            {form.radix, form.block, form.table}),
                 options)
      .model;
}

std::vector<UniformRadixForm> uniform_radix_forms(unsigned radix, unsigned block) {
  std::vector<UniformRadixForm> forms;
  for (const auto table : {ScanTable::matrix, ScanTable::monoid})
    for (const auto norm : {Norm::rms, Norm::layernorm})
      forms.push_back({radix, block, table, norm, false});
  return forms;
}

}  // namespace logdepth::support
