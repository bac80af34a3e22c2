#pragma once

// Finds a certificate for recheck/ from the weights alone. Nothing here is trusted: what is found is checked by recheck, whose
// code is linked. The independence goes one way: recheck includes nothing of ours.

#include <string>
#include <variant>
#include <vector>

#include "logdepth/certify.hpp"

namespace logdepth { inline namespace proofs_check_certify {

/// "theorem shift-scan", "theorem selections, tier S", for all that names a certificate.
std::string proof_name(const Certification& proof);

/// `text` is a weights file, unpacked; `name` is what it is called in the statement. Every theorem that fits its input is
/// tried. InputError for what is no weights file.
Certification find_certificate(const std::string& text, const std::string& name);

/// What a certificate, whoever made it, certifies of the file, or the step that fails. InputError for what is no certificate, and
/// for what is no weights file.
Certification check_certificate(const std::string& text, const std::string& certificate,
                                const std::string& name);

/// The certificate that logdepth-prove (proofs-check/proved) reads, or the steps that fail.
std::variant<std::string, std::vector<FailedTheorem>> find_coq_proof(const std::string& text,
                                                                     const std::string& name);

}}  // namespace logdepth::proofs_check_certify
