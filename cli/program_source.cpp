#include "cli/program_source.hpp"

#include "compiler/program/program_text.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline cli {

Program read_program(const std::string& file) {
  return parse_program(read_text_file(file), file);
}

}  // namespace logdepth::inline cli
