#!/usr/bin/env bash
# Builds GMP, MPFR, zlib and pugixml for wasm32 from Debian's source packages, each once:
#   cmake/wasm_dependencies.sh [DIR]     default build/wasm-deps; DIR/lib, DIR/include, DIR/copyright
# The sources come from where this machine's packages come from; its list of sources stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/wasm-deps}"
to=$(cd "${1:-build/wasm-deps}" && pwd)
# The wrappers use their own node and Python modules.
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
jobs=${JOBS:-$(nproc)}
mkdir -p "$to"/{lib,include,copyright,sources,logs}

# An apt of its own: the same archives with their source packages. A mirror may have no sources of security updates: then those of
# the release.
build_sources() {
  local apt=$to/apt archives
  apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -n 's/^Debian \([^ ]*\) \([^ ]*\) \([^ ]*\)$/deb-src [signed-by=\/usr\/share\/keyrings\/debian-archive-keyring.gpg] \1 \2 \3/p' |
    sort -u > "$to/sources.list"
  [ -s "$to/sources.list" ] || {
    echo "wasm_dependencies.sh: apt knows no archive of Debian; expected one in its list of sources" >&2
    return 2
  }
  for archives in . -security; do
    [ $archives = . ] || sed -i "/$archives/d" "$to/sources.list"
    rm -rf "$apt" && mkdir -p "$apt"/{lists,cache/archives}/partial || return 2
    local own=(-q -o Dir::Etc::sourcelist="$to/sources.list" -o Dir::Etc::sourceparts=/dev/null
               -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root)
    apt-get "${own[@]}" update && (cd "$to/sources" && apt-get "${own[@]}" source --download-only gmp mpfr4 zlib pugixml) &&
      rm -rf "$apt" && return 0
  done
  return 2
}
# Unpacks the source of a package, without Debian's changes of its packaging.
unpack() {
  local archive
  archive=$(ls "$to"/sources/"$1"_*.orig.tar.*[a-z2] | grep -v '\.asc$' | tail -1)
  rm -rf "$to/$1" && mkdir -p "$to/$1"
  tar xf "$archive" -C "$to/$1" --strip-components=1
}

# Headers of the compiler's own packages, which need no building.
for folder in fmt nlohmann boost CLI; do ln -sfn "/usr/include/$folder" "$to/include/$folder"; done

# Run a step once, its output in a log that is shown where it fails.
once() {
  local name=$1
  [ -e "$to/logs/$name.done" ] && return 0
  echo "== $name"
  "build_$name" > "$to/logs/$name" 2>&1 || {
    tail -30 "$to/logs/$name" >&2
    echo "wasm_dependencies.sh: $name was not built; $to/logs/$name has all lines" >&2
    return 2
  }
  touch "$to/logs/$name.done"
}

tools=(CC=emcc NM=llvm-nm-14 AR=emar RANLIB=emranlib CFLAGS=-Oz)
small="-Oz -flto"  # after the configuration, whose tests need objects of machine code
of_wasm=(--host=none --build=x86_64-pc-linux-gnu --disable-shared --enable-static)

# A failure inside a function under `||` is not met by `set -e`; every step is chained.
build_gmp() {
  unpack gmp && cd "$to/gmp" &&
    mkdir -p doc && printf 'all install:\n' > doc/Makefile.in &&  # Debian removes the manuals
    emconfigure ./configure "${of_wasm[@]}" "${tools[@]}" --disable-assembly --enable-cxx=no CC_FOR_BUILD=gcc HOST_CC=gcc &&
    { emmake make -j"$jobs" CFLAGS="$small" SUBDIRS="mpn mpz mpq mpf printf scanf rand" || true; } &&
    emmake make CFLAGS="$small" libgmp.la &&
    cp .libs/libgmp.a "$to/lib" && cp gmp.h gmpxx.h "$to/include" &&
    cat README COPYING.LESSERv3 COPYINGv3 > "$to/copyright/gmp"
}
build_mpfr() {
  unpack mpfr4 && cd "$to/mpfr4" &&
    mkdir -p doc && printf 'all install:\n' > doc/Makefile.in &&
    emconfigure ./configure "${of_wasm[@]}" "${tools[@]}" --disable-thread-safe --disable-float128 --disable-decimal-float \
      --with-gmp-include="$to/include" --with-gmp-lib="$to/lib" &&
    emmake make -j"$jobs" CFLAGS="$small" -C src &&
    cp src/.libs/libmpfr.a "$to/lib" && cp src/mpfr.h "$to/include" && cp COPYING.LESSER "$to/copyright/mpfr"
}
build_zlib() {
  unpack zlib && cd "$to/zlib" &&
    emcc $small -DHAVE_UNISTD_H -c {adler32,crc32,deflate,gzclose,gzlib,gzread,gzwrite,inffast,inflate,inftrees,trees,zutil}.c &&
    emar rcs "$to/lib/libz.a" ./*.o &&
    cp zlib.h zconf.h "$to/include" && cp README "$to/copyright/zlib"
}
build_pugixml() {
  unpack pugixml && cd "$to/pugixml" &&
    em++ $small -fwasm-exceptions -c src/pugixml.cpp -o pugixml.o &&
    emar rcs "$to/lib/libpugixml.a" pugixml.o &&
    cp src/pugixml.hpp src/pugiconfig.hpp "$to/include" && cp LICENSE.md "$to/copyright/pugixml"
}

for step in sources gmp mpfr zlib pugixml; do once "$step"; done
