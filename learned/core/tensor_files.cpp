#include "learned/core/tensor_files.hpp"

#include <fmt/core.h>

#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/safetensors.hpp"

namespace logdepth::inline learned_core {
namespace {

const std::vector<std::pair<std::string, torch::ScalarType>> kTypes = {
    {"F32", torch::kFloat32}, {"F64", torch::kFloat64}, {"BF16", torch::kBFloat16},
    {"F16", torch::kFloat16}, {"I64", torch::kInt64},   {"I32", torch::kInt32},
    {"U8", torch::kUInt8},    {"BOOL", torch::kBool}};

std::string shape_text(at::IntArrayRef shape) {
  std::ostringstream text;
  text << shape;
  return text.str();
}

}  // namespace

TensorFile read_tensor_file(const std::string& file) {
  SafeTensors content = read_safetensors(file);
  TensorFile result;
  result.metadata = std::move(content.metadata);
  for (const auto& [name, array] : content.arrays) {
    const torch::ScalarType* type = nullptr;
    for (const auto& [word, known] : kTypes)
      if (word == array.type) type = &known;
    if (!type) throw InputError(file + ": arrays of type " + array.type + " are not supported");
    Tensor tensor = torch::empty(std::vector<std::int64_t>(array.shape.begin(), array.shape.end()),
                                 torch::dtype(*type));
    if (!array.bytes.empty())
      std::memcpy(tensor.data_ptr(), array.bytes.data(), array.bytes.size());
    result.tensors.emplace(name, std::move(tensor));
  }
  return result;
}

void write_tensor_file(const TensorFile& content, const std::string& file) {
  SafeTensors out;
  out.metadata = content.metadata;
  for (const auto& [name, given] : content.tensors) {
    const Tensor tensor = given.detach().to(torch::kCPU).contiguous();
    SafeTensor array;
    for (const auto& [word, known] : kTypes)
      if (known == tensor.scalar_type()) array.type = word;
    array.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
    array.bytes.assign(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
    out.arrays.emplace(name, std::move(array));
  }
  write_safetensors(out, file);
}

std::map<std::string, Tensor> named_tensors(const Parameters& parameters) {
  std::map<std::string, Tensor> tensors;
  for (const Parameters::Named& parameter : parameters.all())
    tensors.emplace(parameter.name, parameter.tensor);
  return tensors;
}

void load_parameters(Parameters& parameters, const std::map<std::string, Tensor>& tensors,
                     const std::string& file) {
  if (tensors.size() != parameters.all().size())
    throw InputError(fmt::format("{}: expected {} parameters, found {}", file,
                                 parameters.all().size(), tensors.size()));
  torch::NoGradGuard no_grad;
  for (const Parameters::Named& parameter : parameters.all()) {
    const auto found = tensors.find(parameter.name);
    if (found == tensors.end())
      throw InputError(file + ": expected a parameter " + in_quotes(parameter.name));
    if (found->second.sizes() != parameter.tensor.sizes())
      throw InputError(file + ": " + parameter.name + ": expected shape " +
                       shape_text(parameter.tensor.sizes()) + ", found " +
                       shape_text(found->second.sizes()));
    if (!found->second.isfinite().all().item<bool>())
      throw InputError(file + ": " + parameter.name + ": expected finite numbers");
    Tensor to = parameter.tensor;
    to.copy_(found->second);
  }
}

}  // namespace logdepth::inline learned_core
