package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/zenohpeer"
)

// TestROS2 runs a simulation over ROS 2 alone. ros list and ros info must find it in its domain, and a second run there
// must be refused.
func TestROS2(t *testing.T) {
	domain := strconv.Itoa(must.Domain(t))
	run := []string{"run", "nubot-attack", "--level", "*=truth", "--web", "off", "--ros1", "off", "--ros2", domain}
	first := start(t, "http://127.0.0.1:1/", append([]string{program(t)}, run...)...)
	first.says("ROS 2 in domain " + domain)
	code, out, errs := command(t, "ros", "list", "--ros2", domain)
	for _, want := range []string{"/clock ", "/cyan1/odom ", "/cyan1/cmd_vel "} {
		if !strings.Contains(out, want) || code != console.ExitDone {
			t.Errorf("ros list: exit code %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	code, out, errs = command(t, "ros", "info", "cyan1", "--ros2", domain)
	if !strings.Contains(out, "/cyan1/odom [nav_msgs/Odometry]") || code != console.ExitDone {
		t.Errorf("ros info: exit code %d,\n%s%s", code, out, errs)
	}
	refuses(t, console.ExitBadInput, `ROS 2 domain `+domain+`: (/omnipitch|another node) publishes /clock: end it, or `+
		`choose another domain: --ros2 DOMAIN`, append(run, "--for", "1s")...)
	if first.ended() {
		t.Error("the first run has ended")
	}
	first.stop()
	refuses(t, console.ExitUnavailable, `no simulation runs in domain `+domain+`: start omnipitch run WORLD --ros2 on`,
		"ros", "list", "--ros2", domain)
	refuses(t, console.ExitBadInput, `--ros2: domain = "233": must be on, off, or a domain in \[0, 232\]`, "ros", "list",
		"--ros2", "233")
}

// TestROS2OverZenoh runs a simulation over a Zenoh router. ros list must find it there, and without a router no run
// begins.
func TestROS2OverZenoh(t *testing.T) {
	router := zenohpeer.Start(t, "router", "")
	at := "127.0.0.1:" + router.Port(t)
	t.Setenv("RMW_IMPLEMENTATION", "rmw_zenoh_cpp")
	t.Setenv("ZENOH_CONFIG_OVERRIDE", `connect/endpoints=["tcp/`+at+`"]`)
	run := []string{"run", "nubot-attack", "--level", "*=truth", "--web", "off", "--ros1", "off", "--ros2", "7"}
	first := start(t, "http://127.0.0.1:1/", append([]string{program(t)}, run...)...)
	first.says("ROS 2 in domain 7, over the Zenoh router at " + at)
	code, out, errs := command(t, "ros", "list", "--ros2", "7")
	if !strings.Contains(out, "/cyan1/cmd_vel ") || code != console.ExitDone {
		t.Errorf("ros list: exit code %d, no /cyan1/cmd_vel in\n%s%s", code, out, errs)
	}
	refuses(t, console.ExitBadInput, `ROS 2 domain 7: .* publishes /clock`, append(run, "--for", "1s")...)
	router.Kill()
	first.says(": robots get nothing until it answers")
	first.stop()
	refuses(t, console.ExitUnavailable, `zenoh router `+at+`: .*: start a router first: ros2 run rmw_zenoh_cpp rmw_zenohd`,
		"ros", "list", "--ros2", "7")
}
