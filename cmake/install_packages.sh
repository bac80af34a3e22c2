# Sourced by setup.sh and test.sh: installs the Debian packages among its arguments that are missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "missing packages: ${missing[*]}; install them as root, then run this again" >&2
      return 1
    }
    as_root=(sudo)
  fi
  echo "== installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  # How much is fetched, and every package as it comes; the hundreds of other lines are left out.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" |
    sed -un '/newly installed/p; /^Need to get/p; /^After this/p; /^Get:/p; /^Setting up/p'
}
