package serve

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestListening checks the values of --listen: the bound address, the announced host, and the errors.
func TestListening(t *testing.T) {
	for _, name := range []string{"ROS_HOSTNAME", "ROS_IP"} {
		t.Setenv(name, "")
	}
	for _, c := range []struct {
		addr, ip   string
		bind, host string
		open       bool
		err        string
	}{
		{"", "", "", "", false, `--listen = "": must be an address of this machine`},
		{"127.0.0.1", "", "127.0.0.1", "", false, ""},
		{"192.0.2.7", "", "192.0.2.7", "", true, ""},
		{"0.0.0.0", "192.0.2.7", "0.0.0.0", "192.0.2.7", true, ""},
		{"robot.local", "", "", "", false, `--listen = "robot.local": must be an address of this machine`},
		{"127.0.0.1:80", "", "", "", false, `must be an address of this machine`},
	} {
		t.Setenv("ROS_IP", c.ip)
		at, err := newListening(&c.addr)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || console.ExitCode(err) != console.ExitBadInput {
				t.Errorf("%q: %v, want %s", c.addr, err, c.err)
			}
			continue
		}
		if err != nil || at.bind() != c.bind || at.host != c.host || at.open() != c.open {
			t.Errorf("%q: %+v (%v), listens at %s", c.addr, at, err, at.bind())
		}
	}
	t.Setenv("ROS_IP", "192.0.2.7") // does not permit access from other machines
	at, err := newListening(nil)
	if err != nil || at.bind() != loopback || at.host != "" || at.open() {
		t.Errorf("without --listen: %+v (%v)", at, err)
	}
	rosbridge := func(value string) *webFlag { return &(&Flags{Rosbridge: value}).webFlags()[0] }
	for value, want := range map[string]string{"": "", "off": "", "on": "127.0.0.1:9090", "9191": "127.0.0.1:9191",
		"[::1]:80": "[::1]:80"} {
		if got, err := rosbridge(value).addr(at); got != want || err != nil {
			t.Errorf("--rosbridge %q listens at %q, %v", value, got, err)
		}
	}
	for _, value := range []string{"yes", "99999", "host"} {
		if _, err := rosbridge(value).addr(at); err == nil || !strings.Contains(err.Error(),
			"must be on, off, a port, or host:port") {
			t.Errorf("--rosbridge %q: %v", value, err)
		}
	}
}

// TestUnreachable checks the sentence that users get if the environment announces this machine to others but the flags
// do not permit access.
func TestUnreachable(t *testing.T) {
	for _, c := range []struct {
		uri      string
		external bool
		want     string
	}{
		{"", false, ""},
		{"http://localhost:11311/", false, ""},
		{"http://127.0.1.1:11311/", true, ""},
		{"http://robot:11311/", false, "--listen lets others in"},
		{"http://robot:11311/", true, "--listen with this machine's address"},
	} {
		t.Setenv("ROS_MASTER_URI", c.uri)
		if got := (listening{}).unreachable(c.external); !strings.Contains(got, c.want) ||
			(c.want == "") != (got == "") {
			t.Errorf("%s, external %v: %q", c.uri, c.external, got)
		}
	}
	t.Setenv("ROS_MASTER_URI", "http://robot:11311/")
	if got := (listening{addr: "192.0.2.7"}).unreachable(true); got != "" {
		t.Errorf("%q where others are let in", got)
	}
}
