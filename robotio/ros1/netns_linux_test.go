package ros1

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The two ends of a cable between two network namespaces, and their addresses.
const (
	nearIP = "10.99.0.1"
	farIP  = "10.99.0.2"
)

// With these variables a test tells its own program, started again, which part to play.
const (
	envFar  = "OMNIPITCH_TEST_FAR"  // the other namespace
	envCore = "OMNIPITCH_TEST_CORE" // where and what the master is
	envURI  = "OMNIPITCH_TEST_URI"  // the master that a far peer joins
)

// namespaces creates two network namespaces connected by a cable, or skips the test.
func namespaces(t testing.TB, tag string) (near, far string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	near, far = fmt.Sprintf("op%d%sn", os.Getpid(), tag), fmt.Sprintf("op%d%sf", os.Getpid(), tag)
	for i, line := range []string{
		"netns add " + near, "netns add " + far,
		"-n " + near + " link add cable type veth peer name cable netns " + far,
		"-n " + near + " addr add " + nearIP + "/24 dev cable", "-n " + far + " addr add " + farIP + "/24 dev cable",
		"-n " + near + " link set lo up", "-n " + far + " link set lo up",
		"-n " + near + " link set cable up", "-n " + far + " link set cable up",
	} {
		out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput()
		if err != nil && i < 3 {
			t.Skipf("no network namespaces here: ip %s: %v: %s", line, err, out)
		}
		if err != nil {
			t.Fatalf("ip %s: %v: %s", line, err, out)
		}
		if i < 2 {
			name := []string{near, far}[i]
			t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
		}
	}
	return near, far
}

// setCable plugs in or pulls one end of the cable.
func setCable(t testing.TB, namespace, state string) {
	t.Helper()
	if out, err := exec.Command("ip", "-n", namespace, "link", "set", "cable", state).CombinedOutput(); err != nil {
		t.Fatalf("ip link set %s: %v: %s", state, err, out)
	}
}
