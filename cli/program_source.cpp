#include "cli/program_source.hpp"

#include "compiler/file/carried_program.hpp"
#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline cli {

Program read_program(const std::string& file) {
  return parse_program(read_text_file(file), file);
}

Program carried_by(const Model& model) {
  const CarriedProgram carried(model, Trust::none);
  if (!carried.program()) throw InputError(carried.reason());
  return *carried.program();
}

}  // namespace logdepth::inline cli
