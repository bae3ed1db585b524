#!/bin/sh
# Installs the Debian packages of servers, and of the browser, that tests need:
# install_servers.sh [postgresql] [mariadb] [java] [chromium]
# `make services` calls it with what is missing; `make test-all` with chromium only.
set -eu

if ! command -v apt-get >/dev/null; then
    echo "Missing: $*. This is not Debian or Ubuntu, so nothing was installed."
    echo "Install PostgreSQL, MariaDB, Java 17 or later and Chromium, so that initdb, mariadbd, java"
    echo "and chromium are on the path."
    exit 1
fi

java_package() { # the oldest that is new enough and that this release of the system has
    for version in 17 21 25; do
        if apt-cache show "openjdk-$version-jre-headless" >/dev/null 2>&1; then
            break
        fi
        version=17
    done
    echo "openjdk-$version-jre-headless"
}

packages() {
    for server in "$@"; do
        case $server in
        java) java_package ;;
        mariadb) echo mariadb-server ;;
        *) echo "$server" ;;
        esac
    done
}

if [ "$(id -u)" != 0 ]; then
    echo "Missing: $*. Installing needs root; run this, then make services again:"
    echo "    sudo apt-get update && sudo apt-get install" $(packages "$@")
    exit 1
fi

echo "Installing" "$@"
wait='-o DPkg::Lock::Timeout=300' # another installation may be under way
apt-get update -qq $wait
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $wait --no-install-recommends $(packages "$@") \
    >/dev/null
