package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
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
	if err := command(t.Context(), &out, append(args, "--json")...); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
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
