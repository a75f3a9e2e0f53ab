package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestEmbeddedPort checks that --ros1 embedded:PORT listens at that port, or at a free port for 0, whatever
// ROS_MASTER_URI says.
func TestEmbeddedPort(t *testing.T) {
	elsewhere, _ := freeMaster(t)
	_, port := freeMaster(t)
	t.Setenv("ROS_MASTER_URI", elsewhere)
	for _, c := range []struct{ flag, want string }{
		{"embedded", "ROS 1 master at " + elsewhere},
		{"embedded:" + port, "ROS 1 master at http://127.0.0.1:" + port + "/"},
		{"embedded:0", "ROS 1 master at http://127.0.0.1:"},
	} {
		code, _, stderr := command(t, "run", "planar", "--for", "50ms", "--ros1", c.flag)
		if code != console.ExitDone || !strings.Contains(stderr, c.want) || strings.Contains(stderr, ":0/") {
			t.Errorf("--ros1 %s: exit code %d: %s", c.flag, code, stderr)
		}
	}
	for _, bad := range []string{"embedded:", "embedded:x", "embedded:65536", "embedded:-1", "external:11311",
		"off:1"} {
		refuses(t, console.ExitBadInput,
			`--ros1: (port = .*: must lie in \[0, 65535\], 0 for a free one|master = .*: must be embedded, embedded:PORT, external or off)`, "run", "planar", "--ros1", bad)
	}
	t.Setenv("ROS_MASTER_URI", "nonsense")
	prints(t, console.ExitDone, "", "run", "planar", "--for", "50ms", "--ros1", "embedded:0")
}

// TestMasterFollowsTheEnvironment checks that omnipitch master listens at the port of ROS_MASTER_URI unless a flag sets
// another.
func TestMasterFollowsTheEnvironment(t *testing.T) {
	uri, port := freeMaster(t)
	_, other := freeMaster(t)
	for _, c := range []struct {
		args []string
		want string
	}{{nil, port}, {[]string{"--port", other}, other}} {
		p := launch(t, uri, append([]string{"master"}, c.args...)...)
		want := "ROS 1 master at http://127.0.0.1:" + c.want + "/"
		until(t, want, func() bool { return p.ended() || strings.Contains(p.stderr(), want) })
		if p.ended() {
			t.Errorf("%v: ended", c.args)
		}
	}
	t.Setenv("ROS_MASTER_URI", "http://localhost:x/")
	refuses(t, console.ExitBadInput, `ROS_MASTER_URI = "http://localhost:x/": must be like http://`, "master")
	refuses(t, console.ExitBadInput, `--listen = "": must be an address of this machine`, "master", "--listen", "")
	foreign := httptest.NewServer(http.NotFoundHandler())
	defer foreign.Close()
	t.Setenv("ROS_MASTER_URI", foreign.URL)
	refuses(t, console.ExitUnavailable,
		foreign.URL+`/: address already in use by a program that does not answer as a ROS master: choose another port: --port PORT names it, --port 0`, "master")
}

// TestWireFlags checks that wrong flags are bad input, and that nothing is opened before that.
func TestWireFlags(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       string
	}{
		{"origin", `--origin = "page": must be http://host`, "--rosbridge 0 --origin page"},
		{"port", `--rosbridge = "127\.0\.0\.1:99999": must be on, off, a port, or host:port`,
			"--rosbridge 127.0.0.1:99999"},
		{"address of another machine", `--foxglove = "192\.0\.2\.1:0": .*cannot assign requested address`,
			"--foxglove 192.0.2.1:0"},
		{"listen at another machine", `--listen = "192\.0\.2\.1": must be an address of this machine`,
			"--listen 192.0.2.1"},
		{"empty listen", `--listen = "": must be an address of this machine`, "--listen="},
		{"listen without ROS", `--listen, --allow-host and --origin: need ROS 1 or --web: not with --ros1 off`,
			"--ros1 off --listen 9.9.9.9"},
		{"host without ROS", `--listen, --allow-host and --origin: need ROS 1 or --web: not with --ros1 off`,
			"--ros1 off --allow-host sim"},
		{"origin without ROS", `--listen, --allow-host and --origin: need ROS 1 or --web: not with --ros1 off`,
			"--ros1 off --origin *"},
		{"bridges without ROS", `--rosbridge and --foxglove: need ROS 1: not with --ros1 off`,
			"--ros1 off --rosbridge on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := command(t, append([]string{"run", "planar", "--for", "50ms", "--ros1",
				"embedded:0"}, strings.Fields(c.args)...)...)
			lines := strings.SplitAfter(stderr, "\n")
			for len(lines) > 2 && !strings.HasPrefix(lines[0], "omnipitch: ") { // removes the address of the master
				lines = lines[1:]
			}
			wantSentence(t, code, console.ExitBadInput, stdout, strings.Join(lines, ""), c.want)
		})
	}
	own := writeFile(t, "own.toml", "name = \"own\"\ninclude = [\"planar\"]\n[[robot]]\nname = "+
		"\"cyan1\"\nros1.master_port = 11399\n")
	refuses(t, console.ExitBadInput,
		`robot cyan1: ros1\.master_port = 11399: is the port of the simulation's own master`, "run", own, "--ros1",
		"embedded:11399")
}
