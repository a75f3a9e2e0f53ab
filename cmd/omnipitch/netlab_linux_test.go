package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
)

// Environment variables for this test binary when it starts itself again. One says that it is in a separate network
// namespace. The other is the path of the built command.
const (
	envWithin  = "OMNIPITCH_TEST_WITHIN"
	envProgram = "OMNIPITCH_TEST_PROGRAM"
)

// netLab is a network of hosts. Each host is a network namespace with a cable to a switch, and the test is in the
// switch's namespace. Without support for namespaces, all hosts are on loopback, each behind a proxy. Cutting off a
// host then makes its proxy drop all data.
type netLab struct {
	t          testing.TB
	namespaced bool
	server     *host // the server to which all others connect
	port       string
	hosts      []*host
	temp       string // temporary folder; killed processes leave files there
}

// host is a machine of a netLab.
type host struct {
	lab    *netLab
	name   string
	ip     string
	holder *process // its processes share holder's namespace; nil: that of the test
	via    *proxy   // proxy to the server; nil: none
}

// withinNamespace runs the calling test a second time in a separate network namespace, and returns true if it did; the
// caller then returns. It returns false inside the namespace, and where namespaces are not available.
func withinNamespace(t *testing.T, args ...string) bool {
	t.Helper()
	if os.Getenv(envWithin) != "" {
		return false
	}
	own := func(cmd *exec.Cmd) *exec.Cmd {
		cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin") // path of ip, also for users
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		return cmd
	}
	const needs = "ip link set lo up && ip link add tried0 type bridge && ip link add tried1 type veth peer name " +
		"tried2 && unshare -n true && nsenter -t $$ -n true"
	if out, err := own(exec.Command("sh", "-c", needs)).CombinedOutput(); err != nil {
		t.Logf("no network namespaces here, so all is on loopback, and cut by proxies: %v: %s", err, out)
		return false
	}
	cmd := own(exec.Command(os.Args[0], append([]string{"-test.run", "^" + regexp.QuoteMeta(t.Name()) + "$", "-test.v",
		"-test.timeout", "4h", "-test.count", "1"}, args...)...))
	cmd.Env = append(cmd.Env, envWithin+"=1", envProgram+"="+program(t))
	out, err := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	passed := false
	for s := bufio.NewScanner(out); s.Scan(); {
		t.Log(s.Text())
		passed = passed || strings.HasPrefix(s.Text(), "--- PASS: "+t.Name()+" ")
	}
	if err := cmd.Wait(); err != nil || !passed {
		t.Errorf("within a namespace: %v, passed %v", err, passed)
	}
	return true
}

// newNetLab connects hosts. The first is the server.
func newNetLab(t testing.TB, names ...string) *netLab {
	t.Helper()
	l := &netLab{t: t, namespaced: os.Getenv(envWithin) != "", port: "4222", temp: t.TempDir()}
	if !l.namespaced {
		l.port = rostest.FreePort(t)
	} else {
		l.ip("link set lo up", "link add switch type bridge", "addr add 10.77.0.1/24 dev switch", "link set switch up")
		t.Cleanup(func() { l.ip("link del switch") })
	}
	for i, name := range names {
		h := &host{lab: l, name: name, ip: "127.0.0.1"}
		if l.hosts = append(l.hosts, h); i == 0 {
			l.server = h
		}
		if l.namespaced {
			h.plug(fmt.Sprintf("10.77.0.%d", i+2))
		} else if i > 0 {
			h.via = newProxy(t, "127.0.0.1", l.address())
		}
	}
	return l
}

// ip runs ip commands.
func (l *netLab) ip(lines ...string) {
	l.t.Helper()
	for _, line := range lines {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			l.t.Fatalf("ip %s: %v: %s", line, err, out)
		}
	}
}

// plug gives the host a namespace and a cable to the switch.
func (h *host) plug(ip string) {
	t := h.lab.t
	t.Helper()
	h.ip, h.holder = ip, start(t, "", "unshare", "-n", "sleep", "infinity")
	pid := strconv.Itoa(h.holder.cmd.Process.Pid)
	ours := must(os.Readlink("/proc/self/ns/net"))(t)
	until(t, "a namespace", func() bool {
		its, err := os.Readlink("/proc/" + pid + "/ns/net")
		return err == nil && its != ours || h.holder.ended()
	})
	h.lab.ip("link add "+h.name+" type veth peer name cable netns "+pid, "link set "+h.name+" master switch up")
	t.Cleanup(func() { h.lab.ip("link del " + h.name) }) // the end of the namespace would remove it later
	for _, line := range []string{"link set lo up", "addr add " + ip + "/24 dev cable", "link set cable up"} {
		if out, err := exec.Command("nsenter", append([]string{"-t", pid, "-n", "ip"},
			strings.Fields(line)...)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", line, err, out)
		}
	}
}

// start starts a program on the host.
func (h *host) start(args ...string) *process {
	h.lab.t.Helper()
	args = append([]string{"env", "TMPDIR=" + h.lab.temp}, args...)
	if h.holder != nil {
		args = append([]string{"nsenter", "-t", strconv.Itoa(h.holder.cmd.Process.Pid), "-n"}, args...)
	}
	return start(h.lab.t, "", args...)
}

// cut takes the host off the network, or reconnects it.
func (h *host) cut(off bool) {
	if h.lab.namespaced {
		h.lab.ip("link set " + h.name + map[bool]string{false: " up", true: " down"}[off])
		return
	}
	for _, other := range h.lab.hosts {
		if other == h || h == h.lab.server {
			if other.via != nil {
				other.via.hold(off)
			}
		}
	}
}

// slow makes the host reach the server through a slow proxy.
func (h *host) slow() {
	if h.via == nil {
		h.via = newProxy(h.lab.t, "10.77.0.1", h.lab.address())
	}
	h.via.delay, h.via.rate = slowDelay, slowRate
}

// address returns the address of the server.
func (l *netLab) address() string { return net.JoinHostPort(l.server.ip, l.port) }

// joinFile writes a join file for the host: the server's file with the address by which the host reaches it.
func (h *host) joinFile(path string) string {
	t := h.lab.t
	t.Helper()
	if h.via == nil {
		return path
	}
	text, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(text, []byte(h.lab.address())) {
		err = fmt.Errorf("has no address %s", h.lab.address())
	}
	own := path + "." + h.name
	if err == nil {
		err = os.WriteFile(own, bytes.ReplaceAll(text, []byte(h.lab.address()), []byte(h.via.address)), 0o600)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return own
}

// leftRunning returns the processes that hosts have started and that have not ended. It finds them by their
// environment, which differs from that of other tests.
func (l *netLab) leftRunning() (pids []string, err error) {
	all, err := os.ReadDir("/proc")
	for _, e := range all {
		if environment, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && bytes.Contains(environment,
			[]byte("TMPDIR="+l.temp+"\x00")) {
			pids = append(pids, e.Name())
		}
	}
	return pids, err
}
