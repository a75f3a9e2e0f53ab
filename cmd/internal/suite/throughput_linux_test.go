package suite

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Flags that `make verify-suite` sets to larger values.
var (
	suiteRuns = flag.Int("suite.runs", 13, "how many runs TestThroughput compares with runs one after the other")
	suiteFor  = flag.Duration("suite.for", 2*time.Second, "sim time of each, more than the 1.2 s after which "+
		"sensors are expected to deliver")
	suiteLeast = flag.Float64("suite.least", 0, "ratio of throughput that TestThroughput asks for")
)

// usage is the wall time and processor time of a piece of work.
type usage struct{ wall, cpu time.Duration }

func (u *usage) measure(f func()) {
	wall, cpu := time.Now(), cpuTime()
	f()
	u.wall, u.cpu = u.wall+time.Since(wall), u.cpu+cpuTime()-cpu
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestThroughput compares a suite of ten robots at level objects with the same runs one after the other. Each single
// run is read, started and simulated as by the command run, with a worker next to the physics. All runs must end in the
// same states. A longer suite must not need more memory.
func TestThroughput(t *testing.T) {
	path := filepath.Join("testdata", "match.toml")
	w, err := worlds.Load(path)
	must.Do(t, err)
	var together, oneByOne usage
	var heap, resident []int
	states := map[uint64]bool{}
	// Blocks of both kinds of runs alternate, which spreads other load on the machine over both. A leak shows only from
	// the third block on.
	block := max(1, min(12, *suiteRuns/3))
	for first := 0; first < *suiteRuns; first += block {
		seeds := seedsFrom(first, min(block, *suiteRuns-first))
		var o *Outcome
		together.measure(func() {
			o = (&Config{Worlds: []World{{path, w}}, Seeds: seeds, Jobs: runtime.NumCPU(), For: *suiteFor}).Run(
				t.Context(), nil)
		})
		heap, resident = append(heap, heapInUse()), append(resident, residentMemory(t))
		oneByOne.measure(func() {
			for i := range o.Worlds[0].Results {
				r := &o.Worlds[0].Results[i]
				if hash := single(t, path, r.Seed); r.Hash != hash || r.Failed() {
					t.Errorf("seed %d: state %x, alone %x; %v", r.Seed, r.Hash, hash, r.reasons())
				}
				states[r.Hash] = true
			}
		})
	}
	n := float64(*suiteRuns)
	t.Logf("a suite: %.0f ms of wall time a run, %.0f ms of CPU time; one after the other: %.0f ms, %.0f ms",
		1e3*together.wall.Seconds()/n, 1e3*together.cpu.Seconds()/n, 1e3*oneByOne.wall.Seconds()/n,
		1e3*oneByOne.cpu.Seconds()/n)
	ratio := oneByOne.wall.Seconds() / together.wall.Seconds()
	t.Logf("throughput is %.2f times that of one after the other by wall time, %.2f by CPU time", ratio,
		oneByOne.cpu.Seconds()/together.cpu.Seconds())
	t.Logf("heap %v MB, resident %v MB", heap, resident)
	if len(states) != *suiteRuns {
		t.Errorf("%d states of %d seeds", len(states), *suiteRuns)
	}
	// A leak shows over many runs. The Go runtime and the C library vary by some MB.
	if last := len(heap) - 1; heap[last] > heap[0]+4 || resident[last] > resident[min(1, last)]+64 {
		t.Errorf("memory grows: heap %v MB, resident %v MB", heap, resident)
	}
	if ratio < *suiteLeast {
		t.Errorf("throughput is %.2f times that of one after the other, and is to be %v times", ratio, *suiteLeast)
	}
}

func seedsFrom(first, n int) (all Seeds) {
	for i := range n {
		all = append(all, uint64(first+i+1))
	}
	return all
}

// single runs a world once, as the command run does, and returns the hash of its last state.
func single(t *testing.T, path string, seed uint64) uint64 {
	w, err := worlds.Load(path)
	if err == nil {
		w, err = w.WithSeed(seed)
	}
	must.Do(t, err)
	sim, err := omnipitch.New(w, omnipitch.Options{})
	must.Do(t, err)
	defer sim.Close()
	report, err := sim.Run(t.Context(), omnipitch.Pace{For: *suiteFor, Speed: timesync.Max})
	must.Do(t, err)
	return report.Hash
}

// heapInUse returns the size of the Go heap in MB.
func heapInUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc >> 20)
}

// residentMemory returns the resident memory of the process in MB.
func residentMemory(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	must.Do(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	must.Do(t, err)
	return pages * os.Getpagesize() >> 20
}
