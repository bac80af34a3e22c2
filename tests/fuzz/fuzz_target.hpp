#pragma once

#include <functional>
#include <map>
#include <string>

/// Readers of files from strangers, given any bytes: each refuses them by a sentence, or reads what
/// its printer says again.
namespace logdepth::fuzz {

/// A reader: takes the bytes, and ends the program where its property does not hold.
using Target = std::function<void(const std::string& bytes)>;
/// All of them, by name: that of their folder of stored inputs.
std::map<std::string, Target>& targets();

struct Registered {
  Registered(const std::string& name, Target target) { targets()[name] = std::move(target); }
};

/// Ends the program with the sentence unless the property holds.
void hold(bool holds, const std::string& property);
/// What is done, unless it is refused: as bad input, as too large, as a program that breaks a rule.
/// Says whether it was done. Anything else that is thrown ends the program.
bool accepted(const std::function<void()>& what);

/// The name of a file of these bytes, for readers of files; the next call writes over it.
std::string file_of(const std::string& bytes, const std::string& name = "input");
/// The bytes of that file.
std::string bytes_of(const std::string& file);

}  // namespace logdepth::fuzz
