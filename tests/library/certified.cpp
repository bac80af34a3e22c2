// Certificates for every length: the library and the program.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "logdepth/certify.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/errors.hpp"
#include "tests/library/installed.hpp"

namespace logdepth::certified_tests { namespace {

class Certified : public support::OutsideTheTree {};

TEST_F(Certified, TheCertificateIsThatOfTheProgram) {
  const Transformer abb = compile_regular({.regex = "(a|b)*abb"});
  const Certification proof = certify(abb);
  ASSERT_TRUE(proof.certified());
  EXPECT_TRUE(proof.outputs_certified);
  EXPECT_EQ(proof.scope, "every length");
  EXPECT_TRUE(proof.failed.empty());
  abb.save(folder.file("abb.json"));
  const support::Finished said = support::run_process(
      {LOGDEPTH_BINARY, "certify", "abb.json", "-o", "abb.cert.json"}, folder.path());
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(proof.certificate, folder.read("abb.cert.json"));
  EXPECT_EQ(recheck(abb, proof.certificate).statement, proof.statement);
}

TEST_F(Certified, ACertificateIsOfNoOtherFile) {
  const std::string certificate = certify(compile_regular({.regex = "(a|b)*abb"})).certificate;
  const Certification other = recheck(compile_regular({.regex = "(a|b)*ab"}), certificate);
  EXPECT_FALSE(other.certified());
  ASSERT_EQ(other.failed.size(), 1u);
  EXPECT_NE(other.failed[0].reason.find("sha256"), std::string::npos) << other.failed[0].reason;
  EXPECT_THROW(static_cast<void>(recheck(compile_division(), "[")), InputError);
}

TEST_F(Certified, SelectionsCertifyNoAnswers) {
  std::ifstream text(LOGDEPTH_SOURCE_DIR "/examples/programs/majority.cells");
  const Transformer majority = compile(program_from_text({std::istreambuf_iterator(text), {}}));
  const Certification found = certify(majority);
  EXPECT_EQ(found.theorem, "selections");
  EXPECT_FALSE(found.certified());
  EXPECT_NE(found.statement.find("what the outputs compute is not certified"), std::string::npos);
  EXPECT_EQ(recheck(majority, found.certificate).statement, found.statement);
}

TEST_F(Certified, WhatIsNotCertifiedNamesTheTheoremAndTheStep) {
  const Certification found = certify(compile_connectivity());
  EXPECT_FALSE(found.certified());
  EXPECT_TRUE(found.certificate.empty());
  ASSERT_FALSE(found.failed.empty());
  EXPECT_NE(found.failed[0].reason.find("adjacency"), std::string::npos) << found.failed[0].reason;
}

}}  // namespace logdepth::certified_tests
