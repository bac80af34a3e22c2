// The extension module: the public headers of logdepth/ as Python sees them.
#include "python/bindings/bindings.hpp"

NB_MODULE(_bindings, module) {
  using namespace logdepth::python;
  module.doc() = "The C++ library of logdepth. Its names are used through the package `logdepth`.";
  bind_errors(module);
  bind_cells(module);
  bind_statements(module);
  bind_program(module);
  bind_inputs(module);
  bind_answers(module);
  bind_rounded(module);
  bind_traces(module);
  bind_transformer(module);
  bind_constructions(module);
}
