#include <string>

#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

/// A weights file, a line with a tilde, a certificate. The hash of a file whose content was changed is put right, so that
/// more than the first step of a proof is reached. A proof ends by a sentence, or prints what it proved.
const Registered kCertificate("certificate", [](const std::string& bytes) {
  const std::string line = "\n~\n";
  const std::size_t split = bytes.find(line);
  if (split == std::string::npos) return;
  try {
    recheck::Json document = recheck::parse_json(bytes.substr(0, split));
    recheck::Json certificate = recheck::parse_json(bytes.substr(split + line.size()));
    try {
      (void)recheck::read_weights(document);
    } catch (const recheck::Malformed& error) {
      const std::string hashes = "wrong sha256; the content hashes to ", told = error.what();
      if (!told.starts_with(hashes)) return;
      for (recheck::Json* json : {&document, &certificate})
        for (auto& [key, value] : json->members)
          if (key == "sha256") value.text = told.substr(hashes.size());
    }
    hold(!statement(recheck::prove(document, certificate), "file").empty(),
         "a proof has a statement");
  } catch (const recheck::Refused&) {
  } catch (const recheck::Malformed&) {
  }
});

}  // namespace
}  // namespace logdepth::fuzz
