#include "learned/language_model/stored_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {

std::uint64_t stored_bytes(TensorEncoding encoding, std::uint64_t numbers) {
  const EncodedBlock& block = block_of(encoding);
  return numbers / block.numbers * block.bytes;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void append_values(const StoredTensor& tensor, std::vector<float>& values) {
  const std::uint64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                              std::uint64_t{1}, std::multiplies<>());
  const EncodedBlock& block = block_of(tensor.encoding);
  std::size_t at = values.size();
  values.resize(at + static_cast<std::size_t>(count));
  tensor.file->for_each_piece(
      tensor.offset, stored_bytes(tensor.encoding, count), block.bytes,
      [&](std::string_view bytes) {
        const std::span<float> out(values.data() + at, bytes.size() / block.bytes * block.numbers);
        decode(tensor.encoding, bytes, out);
        if (!std::all_of(out.begin(), out.end(), [](float x) { return std::isfinite(x); }))
          throw InputError(tensor.file->path() + ": " + in_quotes(tensor.name) +
                           ": expected finite numbers");
        at += out.size();
      });
}

}  // namespace logdepth::inline learned_language_model
