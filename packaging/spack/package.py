"""logdepth in a repository of Spack. Not built yet (docs/install.md)."""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyLogdepth(PythonPackage):
    """Construction compiler and verifier for transformer expressivity theory."""

    license("Apache-2.0")

    # The sdist of make_wheel.sh, in the folder where spack is called.
    version("0.1.0", url="file://./build/wheels/logdepth-0.1.0.tar.gz")

    depends_on("cxx", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.12:", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmp@6.2: +cxx")
    depends_on("mpfr@4.2:")
    depends_on("boost@1.74: +graph")
    depends_on("fmt@9.1:")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("pugixml@1.13:")
    depends_on("pcre2@10.42:")
    depends_on("openssl@3:")
    depends_on("zlib-api")
    depends_on("cccl", type="build")  # Spack's Thrust, which brings CUDA
    depends_on("intel-tbb@2021.8:")

    resource(  # Spack has no Random123
        name="random123",
        url="https://deb.debian.org/debian/pool/main/libr/librandom123/librandom123_1.14.0+dfsg.orig.tar.xz",
        sha256="0ed9bf1de7732303f35529ff9b42b0ab84e1fbeaad8ba97768440d8e2b109e87",
        placement="random123",
    )

    def setup_build_environment(self, env):
        env.prepend_path("CPATH", join_path(self.stage.source_path, "random123", "include"))
