package main

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	debianPython = "/usr/bin/python3" // another python on the PATH has no rospy
	definitions  = "../../robotio/ros1/msg/defs"
)

// frame is the report of a peer about one received image.
type frame struct {
	stamp, now          time.Duration // now is the sim time of the peer
	encoding            string
	width, height, step int
	bytes               int
}

// parseImage reads a peer's line "image TOPIC STAMP_NS NOW_NS ENCODING WIDTH HEIGHT STEP BYTES".
func parseImage(line string) (topic string, m frame, ok bool) {
	_, err := fmt.Sscanf(line, "image %s %d %d %s %d %d %d %d", &topic, &m.stamp, &m.now, &m.encoding, &m.width,
		&m.height, &m.step, &m.bytes)
	return topic, m, err == nil
}

// needROS skips a test on machines without Debian's ROS 1. It builds the C++ robot before any simulation runs.
func needROS(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	if err := findROS(); err != nil {
		t.Skipf("%v: run ./install.sh --test", err)
	}
	must(buildRoscpp())(t)
}

var findROS = sync.OnceValue(func() error {
	if err := exec.Command(debianPython, "-c", "import rospy, rosmaster, gencpp, sensor_msgs.msg").Run(); err != nil {
		return fmt.Errorf("no rospy here")
	}
	if err := exec.Command("pkg-config", "--exists", "roscpp").Run(); err != nil {
		return fmt.Errorf("no roscpp here")
	}
	return nil
})

var buildRoscpp = sync.OnceValues(func() (string, error) {
	headers, path := filepath.Join(built, "include"), filepath.Join(built, "attacker")
	out, err := exec.Command(debianPython, "../../testdata/roscpp/generate.py", headers, definitions+"/std",
		definitions+"/nubot").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gencpp: %w\n%s", err, out)
	}
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return "", fmt.Errorf("pkg-config roscpp: %w", err)
	}
	args := append([]string{"-std=c++17", "-O1", "-Wall", "-I" + headers, "../../testdata/roscpp/attacker.cpp", "-o",
		path}, strings.Fields(string(flags))...)
	if out, err = exec.Command("g++", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++: %w\n%s", err, out)
	}
	return path, nil
})

// roscpp starts the C++ program of a robot.
func roscpp(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	path, _ := buildRoscpp() // needROS has checked the error
	return start(t, uri, append([]string{path}, args...)...)
}

// rospy starts the Python program of a robot.
func rospy(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	return start(t, uri, append([]string{debianPython, "../../testdata/rospy/attacker.py", definitions + "/nubot"},
		args...)...)
}

// masters runs a test with the embedded master and with ROS's own.
func masters(t *testing.T, f func(t *testing.T, uri, kind string)) {
	needROS(t)
	for _, kind := range []string{"embedded", "external"} {
		t.Run(kind, func(t *testing.T) { f(t, masterOf(t, kind), kind) })
	}
}

// masterOf returns the address of a master of a kind: a free one for "embedded", or ROS's own for "external".
func masterOf(t *testing.T, kind string) string {
	t.Helper()
	uri, port := freeMaster(t)
	if kind == "external" {
		start(t, uri, "/usr/bin/rosmaster", "--core", "-p", port)
		until(t, "rosmaster", func() bool {
			conn, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
	}
	return uri
}
