#include "tests/fuzz/fuzz_target.hpp"

#include <cstdlib>
#include <iostream>

#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::fuzz {

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

void hold(bool holds, const std::string& property) {
  if (holds) return;
  std::cerr << "does not hold: " << property << '\n';
  std::abort();
}

bool accepted(const std::function<void()>& what) {
  try {
    what();
    return true;
  } catch (const InputError&) {
  } catch (const SizeLimit&) {
  } catch (const ProgramRefused&) {
  }
  return false;
}

std::string file_of(const std::string& bytes, const std::string& name) {
  static const TemporaryFolder folder;
  write_whole_file(folder.file(name), bytes);
  return folder.file(name);
}

std::string bytes_of(const std::string& file) {
  return read_whole_file(file);
}

}  // namespace logdepth::fuzz
