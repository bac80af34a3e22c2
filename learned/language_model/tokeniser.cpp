#include "learned/language_model/tokeniser.hpp"

#include <fmt/core.h>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {

std::size_t Tokeniser::index_of(std::int32_t token) const {
  if (token < 0 || static_cast<std::uint32_t>(token) >= size())
    throw InputError(fmt::format("expected tokens below {}, found {}", size(), token));
  return static_cast<std::size_t>(token);
}

}  // namespace logdepth::inline learned_language_model
