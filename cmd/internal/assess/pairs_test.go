package assess

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

const pairsHead = "time_s,robot_x_m,robot_y_m,reported_x_m,reported_y_m,true_x_m,true_y_m,object\n"

// simulatedPairs returns a file of pairs of a world model with the profile: an opponent stands somewhere for 2.5 s,
// then somewhere else. A report within 1 m of it is a pair.
func simulatedPairs(episodes uint64) string {
	const frames, rate = 20, 8
	r := rand.New(rand.NewPCG(3, 4))
	cfg := abstraction.VisionConfig{MaxRange: 12, Obstacles: new(abstraction.ErrorModel)}
	*cfg.Obstacles = abstraction.MSL2016Errors()
	vision := abstraction.NewVision(&cfg, nil, rate)
	view := abstraction.Viewpoint{Model: optics.PinholeFromFOV(640, 480, 1), PoseWC: spatial.BodyToOptical(),
		MaxRange: 20}
	env := abstraction.Environment{PoseWB: spatial.Planar(1, 2, 0.5), Targets: []abstraction.Target{
		abstraction.NewTarget(abstraction.RobotKind, "magenta1", "magenta",
			abstraction.Shape{Kind: abstraction.Cylinder, Radius: 0.25, Height: 0.8}, nil)}}
	var out strings.Builder
	out.WriteString(pairsHead)
	var list abstraction.ObjectList
	for k := range episodes {
		distance, bearing := 0.5+9.5*r.Float64(), 2*math.Pi*r.Float64()
		at := env.PoseWB.Pos.Add(mgl64.Vec3{distance * math.Cos(bearing), distance * math.Sin(bearing)})
		env.Targets[0].Move(spatial.Planar(at[0], at[1], 0), mgl64.Vec3{})
		for i := range uint64(frames) {
			frame := k*1000 + i
			vision.Perceive(&view, &env, 0, random.New(9, "cyan1", "world_model", frame), &list)
			stamp := fmt.Sprintf("%.3f,1,2", float64(frame)/rate)
			missed := true
			for _, d := range list.Detections {
				p := env.PoseWB.Apply(d.PosB)
				fmt.Fprintf(&out, "%s,%.4f,%.4f,", stamp, p[0], p[1])
				if p.Sub(at).Len() <= 1 && missed {
					missed = false
					fmt.Fprintf(&out, "%.4f,%.4f,opponent%d\n", at[0], at[1], k)
				} else {
					out.WriteString(",,\n")
				}
			}
			if missed {
				fmt.Fprintf(&out, "%s,,,%.4f,%.4f,opponent%d\n", stamp, at[0], at[1], k)
			}
		}
	}
	return out.String()
}

// TestFitPairs simulates a world model and fits its errors to the pairs. The fit must have the errors that were
// simulated, and a world must load its file.
func TestFitPairs(t *testing.T) {
	samples := must.Get(ReadPairs(strings.NewReader(simulatedPairs(4000))))(t)
	f := must.Get(FitPairs(samples))(t)
	profile := abstraction.MSL2016Errors()
	if len(f.Errors) < 15 {
		t.Fatalf("%d entries", len(f.Errors))
	}
	// over an entry's half metre, and over the errors of about 200 independent episodes in it
	for _, e := range f.Errors {
		at := fmt.Sprintf("at %.2f m: ", e.Distance)
		median := profile.At(e.Distance, 0, 0, 0)
		low, high := profile.At(e.Distance, 0, -1, -1), profile.At(e.Distance, 0, 1, 1)
		must.Near(t, at+"median along", e.RangeQuantiles.At(0), median.Along, 0.05)
		must.Near(t, at+"median across", e.AcrossQuantiles.At(0), median.Across, 0.05)
		must.Near(t, at+"σ along", e.RangeQuantiles.At(1)-e.RangeQuantiles.At(-1), high.Along-low.Along,
			0.35*(high.Along-low.Along))
		must.Near(t, at+"σ across", e.AcrossQuantiles.At(1)-e.AcrossQuantiles.At(-1), high.Across-low.Across,
			0.35*(high.Across-low.Across))
		must.Near(t, at+"misses", e.MissRate, median.MissRate, 0.12)
	}
	mean := func(of func(m *abstraction.ErrorModel, z float64) float64) (got, want float64) {
		got, want = of(&f.ErrorModel, 1)-of(&f.ErrorModel, -1), of(&profile, 1)-of(&profile, -1)
		return got, want
	}
	for axis, of := range map[string]func(e abstraction.ModelledErrors) float64{
		"along":  func(e abstraction.ModelledErrors) float64 { return e.Along },
		"across": func(e abstraction.ModelledErrors) float64 { return e.Across },
	} {
		got, want := mean(func(m *abstraction.ErrorModel, z float64) (sum float64) {
			for d := 0.75; d < 7; d += 0.25 {
				sum += of(m.At(d, 0, z, z))
			}
			return sum
		})
		must.Near(t, "mean σ "+axis, got, want, 0.08*want)
	}
	must.Near(t, "false reports", f.FalseShare, profile.FalseShare, 0.15*profile.FalseShare)
	must.Near(t, "correlation, s", f.Correlation.Seconds(), profile.Correlation.Seconds(), 0.2)
	if !f.Lasting {
		t.Error("the correlation is not measured")
	}

	var words bytes.Buffer
	f.Words(&words)
	if text := words.String(); !strings.Contains(text, "along, fit") || strings.Contains(text, "NaN") {
		t.Error(text)
	}
	t.Log("\n" + words.String())
	dir := t.TempDir()
	file := must.Get(os.Create(filepath.Join(dir, "fit.toml")))(t)
	must.Do(t, f.WriteTOML(file, "cyan1", "omni"))
	must.Do(t, file.Close())
	w := must.Get(worlds.Load(must.Write(t, filepath.Join(dir, "w.toml"), "include = [\"fit.toml\"]\nname = \"w\"\n"+
		"[[robot]]\nname = \"cyan1\"\nmodel = \"nubot\"\n[[robot.sensor]]\nname = \"omni\"\nlevel = \"objects\"\n")))(t)
	for _, s := range w.Robots[0].Sensors {
		if s.Name != "omni" {
			continue
		}
		o := s.Vision.Obstacles
		if !o.Fused || len(o.Errors) != len(f.Errors) || o.MissRate != 0 {
			t.Fatalf("the world has %+v", o)
		}
		must.Near(t, "false share of the file", o.FalseShare, f.FalseShare, 1e-4)
		for i, e := range o.Errors {
			must.Near(t, "the file", e.AcrossQuantiles.At(1), f.Errors[i].AcrossQuantiles.At(1), 1e-4)
			must.Near(t, "the file", e.RangeQuantiles.At(-2), f.Errors[i].RangeQuantiles.At(-2), 1e-4)
		}
	}
}

func TestPairsHaveRules(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1: must name the columns time_s, robot_x_m"},
		{"time_s,robot_x_m\n1,2\n", "line 1: there is no column robot_y_m: must name time_s"},
		{pairsHead + "1,0,0,1,1,1,x,a\n", `line 2: true_y_m = "x": must be a number from -1000 to 1000`},
		{pairsHead + "1,0,0,1,1,1,NaN,a\n", `line 2: true_y_m = "NaN": must be a number`},
		{pairsHead + "1,0,,1,1,1,1,a\n", `line 2: robot_y_m = "": must be a number`},
		{pairsHead + "# note\n1,0,0,1,,1,1,a\n",
			"line 3: reported_x_m, reported_y_m: must both be a number, or both be empty"},
		{pairsHead + "1,0,0,,,,,a\n", "line 2: must have a reported or a true position"},
		{pairsHead + "1,0,0\n", "record on line 2: wrong number of fields"},
	} {
		_, err := ReadPairs(strings.NewReader(c.text))
		must.Fail(t, err, c.want, fmt.Sprintf("%q", c.text))
	}
	samples := must.Get(ReadPairs(strings.NewReader(pairsHead + strings.Repeat("1,0,0,1,1,1,1,a\n", 29))))(t)
	_, err := FitPairs(samples)
	must.Fail(t, err, "a fit needs 30 pairs in a metre of distance")
}

// FuzzReadPairs checks that no file makes the reader or the fit panic, and that all positions are numbers.
func FuzzReadPairs(f *testing.F) {
	f.Add([]byte(pairsHead + strings.Repeat("1,0,0,1,1,1,2,a\n2,0,0,,,1,2,a\n3,0,0,1,5,,,\n", leastReports)))
	f.Add([]byte(pairsHead + strings.Repeat("1,0,0,0,0,0,0,a\n", leastReports)))
	f.Fuzz(func(t *testing.T, text []byte) {
		samples, err := ReadPairs(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, s := range samples {
			if math.IsNaN(s.Distance+s.Bearing+s.RobotX) || s.Outcome == Hit && math.IsNaN(s.Along()+s.Across()) {
				t.Errorf("%+v", s)
			}
		}
		if fit, err := FitPairs(samples); err == nil {
			fit.Words(&bytes.Buffer{})
			must.Do(t, fit.WriteTOML(&bytes.Buffer{}, "r", "s"))
		}
	})
}
