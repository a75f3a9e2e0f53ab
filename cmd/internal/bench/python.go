package bench

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
)

// Python measures the Python package omnipitch, whose module bench measures most quantities.
type Python struct {
	Rounds int    `default:"3" help:"Number of measurements of each quantity."`
	Python string `default:"python3" placeholder:"PROGRAM" help:"Python interpreter with numpy. Default: ${default}."`
	Peer   string `placeholder:"PROGRAM" help:"Python interpreter with the package rsoccer-gym, to measure alternately."`
	JSON   bool   `help:"Print one JSON object."`
}

//go:embed rsoccer.py
var rsoccer string

// omniCameras are the images that the program renders itself, without Python.
var omniCameras = cameraLoad{"ten_omni_cameras_raw", "ten-robots", []string{"omni"}, abstraction.Raw}

// Check validates the flags.
func (c *Python) Check() error { return atLeast1("--rounds", c.Rounds) }

// Run measures and prints.
func (c *Python) Run(ctx context.Context, con console.Streams) error {
	sim, images, err := omniCameras.start("auto", worlds.LookNatural)
	if err != nil {
		return err
	}
	defer sim.Close()
	report := newReport("python")
	values := map[string][]float64{}
	var last []Result // of the last round
	for range c.Rounds {
		rows, err := c.round(ctx, sim, images)
		if err != nil {
			return err
		}
		for _, r := range rows {
			values[r.Name] = append(values[r.Name], r.Value)
		}
		last = rows
	}
	for _, r := range last {
		report.add(r.Name, median(values[r.Name]), r.Unit, c.Rounds)
	}
	for _, pair := range [][2]string{{"python_" + omniCameras.name, omniCameras.name},
		{"python_objects_of_robots", "rsoccer_states_of_robots"}} {
		ratios := slices.Clone(values[pair[1]])
		for i, base := range ratios {
			ratios[i] = values[pair[0]][i] / base
		}
		if len(ratios) > 0 {
			report.addRatio(pair[0], pair[1], median(ratios), c.Rounds)
		}
	}
	return report.print(con.Out, c.JSON)
}

// round measures each quantity once.
func (c *Python) round(ctx context.Context, sim *omnipitch.Sim, images float64) ([]Result, error) {
	rows, err := runPython(ctx, c.Python, "-m", "omnipitch.bench")
	if err != nil {
		return nil, err
	}
	own, err := timeRounds(ctx, 1, time.Second, sim)
	if err != nil {
		return nil, err
	}
	rows = append(rows, Result{Name: omniCameras.name, Value: images * own[0].factor[0], Unit: "1/s"})
	if c.Peer == "" {
		return rows, nil
	}
	peer, err := runPython(ctx, c.Peer, "-W", "ignore", "-c", rsoccer)
	return append(rows, peer...), err
}

// runPython runs a program in Python that prints results. The program finds the package omnipitch of the checkout that
// this executable is in, and starts this executable.
func runPython(ctx context.Context, python string, args ...string) (rows []Result, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, python, args...)
	cmd.Env = append(os.Environ(), "OMNIPITCH="+self, "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+filepath.Join(filepath.Dir(self), "../robotio/python"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", python, err, bytes.TrimSpace(stderr.Bytes()))
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", python, err)
	}
	return rows, nil
}
