package assess

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// fittedWorld has a robot whose vision errs as a model file says. The simulator publishes its reports on a topic of its
// own.
const fittedWorld = `
name = "fitted"
seed = 4
look = "plain"
INCLUDE

[physics]
engine = "planar"

[[robot]]
name = "cyan1"
model = "nubot"
ros1 = { profiles = ["standard"] }

[[robot.sensor]]
name = "omni"
level = "objects"
VISION

[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
pose = { x_m = 3, y_m = 3 }

[[obstacle]]
name = "box"
pose = { x_m = -1, y_m = 3 }
`

const fittedVision = `
[robot.sensor.vision]
pixel_noise_px = 0
error = [{ distance_m = 1, bearing_deg = 0, bias_m = 0.02, range_m = 0.03, angle_deg = 1 }, { distance_m = 6, bearing_deg = 0, bias_m = -0.1, range_m = 0.15, angle_deg = 2 }]
correlation_ms = 100
max_range_m = 6
min_visible = 0.2
full_visible = 0.6
miss_rate = 0.15
false_rate = 0.05
delay_ms = 45

[robot.sensor.vision.obstacles]
error = [
  { distance_m = 1, miss_rate = 0.1, range_quantiles_m = [-0.3, -0.25, -0.2, -0.02, 0.02, 0.05, 0.4], angle_quantiles_deg = [-6, -2, -1, 0, 1, 2, 9] },
  { distance_m = 6, miss_rate = 0.5, range_quantiles_m = [-0.8, -0.6, -0.5, 0.1, 0.2, 0.3, 0.5], angle_quantiles_deg = [-3, -2, -1, 0, 1, 2, 3] },
]
min_visible = 0.1
full_visible = 0.5
miss_rate = 0.05
false_rate = 0.1
`

// own runs a world on a tour and assesses the simulated vision of its robot.
func own(t *testing.T, text string, d time.Duration) *Result {
	t.Helper()
	p := newPeer(t, text, Config{Robot: "cyan1", Range: 6, Topics: []Topic{{Name: "omni/detections_3d"}}})
	must.Do(t, p.a.Tour(DriveTour))
	// Once the assessment has subscribed, messages published in a step arrive before the next step. Until then nothing
	// counts.
	wait := time.Second
	r := p.run(d, 0, func(look) {
		for end := time.Now().Add(wait); p.from.Waiting() == 0; time.Sleep(10 * time.Microsecond) {
			if time.Now().After(end) {
				if wait > time.Second {
					t.Fatal("nothing came")
				}
				return
			}
		}
		wait = time.Minute
	})
	return r
}

// TestFit fits a model to a vision that errs by a known model. The fit must equal that model, and a world that includes
// the fit must err alike with another seed.
func TestFit(t *testing.T) {
	const span = 120 * time.Second
	text := strings.NewReplacer("INCLUDE", "", "VISION", fittedVision).Replace(fittedWorld)
	r := own(t, text, span)
	f := must.Get(r.Fit())(t)
	for _, e := range f.Errors {
		share := max(0, (e.Distance-1)/5) // errors are constant below 1 m
		bias, along, angle := 0.02-0.12*share, 0.03+0.12*share, (1+share)*spatial.Degree
		// Errors are correlated over three frames, so few samples are independent. Within a metre all three parameters
		// change by a fifth.
		most := 0.25
		if e.Distance < 1 { // a few scenes
			most = 0.6
		}
		within(t, "bias", e.Bias, bias, most*along)
		within(t, "σ of the distance", e.Range, along, 0.2*along+0.005)
		within(t, "σ of the bearing", e.Angle, angle, 0.2*angle)
	}
	if len(f.Errors) < 5 || f.Of != Ball || f.Obstacles == nil || f.Obstacles.Of != Obstacles {
		t.Fatalf("%d entries of %s, obstacles %v", len(f.Errors), f.Of, f.Obstacles)
	}
	bent := 0
	for _, e := range f.Obstacles.Errors {
		if len(e.RangeQuantiles) > 0 {
			bent++
		}
		within(t, fmt.Sprintf("misses of obstacles %v m away", e.Distance), 1-(1-f.Obstacles.MissRate)*(1-e.MissRate),
			1-0.95*(0.9-0.4*(e.Distance-1)/5), 0.07)
	}
	if bent < 3 {
		t.Errorf("of %d entries %d have quantiles of the distance's errors, which are not normal",
			len(f.Obstacles.Errors), bent)
	}
	within(t, "false obstacles", f.Obstacles.FalseRate, 0.1, 0.05)
	within(t, "misses", f.MissRate, 0.15, 0.03)
	within(t, "least visible share", f.MinVisible, 0.2, 0.151)
	within(t, "share that is enough", f.FullVisible, 0.6, 0.251)
	within(t, "false balls", f.FalseRate, 0.05, 0.035) // only some tens of samples
	within(t, "delay", f.Delay.Seconds(), 0.045, 0.006)
	within(t, "correlation", f.Correlation.Seconds(), 0.1, 0.03)
	within(t, "range", f.MaxRange, 6, 0.5)

	dir := t.TempDir()
	file := must.Get(os.Create(filepath.Join(dir, "fit.toml")))(t)
	must.Do(t, f.WriteTOML(file))
	file.Close()
	again := filepath.Join(dir, "again.toml")
	if err := os.WriteFile(again, []byte(strings.NewReplacer("seed = 4", "seed = 7", "INCLUDE", `include = ["fit.toml"]`, "VISION",
		"").Replace(fittedWorld)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	other := own(t, again, span)
	compare(t, r, other)
}
