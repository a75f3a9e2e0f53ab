package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

var (
	sweepSchedules = flag.Int("sweep.schedules", 0, "random schedules of faults that a sweep of 96 runs goes "+
		"through, with cuts of 10 s; 0: a short one")
	sweepFirst = flag.Uint64("sweep.first", 1, "the seed of the first schedule")
)

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

// faultScale is the size of a schedule.
type faultScale struct {
	seeds  int     // for each of eight points
	forS   float64 // sim time of a run
	cut    time.Duration
	leases []time.Duration
	faults []string // faults of each schedule, in random order
	more   int      // number of additional random faults
	outers []bool   // whether the server is a separate process
	tenths int      // tenths of the time in which workers compute, except the slow one: 1 to 10
	jobs   []int    // concurrent jobs of the sweep itself
}

// TestSweepFaults checks that a sweep has the results of a single process, each once, despite faults. Workers are
// killed, cut off for longer than their lease, ten times slower than others, and share names. Sweep and server are
// killed and restarted.
func TestSweepFaults(t *testing.T) {
	t.Parallel() // mostly it waits
	args := []string{"-sweep.schedules", strconv.Itoa(*sweepSchedules), "-sweep.first", strconv.FormatUint(*sweepFirst,
		10)}
	if withinNamespace(t, args...) {
		return
	}
	scale := faultScale{
		seeds: 2, forS: 30, cut: 2 * time.Second, leases: []time.Duration{time.Second}, faults: []string{"cut", "kill",
			"sweep"}, outers: []bool{false}, tenths: 3, jobs: []int{0},
	}
	if *sweepSchedules > 0 {
		scale = faultScale{
			seeds: 12, forS: 60, cut: 10 * time.Second, leases: []time.Duration{2 * time.Second, 30 * time.Second},
			faults: []string{"cut", "kill", "sweep", "server"}, more: 2,
			outers: []bool{false, true}, tenths: 10, jobs: []int{0, 0, 1},
		}
	}
	folder := t.TempDir()
	file, want := filepath.Join(folder, "faults.toml"), filepath.Join(folder, "alone")
	noError(t, os.WriteFile(file, fmt.Appendf(nil, faultySweep, scale.seeds, scale.forS), 0o644))
	alone := start(t, "", program(t), "sweep", file, "--out", want)
	until(t, "the sweep without faults", alone.ended)
	if code := alone.exitCode(); code != console.ExitFailed { // slow robots fail
		t.Fatalf("without faults: exit code %d", code)
	}
	late := 0
	for i := range uint64(max(*sweepSchedules, 1)) {
		t.Run(fmt.Sprint(*sweepFirst+i), func(t *testing.T) {
			s := &schedule{t: t, scale: &scale, file: file, want: want,
				random: rand.New(rand.NewPCG(*sweepFirst+i, 31))}
			s.run()
			late += s.late
		})
	}
	if late == 0 && *sweepSchedules > 0 { // in a short one, the cut-off worker may have been between two runs
		t.Error("no result came late: nothing was compared and dropped")
	}
	t.Logf("%d results came late, and were dropped", late)
}

// judge compares the remaining files with the sweep of one process.
func (s *schedule) judge(out string, total int) {
	t := s.t
	var tables [2][]byte
	var results [2]map[string]string // hash and verdict by job
	for i, folder := range []string{s.want, out} {
		var err error
		if tables[i], err = os.ReadFile(filepath.Join(folder, "results.csv")); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "results.json"))
		var all struct {
			Results []struct {
				Job    string
				Passed bool
				Hash   string `json:"state_hash"`
			}
		}
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil {
			t.Fatal(err)
		}
		results[i] = map[string]string{}
		for _, r := range all.Results {
			if results[i][r.Job] != "" || len(r.Hash) != 16 {
				t.Errorf("%s: %s is there twice, or without a hash: %q", folder, r.Job, r.Hash)
			}
			results[i][r.Job] = fmt.Sprint(r.Hash, r.Passed)
		}
	}
	if !bytes.Equal(tables[0], tables[1]) {
		t.Errorf("alone\n%s\nwith faults\n%s", tables[0], tables[1])
	}
	for job, want := range results[0] {
		if got := results[1][job]; got != want {
			t.Errorf("%s: %s, alone %s", job, got, want)
		}
	}
	if len(results[0]) != total || len(results[1]) != total {
		t.Errorf("%d results alone, %d with faults, want %d", len(results[0]), len(results[1]), total)
	}
	s.judgeStore(total)
}

// judgeStore checks that each result was written once. The last sequence number of the bucket must equal its number of
// entries. Each entry must belong to a different job, and none may be a deviating result.
func (s *schedule) judgeStore(total int) {
	t := s.t
	server := must(cluster.Serve(cluster.ServerConfig{Folder: s.store}))(t)
	defer server.Close()
	nc := must(server.Connect())(t)
	defer nc.Close()
	js := must(jetstream.New(nc))(t)
	stream := must(js.Stream(t.Context(), "KV_SWEEP_"+s.id+"_results"))(t)
	info := must(stream.Info(t.Context(), jetstream.WithSubjectFilter(">")))(t)
	if st := info.State; st.Msgs != uint64(total) || st.LastSeq != uint64(total) || len(st.Subjects) != total {
		t.Errorf("%d entries of %d jobs, the last is number %d: want %d", st.Msgs, len(st.Subjects), st.LastSeq, total)
	}
	for subject := range info.State.Subjects {
		if !strings.Contains(subject, "_results.r.") {
			t.Errorf("%s: is no result", subject)
		}
	}
}
