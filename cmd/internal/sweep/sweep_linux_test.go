package sweep

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var schedules = flag.Int("schedules", 1, "random schedules of faults")

// TestMain runs a worker if the environment names a join file, so that tests can kill its process.
func TestMain(m *testing.M) {
	if join := os.Getenv("OMNIPITCH_TEST_WORKER"); join != "" {
		nc, err := connectBy(join, "child")
		if err == nil {
			_, err = (&Worker{Name: "child", Version: "v", Probe: "p",
				Execute: &pretended{span: 20 * time.Millisecond}}).Serve(context.Background(), nc)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// connectBy connects with a join file.
func connectBy(path, name string) (*nats.Conn, error) {
	join, err := cluster.ReadJoin(path)
	if err != nil {
		return nil, err
	}
	return join.Connect(name)
}

// pretended does jobs without a simulation. The result depends on the job alone.
type pretended struct {
	span time.Duration
	mu   sync.Mutex
	done []string
}

func (p *pretended) Execute(ctx context.Context, job *Job, _ bool, _ string, _ func() ([]byte, error)) (*Result, string,
	error) {
	if p.span > 0 {
		sleep(ctx, p.span)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = append(p.done, job.Key)
	return &Result{RunResult: suite.RunResult{Passed: true, StateHash: pretendedHash(job.Key)}}, "", nil
}

func pretendedHash(key string) string {
	h := fnv.New64()
	h.Write([]byte(key))
	return fmt.Sprintf("%016x", h.Sum64())
}

// serve starts a server in a folder.
func serve(t testing.TB, c cluster.ServerConfig) *cluster.Server {
	t.Helper()
	if c.Folder == "" {
		c.Folder = filepath.Join(t.TempDir(), "nats")
	}
	if c.Join == "" {
		c.Join = filepath.Join(c.Folder, "..", "join")
	}
	s, err := cluster.Serve(c)
	must.Do(t, err)
	t.Cleanup(s.Close)
	return s
}

// sweepWith runs a plan with workers in this process.
func sweepWith(ctx context.Context, t testing.TB, p *Plan, connect func() (*nats.Conn, error),
	executors ...Executor) (o *Outcome, err error) {
	t.Helper()
	c := Coordinator{Plan: p, Connect: connect, Entry: Entry{Version: "v", Probe: "p", Lease: time.Second}}
	for i, e := range executors {
		c.Workers = append(c.Workers, &Worker{Name: fmt.Sprintf("w%d", i), Version: "v", Probe: "p", Execute: e})
	}
	err = c.Run(ctx, func(got *Outcome) error { o = got; return nil })
	return o, err
}

// want checks that each job has exactly one result, the pretended one.
func want(t testing.TB, o *Outcome) {
	t.Helper()
	for i, r := range o.Results {
		if key := o.Jobs[i].Key; r == nil || r.Job != key || r.StateHash != pretendedHash(key) ||
			r.Seed != o.Jobs[i].Seed {
			t.Fatalf("job %+v: %+v", o.Jobs[i], r)
		}
	}
	if len(o.Differ) > 0 {
		t.Fatalf("these differ: %+v", o.Differ[0])
	}
}

// pretendedPlan returns a plan with a number of jobs.
func pretendedPlan(jobs int) *Plan {
	p := &Plan{File: &File{Name: "pretended", Worlds: []string{"w"}}, ID: fmt.Sprintf("pretended%d", jobs),
		Points: []Point{nil}, packed: map[string][]byte{"sum": []byte("bundle")}}
	for seed := range uint64(jobs) {
		p.Jobs = append(p.Jobs, Job{Key: jobKey(0, 0, seed), Name: "w", Seed: seed, Bundle: "sum"})
	}
	return p
}

// TestSweepEqualsSingleRuns compares the results of a sweep with those of consecutive single runs: every state, and the
// table byte for byte. The number of workers must not matter.
func TestSweepEqualsSingleRuns(t *testing.T) {
	text := strings.NewReplacer(`"fixed.toml", "drawn.toml"`, `"fixed.toml", "far/near.toml", "far/far.toml"`, "1..3",
		"1,2").Replace(grid)
	p, err := load(t, text)
	must.Do(t, err)
	bundles := map[string]int{}
	for i := range p.Jobs {
		bundles[p.Jobs[i].Name+" "+p.Jobs[i].Bundle]++
	}
	if len(bundles) != 6+6+6+1 || bundles["far/far.toml "] != 6 { // their seeds differ from the world's own
		t.Errorf("bundles by worlds: %v", bundles)
	}
	var tables [2]bytes.Buffer
	for i := range tables {
		server := serve(t, cluster.ServerConfig{})
		s := &Simulator{Several: true}
		executors := []Executor{s, s, s}
		o, err := sweepWith(t.Context(), t, p, server.Connect, executors[:1+2*i]...)
		if err == nil {
			err = o.WriteCSV(&tables[i])
		}
		must.Do(t, err)
		passed := map[string]int{}
		for k, r := range o.Results {
			job := &o.Jobs[k]
			if i == 0 {
				w, err := p.world(job.World, job.Point)
				must.Do(t, err)
				alone := (&suite.Config{Worlds: []suite.World{{Argument: "w", World: w}},
					Seeds: []uint64{job.Seed}}).Run(t.Context(), nil).Worlds[0].Results[0].JSON()
				for n := range alone.Expectations {
					alone.Expectations[n].Place = "" // a bundle has no lines of files
				}
				if r.StateHash == "" || r.StateHash != alone.StateHash || r.Passed != alone.Passed || r.Error != "" ||
					len(r.Expectations) != 1 || r.Expectations[0] != alone.Expectations[0] {
					t.Errorf("%s: %+v, alone %+v", job.Key, r, alone)
				}
			}
			if r.Passed {
				passed[p.Points[job.Point].Value("vars.speed")]++
			}
		}
		if passed["1"] != 0 || passed["3"] == 0 || passed["6"] == 0 {
			t.Errorf("passed by speed: %v", passed)
		}
	}
	if tables[0].String() != tables[1].String() || strings.Count(tables[0].String(), "\n") != 37 {
		t.Errorf("one worker:\n%s\nthree:\n%s", &tables[0], &tables[1])
	}
}

// TestResume checks that a sweep which ended with its server resumes where it was. Jobs with a result must not run
// again.
func TestResume(t *testing.T) {
	p, folder := pretendedPlan(60), t.TempDir()
	ran := 0
	for round := 0; ; round++ {
		server := serve(t, cluster.ServerConfig{Folder: filepath.Join(folder, "nats")})
		ctx, stop := context.WithCancel(t.Context())
		e := &pretended{span: 2 * time.Millisecond}
		c := Coordinator{Plan: p, Connect: server.Connect, Entry: Entry{Version: "v", Probe: "p", Lease: time.Hour},
			Workers: []*Worker{{Name: "a", Execute: e}, {Name: "b", Execute: e}}}
		before := -1
		c.Progress = func(done, _, b int) {
			if before = b; done-b >= 25 {
				stop()
			}
		}
		var o *Outcome
		err := c.Run(ctx, func(got *Outcome) error { o = got; return nil })
		stop()
		server.Close()
		ran += len(e.done)
		if err == nil {
			want(t, o)
			break
		}
		if !errors.Is(err, context.Canceled) || round > 3 {
			t.Fatalf("round %d: %v", round, err)
		}
		if n := o.Counts(); n.NotRun == 0 || n.Passed < 25*(round+1) {
			t.Fatalf("round %d: %+v, %d before", round, n, before)
		}
	}
	// Each of the two workers may have been in a job at each of the two ends.
	if ran < 60 || ran > 64 {
		t.Errorf("%d runs of 60 jobs", ran)
	}
}

// TestWhateverDies checks that each job has one result after any crash. Workers are killed in the middle of a job, the
// server restarts, and workers share a name.
func TestWhateverDies(t *testing.T) {
	for n := range *schedules {
		t.Run(fmt.Sprint(n), func(t *testing.T) { dying(t, rand.New(rand.NewPCG(uint64(n), 26))) })
	}
}

func dying(t *testing.T, random *rand.Rand) {
	p, folder := pretendedPlan(100), t.TempDir()
	config := cluster.ServerConfig{Folder: filepath.Join(folder, "nats"), Join: filepath.Join(folder, "join"),
		Listen: "0.0.0.0:0"}
	server := serve(t, config)
	config.Listen = server.Address
	started := 0
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "OMNIPITCH_TEST_WORKER="+config.Join)
		cmd.Stderr = os.Stderr
		must.Do(t, cmd.Start())
		started++
		return cmd
	}
	type end struct {
		o   *Outcome
		err error
	}
	ended, begun := make(chan end, 1), make(chan int, 1000)
	c := Coordinator{Plan: p, Connect: func() (*nats.Conn, error) { return connectBy(config.Join, "test") },
		Entry: Entry{Version: "v", Probe: "p", Lease: 300 * time.Millisecond}}
	c.Progress = func(done, _, _ int) { begun <- done }
	go func() {
		var o *Outcome
		err := c.Run(t.Context(), func(got *Outcome) error { o = got; return nil })
		ended <- end{o, err}
	}()
	for { // workers find nothing to do until the sweep exists
		nc, err := server.Connect()
		must.Do(t, err)
		js, _ := jetstreamOf(nc)
		reg, _ := openRegistry(t.Context(), js)
		found := false
		if reg != nil {
			_, err := entry(t.Context(), reg, p.ID)
			found = err == nil
		}
		nc.Close()
		if found {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	children := []*exec.Cmd{start(), start()}
	kills, restarts := 0, 0
	next := 5
	for {
		select {
		case e := <-ended:
			for _, child := range children {
				if err := child.Wait(); err != nil {
					t.Errorf("worker: %v", err)
				}
			}
			if e.err != nil {
				t.Fatal(e.err)
			}
			want(t, e.o)
			if kills < 2 || restarts < 1 {
				t.Errorf("only %d kills and %d restarts", kills, restarts)
			}
			t.Logf("%d kills, %d restarts", kills, restarts)
			return
		case done := <-begun:
			if done < next || done > 80 {
				continue
			}
			next = done + 5 + random.IntN(15)
			if kills >= 2 && (restarts == 0 || random.IntN(3) == 0) {
				server.Close()
				server = serve(t, config)
				restarts++
				continue
			}
			i := random.IntN(len(children))
			children[i].Process.Kill()
			children[i].Wait()
			children[i] = start()
			kills++
		}
	}
}

// TestResultsOnce checks that the second of two results of a job is dropped. If it differs, it must be kept as a
// deviating result and reported.
func TestResultsOnce(t *testing.T) {
	p := pretendedPlan(3)
	server := serve(t, cluster.ServerConfig{})
	nc, err := server.Connect()
	must.Do(t, err)
	defer nc.Close()
	q, err := createQueue(t.Context(), nc, p.ID, time.Second, 1)
	must.Do(t, err)
	result := func(job int, worker, hash string) *Result {
		return &Result{Job: p.Jobs[job].Key, Worker: worker, RunResult: suite.RunResult{Passed: true, StateHash: hash,
			Seed: p.Jobs[job].Seed}}
	}
	for _, c := range []struct {
		r     *Result
		first bool
	}{{result(0, "a", pretendedHash(p.Jobs[0].Key)), true}, {result(0, "b", pretendedHash(p.Jobs[0].Key)), false},
		{result(1, "a", "1"), true}, {result(1, "b", "2"), false}, {result(1, "c", "3"), false}} {
		first, err := q.finish(t.Context(), c.r, true)
		if err != nil || first != c.first {
			t.Errorf("%+v: first %v, %v", c.r, first, err)
		}
	}
	e := &pretended{}
	o, err := sweepWith(t.Context(), t, p, server.Connect, e)
	if err != nil || len(e.done) != 1 || e.done[0] != p.Jobs[2].Key {
		t.Fatalf("%v, ran %v", err, e.done)
	}
	if o.Results[1].StateHash != "1" || len(o.Differ) != 1 || o.Differ[0].StateHash != "2" {
		t.Errorf("%+v, differ %+v", o.Results[1], o.Differ)
	}
	var text bytes.Buffer
	if err := o.Print(&text); err != nil || !strings.Contains(text.String(),
		"w, seed 1: a second run ended in another state, 2: the run is not reproducible") {
		t.Errorf("%v\n%s", err, &text)
	}
	must.Do(t, q.push(t.Context(), &p.Jobs[0]))
	if err := q.push(t.Context(), &p.Jobs[0]); err != nil { // it is already there
		t.Error(err)
	}
	if info, err := q.stream.Info(t.Context()); err != nil || info.State.Msgs != 1 {
		t.Errorf("%v, %d jobs in the queue, want 1", err, info.State.Msgs)
	}
}

// TestRefusals checks that workers are refused with a sentence if they would give other results or start forbidden
// programs. A message that requests such a job must be refused too.
func TestRefusals(t *testing.T) {
	e := Entry{Name: "s", Version: "v", Probe: "p", Programs: true}
	for _, c := range []struct {
		w    Worker
		want string
	}{
		{Worker{Version: "v2", Probe: "p", Programs: true},
			`this worker is refused: sweep s is of "v", this program is "v2"`},
		{Worker{Version: "v", Probe: "q", Programs: true}, "this worker is refused: the probe run of sweep s ends in " +
			"state p, here in q"},
		{Worker{Version: "v", Probe: "p"}, "this worker is refused: worlds of sweep s start programs, " +
			"which needs a worker with --programs"},
	} {
		if err := c.w.admit(&e); err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, ErrRefused) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := (&Worker{Version: "v", Probe: "p", Programs: true}).admit(&e); err != nil {
		t.Error(err)
	}
	server := serve(t, cluster.ServerConfig{})
	nc, err := server.Connect()
	must.Do(t, err)
	defer nc.Close()
	for _, version := range []string{"v", "v2"} { // it works for "v" and reports "v2"
		plan := pretendedPlan(4)
		plan.ID += version
		q, err := createQueue(t.Context(), nc, plan.ID, time.Second, 1)
		if err == nil {
			err = (&Coordinator{Plan: plan}).fill(t.Context(), q, &Entry{ID: plan.ID, Name: "s" + version,
				Version: version, Probe: "p", Lease: time.Second}, nil)
		}
		must.Do(t, err)
	}
	done, err := (&Worker{Version: "v", Probe: "p", Execute: &pretended{}}).Serve(t.Context(), nc)
	if done != 4 || err == nil || err.Error() != `this worker is refused: sweep sv2 is of "v2", this program is "v"` {
		t.Errorf("%d jobs, %v", done, err)
	}
	w, err := worlds.Parse("p.toml", []byte(fixed+"[[program]]\nname = \"x\"\ncommand = [\"touch\", \"/nowhere\"]\n"))
	must.Do(t, err)
	p := &Plan{File: &File{Worlds: []string{"p.toml"}}, Points: []Point{nil}, packed: map[string][]byte{}}
	sum, sourced, err := p.pack(0, 0, w)
	if sourced {
		t.Error("a world with programs is packed as it lies")
	}
	must.Do(t, err)
	_, _, err = (&Simulator{}).Execute(t.Context(), &Job{Name: "p", Bundle: sum}, false, "",
		func() ([]byte, error) { return p.packed[sum], nil })
	if !errors.Is(err, ErrRefused) {
		t.Errorf("a job that starts a program: %v", err)
	}
	r, _, err := (&Simulator{}).Execute(t.Context(), &Job{Name: "p", Bundle: "0" + sum[1:]}, false, "",
		func() ([]byte, error) { return p.packed[sum], nil })
	if err != nil || !strings.Contains(r.Error, "checksum") {
		t.Errorf("another bundle: %v, %+v", err, r)
	}
}

// TestProbe checks that the probe run is repeatable and that something moves in it.
func TestProbe(t *testing.T) {
	a, err := Probe(t.Context())
	must.Do(t, err)
	b, err := Probe(t.Context())
	if err != nil || a != b || len(a) != 16 {
		t.Errorf("%v: %s and %s", err, a, b)
	}
}

// TestFolder checks that each failure is recorded once, and that a folder accepts no other sweep.
func TestFolder(t *testing.T) {
	p, err := load(t, strings.Replace(grid, "1..3", "1", 1))
	must.Do(t, err)
	path := filepath.Join(t.TempDir(), "out")
	f, err := OpenFolder(path, p, "v")
	must.Do(t, err)
	must.Refuse(OpenFolder(path, p, "v"))(t, "another process", "opened twice")
	server := serve(t, cluster.ServerConfig{Folder: f.Path("nats")})
	c := Coordinator{Plan: p, Connect: server.Connect, Entry: Entry{Version: "v", Probe: "p", Record: true,
		Lease: time.Minute}}
	c.Workers = []*Worker{{Name: "w", Execute: &Simulator{Record: &recorder.Config{Program: "v"}}}}
	var o *Outcome
	must.Do(t, c.Run(t.Context(), func(got *Outcome) error { o = got; return f.Keep(t.Context(), got) }))
	recorded, err := filepath.Glob(f.Path("recordings/*.mcap"))
	if n := o.Counts(); err != nil || n.Failed == 0 || len(recorded) != n.Failed {
		t.Errorf("%v, %d recordings, %+v", err, len(recorded), n)
	}
	for _, path := range recorded {
		if text, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(text, []byte("\x89MCAP0\r\n")) ||
			!bytes.HasSuffix(text, []byte("\x89MCAP0\r\n")) {
			t.Errorf("%s: %v, %d bytes", path, err, len(text))
		}
	}
	for i, r := range o.Results {
		file := fmt.Sprintf("again/w%d.p%d.toml", r.World, r.Point)
		if r.Passed {
			if r.Again != "" {
				t.Errorf("%s has passed, and is done again by %s", r.Job, r.Again)
			}
			continue
		}
		w, err := worlds.Load(f.Path(file))
		must.Do(t, err)
		if was, err := p.world(o.Jobs[i].World, o.Jobs[i].Point); err != nil || !same(was, w) ||
			r.Again != "omnipitch test "+f.Path(file)+" --seeds 1" {
			t.Errorf("%s: %v, %s, same: %v", r.Job, err, r.Again, same(was, w))
		}
	}
	html, err := os.ReadFile(f.Path("report.html"))
	must.Do(t, err)
	for _, want := range []string{"<title>grid</title>", "Runs that passed, by vars.speed", "robot[cyan1].body.mass_kg",
		`href="recordings/w0.p0.s1.mcap"`, "there: failed at"} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the report lacks %s", want)
		}
	}
	if bytes.Contains(html, []byte("<script")) || bytes.Contains(html, []byte("ZgotmplZ")) {
		t.Error("the report has a script, or something that is not escaped")
	}
	must.Do(t, f.Close())
	other, err := load(t, grid)
	must.Do(t, err)
	for _, c := range []struct {
		path, version string
		plan          *Plan
		want          string
	}{{path, "v", other, "with another sweep file"}, {path, "v2", p, `of version "v", and this program is "v2"`},
		{filepath.Dir(path), "v", p, "must be empty or the folder of this sweep"}} {
		must.Refuse(OpenFolder(c.path, c.plan, c.version))(t, c.want)
	}
}

// BenchmarkJob measures the overhead of a job besides its run, with one worker in this process: queueing, fetching,
// writing the result and gathering it.
func BenchmarkJob(b *testing.B) {
	server := serve(b, cluster.ServerConfig{})
	p := pretendedPlan(b.N)
	b.ResetTimer()
	o, err := sweepWith(b.Context(), b, p, server.Connect, &pretended{})
	must.Do(b, err)
	b.StopTimer()
	want(b, o)
}

func jetstreamOf(nc *nats.Conn) (jetstream.JetStream, error) { return jetstream.New(nc) }
