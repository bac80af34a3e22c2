"""logdepth in a repository of Spack. Not built yet (docs/install.md)."""

from spack.package import *


class PyLogdepth(PythonPackage):
    """Construction compiler and verifier for transformer expressivity theory."""

    license("Apache-2.0")

    # The sdist of make_wheel.sh, in the folder where spack is called.
    version("0.1.0", url="file://./build/wheels/logdepth-0.1.0.tar.gz")

    depends_on("cxx", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.7:", type="build")
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
    depends_on("cccl@1.17:", type="build")
    depends_on("random123@1.14:", type="build")
    depends_on("intel-oneapi-tbb@2021.8:")
