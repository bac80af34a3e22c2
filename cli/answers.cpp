#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "cli/commands.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {

void write_out_answers() {
  errno = 0;
  std::cout.flush();
  if (std::cout) return;
  // A stream does not keep the reason of a line before; another byte fails for the same one.
  if (errno == 0 && std::fputc('\n', stdout) != EOF) (void)std::fflush(stdout);
  throw InputError(std::string("standard output cannot be written") +
                   (errno == 0 ? "" : std::string(": ") + std::strerror(errno)));
}

}  // namespace logdepth
