#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace logdepth::inline cli {

/// An option that is absent where the user does not give it; an empty text is given, too.
template <class T>
CLI::Option* add_optional(CLI::App& app, const std::string& name, std::optional<T>& value,
                          const std::string& description) {
  return app.add_option_function<T>(
      name, [&value](const T& given) { value = given; }, description);
}

}  // namespace logdepth::inline cli
