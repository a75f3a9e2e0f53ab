#!/bin/sh
# Builds what users without Go install: a Debian package and an archive, both of the last commit, in out/package.
# `make package` calls it. The Debian package names the packages that it depends on; the archive has install.sh, whose
# option --run installs them.
set -eu
cd "$(dirname "$0")"

say() { printf 'package.sh: %s\n' "$*" >&2; }
fail() { say "$1" && exit "$2"; }

command -v dpkg-deb >/dev/null || fail "needs dpkg-deb: Debian and Ubuntu have it" 3
arch=$(go env GOARCH)
[ "$(go env GOOS)" = linux ] || fail "packages are made on Linux, not on $(go env GOOS)" 3

# The date and the hash of the commit are the version. `0~` sorts before every version that will have a number.
version=${VERSION:-0~$(git log -1 --format=%cd --date=format:%Y%m%d.%H%M%S)+$(git rev-parse --short HEAD)}
name=omnipitch_${version}_$arch
out=$PWD/out/package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/deb/usr/bin" "$work/deb/usr/share/doc/omnipitch" "$work/deb/DEBIAN"

go build -trimpath -ldflags='-s -w' -o "$work/deb/usr/bin/" ./cmd/omnipitch ./cmd/refbot
cp README.md "$work/deb/usr/share/doc/omnipitch/"

# The programs contain the modules that they import, so the modules' licences go with them.
{
	cat LICENSE
	go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/omnipitch |
		sort -u | while read -r module its_version dir; do
		printf '\n\n%s %s\n\n' "$module" "$its_version"
		found=$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' \))
		[ "$found" ] || fail "found no licence in $dir" 1
		printf '%s\n' "$found" | while read -r file; do cat "$file"; done
	done
} >"$work/deb/usr/share/doc/omnipitch/copyright"

# install.sh lists the libraries; the newest symbol that the program takes from glibc sets the oldest glibc.
libraries=$(sed -n 's/^built="\(.*\)"/\1/p' install.sh | sed 's/ /, /g')
glibc=$(objdump -T "$work/deb/usr/bin/omnipitch" | sed -n 's/.*(\?GLIBC_\([0-9.]*\)).*/\1/p' | sort -V | tail -n 1)
[ "$libraries" ] && [ "$glibc" ] || fail "cannot tell what bin/omnipitch depends on" 1
cat >"$work/deb/DEBIAN/control" <<END
Package: omnipitch
Version: $version
Architecture: $arch
Maintainer: The Omnipitch developers <omnipitch@users.noreply.github.com>
Section: science
Priority: optional
Depends: libc6 (>= $glibc), $libraries
Installed-Size: $(du -sk "$work/deb/usr" | cut -f 1)
Homepage: https://github.com/omnipitch/omnipitch
Description: sensor simulator for robot software
 Runs unchanged robot software in a simulated world and serves it omni-mirror,
 front and depth camera images, or ground truth with realistic noise. Each
 sensor can be switched between these levels while the simulation runs.
END
dpkg-deb --root-owner-group --build "$work/deb" "$out/$name.deb" >/dev/null

mkdir "$work/omnipitch"
cp "$work"/deb/usr/bin/* "$work"/deb/usr/share/doc/omnipitch/* LICENSE install.sh "$work/omnipitch/"
tar -C "$work" --owner=0 --group=0 -czf "$out/$name.tar.gz" omnipitch
ln -sf "$name.deb" "$out/omnipitch.deb"
ln -sf "$name.tar.gz" "$out/omnipitch.tar.gz"
say "$out/$name.deb and .tar.gz"
