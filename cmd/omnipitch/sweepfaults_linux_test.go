package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var sweepSchedules = flag.Int("sweep.schedules", 0, "random schedules of faults that a sweep of 96 runs goes through, "+
	"with cuts of 10 s; 0: a short one")

// faultySweep is the sweep that is run: the chase of docs/sweep.md.
const faultySweep = `name = "faults"
worlds = ["chase-ball"]
seeds = "1..%d"
for_s = %v
[[axis]]
key = "robot[cyan2].drive.max_speed_m_s"
range = [0.6, 1.2]
steps = 4
[[axis]]
key = "physics.engine"
values = ["ode", "planar"]
`

// schedule is a sweep of several workers, each behind a proxy, and the faults that it goes through.
type schedule struct {
	t       *testing.T
	random  *rand.Rand
	file    string // of the sweep
	out     string // folder of the sweep
	total   int    // runs of the sweep
	cut     time.Duration
	faults  []string
	address string
	sweep   *process
	workers []*sweepWorker
	log     []string
}

// sweepWorker is a place where a worker runs, behind a proxy.
type sweepWorker struct {
	name    string
	via     *proxy
	cutTill time.Time // zero: it is connected
	process *process
}

// TestSweepFaults checks that a sweep has the results of a single process, each once, despite faults. A worker is
// killed, one is cut off for longer than its lease, one has a slow connection, and two share a name. The sweep is
// killed and restarted with its server.
func TestSweepFaults(t *testing.T) {
	t.Parallel() // mostly it waits
	seeds, simulated, cut, faults := 3, 30, 2*time.Second, []string{"cut", "kill", "sweep"}
	if *sweepSchedules > 0 {
		seeds, simulated, cut = 12, 60, 10*time.Second
		faults = append(faults, faults...)
	}
	folder := t.TempDir()
	file, want := filepath.Join(folder, "faults.toml"), filepath.Join(folder, "alone")
	must.Write(t, file, fmt.Sprintf(faultySweep, seeds, simulated))
	launch(t, "", "sweep", file, "--out", want).wantExit(console.ExitFailed) // slow robots fail
	for i := range max(*sweepSchedules, 1) {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			s := &schedule{t: t, random: rand.New(rand.NewPCG(uint64(i+1), 31)), file: file, total: 8 * seeds, cut: cut,
				out: filepath.Join(t.TempDir(), "out"), address: "127.0.0.1:" + rostest.FreePort(t), faults: faults}
			s.run(want)
		})
	}
}

// run runs the sweep with its faults, and compares it with that in the folder want, which one process did.
func (s *schedule) run(want string) {
	t := s.t
	s.startSweep()
	until(t, "the sweep", func() bool { _, err := s.results(); return err == nil })
	for _, name := range []string{"twin", "twin", "third", "slow"} {
		w := &sweepWorker{name: name, via: newProxy(t, s.address, name == "slow")}
		s.workers = append(s.workers, w)
		s.startWorker(w)
	}
	begun := time.Now()
	s.injectFaults()
	took := time.Since(begun)
	// The server has ended with the sweep. Another lets workers in the middle of a run learn that the sweep is over.
	server := must.Get(cluster.Serve(cluster.ServerConfig{Folder: filepath.Join(s.out, "nats"), Listen: s.address,
		Join: filepath.Join(s.out, "join")}))(t)
	defer server.Close()
	s.endWorkers()
	s.compare(want)
	s.checkStore(server)
	t.Logf("%.1f s; %s", took.Seconds(), strings.Join(s.log, "; "))
}

// startSweep starts or resumes the sweep.
func (s *schedule) startSweep() {
	s.sweep = launch(s.t, "", "sweep", s.file, "--out", s.out, "--jobs", "0", "--lease", "1s", "--listen", s.address)
	until(s.t, "the sweep to serve", func() bool {
		c, err := net.DialTimeout("tcp", s.address, time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil || s.sweep.ended()
	})
}

// startWorker starts a worker with a join file that has the address of its proxy.
func (s *schedule) startWorker(w *sweepWorker) {
	own := filepath.Join(s.t.TempDir(), "join")
	must.Write(s.t, own, strings.ReplaceAll(read(s.t, filepath.Join(s.out, "join")), s.address, w.via.address))
	w.process = launch(s.t, "", "worker", "--join", own, "--name", w.name, "--jobs", "1")
}

// results returns the number of results so far.
func (s *schedule) results() (int, error) {
	var sweep struct {
		ID string `json:"id"`
	}
	text, err := os.ReadFile(filepath.Join(s.out, "sweep.json"))
	if err == nil {
		err = json.Unmarshal(text, &sweep)
	}
	if err != nil {
		return 0, err
	}
	join, err := cluster.ReadJoin(filepath.Join(s.out, "join"))
	if err != nil {
		return 0, err
	}
	nc, err := join.Connect("observer")
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, err
	}
	stream, err := js.Stream(s.t.Context(), "KV_SWEEP_"+sweep.ID+"_results")
	if err != nil {
		return 0, err
	}
	return int(stream.CachedInfo().State.Msgs), nil
}

// injectFaults makes each fault after a number of results, until the sweep has ended. The first fault comes after some
// results, so that all workers have begun, and the last before most.
func (s *schedule) injectFaults() {
	faults := append([]string(nil), s.faults...)
	s.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	due := func() int {
		done := float64(len(s.faults)-len(faults)) + s.random.Float64()
		return int(float64(s.total) * (0.15 + 0.55*done/float64(len(s.faults))))
	}
	known, next := 0, due()
	for begun := time.Now(); !s.sweep.ended(); time.Sleep(50 * time.Millisecond) {
		if n, err := s.results(); err == nil {
			known = n
		}
		if len(faults) > 0 && known >= next {
			s.fault(faults[0], known)
			faults, next = faults[1:], due()
		}
		for _, w := range s.workers {
			if !w.cutTill.IsZero() && time.Now().After(w.cutTill) {
				w.via.hold(false)
				w.cutTill = time.Time{}
			}
			if foundNoServer(w.process) {
				s.startWorker(w)
			}
		}
		if time.Since(begun) > 5*time.Minute {
			s.t.Fatalf("%d of %d runs after 5 minutes; %s", known, s.total, strings.Join(s.log, "; "))
		}
	}
	s.sweep.wantExit(console.ExitFailed)
	if len(faults) > 0 {
		s.t.Errorf("these faults were not made: %v", faults)
	}
}

// fault makes a fault.
func (s *schedule) fault(kind string, known int) {
	w := s.workers[s.random.IntN(len(s.workers))]
	switch kind {
	case "kill":
		w.process.signal(syscall.SIGKILL)
		<-w.process.done
		s.startWorker(w)
	case "cut":
		w.via.hold(true)
		w.cutTill = time.Now().Add(s.cut)
	case "sweep":
		s.sweep.signal(syscall.SIGKILL)
		<-s.sweep.done
		time.Sleep(time.Duration(s.random.IntN(3000)) * time.Millisecond)
		s.startSweep()
	}
	s.log = append(s.log, fmt.Sprintf("%d: %s (%s)", known, kind, w.name))
}

// foundNoServer reports whether a process has ended because it could not reach the server at its start.
func foundNoServer(p *process) bool {
	return p.ended() && p.exitCode() == console.ExitUnavailable && strings.Contains(p.stderr(), "NATS at")
}

// endWorkers waits for the workers, which end by themselves.
func (s *schedule) endWorkers() {
	for _, w := range s.workers {
		w.via.hold(false)
		until(s.t, w.name+" to end", w.process.ended)
		if foundNoServer(w.process) { // it was cut off at its start
			continue
		}
		w.process.wantExit(console.ExitDone)
		if !regexp.MustCompile(
			`^\d+ runs done(, \d+ more came late and were discarded)?, \d+ images drawn\n$`).MatchString(
			w.process.stdout()) {
			s.t.Errorf("worker %s says %q", w.name, w.process.stdout())
		}
	}
	if slow := s.workers[len(s.workers)-1]; slow.via.bytes.Load() == 0 {
		s.t.Error("the slow worker has not used its proxy")
	}
}

// compare compares the files of the sweep with those of a sweep that one process did.
func (s *schedule) compare(want string) {
	t := s.t
	type result struct {
		Job    string
		Passed bool
		Hash   string `json:"state_hash"`
	}
	load := func(folder string) map[string]result {
		var all struct{ Results []result }
		must.Do(t, json.Unmarshal([]byte(read(t, filepath.Join(folder, "results.json"))), &all))
		byJob := map[string]result{}
		for _, r := range all.Results {
			byJob[r.Job] = r
		}
		if len(byJob) != s.total || len(all.Results) != s.total {
			t.Errorf("%s: %d results of %d runs, want %d", folder, len(all.Results), len(byJob), s.total)
		}
		return byJob
	}
	got := load(s.out)
	for job, want := range load(want) {
		if got[job] != want || len(want.Hash) != 16 {
			t.Errorf("%s: %+v, alone %+v", job, got[job], want)
		}
	}
	if got, want := read(t, filepath.Join(s.out, "results.csv")), read(t, filepath.Join(want,
		"results.csv")); got != want {
		t.Errorf("alone\n%s\nwith faults\n%s", want, got)
	}
}

// checkStore checks that each result was written once. The last sequence number of the bucket must equal its number of
// entries. Each entry must belong to a different job, and none may be a deviating result.
func (s *schedule) checkStore(server *cluster.Server) {
	t := s.t
	nc := must.Get(server.Connect())(t)
	defer nc.Close()
	var sweep struct{ ID string }
	must.Do(t, json.Unmarshal([]byte(read(t, filepath.Join(s.out, "sweep.json"))), &sweep))
	stream := must.Get(must.Get(jetstream.New(nc))(t).Stream(t.Context(), "KV_SWEEP_"+sweep.ID+"_results"))(t)
	state := must.Get(stream.Info(t.Context(), jetstream.WithSubjectFilter(">")))(t).State
	if n := uint64(s.total); state.Msgs != n || state.LastSeq != n || len(state.Subjects) != s.total {
		t.Errorf("%d entries of %d jobs, the last is number %d: want %d", state.Msgs, len(state.Subjects),
			state.LastSeq, n)
	}
	for subject := range state.Subjects {
		if !strings.Contains(subject, "_results.r.") {
			t.Errorf("%s: is no result", subject)
		}
	}
}

// proxy forwards the bytes of TCP connections, late or never.
type proxy struct {
	address string
	slow    bool // like a satellite link at the rate of a modem: 100 ms and 40 kB/s each way
	held    atomic.Bool
	bytes   atomic.Int64 // number of forwarded bytes
}

// newProxy starts a proxy on an address of this machine.
func newProxy(t testing.TB, to string, slow bool) *proxy {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &proxy{address: l.Addr().String(), slow: slow}
	var mu sync.Mutex
	var conns []net.Conn
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.DialTimeout("tcp", to, 5*time.Second)
			if err != nil {
				near.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, near, far)
			mu.Unlock()
			go p.forward(near, far)
			go p.forward(far, near)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		p.hold(false)
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			c.Close()
		}
	})
	return p
}

// hold stops or resumes forwarding.
func (p *proxy) hold(on bool) { p.held.Store(on) }

// forward forwards bytes one way, in order, until one of the connections ends.
func (p *proxy) forward(from, to net.Conn) {
	type chunk struct {
		bytes []byte
		due   time.Time
	}
	chunks := make(chan chunk, 64)
	defer from.Close()
	defer to.Close()
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 4096)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			due := time.Now()
			if p.slow {
				due = due.Add(100 * time.Millisecond)
			}
			chunks <- chunk{b[:n], due}
		}
	}()
	for c := range chunks {
		time.Sleep(time.Until(c.due))
		if p.slow {
			time.Sleep(time.Duration(len(c.bytes)) * time.Second / 40_000)
		}
		for p.held.Load() {
			time.Sleep(10 * time.Millisecond)
		}
		if _, err := to.Write(c.bytes); err != nil {
			from.Close()
			for range chunks { // until the reader has ended
			}
			return
		}
		p.bytes.Add(int64(len(c.bytes)))
	}
}
