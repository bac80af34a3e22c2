#include "runtime/file/whole_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

std::string reason_of(int error) {
  return std::strerror(error ? error : EIO);
}

/// Names a signal handler may unlink: fixed storage, written before the file is created. Long paths
/// and a fifth file at once are simply not listed.
constexpr std::size_t kUnfinished = 4;
std::array<std::array<char, 4096>, kUnfinished> unfinished{};

void list_unfinished(const std::string& path) {
  for (auto& slot : unfinished)
    if (slot[0] == 0 && path.size() < slot.size()) {
      std::memcpy(slot.data(), path.c_str(), path.size() + 1);
      return;
    }
}

void unlist_unfinished(const std::string& path) {
  for (auto& slot : unfinished)
    if (path == slot.data()) slot[0] = 0;
}

}  // namespace

std::string read_whole_file(const std::string& path, std::size_t limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a directory, expected a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path + ": cannot be read: " + reason_of(errno));
  std::string bytes;
  std::vector<char> chunk(std::size_t{1} << 16);
  while (in) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    bytes.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > limit)
      throw InputError(
          fmt::format("{}: the file is larger than the limit of {} MiB", path, limit >> 20));
  }
  if (in.bad()) throw InputError(path + ": cannot be read to its end");
  return bytes;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto target = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) path_ = target.string();
  }
  errno = 0;
  if (std::filesystem::exists(path_, ignored) &&
      !std::filesystem::is_regular_file(path_, ignored)) {
    out_.open(path_, std::ios::binary);
    if (!out_) give_up(reason_of(errno));
    return;
  }
  temporary_ = fmt::format("{}.{}.part", path_, getpid());
  list_unfinished(temporary_);
  out_.open(temporary_, std::ios::binary);
  if (!out_) give_up(reason_of(errno));
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  unlist_unfinished(temporary_);
}

void OutputFile::give_up(const std::string& reason) {
  unlist_unfinished(temporary_);  // a constructor that throws has no destructor to do it
  throw InputError(path_ + ": cannot be written: " + reason);
}

void OutputFile::commit() {
  errno = 0;
  out_.close();
  if (!out_) give_up(reason_of(errno));
  if (temporary_.empty()) return;
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) give_up(error.message());
  unlist_unfinished(temporary_);
  temporary_.clear();
}

void write_whole_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(output, ignored)) return;
  for (const std::string& input : inputs)
    if (!input.empty() && std::filesystem::equivalent(output, input, ignored))
      throw InputError(output + ": is an input of this command; write to another name");
}

void remove_unfinished_files() noexcept {
  for (auto& slot : unfinished)
    if (slot[0] != 0) unlink(slot.data());
}

}  // namespace logdepth
