// GMP's rationals in messages of GoogleTest. GMP's library for C++ is not built for wasm32.
#include <gmpxx.h>

#include <ostream>

std::ostream& operator<<(std::ostream& out, mpq_srcptr value) {
  return out << mpq_class(value).get_str();
}
