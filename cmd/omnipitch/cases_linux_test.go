package main

import (
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

var casesFolder = flag.String("cases", "testdata/cases", "folder of cases: inputs that were once handled wrongly")

// fed is an input of a folder of cases, with what a command must say about it.
type fed struct {
	input string
	args  []string // command and flags before the input; nil: check
	code  int
	says  string // text in the output
	not   string // text that must not be in the output; empty: none
	spans string // horizontal width and heights of the body of the world's prop, in m; empty: not tested
	also  func(t *testing.T, path string)
	made  func(*testing.T) string // content of an input that is too large for the repository
}

const square = "1.00 wide, 0.50 to 1.50 high" // a square of 1 m, hung at 1 m

var info = []string{"info"}

var feds = []fed{
	{input: "ball-in-obstacle/w.toml", code: 2, says: "4:1: ball: must not be inside obstacle[0]"},
	{input: "gltf-integer-decimal/floatint1.toml", says: ": ok", spans: square},
	{input: "gltf-integer-decimal/floatints.toml", says: ": ok", spans: square},
	{input: "gltf-morph-weights/morph-meshweight.toml", says: ": ok", spans: "1.00 wide, 1.50 to 2.50 high"},
	{input: "gltf-morph-weights/morph-nodeweight.toml", says: ": ok", spans: "1.00 wide, 1.50 to 2.50 high"},
	{input: "gltf-morph-weights/morph-noweight.toml", says: ": ok", spans: square},
	{input: "gltf-node-arrays/matrix12.toml", code: 2, says: "node 0: matrix has 12 numbers: must have 16"},
	{input: "gltf-node-arrays/rot3.toml", code: 2, says: "node 0: rotation has 3 numbers: must have 4"},
	{input: "gltf-node-arrays/rotbig.toml", code: 2, says: "node 0: rotation = [0 0 2 2]: must be a unit quaternion"},
	{input: "gltf-node-arrays/scale2.toml", code: 2, says: "node 0: scale has 2 numbers: must have 3"},
	{input: "gltf-shared-image/atlas-1.toml", says: ": ok"},
	{input: "gltf-shared-image/atlas-1024x5.toml", says: ": ok"},
	{input: "gltf-shared-image/atlas-2.toml", says: ": ok"},
	{input: "gltf-shared-image/atlas-orm.toml", says: ": ok"},
	{input: "gltf-shared-image/two-props.toml", says: ": ok"},
	{input: "gltf-skin/skin-cm.toml", says: ": ok", spans: square},
	{input: "gltf-skin/skin-nodemoved.toml", says: ": ok", spans: square},
	{input: "gltf-strip/fan.toml", says: ": ok", spans: square},
	{input: "gltf-strip/list.toml", says: ": ok", spans: square},
	{input: "gltf-strip/mixed.toml", says: ": ok", spans: "2.00 wide, 0.50 to 1.50 high"},
	{input: "gltf-strip/strip-degenerate.toml", says: ": ok", spans: "2.00 wide, 0.50 to 1.50 high"},
	{input: "gltf-strip/strip-noindex.toml", says: ": ok", spans: square},
	{input: "gltf-strip/strip.toml", says: ": ok", spans: square},
	{input: "mcap-lz4/lz4.mcap", args: info, says: "std_msgs/Float64  6\n", not: "damage"},
	{input: "mcap-no-statistics/good.mcap", args: info, says: "std_msgs/Float64  6\n", not: "damage"},
	{input: "mcap-no-statistics/nosummary.mcap", args: info, says: "std_msgs/Float64  6\n", not: "damage"},
	{input: "mcap-unchunked/flat-nosummary.mcap", args: info, says: "std_msgs/Float64  6\n", not: "damage"},
	{input: "mcap-unchunked/flat-then-chunk.mcap", args: info, says: "std_msgs/Float64  7\n", not: "damage"},
	{input: "mcap-unchunked/flat.mcap", args: info, says: "std_msgs/Float64  6\n", not: "damage"},
	{input: "model-states-name/w.toml", code: 2, says: `"football": is the name that profile nubot gives to ball`},
	{input: "odom-covariance/w.toml", says: ": ok", also: odometryHasCovariances},
	{input: "rate-above-step/w.toml", says: "rate_hz = 1000: warning: the world has 200 steps a second"},
	{input: "referee-own-goal/opp-throwin.toml", args: []string{"test"}, says: "1 run: 1 passed"},
	{input: "referee-own-goal/own-goalkick.toml", args: []string{"test"}, says: "1 run: 1 passed"},
	{input: "referee-own-goal/own-throwin.toml", args: []string{"test"}, says: "1 run: 1 passed"},
	{input: "attack/bomb-3000x1MB/bomb-3000x1MB.mcap", args: info, code: 2,
		says: "after decompression: must"},
	{input: "attack/escapes/escapes.mcap", args: info, says: `lib\u001b]0;pwned\u0007`, not: "\x1b",
		made: func(t *testing.T) string { return read(t, "testdata/escapes.mcap") }},
	{input: "attack/events-chain/w.toml", says: ": ok", made: func(*testing.T) string {
		world := lonely + "[[event]]\nname = \"e0\"\nevery_s = 0.005\n"
		for i := range 999 {
			world += fmt.Sprintf("[[event]]\nname = \"e%d\"\nafter = \"e%d\"\nrepeat = true\n", i+1, i)
		}
		return world
	}},
	{input: "attack/require-100/w.toml", code: 2, says: "gives no valid draw", made: func(*testing.T) string {
		return lonely + "[ball]\nx_m = { uniform = [-6, 6] }\n" + strings.Repeat(
			"[[require]]\nnear = { name = \"cyan1\", of = \"ball\", within_m = 0.0001 }\n", 100)
	}},
	{input: "attack/robots-500/r0100.toml", code: 2, says: "both have number 1", made: crowd},
	{input: "attack/robots-500/w.toml", code: 2, says: "both have number 1"},
}

// lonely is a world with one robot.
const lonely = `name = "lonely"
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = -2 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
`

// crowd returns a world with a hundred robots at random places.
func crowd(*testing.T) string {
	return `name = "crowd"
[[robot]]
for_each = { n = { from = 1, to = 100, count = 100 } }
name = "r{n}"
model = "nubot"
number = 1
pose = { x_m = { uniform = [-9, 9] }, y_m = { uniform = [-6, 6] } }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
`
}

// TestCases feeds the inputs of a folder of cases to the program, and compares what it says. make verify-cases names
// another folder than testdata, which lacks large inputs. Every input of the folder needs a row of the table.
func TestCases(t *testing.T) {
	if _, err := os.Stat(*casesFolder); err != nil {
		t.Fatalf("-cases = %s: the folder of cases does not exist: name one with make verify-cases CASES=FOLDER",
			*casesFolder)
	}
	rows := map[string]bool{}
	for _, c := range feds {
		rows[c.input] = true
		t.Run(c.input, func(t *testing.T) {
			path := filepath.Join(*casesFolder, c.input)
			if _, err := os.Stat(path); err != nil {
				if c.made == nil {
					t.Skip("is not in the folder")
				}
				path = filepath.Join(t.TempDir(), filepath.Base(path))
				must.Do(t, os.WriteFile(path, []byte(c.made(t)), 0o600))
			}
			c.feed(t, path)
		})
	}
	must.Do(t, filepath.WalkDir(*casesFolder, func(path string, d fs.DirEntry, err error) error {
		input, _ := filepath.Rel(*casesFolder, path)
		if ext := filepath.Ext(path); (ext == ".toml" || ext == ".mcap") && !rows[input] {
			t.Errorf("%s: no row of the table says what should happen", input)
		}
		return err
	}))
}

// feed checks what the program says about an input.
func (c *fed) feed(t *testing.T, path string) {
	args := c.args
	if args == nil {
		args = []string{"check"}
	}
	out := prints(t, c.code, c.says, append(slices.Clone(args), path)...)
	if c.not != "" && strings.Contains(out, c.not) {
		t.Errorf("got the output %q, want none with %q", out, c.not)
	}
	if c.spans != "" {
		must.Equal(t, propSpans(must.Get(worlds.Load(path))(t)), c.spans, "the prop")
	}
	if c.also != nil {
		c.also(t, path)
	}
}

// propSpans describes the body of the prop of a world: its extent across the line of sight along x, and its heights.
func propSpans(w *worlds.World) string {
	least, most := mgl64.Vec2{math.Inf(1), math.Inf(1)}, mgl64.Vec2{math.Inf(-1), math.Inf(-1)}
	for _, b := range w.Model().Props[0].Boxes {
		_, y := b.Extent()
		for k, half := range []float64{y, b.Half[2]} {
			least[k], most[k] = min(least[k], b.Centre[k+1]-half), max(most[k], b.Centre[k+1]+half)
		}
	}
	return fmt.Sprintf("%.2f wide, %.2f to %.2f high", most[0]-least[0], least[1], most[1])
}

// odometryHasCovariances checks that the covariances of a robot's odometry are those of noise that grows.
func odometryHasCovariances(t *testing.T, path string) {
	sim := simtest.New(t, must.Get(worlds.Load(path))(t), omnipitch.Options{NewRenderer: simtest.Grey})
	defer sim.Close()
	var all []sensors.OdometryReading
	sim.On("cyan1", "odometry", func(o *sensors.Observation) {
		all = append(all, *o.Reading.(*sensors.OdometryReading))
	})
	sim.Steps(400)
	first, last := all[len(all)/2], all[len(all)-1]
	for k := range 3 { // the diagonal
		if !(first.PoseCov[4*k] > 0 && last.PoseCov[4*k] > first.PoseCov[4*k] && last.TwistCov[4*k] > 0) {
			t.Errorf("variance %d: got %v of the pose after 1 s, %v after 2 s, and %v of the twist: want growing ones, "+
				"more than 0", k, first.PoseCov[4*k], last.PoseCov[4*k], last.TwistCov[4*k])
		}
	}
}
