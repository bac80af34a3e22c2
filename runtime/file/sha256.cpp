#include "runtime/file/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace logdepth::inline runtime_file {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

namespace {
void expect_openssl(bool done) {
  if (!done) throw std::runtime_error("OpenSSL offers no SHA-256");
}
}  // namespace

Sha256::Sha256() : state_(std::make_unique<State>()) {
  expect_openssl(state_->context && EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  expect_openssl(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  expect_openssl(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1);
  constexpr const char* kHex = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kHex[digest[i] >> 4];
    hex += kHex[digest[i] & 15];
  }
  return hex;
}

}  // namespace logdepth::inline runtime_file
