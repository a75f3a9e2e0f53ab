//go:build cgo

package scenery_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/models"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

var costAll = flag.Bool("cost.all", false, "measure what each renderer takes in TestCostIsWhatAProcessTakes, not "+
	"only that which takes the most of a thing")

// bare is a world with one robot and small images, in the appearance that needs more memory.
const bare = `name = "small"
look = "natural"
[[robot]]
name = "cyan1"
model = "nubot"
[[robot.sensor]]
name = "omni"
level = "raw"
image = { width_px = 160, height_px = 120 }
[[robot.sensor]]
name = "front"
image = { width_px = 160, height_px = 120 }
`

// furnished writes a world with one additional object, and the files to which it refers.
func furnished(tb testing.TB, model, text string) string {
	dir := tb.TempDir()
	for name, text := range map[string]string{"m.gltf": model, "w.toml": bare + text} {
		must.Do(tb, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return filepath.Join(dir, "w.toml")
}

func prop(scale float64, hang string) string {
	return fmt.Sprintf("[[prop]]\nname = \"thing\"\nfile = \"m.gltf\"\nscale = %g\nhang = { %s }\n", scale, hang)
}

// carpet is the mesh of a square with n × n cells.
func carpet(n int, size float32, nodes int) string {
	positions, indices := models.Grid(n, size)
	return models.Text(positions, indices, true, nodes)
}

// triangle is the mesh of one triangle of a given width.
func triangle(size float32) string {
	return models.Text([][3]float32{{0, 0, 0}, {size, 0, 0}, {0, 0, 40}}, []uint32{0, 1, 2}, false, 1)
}

// Buildings fit into the memory for what stands in a world.
func TestBuildingsFit(t *testing.T) {
	for _, walls := range []int{2000, 4900} {
		if err := scenery.CheckCost(simtest.Office(t, walls, 1, "")); err != nil {
			t.Errorf("%d walls: %v", walls, err)
		}
	}
}

// A scene too large for the renderers is an error at its place in the file, and its check needs little memory. Large
// objects outside of the field are allowed.
func TestWhatCostsTooMuchIsRefused(t *testing.T) {
	bench := must.Get(os.ReadFile("../props/bench.gltf"))(t)
	var boards strings.Builder
	for i := range 100 {
		fmt.Fprintf(&boards, "[[board]]\nname = \"board%d\"\ncolumns = 40\nrows = 40\n", i)
	}
	const outside = "x_m = 4.5, y_m = 6.9, yaw_deg = -90"
	for name, c := range map[string]struct{ model, text, want string }{
		"bench of 2 m":            {string(bench), prop(1, outside), ""},
		"bench of 72 m":           {string(bench), prop(30, outside), ""},
		"bench of 240 m":          {string(bench), prop(100, outside), ""},
		"triangle of a kilometre": {triangle(999), prop(1, outside), ""},
		"carpets on the field": {carpet(2, 20, 10), prop(1, "x_m = -10, y_m = -10"),
			"w.toml:16:1: prop[0]: scale = 1: thing takes more of a renderer's memory than the 256 MiB that are left " +
				"of 256 MiB"},
		"half a million triangles": {carpet(499, 6, 1), prop(1, outside),
			"has too many triangles: a world's models have at most 250000 in all"},
		"half as many": {carpet(345, 6, 1), prop(1, outside),
			"prop[0]: scale = 1: thing takes more of a renderer's memory"},
		"ninety thousand instances": {models.Text([][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, []uint32{0, 1, 2},
			true, 90_000), prop(1, outside), "has too many parts"},
		"board": {"", "[[board]]\nname = \"b\"\ncolumns = 50\nrows = 50\nsquare_m = 2\n",
			"board[0]: square_m = 2: b takes more of a renderer's memory"},
		"boards": {"", boards.String(), "MiB that are left of 256 MiB for all props, walls, boxes, cylinders, " +
			"boards and obstacles"},
	} {
		t.Run(name, func(t *testing.T) {
			path := furnished(t, c.model, c.text)
			allocs.AtMost(t, allocs.ParseLimit, func() {
				w, err := worlds.Load(path)
				if err == nil {
					err = scenery.CheckCost(w)
				}
				switch {
				case c.want == "" && err != nil:
					t.Error(err)
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("%v, want %q", err, c.want)
				}
			})
		})
	}
}

// The cost of a scene includes all parts of props, boards and obstacles.
func TestAllFurnitureCounts(t *testing.T) {
	w := simtest.World(t, furnished(t, carpet(1, 1, 5), prop(1, "x_m = 3")+
		"[[board]]\nname = \"b\"\n[[obstacle]]\nname = \"o\"\npose = { x_m = 5 }\n"))
	cost, err := scenery.FurnitureCost(w)
	if err != nil || cost.Parts != 5+3+1 || cost.Cut <= cost.Triangles {
		t.Errorf("%+v, %v", cost, err)
	}
	w.Props = append(w.Props, worlds.Prop{Name: "made in Go"})
	must.Fail(t, scenery.CheckCost(w), "has not been read", "a prop without a model")
}

// peak returns the peak memory of a process that draws all images of a world, in bytes. Garbage is collected early,
// since otherwise the amount of garbage depends on the load of the machine.
func peak(t *testing.T, world, renderer string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeakOfAWorld$", "-test.v")
	cmd.Env = append(os.Environ(), "OMNIPITCH_PEAK_WORLD="+world, "OMNIPITCH_PEAK_RENDERER="+renderer, "GOGC=25")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, after, _ := strings.Cut(string(out), "VmHWM:")
	kilobytes := must.Get(strconv.Atoi(strings.Fields(after)[0]))(t)
	return kilobytes << 10
}

// TestPeakOfAWorld is the process that peak starts.
func TestPeakOfAWorld(t *testing.T) {
	world := os.Getenv("OMNIPITCH_PEAK_WORLD")
	if world == "" {
		t.Skip("is run by TestCostIsWhatAProcessTakes")
	}
	sim := simtest.New(t, simtest.World(t, world), omnipitch.Options{Renderer: os.Getenv("OMNIPITCH_PEAK_RENDERER")})
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Features} {
		for _, sensor := range []string{"omni", "front"} {
			sim.Capture("cyan1", sensor, level).Release()
		}
	}
	status := must.Get(os.ReadFile("/proc/self/status"))(t)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println("VmHWM:", strings.Fields(after)[0])
}

// The estimate of memory is realistic: with each renderer, a process needs no more, apart from a few megabytes that
// vary between runs. With one of them it needs at least a third. Without -cost.all, which make verify-renderers sets,
// only the renderer with the largest need is tested.
func TestCostIsWhatAProcessTakes(t *testing.T) {
	const noise = 24 << 20
	base := furnished(t, "", "")
	before := map[string]int{}
	for name, c := range map[string]struct{ path, most string }{
		"cut":       {furnished(t, carpet(1, 14, 1), prop(1, "x_m = -10, y_m = -10")), "tile"},
		"triangles": {furnished(t, carpet(250, 6, 1), prop(1, "x_m = 3")), "raycast"},
		"parts":     {furnished(t, carpet(1, 0.01, 19_000), prop(1, "x_m = 3")), "tile"},
	} {
		cost := must.Get(scenery.FurnitureCost(simtest.World(t, c.path)))(t)
		most, asked := 0, 0
		for _, renderer := range backend.Plain() {
			if renderer == "raycast" && name != "triangles" || renderer != c.most && !*costAll {
				continue // for the ray caster the others need little
			}
			if before[renderer] == 0 {
				before[renderer] = peak(t, base, renderer)
			}
			more := peak(t, c.path, renderer) - before[renderer]
			most, asked = max(most, more), asked+1
			if more > cost.Bytes()+noise {
				t.Errorf("%s: %s takes %d MiB more, said to take %d", name, renderer, more>>20, cost.Bytes()>>20)
			}
			t.Logf("%s: %s takes %d MiB more, said to take %d: %+v", name, renderer, more>>20, cost.Bytes()>>20, cost)
		}
		if asked == 0 || 3*(most+noise) < cost.Bytes() {
			t.Errorf("%s takes %d MiB more by %d renderers, said to take %d", name, most>>20, asked, cost.Bytes()>>20)
		}
	}
}
