package rtps

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var (
	starts = flag.Int("rtps.starts", 3, "number of starts of each implementation beside busy loops")
	within = flag.Duration("rtps.within", 0, "longest time for peers to find each other; 0: a minute")
)

// found opens a participant and starts a program, gap later or earlier, and returns how long they take to find each
// other: from when both run until the program has received a latched sample.
func found(t *testing.T, kind string, s ddspeer.Setup, cfg Config, usFirst bool, gap time.Duration) (*Participant,
	*Writer, *ddspeer.Peer, time.Duration) {
	t.Helper()
	var p *Participant
	var w *Writer
	begin := func() {
		p = open(t, cfg)
		w = must.Get(p.NewWriter(WriterConfig{Topic: "rt/blob0", Type: blobType,
			QoS: QoS{Reliable: true, TransientLocal: true}}))(t)
		must.Get(w.Write(Outgoing{Head: blobHead("found", 0)}))(t)
	}
	if usFirst {
		begin()
		time.Sleep(gap)
	}
	other := s.Start(t, kind, "sub", cfg.Domain, 1, 1, 1)
	if !usFirst {
		time.Sleep(gap)
		begin()
	}
	start := time.Now()
	must.Until(t, "the peer's start", func() bool {
		ready := len(other.Starting("ready")) > 0
		if !ready {
			start = time.Now()
		}
		return ready
	})
	must.Until(t, "the sample", func() bool { return len(other.Starting("got found")) > 0 })
	return p, w, other, time.Since(start)
}

// machine is a network namespace that a pair of virtual interfaces connects with the present one.
type machine struct{ enter []string }

const ourAddress, otherAddress = "10.9.0.1", "10.9.0.2"

// newMachine makes a network namespace with the address otherAddress, and gives the present one ourAddress.
func newMachine(t *testing.T) machine {
	t.Helper()
	cmd := exec.Command("unshare", "-n", "sh", "-c", "echo ready; read x")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in := must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	m := machine{[]string{"nsenter", "-n", "-t", strconv.Itoa(cmd.Process.Pid)}}
	for _, line := range []string{
		"link set lo up multicast on",
		"link add omni0 type veth peer name omni1 netns " + strconv.Itoa(cmd.Process.Pid),
		"addr add " + ourAddress + "/24 dev omni0", "link set omni0 up",
		"+link set lo up", "+addr add " + otherAddress + "/24 dev omni1", "+link set omni1 up",
	} {
		words := append([]string{"ip"}, strings.Fields(strings.TrimPrefix(line, "+"))...)
		if line[0] == '+' {
			words = append(m.enter, words...)
		}
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	return m
}

// inNamespace runs the test in a process with its own network, and reports whether this is that process.
func inNamespace(t *testing.T) bool {
	t.Helper()
	const inside = "RTPS_NAMESPACE"
	if os.Getenv(inside) != "" {
		return true
	}
	folder := ddspeer.Folder(t)
	if out, err := exec.Command("unshare", "-rn", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		t.Skipf("no network namespaces: %v: %s", err, out)
	}
	args := []string{"-rn", os.Args[0], "-test.run", "^" + t.Name() + "$", "-test.v", "-rtps.within", within.String()}
	cmd := exec.Command("unshare", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = append(os.Environ(), inside+"=1", folder)
	out, err := cmd.CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Errorf("in a network namespace: %v", err)
	}
	return false
}

// Participants find each other under each of ROS 2's settings for discovery, in any order of their starts. When the
// other one is killed, it is gone within its lease.
func TestDiscoverySettings(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	other := newMachine(t)
	static := []netip.Addr{netip.MustParseAddr(otherAddress)}
	for _, c := range []struct {
		name string
		cfg  Config
		s    ddspeer.Setup
	}{
		{"Localhost", Config{}, ddspeer.Setup{}},
		{"a peer on Subnet, we on Localhost", Config{}, ddspeer.Setup{Address: ourAddress, Multicast: true}},
		{"ROS_LOCALHOST_ONLY", Config{Multicast: true}, ddspeer.Setup{Multicast: true}},
		{"Subnet on one machine", Config{Range: Subnet}, ddspeer.Setup{Address: ourAddress, Multicast: true}},
		{"Subnet", Config{Range: Subnet}, ddspeer.Setup{Address: otherAddress, Multicast: true, Command: other.enter}},
		{"static peer", Config{StaticPeers: static}, ddspeer.Setup{Address: otherAddress, Command: other.enter}},
	} {
		for i := range 4 {
			kind, usFirst := []string{"cyclone", "fastdds"}[i%2], i < 2
			if *within == 0 && usFirst != (kind == "cyclone") {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s/we first %v", c.name, kind, usFirst), func(t *testing.T) {
				c.cfg.Domain, c.s.Lease = must.Domain(t), 2
				p, w, peer, took := found(t, kind, c.s, c.cfg, usFirst, 500*time.Millisecond)
				t.Logf("found after %v", took)
				if *within > 0 && took > *within {
					t.Errorf("found after %v, want at most %v", took, *within)
				}
				if start := time.Now(); *within > 0 || c.name == "Localhost" {
					peer.Kill()
					must.Until(t, "the end of the lease", func() bool {
						return w.NumMatched() == 0 && p.Stats().Participants == 0
					})
					lasted := time.Since(start)
					t.Logf("gone after %v", lasted)
					if *within > 0 && lasted > 2*time.Second+*within {
						t.Errorf("gone %v after it was killed, want at most its lease of 2 s", lasted)
					}
				}
			})
		}
	}
}

// A participant that is kept to this machine does not hear others, although it hears peers here at all addresses.
func TestLocalhostHearsOnlyThisMachine(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	other := newMachine(t)
	p := open(t, Config{Domain: must.Domain(t)})
	far := ddspeer.Setup{Address: otherAddress, Multicast: true, Command: other.enter}.Start(t, "cyclone", "sub",
		p.cfg.Domain, 1, 1, 1)
	must.Until(t, "the far peer's start", func() bool { return len(far.Starting("ready")) > 0 })
	near := ddspeer.Setup{Address: ourAddress, Multicast: true}.Start(t, "cyclone", "sub", p.cfg.Domain, 1, 1, 1)
	must.Until(t, "the near peer", func() bool { return p.Stats().Participants > 0 })
	near.Kill()
	must.Until(t, "the near peer's end", func() bool { return p.Stats().Participants == 0 })
	heard := make(chan bool)
	time.AfterFunc(time.Second, func() { heard <- p.Stats().Participants > 0 }) // others speak every second
	if <-heard {
		t.Error("a participant of another machine was heard")
	}
}

// busy keeps all processors busy until the test ends.
func busy(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		must.Do(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
}

// Two peers that start at about the same time on a busy machine find each other.
func TestStartsOnBusyMachine(t *testing.T) {
	runtime.LockOSThread() // the loops end with the thread that has started them
	defer runtime.UnlockOSThread()
	busy(t)
	longest := map[string]time.Duration{}
	for i := range 2 * *starts {
		kind := []string{"cyclone", "fastdds"}[i%2]
		t.Run(fmt.Sprint(kind, i/2), func(t *testing.T) {
			gap := time.Duration(rand.IntN(100)) * time.Millisecond
			p, _, _, took := found(t, kind, ddspeer.Setup{}, Config{Domain: must.Domain(t)}, i/2%2 == 0, gap)
			longest[kind] = max(longest[kind], took)
			must.Do(t, p.Close())
		})
	}
	t.Logf("longest times to find each other: %v", longest)
}
