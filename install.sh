#!/bin/sh
# Installs the system packages that Omnipitch needs and this machine lacks; docs/install.md says what each is for.
# Exit codes: 0 nothing is missing (any more), 2 unknown option, 3 something is missing and a person has to act.
set -eu
cd "$(dirname "$0")"

# To run what was built elsewhere, which --run installs alone.
built="libode8 libegl1 libgl1 libgl1-mesa-dri libx11-6"
# For robots with legs: the program loads it when a world needs it. It comes along when something else is missing.
mujoco="libmujoco2.2.2"
no_mujoco="no package libmujoco2.2.2 here (Debian 12 has it): worlds with the physics engine mujoco will not run"
# To build and to run. gcc only recommends libc6-dev, and libegl1 does not pull in the drivers: both are named.
run="pkg-config gcc libc6-dev libode-dev libgl-dev libegl-dev libegl1 libgl1 libgl1-mesa-dri ca-certificates
	libx11-dev libxrandr-dev libxi-dev libxcursor-dev libxinerama-dev libxxf86vm-dev"
# To compile the tests' peers and to give them a network of their own.
tools="g++ python3 python3-venv iproute2 python3-opencv python3-yaml xvfb"
# To run the web clients that the tests talk to; a node from elsewhere will do.
has() { command -v "$1" >/dev/null 2>&1; }
has node && has npm || tools="$tools nodejs npm"
# What the page of the dashboard is tested in; Ubuntu has it as a snap alone.
browser=""
has chromium || browser=chromium
no_browser="no package chromium here: the test of the dashboard's page will skip"
# The peers: ROS 1, which not every distribution has.
ros="ros-base rosbash python3-rospy libroscpp-dev ros-message-generation python3-sensor-msgs python3-nav-msgs
	python3-geometry-msgs python3-std-msgs python3-rosbag
	ros-image-view ros-image-proc image-transport-tools ros-camera-calibration python3-cv-bridge python3-image-geometry
	tf2-tools python3-tf2-ros topic-tools python3-topic-tools libnodeletlib-tools
	python3-actionlib libactionlib-msgs-dev"
# The peers of ROS 2's wire, without ROS: CycloneDDS and Fast DDS.
dds="cyclonedds-dev libfastrtps-dev"
no_dds="no CycloneDDS and Fast DDS here (Debian 12 has them): the tests that need them will skip"
no_ros="no ROS 1 packages here (Debian 12 and Ubuntu 22.04 have them): the tests that need them will skip"

usage() {
	cat <<-END
		usage: ./install.sh [--test | --run] [--slam] [--check]
		  (nothing)  install what building and running needs
		  --run      install only what bin/omnipitch needs that was built elsewhere: neither a compiler nor Go
		  --test     install the programs that the tests talk to as well
		  --slam     install the SLAM program of make verify-slam as well
		  --check    install nothing, only say what is missing (exit 3 if something is)
	END
}

say() { printf 'install.sh: %s\n' "$*" >&2; }

# go_ready fails, and says what to do, unless a Go as new as go.mod asks for is installed.
go_ready() {
	PATH=$PATH:/usr/local/go/bin
	want=$(sed -n 's/^go //p' go.mod)
	have=$(GOTOOLCHAIN=local go version 2>/dev/null | sed 's/.*go\([0-9][0-9.]*\).*/\1/')
	[ "$(printf '%s\n' "$want" "${have:-0}" | sort -V | head -n 1)" = "$want" ] && return
	say "Go $want or newer is needed, here is ${have:-none}: unpack one from https://go.dev/dl into /usr/local"
	return 3
}

# lacking prints those of its arguments that are not in $installed.
lacking() {
	for package; do
		case "$installed" in
		*"[installed $package]"*) ;;
		*) printf '%s ' "$package" ;;
		esac
	done
}

apt() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null; }
offered() { apt-get -s -q --no-install-recommends install "$@" >/dev/null 2>&1; }
listed() { ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1; }

# with_apt brings in the missing packages on Debian, Ubuntu and their kin.
with_apt() {
	# shellcheck disable=SC2086 # the sets are lists of words
	installed=$(dpkg-query -W -f '[${db:Status-Status} ${Package}]' $run $tools $ros $dds $built $slam $mujoco 2>/dev/null) || true
	[ "$test" ] || tools="" ros="" dds="" browser=""
	# shellcheck disable=SC2086
	need=$(lacking $run $slam $tools) ros=$(lacking $ros) dds=$(lacking $dds) mujoco=$(lacking $mujoco)
	[ "$test" ] || mujoco=${need:+$mujoco}
	[ "$need$ros$dds$browser$mujoco" ] || return 0

	sudo="" root=1
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
		has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; } || root=""
	fi
	[ "$check" ] && root=""

	[ "$root" ] && ! listed && apt update
	# shellcheck disable=SC2086
	if [ "$ros" ] && listed && ! offered $ros; then
		say "$no_ros"
		ros=""
	fi
	# shellcheck disable=SC2086
	if [ "$dds" ] && listed && ! offered $dds; then
		say "$no_dds"
		dds=""
	fi
	# shellcheck disable=SC2086
	if [ "$mujoco" ] && listed && ! offered $mujoco; then
		say "$no_mujoco"
		mujoco=""
	fi
	if [ "$browser" ] && listed && ! offered $browser; then
		say "$no_browser"
		browser=""
	fi
	# shellcheck disable=SC2086
	set -- $need $ros $dds $browser $mujoco
	[ $# -gt 0 ] || return 0
	if [ "$root" ]; then
		say "installing $*"
		offered "$@" && apt -y --no-install-recommends install "$@" && return
		apt update # the lists were too old
		apt -y --no-install-recommends install "$@" && return
	fi
	say "packages are missing; as root: apt-get install -y --no-install-recommends $*"
	return 3
}

# without_apt installs nothing: elsewhere it is known only what the packages are called.
without_apt() {
	[ "$go" ] || { say "without apt-get: bin/omnipitch needs ODE in double precision, EGL and OpenGL with Mesa's drivers, and libX11" && return 3; }
	[ "$test" ] && say "$no_ros" && say "$no_dds" && [ "$browser" ] && say "$no_browser"
	if has pkg-config && { has gcc || has clang; } && pkg-config --exists egl gl ode x11 xrandr xi xcursor xinerama xxf86vm; then
		[ "$(pkg-config --variable=precision ode)" != dSINGLE ] && return
		say "the ODE here is built in single precision: build it with --enable-double-precision"
		return 3
	fi
	line="install pkg-config, a C compiler, EGL and OpenGL with Mesa's drivers, ODE, and X11 with its extensions, with their headers"
	has dnf && line="sudo dnf install pkgconf-pkg-config gcc mesa-libGL-devel mesa-libEGL-devel mesa-dri-drivers ode-devel libX11-devel libXrandr-devel libXi-devel libXcursor-devel libXinerama-devel libXxf86vm-devel"
	has pacman && line="sudo pacman -S --needed pkgconf gcc mesa libglvnd ode libx11 libxrandr libxi libxcursor libxinerama libxxf86vm"
	has brew && line="xcode-select --install; brew install pkgconf mesa ode"
	say "pkg-config does not find all of egl, gl, ode and X11, or there is no C compiler: $line"
	return 3
}

test="" check="" go=1 slam=""
for option; do
	case $option in
	--test) test=1 ;;
	--run) run=$built go="" ;;
	--slam) slam=mrpt-apps ;;
	--check) check=1 ;;
	-h | --help) usage && exit ;;
	*) usage >&2 && exit 2 ;;
	esac
done

status=0
[ ! "$go" ] || go_ready || status=3
[ $status = 0 ] || [ "$check" ] || exit $status
if has apt-get && has dpkg-query; then with_apt; else without_apt; fi || status=3
exit $status
