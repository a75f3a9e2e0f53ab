package assess

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Flags that `make verify-agreement` sets to larger values.
var (
	agreeFor = flag.Duration("agree.for", 0, "sim time of each of two runs that are judged, a quarter of it of "+
		"each of two that are learned from; 0: one short run judges what ships")
	agreeLeast = flag.Int("agree.least", 80, "samples of a band that is judged, at least")
	agreeOut   = flag.String("agree.out", "", "a folder for the fits and the tables of samples")
)

// assessedTopics are the topics of a vision that runs in this process, with the message types that they would have.
var assessedTopics = []struct {
	Topic
	typ string
}{
	{Topic{"vision/pose", Self}, "geometry_msgs/PoseStamped"},
	{Topic{"vision/ball", Ball}, "geometry_msgs/PointStamped"},
	{Topic{"vision/obstacles", Obstacles}, "geometry_msgs/PoseArray"},
}

const assessedRange = 7.0 // m

// Camera rates in Hz. Closely spaced frames measure how long errors last. Many separate scenes measure the distribution
// of errors.
const (
	closely = 10
	seldom  = 4
)

// tell passes an assessment what a vision reports about a frame.
func (a *Assessment) tell(now, stamp time.Duration, s said) {
	for i, t := range a.topics {
		t.form = &forms[slices.IndexFunc(forms, func(f form) bool { return f.typ == assessedTopics[i].typ })]
		m := message{topic: i, stamp: stamp, arrived: now, stamped: true}
		switch t.Kind {
		case Self:
			if s.self != nil {
				m.reports = []report{*s.self}
			}
		case Ball:
			m.reports = s.balls
		case Obstacles:
			m.reports = s.obstacles
		}
		if len(m.reports) > 0 || !t.form.single() {
			t.tally.Messages++
			a.receive(t, m)
		}
	}
}

// tourOf assesses several visions at once on one tour through a world.
func tourOf(t testing.TB, w *worlds.World, d time.Duration, visions ...testedVision) (results []*Result) {
	t.Helper()
	topics := robotio.NewTopics()
	sim := must.Get(omnipitch.New(w, omnipitch.Options{Topics: topics}))(t)
	defer sim.Close()
	cfg := Config{Robot: "cyan1", Range: assessedRange}
	for _, k := range assessedTopics {
		cfg.Topics = append(cfg.Topics, k.Topic)
	}
	listen := func(sensor string, observe func(*sensors.Observation)) {
		must.Get(sim.Listen("cyan1", sensor, omnipitch.Listener{Wants: func(abstraction.Level) bool { return true },
			Observe: observe}))(t)
	}
	var all []*Assessment
	for i, v := range visions {
		a := must.Get(New(w, cfg))(t)
		must.Do(t, a.Follow(sim, topics))
		if i == 0 {
			must.Do(t, a.Tour(DriveTour))
		} else {
			a.counts = all[0].counts
		}
		v.begin(sim)
		listen("compass", v.compass)
		listen("odometry", v.odometry)
		listen("omni", func(o *sensors.Observation) { a.tell(sim.Truth().Time, o.Stamp, v.look(o)) })
		all = append(all, a)
	}
	for sim.Truth().Time < d {
		must.Do(t, sim.Step())
	}
	for _, a := range all {
		r := a.Finish()
		r.Close()
		if r.TourError != nil {
			t.Fatal(r.TourError)
		}
		results = append(results, r)
	}
	return results
}

// pool merges the samples of several runs into one result.
func pool(all []*Result) *Result {
	sum := *all[0]
	sum.Samples, sum.Topics = nil, slices.Clone(sum.Topics)
	for i := range sum.Topics {
		sum.Topics[i].counted = 0
	}
	for _, r := range all {
		sum.Samples = append(sum.Samples, r.Samples...)
		for i := range r.Topics {
			sum.Topics[i].counted += r.Topics[i].counted
		}
	}
	return &sum
}

// stay is a run in a hall with a camera rate in Hz.
type stay struct {
	hall *hall
	seed int
	rate float64
	span time.Duration
}

// visionNames are the names of the assessed visions.
var visionNames = [2]string{"ours", "bad"}

// seen assesses both visions in all runs and returns the results of each vision.
func seen(t *testing.T, runs []stay) (of [2][]*Result) {
	t.Helper()
	model := calibrated(t, runs[0].hall)
	for _, s := range runs {
		s.hall.table()
	}
	for _, r := range sideBySide(runs, func(s stay) []*Result {
		r := tourOf(t, s.hall.world(t, s.seed, "raw", s.rate, ""), s.span, newOurs(model, s.hall.table()),
			newBad(model, s.hall.table()))
		for k, name := range visionNames {
			keep(t, fmt.Sprintf("%s-%d-%s.csv", s.hall.name, s.seed, name), r[k].WriteCSV)
		}
		return r
	}) {
		for k := range of {
			of[k] = append(of[k], r[k])
		}
	}
	return of
}

// sideBySide executes runs concurrently on all processors.
func sideBySide(runs []stay, run func(stay) []*Result) [][]*Result {
	results := make([][]*Result, len(runs))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range runs {
		free <- struct{}{}
		wait.Go(func() {
			results[i] = run(s)
			<-free
		})
	}
	wait.Wait()
	return results
}

// keep writes a file to the folder of flag -agree.out.
func keep(t testing.TB, name string, write func(w io.Writer) error) {
	t.Helper()
	if *agreeOut == "" {
		return
	}
	file := must.Get(os.Create(filepath.Join(*agreeOut, name)))(t)
	must.Do(t, errors.Join(write(file), file.Close()))
}

// shippedErrors is the path of a world file with an error model of refbot's vision. It puts all robots of model nubot
// at level objects with that model.
const shippedErrors = "../../refbot/worlds/raw/vision-errors.toml"

// TestLevelsAgree fits an error model to the reports of a vision on raw images. In other halls, lights and scenes, the
// errors of level objects with that model must agree with those of the vision. In short mode the test compares the
// shipped model with one minute of refbot's vision.
func TestLevelsAgree(t *testing.T) {
	attack := newHall(t, "attack", "nubot-attack", "")
	if *agreeFor == 0 {
		const span = 60 * time.Second
		raw := tourOf(t, attack.world(t, 21, "raw", seldom, ""), span, newOurs(calibrated(t, attack), attack.table()))
		compareScenes(t, raw[0], tourOf(t, attack.world(t, 21, "objects", seldom, "",
			must.Get(filepath.Abs(shippedErrors))(t)), span, simulated{})[0])
		return
	}
	bright := newHall(t, "bright", "nubot-attack", "[light]\nlamp = 1.3\nambient = 1.3\nlamp_temperature_k = "+
		"5200\nlamp_azimuth_deg = 140\nlamp_elevation_deg = 60")
	worn := newHall(t, "worn", "worn-hall", "")
	dim := newHall(t, "dim", "nubot-attack", "[light]\nlamp = 0.6\nambient = 0.5\nlamp_azimuth_deg = "+
		"-60\nlamp_elevation_deg = 70")
	learned := seen(t, []stay{{attack, 1, closely, *agreeFor / 4}, {bright, 2, closely, *agreeFor / 4}})
	others := []stay{{worn, 11, seldom, *agreeFor}, {dim, 12, seldom, *agreeFor}}
	judged := seen(t, others)
	models := map[string]string{"shipped": must.Get(filepath.Abs(shippedErrors))(t)} // file paths
	for k, name := range visionNames {
		fit := must.Get(pool(learned[k]).Fit())(t)
		models[name] = filepath.Join(t.TempDir(), name+".toml")
		file := must.Get(os.Create(models[name]))(t)
		must.Do(t, errors.Join(writeModel(file, fit), file.Close()))
		keep(t, name+".toml", func(w io.Writer) error { return writeModel(w, fit) })
	}
	for _, m := range []struct {
		name   string
		vision int
	}{{"ours", 0}, {"bad", 1}, {"shipped", 0}} {
		t.Run(m.name, func(t *testing.T) {
			var objects []*Result
			for i, r := range sideBySide(others, func(s stay) []*Result {
				return tourOf(t, s.hall.world(t, s.seed, "objects", s.rate, "", models[m.name]), s.span, simulated{})
			}) {
				t.Run(others[i].hall.name, func(t *testing.T) { compareScenes(t, judged[m.vision][i], r[0]) })
				objects = append(objects, r[0])
			}
			t.Run("together", func(t *testing.T) { compareScenes(t, pool(judged[m.vision]), pool(objects)) })
		})
	}
}

// writeModel writes a fit for all robots of model nubot. It leaves out the delay, because no robot's computer was
// involved.
func writeModel(w io.Writer, f *Fit) error {
	bare := *f
	bare.Delay = abstraction.DefaultVision().Delay
	out := &lines{w: w}
	out.line("# How refbot's vision errs that sees raw images of a nubot's omni camera, for level objects of it: " +
		"include = [\"FILE\"] in a world has it.")
	out.line("# Written by make verify-agreement: docs/assess.md.")
	out.line("[[model.nubot.sensor]]\nname = \"omni\"\n\n[model.nubot.sensor.vision]")
	out.vision(&bare, "model.nubot.sensor.vision")
	return out.err
}

// Largest differences between level objects and the vision that it was fitted to.
const (
	mostApart  = 0.1  // Kolmogorov–Smirnov distance between the error distributions in one distance band
	mostMisses = 0.03 // difference between the shares of missed objects

	enoughReports = 2000 // so that chance does not matter
)

// compareScenes compares reports about the same scenes, in bands of one metre and over all bands.
func compareScenes(t *testing.T, raw, objects *Result) {
	t.Helper()
	for _, k := range []Kind{Ball, Obstacles} {
		compareBand(t, raw, objects, k, 1, assessedRange)
	}
	compare(t, raw, objects)
}

// compare compares reports in bands of one metre.
func compare(t *testing.T, raw, objects *Result) {
	t.Helper()
	for _, k := range []Kind{Ball, Obstacles} {
		for lo := 1.0; lo < assessedRange; lo++ {
			compareBand(t, raw, objects, k, lo, lo+1)
		}
	}
}

// compareBand compares reports about objects whose distance, in metres, lies between lo and hi. It skips bands with too
// few reports.
func compareBand(t *testing.T, raw, objects *Result, k Kind, lo, hi float64) {
	t.Helper()
	what := fmt.Sprintf("%s %v to %v m away", k, lo, hi)
	a, b := bandOf(raw, k, lo, hi), bandOf(objects, k, lo, hi)
	n := min(len(a.off), len(b.off))
	if n < *agreeLeast {
		t.Logf("%s: %d and %d reports: not judged", what, len(a.off), len(b.off))
		return
	}
	off, along, angle, misses := distance(a.off, b.off), distance(a.along, b.along), distance(a.angle, b.angle),
		b.missRate()-a.missRate()
	t.Logf("%s: %d and %d reports, apart by %.3f in distance, %.3f in bearing, %.3f in place; %.1f %% and %.1f %% "+
		"missed",
		what, len(a.off), len(b.off), along, angle, off, 100*a.missRate(), 100*b.missRate())
	apart, rates := mostApart, mostMisses
	if n < enoughReports { // chance exceeds 1.63·√(2/n) in 1 % of cases; a third of the samples are independent
		apart += 1.63 * math.Sqrt(6/float64(n))
		rates += 2.6 * math.Sqrt(6*b.missRate()*(1-b.missRate())/float64(n))
	}
	if !(along <= apart && angle <= apart && off <= apart) {
		t.Errorf("%s: errors are apart by more than %.3f", what, apart)
	}
	if !(math.Abs(misses) <= rates) {
		t.Errorf("%s: misses differ by more than %.3f", what, rates)
	}
}

// distance returns the Kolmogorov–Smirnov distance between two samples.
func distance(a, b []float64) (most float64) {
	slices.Sort(a)
	slices.Sort(b)
	for i, k := 0, 0; i < len(a) && k < len(b); {
		if a[i] <= b[k] {
			i++
		} else {
			k++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(k)/float64(len(b))))
	}
	return most
}

// band holds the reports about objects within a range of distances.
type band struct {
	off, along, angle []float64
	counts, missed    int
}

func (b *band) missRate() float64 { return float64(b.missed) / float64(b.counts) }

func bandOf(r *Result, k Kind, lo, hi float64) (b band) {
	for _, s := range r.samplesOf(k) {
		if s.Outcome == False || s.Distance < lo || s.Distance >= hi {
			continue
		}
		if s.Counts {
			if b.counts++; s.Outcome == Miss {
				b.missed++
			}
		}
		if s.Outcome == Hit {
			b.off, b.along, b.angle = append(b.off, s.Off()), append(b.along, s.RangeError()),
				append(b.angle, s.BearingError())
		}
	}
	return b
}
