// Package ddspeer runs programs with other implementations of DDS, for tests of ROS 2's wire.
package ddspeer

import (
	"bufio"
	"cmp"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

//go:embed programs
var sources embed.FS

// kinds are the implementations, with the commands that build their programs.
var kinds = map[string][]string{
	"cyclone": {"gcc", "-O1", "cyclone.c", "-lddsc"},
	"drive":   {"gcc", "-O1", "drive.c", "-lddsc", "-lm"},
	"fastdds": {"g++", "-O0", "fastdds.cpp", "-lfastrtps", "-lfastcdr"},
}

// Setup says how a program finds others. The zero value is ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST: by unicast on
// loopback.
type Setup struct {
	Address   string   // of its interface; "": 127.0.0.1
	Multicast bool     // others are found by multicast
	Peer      string   // without multicast, the address at which others are looked for; "": 127.0.0.1
	Lease     int      // s; 0: 2 of CycloneDDS, 20 of Fast DDS
	Command   []string // runs the program, such as in another network namespace
	Env       []string // further variables of the environment
}

// cyclone returns the configuration of CycloneDDS. With multicast it uses any ports for unicast, as in Humble.
func (s Setup) cyclone() string {
	address, peer := cmp.Or(s.Address, "127.0.0.1"), cmp.Or(s.Peer, "127.0.0.1")
	index := fmt.Sprintf(`<ParticipantIndex>auto</ParticipantIndex>`+
		`<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="%s"/></Peers>`, peer)
	if s.Multicast {
		index = ""
	}
	return fmt.Sprintf(`<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="%s" multicast="%v"/>`+
		`</Interfaces><AllowMulticast>%[2]v</AllowMulticast></General><Discovery>`+
		`<LeaseDuration>%ds</LeaseDuration>%s</Discovery></Domain></CycloneDDS>`, address, s.Multicast,
		cmp.Or(s.Lease, 2), index)
}

// Environ returns the variables of the environment for a program.
func (s Setup) Environ() []string {
	env := []string{"CYCLONEDDS_URI=" + s.cyclone(), "DDSPEER_ADDRESS=" + cmp.Or(s.Address, "127.0.0.1"),
		"DDSPEER_PEER=" + cmp.Or(s.Peer, "127.0.0.1"), fmt.Sprint("DDSPEER_LEASE=", cmp.Or(s.Lease, 20))}
	if s.Multicast {
		env = append(env, "DDSPEER_MULTICAST=1")
	}
	return env
}

// folder is the variable of the environment that names a folder with the programs, which another process has built.
const folder = "DDSPEER_PROGRAMS"

var programs struct {
	sync.Mutex
	dir   string
	built map[string]error
}

// Folder builds the programs of all implementations that are installed, and returns a variable of the environment with
// which another process of the test uses them.
func Folder(t testing.TB) string {
	t.Helper()
	for kind := range kinds {
		program(t, kind)
	}
	return folder + "=" + programs.dir
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
	if dir := os.Getenv(folder); dir != "" {
		return filepath.Join(dir, kind)
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

// Start starts a program of a kind: cyclone, drive or fastdds. The program ends with the test, which logs the program's
// output if it has failed.
func Start(t testing.TB, kind string, args ...any) *Peer {
	t.Helper()
	return Setup{}.Start(t, kind, args...)
}

// Start is like the function Start for a program that finds others in another way.
func (s Setup) Start(t testing.TB, kind string, args ...any) *Peer {
	t.Helper()
	words := append(slices.Clone(s.Command), program(t, kind))
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = slices.Concat(os.Environ(), s.Environ(), s.Env)
	return Run(t, cmd)
}

// Run does what Start does, for another program.
func Run(t testing.TB, cmd *exec.Cmd) *Peer {
	t.Helper()
	p := &Peer{cmd: cmd}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
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
			t.Logf("output of %s:\n%s", cmd.Args, strings.Join(p.lines.All(), "\n"))
		}
	})
	return p
}

// Kill kills the program.
func (p *Peer) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// End kills the program and returns the processor time that it has taken.
func (p *Peer) End() time.Duration {
	p.Kill()
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
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
