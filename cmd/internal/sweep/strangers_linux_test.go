package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// stranger writes invalid data to the server of a sweep before its workers connect.
type stranger struct {
	t testing.TB
	q *queue
}

func (s stranger) message(job string, text string) {
	s.t.Helper()
	must.Get(s.q.js.Publish(s.t.Context(), subject(s.q.id, job), []byte(text)))(s.t)
}

func (s stranger) file(name string, data []byte) {
	s.t.Helper()
	must.Get(s.q.files.PutBytes(s.t.Context(), name, data))(s.t)
}

func (s stranger) result(key, text string) {
	s.t.Helper()
	must.Get(s.q.results.Put(s.t.Context(), key, []byte(text)))(s.t)
}

// TestStrangers checks that data written by a stranger ends no worker and no sweep, and starts nothing. Invalid
// messages must make way for the jobs. An impossible job must fail with the reason, and so must a run whose key holds
// somebody else's result.
func TestStrangers(t *testing.T) {
	t.Parallel() // it waits for a missing bundle
	p, err := load(t, "name = \"strangers\"\nworlds = [\"fixed.toml\"]\nseeds = \"1..12\"\n")
	must.Do(t, err)
	if len(p.Jobs) != 12 {
		t.Fatalf("%d jobs", len(p.Jobs))
	}
	encoder, err := zstd.NewWriter(nil)
	must.Do(t, err)
	server := serve(t, cluster.ServerConfig{})
	nc, err := server.Connect()
	must.Do(t, err)
	defer nc.Close()
	q, err := createQueue(t.Context(), nc, p.ID, time.Second, 1)
	must.Do(t, err)
	s := stranger{t, q}
	started := filepath.Join(t.TempDir(), "started")
	w, err := worlds.Parse("p.toml",
		[]byte(fixed+"[[program]]\nname = \"x\"\ncommand = [\"touch\", \""+started+"\"]\n"))
	must.Do(t, err)
	other := &Plan{File: &File{Worlds: []string{"p.toml"}}, Points: []Point{nil}, packed: map[string][]byte{}}
	starts, _, err := other.pack(0, 0, w)
	must.Do(t, err)
	s.file(starts, other.packed[starts])
	want := map[string]string{} // errors by job
	job := func(i int, bundle, reason string) {
		j := p.Jobs[i]
		j.Bundle = bundle
		s.message(j.Key, mustJSON(&j))
		want[j.Key] = reason
	}
	// Invalid messages replace jobs 0 to 3. These jobs must still run.
	s.message(p.Jobs[0].Key, "{")
	s.message(p.Jobs[1].Key, mustJSON(&p.Jobs[2]))
	s.message(p.Jobs[2].Key, strings.Replace(mustJSON(&p.Jobs[2]), `"world":0`, `"world":7`, 1))
	s.message(p.Jobs[3].Key, strings.Repeat("[", 900_000))
	s.message("no.job", "x")
	forever := p.Jobs[4]
	forever.For = 1e300
	s.message(forever.Key, mustJSON(&forever))
	none := strings.Repeat("0", 64)
	job(5, none, "bundle of the world: NATS: nats: object not found")
	s.file(strings.Repeat("1", 64), []byte("another"))
	job(6, strings.Repeat("1", 64), "bundle of the world: wrong checksum")
	data := encoder.EncodeAll([]byte(`{"world.toml": `), nil)
	hash := sha256.Sum256(data)
	s.file(hex.EncodeToString(hash[:]), data)
	job(7, hex.EncodeToString(hash[:]), "bundle of the world: unexpected end of JSON input")
	data, sum, err := cluster.Pack(worlds.Bundle{"world.toml": []byte("include = [\"../../secret.toml\"]\n"),
		"../../secret.toml": []byte(fixed)})
	must.Do(t, err)
	s.file(sum, data)
	job(8, sum, `"../../secret.toml": must be a path`)
	job(9, starts, "world fixed.toml starts programs, but the entry of the sweep does not say so: none was started")
	s.result(resultKey+p.Jobs[10].Key, "\x00\xff")
	want[p.Jobs[10].Key] = "the value of r.w0.p0.s11 in NATS is no result of this run: "
	s.result(resultKey+p.Jobs[11].Key, mustJSON(&Result{Job: p.Jobs[0].Key, RunResult: suite.RunResult{Passed: true}}))
	want[p.Jobs[11].Key] = "the value of r.w0.p0.s12 in NATS is no result of this run: belongs to another run"
	for _, key := range []string{"r.w7.p0.s1", "r.stranger", "stranger", "x.stranger", "x.w0.p0.s99"} {
		s.result(key, mustJSON(&Result{Job: p.Jobs[0].Key, World: 7}))
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	simulator := &Simulator{}
	o, err := sweepWith(ctx, t, p, server.Connect, simulator, simulator)
	must.Do(t, err)
	for i, r := range o.Results {
		reason := want[p.Jobs[i].Key]
		if r == nil || r.Job != p.Jobs[i].Key || (reason == "") != (r.Error == "") || !strings.HasPrefix(r.Error,
			reason) || (reason == "") != (r.StateHash != "") || strings.Contains(r.Error, "\n") {
			t.Errorf("%s: %+v, want %q", p.Jobs[i].Key, r, reason)
		}
	}
	if len(o.Differ) > 0 {
		t.Errorf("these differ: %+v", o.Differ[0])
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a stranger's program was started")
	}
	// A worker reports an invalid sweep, skips a partly removed one, and does the jobs of the others.
	must.Get(q.registry.Put(t.Context(), "strange", []byte("{")))(t)
	must.Get(q.registry.Put(t.Context(), "gone", []byte(mustJSON(&Entry{Name: "gone", Version: "v", Probe: "p"}))))(t)
	more := pretendedPlan(3)
	own, err := createQueue(t.Context(), nc, more.ID, time.Second, 1)
	if err == nil {
		err = (&Coordinator{Plan: more}).fill(t.Context(), own, &Entry{Name: "more", Version: "v", Probe: "p",
			Lease: time.Second}, nil)
	}
	must.Do(t, err)
	done, err := (&Worker{Version: "v", Probe: "p", Execute: &pretended{}}).Serve(t.Context(), nc)
	if done != 3 || err == nil || !strings.HasPrefix(err.Error(), "sweep strange: ") || strings.Contains(err.Error(),
		"\n") {
		t.Errorf("%d runs, %v", done, err)
	}
}

// TestKeepWithoutRecordings checks that results are written although their recordings are missing on the server. The
// missing recording must be an error.
func TestKeepWithoutRecordings(t *testing.T) {
	p := pretendedPlan(1)
	f, err := OpenFolder(filepath.Join(t.TempDir(), "out"), p, "v")
	must.Do(t, err)
	defer f.Close()
	o := &Outcome{Plan: p, Results: []*Result{{Job: p.Jobs[0].Key, Stored: "gone"}}, Fetch: func(context.Context,
		*Result) ([]byte, error) {
		return nil, jetstream.ErrObjectNotFound
	}}
	must.Fail(t, f.Keep(t.Context(), o), "recording of w0.p0.s0: ")
	if text, err := os.ReadFile(f.Path("results.csv")); err != nil || bytes.Count(text, []byte("\n")) != 2 ||
		bytes.Contains(text, []byte("recordings/")) {
		t.Errorf("%v\n%s", err, text)
	}
}

// FuzzStrangers checks that no bytes under any key cause a panic in any reader: of jobs, of results with all their
// output files, and of bundles.
func FuzzStrangers(f *testing.F) {
	p := &Plan{File: &File{Name: "f", Worlds: []string{"w", "v"}}, ID: "id", Points: []Point{{{Key: "a", Value: 1.0}},
		{{Key: "a", Value: 2.0}}}, Keys: []string{"a"}}
	jobs := map[string]*Job{}
	for i := range 4 {
		p.Jobs = append(p.Jobs, Job{Key: jobKey(i/2, i%2, 1), World: i / 2, Point: i % 2, Seed: 1, Name: p.Worlds[i/2]})
	}
	for i := range p.Jobs {
		jobs[p.Jobs[i].Key] = &p.Jobs[i]
	}
	r := Result{Job: p.Jobs[3].Key, World: 1, Point: 1, RunResult: suite.RunResult{Seed: 1, Sim: 1e300,
		Expectations: []suite.Expectation{{Name: "e", Outcome: "passed", At: -1e308}, {Name: "e", Outcome: "passed",
			At: 1e308}}}}
	for _, text := range []string{mustJSON(&p.Jobs[3]), mustJSON(&r), "null", "{}", "[", `{"expectations": null}`} {
		f.Add(resultKey+p.Jobs[3].Key, []byte(text))
		f.Add(differKey+p.Jobs[3].Key, []byte(text))
		f.Add(subject(p.ID, p.Jobs[3].Key), []byte(text))
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	must.Do(f, err)
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		if job, err := readJob(p.ID, key, data); err == nil && jobKey(job.World, job.Point, job.Seed) != job.Key {
			t.Errorf("job %+v", job)
		}
		o := &Outcome{Plan: p, Results: make([]*Result, len(p.Jobs))}
		o.Results[0] = &Result{Job: p.Jobs[0].Key, RunResult: suite.RunResult{Seed: 1,
			Expectations: []suite.Expectation{{Name: "e", Outcome: "passed", At: 1}}}}
		if r, differs := readResult(jobs, key, data); differs {
			o.Differ = append(o.Differ, r)
		} else if r != nil {
			o.Results[r.World*2+r.Point] = r
		}
		for i, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return o.Print(b) }, func(b *bytes.Buffer) error { return o.WriteCSV(b) },
			func(b *bytes.Buffer) error { return o.WriteJSON(b) },
			func(b *bytes.Buffer) error { return o.WriteHTML(b) },
		} {
			if err := write(&bytes.Buffer{}); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
		for _, packed := range [][]byte{data, encoder.EncodeAll(data, nil)} {
			hash := sha256.Sum256(packed)
			if files, err := cluster.Unpack(packed, hex.EncodeToString(hash[:])); err == nil {
				_, _ = worlds.LoadBundle(files)
			}
		}
	})
}

// TestErrorsOfRuns checks that an error of a run is its result, and that only an error of the machine ends the worker.
func TestErrorsOfRuns(t *testing.T) {
	p, err := load(t, "name = \"errors\"\nworlds = [\"fixed.toml\"]\nseeds = \"1\"\n")
	must.Do(t, err)
	job := &p.Jobs[0]
	for _, c := range []struct {
		err  error
		ends bool
	}{
		{console.BadInputf("robots[0].ros1: profiles[0] = \"x.toml\": cannot be read"), false},
		{console.BadInput(fs.ErrNotExist), false},
		{errors.New("a program ended"), false},
		{console.Unavailablef("no renderer"), true},
		{fmt.Errorf("recording: %w", syscall.ENOSPC), true},
	} {
		s := &Simulator{Beside: func(*worlds.World, *omnipitch.Options) suite.Simulate {
			return func(context.Context, *omnipitch.Sim, omnipitch.Pace, func(context.Context, omnipitch.Pace) (
				*omnipitch.Report, error)) (*omnipitch.Report, error) {
				return nil, c.err
			}
		}}
		r, _, err := s.Execute(t.Context(), job, false, "", func() ([]byte, error) { return p.packed[job.Bundle], nil })
		if c.ends != errors.Is(err, c.err) || !c.ends && (r == nil || r.Error != c.err.Error() || r.Passed) {
			t.Errorf("%v: got %+v, %v, want the worker to end: %v", c.err, r, err, c.ends)
		}
	}
}

// TestWorkersOutliveAnUnreadableProfile checks that a job whose world names a profile outside of its bundle ends none
// of four workers: the job has failed, and the workers do all other jobs. The world waits for a topic, so that its run
// connects to ROS.
func TestWorkersOutliveAnUnreadableProfile(t *testing.T) {
	p, err := load(t, "name = \"outlive\"\nworlds = [\"fixed.toml\"]\nseeds = \"1..12\"\n")
	must.Do(t, err)
	server := serve(t, cluster.ServerConfig{})
	nc, err := server.Connect()
	must.Do(t, err)
	defer nc.Close()
	q, err := createQueue(t.Context(), nc, p.ID, time.Second, 1)
	must.Do(t, err)
	s := stranger{t, q}
	data, sum, err := cluster.Pack(worlds.Bundle{"world.toml": []byte(strings.Replace(fixed, "name = \"cyan1\"\n",
		"name = \"cyan1\"\nros1.profiles = [\"../../outside/none.toml\"]\n", 1) + "[[expect]]\nname = \"heard\"\n" +
		"eventually = { topic_rate = { topic = \"/cyan1/odom\", over_hz = 10, window_s = 0.1 } }\nwithin_s = 0.2\n")})
	must.Do(t, err)
	s.file(sum, data)
	bad := p.Jobs[0]
	bad.Bundle = sum
	s.message(bad.Key, mustJSON(&bad))
	workers := make([]Executor, 4)
	for i := range workers {
		workers[i] = &Simulator{Beside: func(w *worlds.World, opts *omnipitch.Options) suite.Simulate {
			if len(w.Topics()) == 0 {
				return nil
			}
			topics := robotio.NewTopics()
			opts.Topics = topics
			return func(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace, run func(context.Context,
				omnipitch.Pace) (*omnipitch.Report, error)) (*omnipitch.Report, error) {
				return program.Run(ctx, sim, pace, program.Options{Topics: topics, Errs: io.Discard, Run: run})
			}
		}}
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	o, err := sweepWith(ctx, t, p, server.Connect, workers...)
	must.Do(t, err)
	for i, r := range o.Results {
		if r == nil || (i == 0) == (r.Error == "") || i == 0 && (r.Passed || !strings.Contains(r.Error, "none.toml")) {
			t.Errorf("%s: %+v", p.Jobs[i].Key, r)
		}
	}
}
