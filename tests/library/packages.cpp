// The Debian packages that cpack makes, unpacked into a root of their own: README's first example runs
// there, and a user's project is built against it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/library/installed.hpp"
#include "tests/support/documents.hpp"

namespace logdepth::package_tests { namespace {

namespace fs = std::filesystem;

class Packages : public support::OutsideTheTree {
 protected:
  Packages() {
    done({"cpack", "--config", LOGDEPTH_BUILD_DIR "/CPackConfig.cmake", "-G", "DEB", "-B",
          folder.file("made")});
    for (const auto& entry : fs::directory_iterator(folder.path() / "made"))
      if (entry.path().extension() == ".deb") {
        const std::string name = entry.path().filename();
        made[name.substr(0, name.find('_'))] = entry.path();
      }
  }
  /// Unpacks a package into the fresh root.
  void unpack(const std::string& package) {
    ASSERT_TRUE(made.contains(package)) << package;
    done({"dpkg", "-x", made[package], fresh});
  }
  std::string field(const std::string& package, const std::string& name) {
    return done({"dpkg-deb", "-f", made[package], name}).out;
  }

  std::map<std::string, std::string> made;  ///< by name
  const fs::path fresh = folder.path() / "fresh";
};

TEST_F(Packages, AreWhatADebianUserExpects) {
  std::vector<std::string> names;
  for (const auto& [name, file] : made) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"liblogdepth-dev", "liblogdepth0", "logdepth"}));
  for (const std::string& name : names)
    EXPECT_EQ(field(name, "Version"), LOGDEPTH_VERSION "\n") << name;
  for (const char* name : {"logdepth", "liblogdepth0"})
    for (const char* needed : {"libc6 (>= ", "libgmp10 (>= ", "libmpfr6 (>= "})
      EXPECT_NE(field(name, "Depends").find(needed), std::string::npos) << name << " " << needed;
  EXPECT_EQ(field("liblogdepth-dev", "Depends"), "liblogdepth0 (= " LOGDEPTH_VERSION ")\n");
  const std::string shlibs = done({"dpkg-deb", "--ctrl-tarfile", made["liblogdepth0"]}).out;
  EXPECT_NE(shlibs.find("liblogdepth 0 liblogdepth0"), std::string::npos);

  unpack("logdepth");
  EXPECT_TRUE(fs::exists(fresh / "usr/share/man/man1/logdepth.1"));
  EXPECT_TRUE(fs::exists(fresh / "usr/share/doc/logdepth/README.md"));
  EXPECT_FALSE(fs::exists(fresh / "usr/include"));

  // The first commands that a reader of README finds.
  for (const support::FencedBlock& block :
       support::fenced_blocks(support::read_page(fresh / "usr/share/doc/logdepth/README.md"))) {
    if (block.kind != "console") continue;
    const std::vector<support::ShownCommand> commands = support::shown_commands(block);
    ASSERT_EQ(commands.size(), 3u);
    EXPECT_TRUE(commands[0].command.starts_with("logdepth compile regular"));
    for (const support::ShownCommand& shown : commands)
      EXPECT_EQ(done({"env", "PATH=" + (fresh / "usr/bin").string() + ":" + std::getenv("PATH"),
                      "bash", "-c", "exec 2>&1\n" + shown.command})
                    .out,
                shown.prints)
          << shown.command;
    break;
  }

  unpack("liblogdepth0");
  unpack("liblogdepth-dev");
  for (const std::string& name : names)
    EXPECT_TRUE(fs::exists(fresh / "usr/share/doc" / name / "copyright")) << name;
  build_and_run(root / "examples/library", fresh / "usr");
}

}}  // namespace logdepth::package_tests
