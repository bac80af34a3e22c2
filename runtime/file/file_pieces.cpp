#include "runtime/file/file_pieces.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"

namespace logdepth::inline runtime_file {

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

void FilePieces::for_each_piece(std::uint64_t offset, std::uint64_t length, std::size_t unit,
                                const std::function<void(std::string_view)>& take) const {
  const std::uint64_t most = std::max<std::size_t>(kPiece / unit, 1) * unit;
  std::vector<char> piece(static_cast<std::size_t>(std::min(most, length)));
  for (std::uint64_t done = 0; done < length; done += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, length - done)));
    read(offset + done, piece);
    take({piece.data(), piece.size()});
  }
}

}  // namespace logdepth::inline runtime_file
