#include "runtime/file/gzip_text.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/text_format.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline runtime_file {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string unpacked(const std::string& bytes, const std::string& path, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib cannot start");
  const auto end = [](z_stream* s) { inflateEnd(s); };
  const std::unique_ptr<z_stream, decltype(end)> guard(&stream, end);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::vector<char> chunk(kChunk);
  int status = Z_OK;
  while (status == Z_OK) {
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
  if (stream.avail_in != 0) {
    throw InputError(
        fmt::format("{}: {} bytes follow the end of the gzip data", path, stream.avail_in));
  }
  return text;
}

std::string packed(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("zlib cannot start");
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

std::string read_text_file(const std::string& path, std::size_t limit) {
  std::string bytes = read_whole_file(path, limit);
  if (is_gzip(bytes)) bytes = unpacked(bytes, path, limit);
  const std::string_view text = without_byte_order_mark(bytes, path);
  return text.size() == bytes.size() ? std::move(bytes) : std::string(text);
}

}  // namespace logdepth::inline runtime_file
