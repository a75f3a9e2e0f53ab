package bench

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestBenchROS1 checks that the bench prints all its results. It does not test speeds, which depend on the machine.
func TestBenchROS1(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	if err := exec.Command("pkg-config", "--exists", "roscpp").Run(); err != nil {
		t.Skip("no roscpp: apt-get install libroscpp-dev")
	}
	_, got := measure(t, "ros1", "--for", "200ms", "--rounds", "1")
	for _, name := range []string{
		"image_latency", "image_latency_p99", "image_cpu", "image_process_cpu", "image_rate", "image_allocations",
		"odometry_latency", "odometry_latency_p99", "received_image_latency", "received_image_cpu",
		"received_image_rate",
		"served_call_latency", "served_call_once_latency", "call_latency", "call_once_latency",
		"served_call_once_failed",
		"roscpp_image_latency", "roscpp_image_rate", "roscpp_odometry_latency", "roscpp_received_image_cpu",
		"roscpp_call_latency",
	} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestBenchROS1Lacks checks that without a compiler the bench names the missing package.
func TestBenchROS1Lacks(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := command(t.Context(), io.Discard, "ros1")
	if console.ExitCode(err) != console.ExitUnavailable || !strings.Contains(err.Error(), "apt-get install g++") {
		t.Error(err)
	}
}
