#include "runtime/file/whole_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <streambuf>
#include <system_error>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/text_format.hpp"
#include "runtime/file/signal_list.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

std::string reason_of(int error) {
  return std::strerror(error ? error : EIO);
}

SignalList unfinished;

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
    unfinished.add(temporary_);
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
  unfinished.drop(temporary_);
}

void OutputFile::give_up(const std::string& reason) {
  unfinished.drop(temporary_);  // a constructor that throws has no destructor to do it
  throw InputError(path_ + ": cannot be written: " + reason);
}

void OutputFile::commit() {
  bytes_->end();
  if (bytes_->error() != 0 || !out_) give_up(reason_of(bytes_->error()));
  if (temporary_.empty()) return;
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) give_up(error.message());
  unfinished.drop(temporary_);
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
  for (const auto& slot : unfinished.slots)
    if (slot.levels > 0) unlink(slot.path.data());
}

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string unpacked(const std::string& bytes, const std::string& path, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    throw std::bad_alloc();  // nothing else is left to fail
  const auto end = [](z_stream* s) { inflateEnd(s); };
  const std::unique_ptr<z_stream, decltype(end)> guard(&stream, end);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::vector<char> chunk(kChunk);
  int status = Z_OK;
  while (status == Z_OK || (status == Z_STREAM_END && stream.avail_in > 0)) {
    if (status == Z_STREAM_END) {  // another member follows
      const std::string_view rest(bytes.data() + (bytes.size() - stream.avail_in), stream.avail_in);
      if (!is_gzip(rest))
        throw InputError(
            fmt::format("{}: {} bytes follow the end of the gzip data", path, rest.size()));
      inflateReset(&stream);
    }
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk.data(), chunk.size() - stream.avail_out);
    if (text.size() > limit)
      throw InputError(fmt::format("{}: the unpacked text is larger than the limit of {} MiB", path,
                                   limit >> 20));
  }
  if (status == Z_BUF_ERROR) throw InputError(path + ": the gzip data ends too early");
  if (status != Z_STREAM_END) throw InputError(path + ": the gzip data is damaged");
  return text;
}

std::string packed(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  const auto end = [](z_stream* s) { deflateEnd(s); };
  const std::unique_ptr<z_stream, decltype(end)> guard(&stream, end);
  gz_header header{};  // no name, no time
  header.os = 255;     // unknown: the bytes do not tell the machine
  deflateSetHeader(&stream, &header);
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib cannot finish");
  bytes.resize(stream.total_out);
  return bytes;
}

namespace {

std::string text_of_bytes(std::string bytes, const std::string& path, std::size_t limit) {
  using namespace std::string_view_literals;
  for (const auto& [magic, tool] : {std::pair("BZh"sv, "bzip2"), std::pair("\xFD\x37zXZ\0"sv, "xz"),
                                    std::pair("\x28\xB5\x2F\xFD"sv, "zstd")})
    if (bytes.starts_with(magic) && (magic != "BZh" || bytes.substr(4, 2) == "1A"))
      throw InputError(
          fmt::format("{}: is packed by {}; expected a text, or one packed by gzip; "
                      "'{} -d {}' unpacks it",
                      path, tool, tool, shell_word(printable(path))));
  if (is_gzip(bytes)) bytes = unpacked(bytes, path, limit);
  const std::string_view text = without_byte_order_mark(bytes, path);
  return text.size() == bytes.size() ? std::move(bytes) : std::string(text);
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t limit) {
  return text_of_bytes(read_whole_file(path, limit), path, limit);
}

std::string read_standard_input(std::size_t limit) {
  std::string bytes;
  std::vector<char> chunk(kChunk);
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count == 0) return text_of_bytes(std::move(bytes), "standard input", limit);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputError("standard input cannot be read: " + reason_of(errno));
    bytes.append(chunk.data(), static_cast<std::size_t>(count));
    if (bytes.size() > limit)
      throw InputError(
          fmt::format("standard input is larger than the limit of {} MiB", limit >> 20));
  }
}

namespace {

constexpr std::size_t kMostLevels = 256;  // what recursion bears, and no honest file has

}  // namespace

void require_shallow_json(std::string_view text, const std::string& source) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostLevels)
        throw InputError(fmt::format("{}: arrays and objects are nested deeper than {} levels",
                                     source, kMostLevels));
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
}

std::string read_json_file(const std::string& path, std::size_t limit) {
  std::string text = read_whole_file(path, limit);
  require_shallow_json(text, path);
  return text;
}

FilePieces::FilePieces(std::string path) : path_(std::move(path)) {
  const auto refuse = [&](const std::string& sentence) {
    if (descriptor_ >= 0) close(descriptor_);
    throw InputError(path_ + ": " + sentence);
  };
  // A pipe without a writer would block here.
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
  struct stat about {};
  if (fstat(descriptor_, &about) != 0)
    refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(about.st_mode)) refuse("expected a regular file");
  size_ = static_cast<std::uint64_t>(about.st_size);
}

FilePieces::~FilePieces() {
  close(descriptor_);
}

void FilePieces::read(std::uint64_t offset, std::span<char> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
    if (got == 0)
      throw InputError(fmt::format("{}: expected {} bytes at {}, found the end of the file", path_,
                                   out.size(), offset));
    done += static_cast<std::size_t>(got);
  }
}

namespace fs = std::filesystem;

namespace {

SignalList made_folders;

}  // namespace

OutputFolder::OutputFolder(const std::string& path) {
  std::error_code error;
  for (fs::path at = fs::absolute(path).lexically_normal(); !fs::exists(at, error);
       at = at.parent_path())
    if (at.has_filename()) made_.push_back(at);
  if (!made_.empty()) made_folders.add(made_.front().native(), made_.size());
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error) return;
  remove_empty();  // a constructor that throws has no destructor to do it
  throw InputError(path + ": expected the name of a folder that can be made: " + error.message());
}

void OutputFolder::remove_empty() const {
  if (made_.empty()) return;
  for (const fs::path& folder : made_) rmdir(folder.c_str());  // refuses one that is not empty
  made_folders.drop(made_.front().native());
}

OutputFolder::~OutputFolder() {
  remove_empty();
}

void remove_empty_output_folders() noexcept {
  for (SignalList::Slot& slot : made_folders.slots)
    // Where not all of them had been made, those outside have.
    for (; slot.levels > 0 && (rmdir(slot.path.data()) == 0 || errno == ENOENT); --slot.levels)
      if (char* const last = std::strrchr(slot.path.data(), '/')) *last = 0;
}

}}  // namespace logdepth::runtime_file
