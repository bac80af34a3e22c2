#include "runtime/file/whole_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"

namespace logdepth::inline runtime_file {
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

namespace {

/// The file that a symbolic link leads to, by way of others, also where it is yet to be made. Any
/// other name is left alone, and what leads to a device or a pipe.
std::string without_links(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as many as the system follows
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  if (fs::is_regular_file(path, error)) {
    const fs::path target = fs::canonical(path, error);
    return error ? path : target.string();
  }
  if (fs::exists(path, error)) return path;
  fs::path at = path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(at, error); ++i)
    at = at.parent_path() / fs::read_symlink(at, error);
  return at.string();
}

/// Whether a standard stream of this process goes to the regular file of this name.
bool takes_a_standard_stream(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return false;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream {};
    if (fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev &&
        stream.st_ino == file.st_ino)
      return true;
  }
  return false;
}

}  // namespace

/// Bytes on their way to a file. Those of the standard library forget why one could not be written.
class OutputFile::Bytes : public std::streambuf {
 public:
  explicit Bytes(const std::string& path)
      : room_(1 << 16), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) error_ = errno;
    setp(room_.data(), room_.data() + room_.size());
  }
  ~Bytes() override { end(); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  /// Writes what is left and closes the file.
  void end() {
    if (file_ < 0) return;
    sync();
    if (close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  }
  /// Of the first byte that could not be written; 0: all of them could.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }
  int sync() override {
    for (const char* at = pbase(); at < pptr() && error_ == 0;) {
      const ssize_t written = write(file_, at, static_cast<std::size_t>(pptr() - at));
      if (written >= 0) {
        at += written;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    setp(room_.data(), room_.data() + room_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  std::vector<char> room_;  // before the file: without memory for it, none is made
  int file_, error_ = 0;
};

OutputFile::OutputFile(std::string path) : path_(without_links(path)), out_(nullptr) {
  std::error_code ignored;
  if (takes_a_standard_stream(path_))
    throw InputError(path_ + ": is standard output or standard error; write to another name");
  const bool in_place =
      std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored);
  if (!in_place) {
    temporary_ = fmt::format("{}.{}.part", path_, getpid());
    list_unfinished(temporary_);
  }
  bytes_ = std::make_unique<Bytes>(in_place ? path_ : temporary_);
  if (bytes_->error() != 0) give_up(reason_of(bytes_->error()));
  out_.rdbuf(bytes_.get());
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  bytes_->end();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  unlist_unfinished(temporary_);
}

void OutputFile::give_up(const std::string& reason) {
  unlist_unfinished(temporary_);  // a constructor that throws has no destructor to do it
  throw InputError(path_ + ": cannot be written: " + reason);
}

void OutputFile::commit() {
  bytes_->end();
  if (bytes_->error() != 0 || !out_) give_up(reason_of(bytes_->error()));
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

}  // namespace logdepth::inline runtime_file
