package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestMain runs the tests, or a peer: bench ros1 starts this test binary as its peer.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "bench" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Stdout, os.Args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// command runs a bench as the command line does.
func command(ctx context.Context, out io.Writer, args ...string) error {
	parser, err := kong.New(&Benches{})
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	if bench, ok := parsed.Selected().Target.Addr().Interface().(interface{ Check() error }); ok {
		if err := bench.Check(); err != nil {
			return err
		}
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run(console.Streams{Out: out, Err: io.Discard})
}

// measure runs a bench. It returns the results of the report, also by name.
func measure(t *testing.T, args ...string) (results []Result, byName map[string]Result) {
	t.Helper()
	var out strings.Builder
	must.Do(t, command(t.Context(), &out, append(args, "--json")...))
	var r Report
	must.Do(t, json.Unmarshal([]byte(out.String()), &r))
	byName = map[string]Result{}
	for _, x := range r.Results {
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) || x.N == 0 {
			t.Errorf("%s = %v of %d", x.Name, x.Value, x.N)
		}
		byName[x.Name] = x
	}
	return r.Results, byName
}

// TestBenchesRefuseWhatTheyCannotDo checks that a bench refuses impossible requests before it prints anything.
func TestBenchesRefuseWhatTheyCannotDo(t *testing.T) {
	file := t.TempDir() + "/file"
	must.Do(t, os.WriteFile(file, nil, 0o644))
	for args, want := range map[string]string{
		"card --rounds=0":                     "--rounds = 0: must be at least 1",
		"card --many=0":                       "--many = 0: must be at least 1",
		"cluster --rounds=0":                  "--rounds = 0: must be at least 1",
		"cluster --round=0s":                  "--round = 0s: must be positive",
		"cluster --jobs=1":                    "--jobs = 1: must lie in [2, 100000]",
		"cluster --workers=0":                 "--workers = 0: must lie in [1, 256]",
		"cluster --images=640x640":            "--images: must have at least two different sizes",
		"cluster --images=640,320":            `"640": must be WIDTHxHEIGHT, such as 640x640, each in [16, 4096]`,
		"cluster --match=640x640x3":           `"640x640x3": must be WIDTHxHEIGHT`,
		"cluster --cameras=11":                "--cameras = 11: must lie in [1, 10]",
		"cluster --renderer=reference":        `--renderer = "reference": takes minutes for an image`,
		"colors --varied=17":                  "--varied = 17: must lie in [1, 16]",
		"colors --world=":                     `--world = "": must name a world`,
		"colors --world=nowhere":              `world "nowhere"`,
		"colors --camera=cyan1.imu":           `--camera = "cyan1.imu": must be a camera of nubot-attack, as cyan1.omni`,
		"levels --rounds=0":                   "--rounds = 0: must be at least 1",
		"levels --robots=11":                  "--robots = 11: must lie in [1, 10]",
		"levels --round=-1s":                  "--round = -1s: must be positive",
		"levels --renderer=mesa":              `--renderer = "mesa": must be one of auto, opengl, `,
		"physics --rounds=0":                  "--rounds = 0: must be at least 1",
		"physics --brawl=0":                   "--brawl = 0: must be at least 1",
		"physics --plot=" + file:              "--plot: mkdir",
		"physics --plot=":                     `--plot = "": must name a folder`,
		"render --rounds=0":                   "--rounds = 0: must be at least 1",
		"render --renderer=mesa":              `--renderer = "mesa": must be one of auto, opengl, `,
		"render --renderer=":                  `--renderer = "": must be one of`,
		"ros1 --for=0s":                       "--for = 0s: must be positive",
		"ros1 --rounds=0":                     "--rounds = 0: must be at least 1",
		"ros2 --for=0s":                       "--for = 0s: must be positive",
		"ros2 --topics=0":                     "--topics = 0: must lie in [1, 100]",
		"timesync --for=1ms":                  "--for = 1ms: must be at least 1s",
		"timesync --loads=none":               `--loads = "none": must be among collisions, raw`,
		"timesync --speed=lockstep":           `speed = "lockstep": has no pace to measure`,
		"timesync --speed=max,fast":           `speed = "fast": must be "realtime", "max", "steady"`,
		"timesync --plot=":                    `--plot = "": must name a folder`,
		"timesync --csv --json":               "--csv: not with --json",
		"timesync --world=":                   `--world = "": must name a world`,
		"timesync --world=planar --loads=raw": "--world: not with --loads",
		"timesync --world=nowhere":            `world "nowhere"`,
	} {
		var out strings.Builder
		if err := command(t.Context(), &out, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(),
			want) || out.Len() > 0 {
			t.Errorf("%s: %v, printed %q, want %q", args, err, out.String(), want)
		}
	}
}

// TestBenchLevels checks that every level of every world is timed. Level objects and lasers must allocate less than
// once per step: only the stack of a goroutine remains.
func TestBenchLevels(t *testing.T) {
	out := t.TempDir()
	results, names := measure(t, "levels", "--rounds", "1", "--round", "10ms", "--robots", "2", "--plot", out)
	for _, name := range []string{"levels-ode.png", "levels-planar.svg"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range results {
		if strings.HasSuffix(r.Name, "_real_time_factor") && !(r.Value > 0) {
			t.Errorf("%s = %v", r.Name, r.Value)
		}
		if (strings.HasSuffix(r.Name, "_objects_allocations") || r.Name == "laser_10_robots_181_rays_allocations") &&
			!(r.Value < 1) {
			t.Errorf("%s = %v a step", r.Name, r.Value)
		}
	}
	if r := names["ten_front_cameras_ideal_images"]; !(r.Value > 0) {
		t.Errorf("ten front cameras at ideal: %v images/s", r.Value)
	}
	for _, name := range []string{"ode_2_robots_raw_real_time_factor", "planar_2_robots_objects_ros1_real_time_factor",
		"ode_2_robots_features_allocations", "laser_10_robots_181_rays_scans_per_s",
		"laser_10_robots_181_rays_allocations"} {
		if _, ok := names[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestBenchPhysicsIsDocumented checks that all results are finite and named in docs/benchmarks.md, and that every plot
// is written.
func TestBenchPhysicsIsDocumented(t *testing.T) {
	plots := filepath.Join(t.TempDir(), "plots")
	results, _ := measure(t, "physics", "--rounds", "1", "--brawl", "400", "--plot", plots)
	text, err := os.ReadFile("../../../docs/benchmarks.md")
	must.Do(t, err)
	docs := string(text)
	for _, r := range results {
		if strings.HasPrefix(r.Name, "plain_c_beside_") {
			continue
		}
		if head, _, _ := strings.Cut(r.Name, "_"); !strings.Contains(docs, "`"+head+"_") {
			t.Errorf("docs/benchmarks.md does not name %s", r.Name)
		}
		// Errors in percent against closed forms, and energies. These targets hold for any duration and on any machine.
		if strings.HasSuffix(r.Name, "_error") && r.Unit == "%" && !(r.Value <= 1) {
			t.Errorf("%s = %v %%, the aim is 1", r.Name, r.Value)
		}
		if strings.HasSuffix(r.Name, "_tilt") && !(r.Value <= 0.05) {
			t.Errorf("%s = %v rad", r.Name, r.Value)
		}
	}
	for _, name := range []string{"circle", "ramp", "traction", "drop", "roll_out", "lob", "slide_to_roll", "collision",
		"dribbling"} {
		if info, err := os.Stat(filepath.Join(plots, name+".png")); err != nil || info.Size() < 5000 {
			t.Errorf("%s.png: %v", name, err)
		}
	}
}

// TestBenchRenderIsDocumented checks that a bench prints the results that docs/benchmarks.md promises.
func TestBenchRenderIsDocumented(t *testing.T) {
	const draws = "opengl" // the same code measures the other renderers
	results, names := measure(t, "render", "--rounds", "1", "--renderer", draws)
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	must.Do(t, err)
	for _, r := range results {
		if !(r.Value > 0) || r.N != 1 {
			t.Errorf("%+v: must be a positive median of 1", r)
		}
		name := strings.Replace(strings.TrimSuffix(r.Name, "_cpu"), "_"+draws, "_RENDERER", 1)
		if !strings.HasPrefix(name, "floor_of_") && !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", name)
		}
	}
	for _, r := range results {
		if _, ok := names[r.RatioTo]; !ok && r.RatioTo != "" {
			t.Errorf("%s is compared with %s, which is not in the report", r.Name, r.RatioTo)
		}
	}
	if len(names) < 29 {
		t.Errorf("only %d names", len(names))
	}
}

// TestBenchOfManyCamerasIsDocumented does the same for the results of --many.
func TestBenchOfManyCamerasIsDocumented(t *testing.T) {
	results, names := measure(t, "render", "--rounds", "1", "--renderer", "opengl", "--many", "2")
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	must.Do(t, err)
	for _, r := range results {
		name, of, _ := strings.Cut(strings.Replace(r.Name, "_opengl", "_RENDERER", 1), "_device_")
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_cpu"), "_rate")
		if !strings.Contains(string(docs), "`"+name+"`") || of != "" && !strings.Contains(string(docs), "_device_"+of) {
			t.Errorf("docs/benchmarks.md does not name %s", r.Name)
		}
		if !(r.Value > 0) && of == "" {
			t.Errorf("%+v: must be positive", r)
		}
	}
	if len(names) < 30 {
		t.Errorf("only %d names", len(names))
	}
}

// TestBenchCard checks that the page has all goals of docs/benchmarks.md, and says of each whether it is met.
func TestBenchCard(t *testing.T) {
	results, names := measure(t, "card", "--rounds", "1", "--many", "2", "--software")
	docs := string(must.Get(os.ReadFile("../../../docs/benchmarks.md"))(t))
	goals := map[string]float64{}
	for _, r := range results {
		if !strings.Contains(r.Name, "_tile") && !strings.HasPrefix(r.Name, "natural_") &&
			!strings.Contains(docs, "`"+r.Name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", r.Name)
		}
		if _, ok := names[r.RatioTo]; !(r.Value > 0) || !ok && r.RatioTo != "" {
			t.Errorf("%+v: must be positive, and its reference in the report", r)
		}
		if g := r.Goal; g != nil {
			goals[r.Name+" "+r.RatioTo] = g.Least + g.Most
			if met := r.Value >= g.Least && (g.Most == 0 || r.Value <= g.Most); g.Met != met {
				t.Errorf("%+v: goal %v", r, g)
			}
		}
	}
	must.Equal(t, goals, map[string]float64{
		"raw_omni_640x640_opengl ":                                                   3,
		"raw_many_omni_640x640_opengl_rate ":                                         3000,
		"raw_many_omni_640x640_opengl_rate raw_many_omni_640x640_tile_rate":          2.5,
		"raw_many_omni_640x640_labels_opengl_rate raw_many_omni_640x640_opengl_rate": 0.7,
		"raw_many_front_640x480_opengl_rate ":                                        5000,
		"raw_many_front_640x480_opengl_rate raw_many_front_640x480_tile_rate":        2.5,
		"raw_many_64x64_opengl_rate ":                                                50_000,
		"raw_many_64x64_opengl_rate raw_many_64x64_tile_rate":                        2.5,
		"many_64x64_labels_rate many_64x64_rate":                                     0.7,
	}, "goals")
}

// TestBenchCardNeedsACard checks that without a graphics card nothing is measured.
func TestBenchCardNeedsACard(t *testing.T) {
	auto := backend.Choose(backend.Auto, nil)
	if auto.Name == "opengl" {
		t.Skip("there is a graphics card")
	}
	var out strings.Builder
	err := command(t.Context(), &out, "card")
	must.Equal(t, fmt.Sprint(err), "bench card needs a graphics card, but "+auto.Why, "error")
	must.Equal(t, out.String(), "", "output")
}

// TestReportCountsGoals checks that a report says which goals are met. A value that is no number meets none.
func TestReportCountsGoals(t *testing.T) {
	r := Report{Bench: "card", Machine: "this"}
	for _, value := range []float64{2, 3, 12345, math.NaN()} {
		r.add("x", value, "ms", 1)
		r.addGoal("x", "", Goal{Most: 2.5})
		r.add("y", value, "Hz", 1)
		r.addGoal("y", "", Goal{Least: 2.5})
	}
	var out strings.Builder
	must.Do(t, r.print(&out, false))
	want := `card on this
x  2      ms  median of 1  goal: at most 2.5, met
y  2      Hz  median of 1  goal: at least 2.5, missed
x  3      ms  median of 1  goal: at most 2.5, missed
y  3      Hz  median of 1  goal: at least 2.5, met
x  12345  ms  median of 1  goal: at most 2.5, missed
y  12345  Hz  median of 1  goal: at least 2.5, met
x  NaN    ms  median of 1  goal: at most 2.5, missed
y  NaN    Hz  median of 1  goal: at least 2.5, missed
3 of 8 goals are met
`
	must.Equal(t, out.String(), want, "the report")
}

// TestBenchROS1 checks that the bench prints all its results. It does not test speeds, which depend on the machine.
func TestBenchROS1(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	if err := exec.Command("pkg-config", "--exists", "roscpp").Run(); err != nil {
		t.Skip("no roscpp: apt-get install libroscpp-dev")
	}
	_, got := measure(t, "ros1", "--for", "200ms", "--rounds", "1")
	for _, name := range []string{
		"image_latency", "image_latency_p99", "image_cpu", "image_process_cpu", "image_rate", "image_allocations",
		"odometry_latency", "odometry_latency_p99", "received_image_latency", "received_image_cpu",
		"received_image_rate",
		"served_call_latency", "served_call_once_latency", "call_latency", "call_once_latency",
		"served_call_once_failed",
		"roscpp_image_latency", "roscpp_image_rate", "roscpp_odometry_latency", "roscpp_received_image_cpu",
		"roscpp_call_latency",
	} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestBenchROS2 checks that the bench prints all its results.
func TestBenchROS2(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	_, got := measure(t, "ros2", "--for", "200ms", "--rounds", "1", "--topics", "2")
	for _, name := range []string{"image_latency", "image_latency_p99", "image_cpu", "many_latency", "many_cpu",
		"many_arrived", "many_rate", "reliable_rate"} {
		for _, prefix := range []string{"", "ros1_"} {
			if x := got[prefix+name]; !(x.Value > 0) {
				t.Errorf("%s%s = %v, want a positive value", prefix, name, x.Value)
			}
		}
	}
}

// TestBenchROS1Lacks checks that without a compiler the bench names the missing package.
func TestBenchROS1Lacks(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := command(t.Context(), io.Discard, "ros1")
	if console.ExitCode(err) != console.ExitUnavailable || !strings.Contains(err.Error(), "apt-get install g++") {
		t.Error(err)
	}
}
