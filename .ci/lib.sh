# Shared by the scripts beside it; sourced, never run.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tideline
kafka_version=4.4.0
kafka_jars=$cache/kafka-$kafka_version
registry_version=3.0.9
registry_home=$cache/apicurio-registry-$registry_version

# Outside the clone: a fresh clone finds what an earlier one has built.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}

# librdkafka is compiled from source and links the system's OpenSSL and zlib.
build_packages=(gcc g++ make pkg-config libc6-dev libssl-dev zlib1g-dev)

# Everything that a window needs is opened at run time; nothing of it is linked.
window_packages=(
    libx11-6 libx11-xcb1 libxcb1 libxcursor1 libxi6
    libxkbcommon0 libxkbcommon-x11-0
    libwayland-client0 libwayland-egl1
    libgl1 libegl1 libgl1-mesa-dri
    libfontconfig1 fonts-dejavu-core
)

# The tests run a real Kafka (Java, fetched by Maven), make certificates, and draw with a software Vulkan or GL.
test_packages=(
    openjdk-17-jre-headless maven openssl kcat
    mesa-vulkan-drivers libvulkan1 libgl1 libegl1 libgl1-mesa-dri
)

say() { printf '%s\n' "$*" >&2; }

missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || printf '%s\n' "$package"
    done
}

# Installs the Debian packages that are not there yet, as root or through sudo.
need_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "This is no Debian: see to it that what these packages hold is installed: $*"
        return
    fi
    local missing=() as_root=()
    mapfile -t missing < <(missing_packages "$@" | sort -u)
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
            as_root=(sudo)
        else
            say "These Debian packages are missing, and only root may install them: ${missing[*]}"
            say "As root, run: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
            return 1
        fi
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

need_cargo() {
    command -v cargo >/dev/null || export PATH=$HOME/.cargo/bin:$PATH
    if ! command -v cargo >/dev/null; then
        say "Rust is missing: install it from https://rustup.rs"
        return 1
    fi
}

# Kafka's broker and its tools, as jars from Maven Central. A download that broke off leaves nothing behind.
need_kafka() {
    [ ! -d "$kafka_jars" ] || return 0
    mkdir -p "$cache"
    (
        flock 9
        [ ! -d "$kafka_jars" ] || exit 0
        say "Fetching Kafka $kafka_version into $kafka_jars"
        parts=$(mktemp -d "$cache/.kafka.XXXXXX")
        trap 'rm -rf "$parts"' EXIT
        mvn -q -B -f "$root/.ci/kafka-pom.xml" -Dkafka.version="$kafka_version" \
            dependency:copy-dependencies -DoutputDirectory="$parts/jars" >&2
        mv "$parts/jars" "$kafka_jars"
    ) 9>"$cache/.kafka.lock"
}

# A schema registry, Apicurio's, from Maven Central: more than 100 MB, once. A download that broke off leaves nothing
# behind.
need_registry() {
    [ ! -d "$registry_home" ] || return 0
    mkdir -p "$cache"
    (
        flock 9
        [ ! -d "$registry_home" ] || exit 0
        say "Fetching the schema registry Apicurio $registry_version into $registry_home"
        parts=$(mktemp -d "$cache/.registry.XXXXXX")
        trap 'rm -rf "$parts"' EXIT
        # The archive alone; outside of any project, whose dependencies would be fetched too.
        cd "$parts"
        mvn -q -B dependency:copy -DoutputDirectory="$parts" \
            -Dartifact="io.apicurio:apicurio-registry-app:$registry_version:tar.gz:all" >&2
        mkdir app
        tar -xzf "apicurio-registry-app-$registry_version-all.tar.gz" -C app
        mv app "$registry_home"
    ) 9>"$cache/.registry.lock"
}
