// A machine without pseudo-terminals, as a container without /dev/pts: loaded before the system's library.
#include <cerrno>

extern "C" int posix_openpt(int) {
  errno = ENOENT;
  return -1;
}
