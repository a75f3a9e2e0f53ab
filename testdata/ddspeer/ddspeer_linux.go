// Package ddspeer runs programs with other implementations of DDS, for tests of ROS 2's wire.
package ddspeer

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

//go:embed programs
var sources embed.FS

// kinds are the implementations, with the commands that build their programs.
var kinds = map[string][]string{
	"cyclone": {"gcc", "-O1", "cyclone.c", "-lddsc"},
	"fastdds": {"g++", "-O0", "fastdds.cpp", "-lfastrtps", "-lfastcdr"},
}

// cycloneConfig keeps CycloneDDS on loopback, as ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST does.
const cycloneConfig = `<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>` +
	`<AllowMulticast>false</AllowMulticast></General><Discovery><LeaseDuration>2s</LeaseDuration>` +
	`<ParticipantIndex>auto</ParticipantIndex>` +
	`<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>` +
	`</Domain></CycloneDDS>`

var programs struct {
	sync.Mutex
	dir   string
	built map[string]error
}

// Main runs the tests of a package and removes the programs that they have built. TestMain calls it.
func Main(m *testing.M) {
	code := m.Run()
	if programs.dir != "" {
		_ = os.RemoveAll(programs.dir)
	}
	os.Exit(code)
}

// program returns the path of a program, which is built once. It skips the test if the implementation is not installed.
func program(t testing.TB, kind string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts programs with other implementations of DDS")
	}
	programs.Lock()
	defer programs.Unlock()
	if programs.dir == "" {
		programs.dir, programs.built = must.Get(os.MkdirTemp("", "ddspeer"))(t), map[string]error{}
		must.Do(t, os.CopyFS(programs.dir, sources))
	}
	path := filepath.Join(programs.dir, kind)
	if _, done := programs.built[kind]; !done {
		cmd := exec.Command(kinds[kind][0], append(kinds[kind][1:], "-o", path)...)
		cmd.Dir = filepath.Join(programs.dir, "programs")
		out, err := cmd.CombinedOutput()
		if programs.built[kind] = err; err != nil && !strings.Contains(string(out), "No such file") {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
	}
	if programs.built[kind] != nil {
		t.Skip("no " + kind + ": apt-get install cyclonedds-dev libfastrtps-dev")
	}
	return path
}

// Peer is a running program.
type Peer struct {
	cmd   *exec.Cmd
	lines must.List[string]
}

// Start starts a program of a kind: cyclone or fastdds. The program ends with the test, which logs the program's output
// if it has failed.
func Start(t testing.TB, kind string, args ...any) *Peer {
	t.Helper()
	var words []string
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	p := &Peer{cmd: exec.Command(program(t, kind), words...)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Env = append(os.Environ(), "CYCLONEDDS_URI="+cycloneConfig)
	r, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	must.Do(t, p.cmd.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := bufio.NewScanner(r); s.Scan(); {
			p.lines.Add(s.Text())
		}
	}()
	t.Cleanup(func() {
		p.Kill()
		w.Close()
		<-done
		if t.Failed() {
			t.Logf("output of %s %v:\n%s", kind, words, strings.Join(p.lines.All(), "\n"))
		}
	})
	return p
}

// Kill kills the program.
func (p *Peer) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Starting returns the lines of the program's output that begin with a prefix.
func (p *Peer) Starting(prefix string) (found []string) {
	for _, l := range p.lines.All() {
		if strings.HasPrefix(l, prefix) {
			found = append(found, l)
		}
	}
	return found
}
