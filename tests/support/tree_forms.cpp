#include "tests/support/tree_forms.hpp"

#include "compiler/passes/compile.hpp"

namespace logdepth::support {

std::string TreeForm::name() const {
  std::string text = "Tree";
  text += table == ScanTable::matrix ? "Matrix" : table == ScanTable::monoid ? "Monoid" : "Auto";
  text += norm == Norm::rms ? "Rms" : "Layernorm";
  return strict ? text + "Strict" : text;
}

Model compile_tree(const Action& action, const TreeForm& form) {
  CompileOptions options;
  options.norm = form.norm;
  options.strict = form.strict;
  return compile(regular_language_tree_MS25_thm4_1(action, form.name(), {form.table}), options)
      .model;
}

std::vector<TreeForm> tree_forms() {
  std::vector<TreeForm> forms;
  for (const auto table : {ScanTable::matrix, ScanTable::monoid})
    for (const auto norm : {Norm::rms, Norm::layernorm}) forms.push_back({table, norm, false});
  return forms;
}

}  // namespace logdepth::support
