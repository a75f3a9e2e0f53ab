package suite

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// ten loads a world of ten robots. The seed decides whether cyan5 reaches the ball in time.
func ten(t testing.TB) World {
	t.Helper()
	path := filepath.Join("testdata", "ten.toml")
	w, err := worlds.Load(path)
	must.Do(t, err)
	return World{path, w}
}

// scatter puts cameras at level objects, and robots at positions that depend on the seed.
func scatter(w *worlds.World) error {
	for i := range w.Robots {
		r := &w.Robots[i]
		r.Pose.X += random.New(w.Seed, r.Name, "x", 0).Uniform(0) - 0.5
		for j := range r.Sensors {
			if c := &r.Sensors[j]; c.Kind.TakesImages() {
				c.Level = abstraction.Objects
			}
		}
	}
	return nil
}

// listen subscribes to every sensor.
func listen(sim *omnipitch.Sim) {
	for _, r := range sim.World().Robots {
		for _, c := range r.Sensors {
			if _, err := sim.Listen(r.Name, c.Name,
				omnipitch.Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				panic(err)
			}
		}
	}
}

// alone runs a world with a seed as the command run does, without a suite. It returns the hash of the last state and
// the verdicts.
func alone(t testing.TB, w World, seed uint64, span time.Duration) (uint64, []expectation.Verdict) {
	t.Helper()
	world, err := w.WithSeed(seed)
	must.Do(t, err)
	scatter(world)
	sim, err := omnipitch.New(world, omnipitch.Options{})
	must.Do(t, err)
	defer sim.Close()
	listen(sim)
	report, err := sim.Run(t.Context(), omnipitch.Pace{For: span, Speed: timesync.Max})
	must.Do(t, err)
	return report.Hash, report.Verdicts
}

func seeds(n uint64) (all Seeds) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// TestRunsAreThoseOfTheWorldAlone checks that the runs of a suite end as they do alone, whatever runs concurrently. The
// output must be the same for any number of jobs.
func TestRunsAreThoseOfTheWorldAlone(t *testing.T) {
	w := ten(t)
	var texts []string
	for _, jobs := range []int{1, 2, 5} {
		o := (&Config{Worlds: []World{w, w}, Seeds: seeds(6), Jobs: jobs, Change: scatter, begun: listen}).Run(
			t.Context(), nil)
		o.Wall = 0
		var text bytes.Buffer
		must.Do(t, errors.Join(o.Print(&text), o.PrintJSON(&text), o.PrintJUnit(&text)))
		texts = append(texts, text.String())
		if c := o.Counts(); c.Runs != 12 || c.Passed == 0 || c.Failed == 0 || c.Passed+c.Failed != 12 {
			t.Fatalf("%d jobs: %+v: must have both", jobs, c)
		}
		if jobs > 1 {
			continue
		}
		hashes := map[uint64]bool{}
		for i := range o.Worlds[0].Results {
			r := &o.Worlds[0].Results[i]
			hash, verdicts := alone(t, w, r.Seed, r.Sim)
			if r.Hash != hash || !slices.Equal(r.Verdicts, verdicts) {
				t.Errorf("seed %d: state %x, alone %x; %v, alone %v", r.Seed, r.Hash, hash, r.Verdicts, verdicts)
			}
			hashes[hash] = true
		}
		if len(hashes) != 6 {
			t.Errorf("%d states of 6 seeds", len(hashes))
		}
	}
	for i, text := range texts {
		if text != texts[0] {
			t.Errorf("what is printed depends on the number of jobs:\n%s\n%s", texts[0], texts[i])
		}
	}
}

// TestAFailureRepeats checks that a seed which fails in a suite fails every time when it runs alone.
func TestAFailureRepeats(t *testing.T) {
	w := ten(t)
	o := (&Config{Worlds: []World{w}, Seeds: seeds(8), Jobs: 4, Change: scatter}).Run(t.Context(), nil)
	i := slices.IndexFunc(o.Worlds[0].Results, func(r Result) bool { return r.Failed() })
	if i < 0 {
		t.Fatal("no seed fails")
	}
	want := o.Worlds[0].Results[i]
	for range 10 {
		again := (&Config{Worlds: []World{w}, Seeds: Seeds{want.Seed}, Jobs: 1, Change: scatter}).Run(t.Context(),
			nil).Worlds[0].Results[0]
		if again.Hash != want.Hash || !slices.Equal(again.Verdicts, want.Verdicts) {
			t.Fatalf("seed %d: %v in a suite, %v alone", want.Seed, want.Verdicts, again.Verdicts)
		}
	}
}

// TestOneRunsEndIsNotTheOthers checks that an error or a panic ends one run, and the others continue.
func TestOneRunsEndIsNotTheOthers(t *testing.T) {
	change := func(w *worlds.World) error {
		switch w.Seed {
		case 2:
			return errors.New("no such seed")
		case 3:
			w.Robots[0].Name = w.Robots[1].Name // New refuses this
		}
		return scatter(w)
	}
	begun := func(sim *omnipitch.Sim) {
		if sim.World().Seed == 4 {
			sim.Listen("cyan2", "odometry", omnipitch.Listener{Observe: func(o *sensors.Observation) {
				if o.Frame == 10 {
					panic("a listener's mistake")
				}
			}})
		}
	}
	o := (&Config{Worlds: []World{ten(t)}, Seeds: seeds(5), Jobs: 2, Change: change, begun: begun,
		Again: []string{"--level", "*.omni=objects"}}).Run(t.Context(), nil)
	for i, want := range []string{"", "no such seed", "name", "a listener's mistake", ""} {
		r := &o.Worlds[0].Results[i]
		if !r.Ended || (r.Err == nil) != (want == "") || r.Err != nil && !strings.Contains(r.Err.Error(), want) {
			t.Errorf("seed %d: %v, want %q", r.Seed, r.Err, want)
		}
	}
	if r := &o.Worlds[0].Results[3]; r.Sim < 90*time.Millisecond || r.Sim > 110*time.Millisecond {
		t.Errorf("the panic was at %v", r.Sim)
	}
	var text strings.Builder
	o.Print(&text)
	if want := "again: omnipitch test testdata/ten.toml --seeds 4 --level '*.omni=objects'"; !strings.Contains(
		text.String(), want) {
		t.Errorf("%s\nwant %s", text.String(), want)
	}
	var report bytes.Buffer
	must.Do(t, o.PrintJUnit(&report))
	var read junitReport
	if err := xml.Unmarshal(report.Bytes(), &read); err != nil || read.Tests != 5 || read.Errors != 3 ||
		len(read.Suites) != 1 || len(read.Suites[0].Cases) != 5 {
		t.Errorf("%v: %+v", err, read)
	}
}

// UnmarshalText is for the test alone: programs that read reports have their own types.
func (s *seconds) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), (*float64)(s))
	return err
}

// TestInterruption checks that an interrupted suite counts the runs that did not end, in its output and in its report.
func TestInterruption(t *testing.T) {
	w := ten(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := (&Config{Worlds: []World{w}, Seeds: seeds(50), Jobs: 2, Change: scatter}).Run(ctx, func(done, _ int) {
		if done == 3 {
			cancel()
		}
	})
	c := o.Counts()
	if c.NotRun == 0 || c.NotRun > 47 || c.Runs != 50 || c.Passed+c.Failed+c.NotRun != 50 {
		t.Errorf("%+v", c)
	}
	var text, report bytes.Buffer
	must.Do(t, errors.Join(o.Print(&text), o.PrintJUnit(&report)))
	if want := fmt.Sprintf("%d not run to the end", c.NotRun); !strings.Contains(text.String(), want) {
		t.Errorf("%s\nwant %s", text.String(), want)
	}
	if got := strings.Count(report.String(), "<skipped "); got != c.NotRun {
		t.Errorf("%d cases are skipped, of %d", got, c.NotRun)
	}
}

// TestPicturesOfTheFirstFailures checks that the first ten failures of a world have pictures, whatever the order in
// which runs end.
func TestPicturesOfTheFirstFailures(t *testing.T) {
	dir := t.TempDir()
	out, err := output.Open("--out", dir, false)
	must.Do(t, err)
	defer out.Close()
	var g gallery
	g.init(out, []World{ten(t), ten(t)})
	for _, number := range []int{30, 3, 20, 4, 5, 6, 7, 8, 9, 10, 11, 40, 2} {
		if !g.admit(1, number) {
			if number != 40 {
				t.Errorf("run %d has no pictures", number)
			}
			continue
		}
		file := fmt.Sprint(g.names[1], number)
		f, err := os.Create(filepath.Join(dir, file))
		must.Do(t, err)
		f.Close()
		g.add(1, number, []string{file}, nil)
	}
	got, err := filepath.Glob(filepath.Join(dir, "ten-2*"))
	if err != nil || len(got) != maxPictured || g.err != nil || len(g.files) != maxPictured ||
		g.files[[2]int{1, 20}] != nil {
		t.Errorf("%v %v: %v", err, g.err, got)
	}
}

// TestPictures checks the pictures of a failure: the field from above, and what the robot in the expectation sees, at
// the moment of the failure.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	out, err := output.Open("--out", dir, false)
	must.Do(t, err)
	defer out.Close()
	late := func(w *worlds.World) error {
		cyan5, _ := w.Robot("cyan5")
		cyan5.Pose.X = -3
		omni, _ := w.Sensor("cyan5", "omni")
		omni.Level, omni.Image.Width, omni.Image.Height = abstraction.Objects, 64, 64
		return nil
	}
	levels := func(w *worlds.World) error { return errors.Join(scatter(w), late(w)) }
	o := (&Config{Worlds: []World{ten(t)}, Jobs: 1, Change: levels, Out: out}).Run(t.Context(), nil)
	r := &o.Worlds[0].Results[0]
	want := []string{filepath.Join(dir, "ten.1.above.png"), filepath.Join(dir, "ten.1.cyan5.omni.png")}
	if !slices.Equal(r.Pictures, want) || len(o.Notes) > 0 {
		t.Fatalf("pictures %v, want %v; %v", r.Pictures, want, o.Notes)
	}
	for _, file := range want {
		if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
}

// TestRecordingsOfFailures checks that a failed run leaves a recording with the same state and the same verdict. Passed
// and interrupted runs must leave none.
func TestRecordingsOfFailures(t *testing.T) {
	dir := t.TempDir()
	out, err := output.Open("--out", dir, false)
	must.Do(t, err)
	defer out.Close()
	config := &Config{Worlds: []World{ten(t)}, Seeds: seeds(6), Jobs: 3, Change: scatter,
		Record: &recorder.Config{Program: "test"}, Out: out}
	plain := *config
	plain.Record, plain.Out = nil, nil
	o, without := config.Run(t.Context(), nil), plain.Run(t.Context(), nil)
	if len(o.Notes) > 0 || o.Counts() != without.Counts() || o.Counts().Failed == 0 || o.Counts().Passed == 0 {
		t.Fatalf("%+v, without recordings %+v; %v", o.Counts(), without.Counts(), o.Notes)
	}
	var want []string
	for i := range o.Worlds[0].Results {
		r := &o.Worlds[0].Results[i]
		if !r.Failed() {
			if r.Recording != "" {
				t.Errorf("seed %d passed, and has %s", r.Seed, r.Recording)
			}
			continue
		}
		want = append(want, r.Recording)
		rec, err := replay.Open(r.Recording)
		must.Do(t, err)
		defer rec.Close()
		sim, err := rec.NewSim(t.Context(), omnipitch.Options{}, replay.Config{})
		must.Do(t, err)
		defer sim.Close()
		report, err := sim.Run(t.Context(), omnipitch.Pace{For: rec.Length(), Speed: timesync.Max})
		if err != nil || report.Hash != r.Hash || report.Hash != without.Worlds[0].Results[i].Hash ||
			rec.Length() != r.Sim {
			t.Errorf("seed %d: state %x after %v, want %x after %v: %v", r.Seed, report.Hash, rec.Length(), r.Hash,
				r.Sim, err)
		}
	}
	if got, err := filepath.Glob(filepath.Join(dir, "*.mcap*")); err != nil || !slices.Equal(got, want) {
		t.Errorf("files %v, want %v: %v", got, want, err)
	}
	var text bytes.Buffer
	if err := errors.Join(o.Print(&text), o.PrintJUnit(&text)); err != nil || strings.Count(text.String(),
		want[0]) != 2 {
		t.Errorf("%v: %s", err, text.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if config.Seeds = (Seeds{77}); len(config.Run(ctx, nil).Notes) > 0 {
		t.Error("an interrupted suite has notes")
	}
	if _, err := os.Stat(filepath.Join(dir, "ten.77.mcap")); err == nil {
		t.Error("an interrupted run has left a recording")
	}
}

// TestImagesAreThoseOfTheWorldAlone compares the images of several concurrent Sims, each with its own renderers, with
// those of one Sim alone.
func TestImagesAreThoseOfTheWorldAlone(t *testing.T) {
	var mu sync.Mutex
	images := map[uint64][]uint64{} // by seed: hashes of consecutive images
	watch := func(sim *omnipitch.Sim) {
		sim.Do(&action.Drive{Robot: "cyan1", VX: 1, Omega: 2})
		_, err := sim.Listen("cyan1", "omni", omnipitch.Listener{Observe: func(o *sensors.Observation) {
			sum := fnv.New64a()
			sum.Write(o.Color.Pix)
			mu.Lock()
			defer mu.Unlock()
			images[sim.World().Seed] = append(images[sim.World().Seed], sum.Sum64())
		}})
		if err != nil {
			panic(err)
		}
	}
	loaded, err := worlds.Load("nubot-attack")
	must.Do(t, err)
	w := World{"nubot-attack", loaded}
	small := func(other *worlds.World) error {
		for i := range other.Robots {
			for j := range other.Robots[i].Sensors {
				if c := &other.Robots[i].Sensors[j]; c.Kind.TakesImages() {
					c.Image.Width, c.Image.Height, c.Rate = 96, 96, 10
				}
			}
		}
		return nil
	}
	run := func(seeds ...uint64) {
		o := (&Config{Worlds: []World{w}, Seeds: seeds, Jobs: len(seeds), For: 250 * time.Millisecond, Change: small,
			begun: watch}).Run(t.Context(), nil)
		if c := o.Counts(); c.Passed != len(seeds) {
			t.Fatalf("%+v: %v", c, o.Worlds[0].Results[0].Err)
		}
	}
	run(1, 2)
	got := images[2]
	if len(got) < 2 || got[0] == got[1] || got[0] == images[1][0] {
		t.Errorf("images %x, of seed 1 %x", got, images[1])
	}
	delete(images, 2)
	if run(2); !slices.Equal(got, images[2]) {
		t.Errorf("images %x, alone %x", got, images[2])
	}
}

// TestReportsOfAnyText checks that reports are valid XML, whatever text an error has.
func TestReportsOfAnyText(t *testing.T) {
	o := &Outcome{Worlds: []WorldOutcome{{World: ten(t),
		Results: []Result{{Seed: 1, Ended: true, Err: errors.New("\x00\x1b[31mred\ufffe <&>\nnext")}}}}}
	var report bytes.Buffer
	must.Do(t, o.PrintJUnit(&report))
	if regexp.MustCompile("[\x00-\x08\x0b-\x1f\ufffe]").Match(report.Bytes()) {
		t.Errorf("%q", report.String())
	}
	var read junitReport
	if err := xml.Unmarshal(report.Bytes(), &read); err != nil || !strings.Contains(read.Suites[0].Cases[0].Error.Text,
		"<&>\nnext") {
		t.Errorf("%v: %s", err, report.String())
	}
}

// TestWorldsThatBeginAgainAndPause checks that a world that restarts is judged in each episode until its time ends, and
// that the worst verdict counts. A world that pauses would never end.
func TestWorldsThatBeginAgainAndPause(t *testing.T) {
	const (
		calm  = `{ name = "calm", never = { in_area = { name = "ball", area = "magenta_goal" } } }`
		still = `{ name = "still", always = { in_area = { name = "ball", area = "centre_circle" } } }`
		away  = `{ name = "away", eventually = { in_area = { name = "ball", area = "magenta_half" } } }`
	)
	const goal = `{ name = "goal", eventually = { in_area = { name = "ball", area = "magenta_goal" } } }`
	const later = `{ name = "later", eventually = { in_area = { name = "ball", area = "magenta_half" } }, from_s = 0.2 }`
	again := func(expect string) string { // ends 0.15 s after the second restart
		return `event = [ { at_s = 0.1, place = { name = "ball", x_m = 6, z_m = 0.11 } }, { at_s = 0.3, reset = {} } ]
			expect = [ ` + calm + ", " + expect + " ]"
	}
	for _, c := range []struct {
		name, text string
		want       []string // verdicts
		steps      int64
		err        string
	}{
		{"passes each time", again(away), []string{"calm passed", "away passed"}, 150, ""},
		{"fails each time", again(still), []string{"calm passed", "still failed in episode 1 of 3"}, 150, ""},
		{"is cut short at last", again(later), []string{"calm passed", "later undecided in episode 3 of 3"}, 150, ""},
		{"is decided soon each time", "event = [ { at_s = 0.3, reset = {} } ]\nexpect = [ " + strings.Replace(still,
			"} }", "} }, within_s = 0.1", 1) + " ]", []string{"still passed"}, 150, ""},
		{"is reset before the event that would fail it", `event = [ { at_s = 0.5, reset = {} }, { at_s = 1, place = { name = "ball", x_m = 6 } } ]
			expect = [ ` + calm + ", " + goal + " ]", []string{"calm passed", "goal undecided in episode 1 of 2"}, 150, ""},
		{"fails at another seed alone", `event = [ { at_s = 0.3, reset = { seed = 4 } }, { at_s = 0.1, place = { name = "ball", x_m = { choice = [0, 6] } } } ]
			expect = [ ` + still + " ]", []string{"still failed in episode 2 of 3"}, 150, ""},
		{"pauses", "event = [ { at_s = 0.2, pause = {} } ]\nexpect = [ " + calm + " ]", []string{"calm passed"}, 40,
			"is paused"},
		{"pauses at once", "event = [ { pause = {} } ]\nexpect = [ " + calm + " ]", []string{"calm undecided"}, 0,
			"is paused"},
	} {
		w, err := worlds.Parse("w.toml",
			[]byte("name = \"w\"\ninclude = [\"planar\"]\ntest = { for_s = 0.75 }\n"+c.text))
		must.Do(t, err)
		r := (&Config{Worlds: []World{{"w.toml", w}}}).Run(t.Context(), nil).Worlds[0].Results[0]
		var got []string
		for _, v := range r.Verdicts {
			_, episode, _ := strings.Cut(v.Was, ", in ")
			got = append(got, strings.TrimSuffix(v.Name+" "+string(v.Outcome)+" in "+episode, " in "))
		}
		if !slices.Equal(got, c.want) || r.Steps != c.steps || (r.Err == nil) != (c.err == "") || r.Err != nil &&
			!strings.Contains(r.Err.Error(), c.err) {
			t.Errorf("%s: %v, %d steps, %v; want %v, %d, %q", c.name, got, r.Steps, r.Err, c.want, c.steps, c.err)
		}
	}
}

// TestEventsDoNotSlowASuite checks that a suite never waits for the wall clock, whatever an event requests.
func TestEventsDoNotSlowASuite(t *testing.T) {
	w, err := worlds.Parse("w.toml", []byte(`name = "w"
		include = ["planar"]
		test = { for_s = 0.3 }
		event = [ { set_speed = { speed = "0.5" } }, { at_s = 0.1, set_speed = { speed = "0.5" } }, { at_s = 0.2, set_speed = { speed = "steady" } } ]`))
	must.Do(t, err)
	steps := 0
	r := (&Config{Worlds: []World{{"w.toml", w}}, begun: func(sim *omnipitch.Sim) {
		sim.OnStep(func(s *physics.Snapshot) {
			if steps++; sim.Clock().Factor().Speed != timesync.Max {
				t.Errorf("at %v the speed is %v", s.Time, sim.Clock().Factor().Speed)
			}
		})
	}}).Run(t.Context(), nil).Worlds[0].Results[0]
	if r.Err != nil || steps != 61 {
		t.Errorf("%v, %d steps", r.Err, steps)
	}
}

// TestNoPicturesOfInterruptedRuns checks that an interrupted run leaves no pictures, because no report would refer to
// them.
func TestNoPicturesOfInterruptedRuns(t *testing.T) {
	dir := t.TempDir()
	out, err := output.Open("--out", dir, false)
	must.Do(t, err)
	defer out.Close()
	w, err := worlds.Parse("w.toml", []byte(`name = "w"
		include = ["planar"]
		event = [ { at_s = 0.1, place = { name = "ball", x_m = 6 } } ]
		expect = [ { name = "still", always = { in_area = { name = "ball", area = "centre_circle" } } },
			{ name = "away", eventually = { in_area = { name = "ball", area = "magenta_goal" } } } ]`))
	must.Do(t, err)
	ctx, interrupt := context.WithCancel(t.Context())
	drawn := 0
	o := (&Config{Worlds: []World{{"w.toml", w}}, Out: out, begun: func(sim *omnipitch.Sim) {
		sim.OnStep(func(s *physics.Snapshot) {
			if s.Time == 200*time.Millisecond {
				files, err := filepath.Glob(filepath.Join(dir, "*.png"))
				if drawn = len(files); err != nil {
					t.Error(err)
				}
				interrupt()
			}
		})
	}}).Run(ctx, nil)
	left, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if r := o.Worlds[0].Results[0]; err != nil || drawn == 0 || len(left) > 0 || r.Ended || len(r.Pictures) > 0 {
		t.Errorf("%v: %d files were drawn, %v are left; %+v", err, drawn, left, r)
	}
}

// TestShippedWorldsPass checks that shipped worlds meet their expectations. The target make verify-worlds uses more
// seeds.
func TestShippedWorldsPass(t *testing.T) {
	config := &Config{Seeds: seeds(1), Jobs: 2}
	for _, s := range worlds.Shipped() {
		if s.Kind != "world" {
			continue
		}
		w, err := worlds.Load(s.Name)
		must.Do(t, err)
		if len(w.Expect) > 0 && len(w.Programs) == 0 {
			config.Worlds = append(config.Worlds, World{s.Name, w})
		}
	}
	o := config.Run(t.Context(), nil)
	if c := o.Counts(); c.Runs == 0 || c.Passed != c.Runs {
		var text strings.Builder
		o.Print(&text)
		t.Error(text.String())
	}
}
