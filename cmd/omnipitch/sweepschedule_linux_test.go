package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// schedule is a sweep with its faults.
type schedule struct {
	t      *testing.T
	scale  *faultScale
	random *rand.Rand
	file   string // file of the sweep
	want   string // folder with the results without faults

	lab      *netLab
	outer    bool
	lease    time.Duration
	jobs     int
	join     string
	store    string // folder of the server
	home     *host  // host of the sweep
	sweep    *process
	server   *process // nil: the server is part of the sweep
	workers  []*worker
	observer *nats.Conn
	id       string
	known    int // number of results at the last poll
	cuts     []cut
	late     int
	told     []string
}

// worker is a place where workers run, one after the other.
type worker struct {
	*host
	name    string
	tenths  int  // tenths of the time in which it computes
	halted  bool // it is paused
	process *process
	left    bool // it has ended unexpectedly
}

// cut is a host that is off the network until a time.
type cut struct {
	*host
	until time.Time
}

func one[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// run starts server, sweep and workers, injects the faults, and checks the results.
func (s *schedule) run() {
	t := s.t
	s.outer, s.lease, s.jobs = one(s.random, s.scale.outers), one(s.random, s.scale.leases), one(s.random, s.scale.jobs)
	s.lab = newNetLab(t, "server", "sweep", "lab1", "lab2", "lab3", "lab4")
	s.home = s.lab.hosts[0]
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	s.join, s.store = filepath.Join(out, "join"), filepath.Join(out, "nats")
	if s.outer {
		s.home, s.join, s.store = s.lab.hosts[1], filepath.Join(folder, "join"), filepath.Join(folder, "nats")
		s.startServer()
	}
	s.startSweep(out)
	s.connect(out)
	for i, h := range s.lab.hosts[2:] {
		w := &worker{host: h, name: []string{"twin", "twin", "third", "slow"}[i], tenths: s.scale.tenths}
		if i == 3 {
			w.tenths = 1
			h.slow()
		}
		s.workers = append(s.workers, w)
		s.startWorker(w)
	}
	s.note("server %s, lease %v, %d jobs in the sweep", map[bool]string{false: "in the sweep",
		true: "outside"}[s.outer], s.lease, s.jobs)
	begun, total := time.Now(), 8*s.scale.seeds
	s.befall(out, total)
	took := time.Since(begun)
	s.end()
	s.judge(out, total)
	t.Logf("%.1f s; %s; %d late", took.Seconds(), strings.Join(s.told, "; "), s.late)
}

// befall injects each fault at its number of results, until the sweep has ended.
func (s *schedule) befall(out string, total int) {
	faults := append([]string(nil), s.scale.faults...)
	for range s.scale.more {
		faults = append(faults, one(s.random, s.scale.faults))
	}
	all := len(faults)
	s.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	duty := time.NewTicker(20 * time.Millisecond)
	defer duty.Stop()
	begun, waited := time.Now(), time.Now()
	due := s.due(0, all, total)
	looked := time.Now()
	for tick := 0; !s.sweep.ended() || foundNoServer(s.sweep); tick++ {
		if foundNoServer(s.sweep) {
			s.startSweep(out)
		}
		<-duty.C
		s.drive(tick, total)
		if time.Since(looked) < 100*time.Millisecond {
			continue
		}
		looked = time.Now()
		s.look()
		s.plugAgain()
		s.check(total)
		if len(faults) > 0 && (s.known >= due || time.Since(waited) > 20*time.Second) {
			s.strike(faults[0], out)
			faults, waited = faults[1:], time.Now()
			due = s.due(all-len(faults), all, total)
		}
		if len(faults) == 0 && len(s.cuts) == 0 {
			s.observer.Close() // the server waits for all connections to close
		}
		if time.Since(begun) > 5*time.Minute {
			s.t.Fatalf("%d of %d runs after 5 minutes; %s", s.known, total, strings.Join(s.told, "; "))
		}
	}
	s.observer.Close()
	if code := s.sweep.exitCode(); code != console.ExitFailed {
		s.t.Errorf("the sweep: exit code %d\n%s", code, s.sweep.stderr())
	}
	if len(faults) > 0 {
		s.t.Errorf("these faults were not made: %v", faults)
	}
}

// due returns the number of results at which a fault is injected. It is more than zero, so that the workers have
// started, and less than all.
func (s *schedule) due(i, n, total int) int {
	return int(float64(total) * (0.15 + 0.55*(float64(i)+s.random.Float64())/float64(n)))
}

func (s *schedule) note(format string, args ...any) {
	s.told = append(s.told, fmt.Sprintf(format, args...))
}

// startServer starts a separate NATS server.
func (s *schedule) startServer() {
	s.server = s.lab.server.start("env", envServer+"="+s.lab.address(), envStore+"="+s.store, envJoin+"="+s.join,
		os.Args[0], "-test.run", "^TestNATSServer$", "-test.timeout", "1h")
	until(s.t, "the server", func() bool {
		_, err := os.Stat(s.join) // it is written last
		return err == nil && s.answers() || s.server.ended()
	})
}

// answers reports whether something listens at the server's address, as seen from the test, which is another host.
func (s *schedule) answers() bool {
	c, err := net.DialTimeout("tcp", s.lab.address(), time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

const (
	envServer = "OMNIPITCH_TEST_SERVER"
	envStore  = "OMNIPITCH_TEST_STORE"
	envJoin   = "OMNIPITCH_TEST_JOIN"
)

// TestNATSServer is the server of a schedule with a separate server. It runs until it is killed.
func TestNATSServer(t *testing.T) {
	address := os.Getenv(envServer)
	if address == "" {
		t.Skip("a part of TestSweepFaults")
	}
	_, err := cluster.Serve(cluster.ServerConfig{Folder: os.Getenv(envStore), Listen: address,
		Join: os.Getenv(envJoin)})
	if err != nil {
		t.Fatal(err)
	}
	select {}
}

// startSweep starts or resumes the sweep.
func (s *schedule) startSweep(out string) {
	args := []string{program(s.t), "sweep", s.file, "--out", out, "--jobs", strconv.Itoa(s.jobs), "--lease",
		s.lease.String()}
	if !s.outer {
		args = append(args, "--listen", s.lab.address())
	} else {
		args = append(args, s.reach()...)
	}
	s.sweep = s.home.start(args...)
	until(s.t, "the sweep to serve", func() bool { return s.answers() || s.sweep.ended() })
}

// reach returns the flags by which the sweep reaches a separate server.
func (s *schedule) reach() (flags []string) {
	join, err := cluster.ReadJoin(s.home.joinFile(s.join))
	token := s.join + ".token"
	if err == nil {
		err = os.WriteFile(token, []byte(join.Token), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	flags = []string{"--nats", join.Servers[0], "--token", token}
	if join.Certificate != "" {
		flags = append(flags, "--tls-ca", filepath.Join(s.store, "certificate.pem"))
	}
	return flags
}

// foundNoServer reports whether a process has ended because it could not reach the server at its start.
func foundNoServer(p *process) bool {
	return p.ended() && p.exitCode() == console.ExitUnavailable && strings.Contains(p.stderr(),
		"NATS at")
}

// connect connects the test to the sweep's results.
func (s *schedule) connect(out string) {
	var mark struct {
		ID string `json:"id"`
	}
	until(s.t, "the sweep", func() bool {
		if s.observer == nil {
			if join, err := cluster.ReadJoin(s.join); err == nil {
				s.observer, _ = join.Connect("observer")
			}
		}
		text, err := os.ReadFile(filepath.Join(out, "sweep.json"))
		if err == nil {
			err = json.Unmarshal(text, &mark)
		}
		s.id = mark.ID
		return s.observer != nil && err == nil && s.look() || s.sweep.ended()
	})
	if s.sweep.ended() {
		s.t.Fatalf("the sweep has ended: %s", s.sweep.stderr())
	}
}

// look counts the results, and reports whether the server has answered.
func (s *schedule) look() bool {
	msg, err := s.observer.Request("$JS.API.STREAM.INFO.KV_SWEEP_"+s.id+"_results", nil, time.Second)
	if err != nil {
		return false
	}
	var answer struct {
		Config struct{ Name string }  `json:"config"`
		State  struct{ Messages int } `json:"state"`
	}
	if err := json.Unmarshal(msg.Data, &answer); err != nil || answer.Config.Name == "" {
		return false
	}
	s.known = answer.State.Messages
	return true
}

func (s *schedule) startWorker(w *worker) {
	w.process = w.start(program(s.t), "worker", "--join", w.joinFile(s.join), "--name", w.name)
}

// drive lets workers compute for their tenths of a period of ten ticks, by stopping and continuing their processes.
// While a worker is cut off and over 80 % of the results exist, it pauses all others. The result of the cut-off worker
// then arrives late, but before the sweep has ended.
func (s *schedule) drive(tick, total int) {
	for _, w := range s.workers {
		if w.process.ended() {
			continue // its process id may belong to another process by now
		}
		off := false
		for _, c := range s.cuts {
			off = off || c.host == w.host
		}
		halt := len(s.cuts) > 0 && s.known > total*8/10 && !off || tick%10 >= w.tenths
		if halt != w.halted || tick == 0 {
			w.halted = halt
			w.process.signal(map[bool]syscall.Signal{false: syscall.SIGCONT, true: syscall.SIGSTOP}[halt])
		}
	}
}

// strike injects a fault.
func (s *schedule) strike(fault, out string) {
	if fault == "server" && s.server == nil {
		fault = "sweep" // the server is part of the sweep
	}
	switch fault {
	case "kill":
		w := one(s.random, s.workers)
		w.process.signal(syscall.SIGKILL)
		<-w.process.done
		s.note("%d: %s at %s killed", s.known, w.name, w.host.name)
		s.startWorker(w)
		w.halted = false
	case "cut":
		h := one(s.random, s.workers).host
		if s.outer && s.random.IntN(3) == 0 {
			h = one(s.random, []*host{s.home, s.lab.server})
		}
		for _, c := range s.cuts {
			if c.host == h {
				return // it is already cut off: extend the cut
			}
		}
		h.cut(true)
		s.cuts = append(s.cuts, cut{h, time.Now().Add(s.scale.cut)})
		s.note("%d: %s cut off", s.known, h.name)
	case "sweep":
		s.sweep.signal(syscall.SIGKILL)
		<-s.sweep.done
		wait := time.Duration(s.random.IntN(3000)) * time.Millisecond
		s.note("%d: sweep killed, for %v", s.known, wait)
		time.Sleep(wait)
		s.startSweep(out)
	case "server":
		s.server.signal(syscall.SIGKILL)
		<-s.server.done
		wait := time.Duration(s.random.IntN(5000)) * time.Millisecond
		s.note("%d: server killed, for %v", s.known, wait)
		time.Sleep(wait)
		s.startServer()
	}
}

// plugAgain ends cuts that have lasted long enough.
func (s *schedule) plugAgain() {
	var left []cut
	for _, c := range s.cuts {
		if time.Now().Before(c.until) {
			left = append(left, c)
			continue
		}
		c.host.cut(false)
	}
	s.cuts = left
}

// check handles workers that have ended. It restarts those that found no server. No other may end while there is work.
func (s *schedule) check(total int) {
	for _, w := range s.workers {
		if w.process == nil || !w.process.ended() || w.left {
			continue
		}
		code := w.process.exitCode()
		switch {
		case code == console.ExitDone && s.look() && s.known < total:
			s.t.Errorf("worker %s at %s has left with %d of %d results: %s", w.name, w.host.name, s.known, total,
				w.process.stdout())
			w.left = true
		case foundNoServer(w.process):
			s.startWorker(w)
			w.halted = false
		case code != console.ExitDone:
			s.t.Errorf("worker %s at %s: exit code %d: %s", w.name, w.host.name, code, w.process.stderr())
			w.left = true
		}
	}
}

// runsDone matches the last line of a worker.
var runsDone = regexp.MustCompile(
	`^(\d+) runs done(?:, (\d+) more came late and were discarded)?, \d+ images drawn\n$`)

// end waits for the workers. If the server has ended with the sweep, it starts a server at the same address. A worker
// in the middle of a run so learns that the sweep is over, and need not wait for a minute.
func (s *schedule) end() {
	if !s.outer {
		s.startServer()
	}
	for _, c := range s.cuts {
		c.host.cut(false)
	}
	for _, w := range s.workers {
		if !w.process.ended() {
			w.process.signal(syscall.SIGCONT)
		}
	}
	over := time.Now()
	for _, w := range s.workers {
		select {
		case <-w.process.done:
			if waited := time.Since(over); waited > 10*time.Second {
				s.note("%s has left %.0f s after the end", w.host.name, waited.Seconds())
			}
		case <-time.After(2 * deadline):
			s.t.Errorf("worker %s at %s goes on: %s", w.name, w.host.name, w.process.stderr())
			continue
		}
		if foundNoServer(w.process) {
			continue // it was cut off at its start
		}
		if code := w.process.exitCode(); code != console.ExitDone {
			s.t.Errorf("worker %s at %s: exit code %d: %s", w.name, w.host.name, code, w.process.stderr())
		}
		m := runsDone.FindStringSubmatch(w.process.stdout())
		if m == nil {
			s.t.Errorf("worker %s at %s says %q", w.name, w.host.name, w.process.stdout())
			continue
		}
		late, _ := strconv.Atoi(m[2])
		s.late += late
	}
	s.server.signal(syscall.SIGKILL)
	<-s.server.done
	if pids, err := s.lab.leftRunning(); err != nil || len(pids) > 0 {
		s.t.Errorf("%v: these are left running: %v", err, pids)
	}
	if via := s.workers[3].via; via.bytes.Load() == 0 {
		s.t.Error("the slow worker has not used its proxy")
	}
}
