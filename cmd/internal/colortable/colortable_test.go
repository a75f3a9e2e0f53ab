package colortable

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

func load(t *testing.T, text string) *worlds.World {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.toml")
	// Images with a quarter of the pixels show the same scene in a quarter of the time.
	cameras := "[[robot]]\nname = \"cyan1\"\n" +
		"[[robot.sensor]]\nname = \"omni\"\nimage = { width_px = 320, height_px = 320 }\nground_truth = true\n" +
		"[[robot.sensor]]\nname = \"front\"\nimage = { width_px = 320, height_px = 240 }\nground_truth = true\n"
	must.Do(t, os.WriteFile(path, []byte("name = \"world\"\ninclude = [\"nubot-attack\"]\n"+text+cameras), 0o644))
	w, err := worlds.Load(path)
	must.Do(t, err)
	return w
}

// common is the table of the mirror camera in the unchanged hall, and the result of classifying images with it. It is
// made once for the tests that can share it.
var common struct {
	table     *calibration.ColorTable
	confusion *calibration.Confusion
}

func commonTable(t *testing.T) (*calibration.ColorTable, *calibration.Confusion) {
	t.Helper()
	if common.table == nil {
		common.table, common.confusion = tableOf(t, load(t, ""), "omni", calibration.YUV)
	}
	return common.table, common.confusion
}

func tableOf(t *testing.T, w *worlds.World, sensor string, space calibration.ColorSpace) (*calibration.ColorTable,
	*calibration.Confusion) {
	t.Helper()
	learn := func(h *calibration.ColorHistogram) *calibration.ColorTable { return h.Table(space) }
	table, confusion, err := Make(t.Context(), []*worlds.World{w}, "cyan1", sensor, learn, func(string) {})
	must.Do(t, err)
	t.Logf("%s.%s\n%s", w.Name, sensor, confusion)
	return table, confusion
}

// TestTablesTellColorsApart checks how well a table classifies objects on the carpet in images that were not used to
// make it. A tenth of the ball is black leather, and pixels at outlines show two objects.
func TestTablesTellColorsApart(t *testing.T) {
	for sensor, made := range map[string]func(*testing.T) (*calibration.ColorTable, *calibration.Confusion){
		"omni": commonTable,
		"front": func(t *testing.T) (*calibration.ColorTable, *calibration.Confusion) {
			return tableOf(t, load(t, ""), "front", calibration.BGR)
		},
	} {
		t.Run(sensor, func(t *testing.T) {
			_, confusion := made(t)
			for _, want := range []struct {
				row     int
				class   calibration.ColorClass
				atLeast float64
			}{
				{int(calibration.BallColor), calibration.BallColor, 0.7},
				{int(calibration.BlackColor), calibration.BlackColor, 0.78}, // mirrors of others reflect the hall
				{int(calibration.GreenColor), calibration.GreenColor, 0.97},
				{int(calibration.UnknownColor), calibration.UnknownColor, 0.9},
				{calibration.Lines, calibration.UnknownColor, 0.9},
			} {
				if got := confusion.Share(want.row, want.class); !(got >= want.atLeast) {
					t.Errorf("row %d: %.4f are called %d, want at least %v", want.row, got, want.class, want.atLeast)
				}
			}
			for row := range confusion { // the pixels outside of the optics as well
				if got := confusion.Share(row, calibration.BallColor); row != int(calibration.BallColor) &&
					!(got <= 0.002) {
					t.Errorf("row %d: %.4f are taken for the ball", row, got)
				}
			}
		})
	}
}

// TestCarpetColorsAreTheCarpets checks a table of the carpet's colours against the ground truth of images. It must find
// 94 % of the carpet's pixels, and at most 2 % of any other class.
func TestCarpetColorsAreTheCarpets(t *testing.T) {
	carpet, confusion, err := Make(t.Context(), []*worlds.World{load(t, "")}, "cyan1", "front",
		(*calibration.ColorHistogram).Carpet, func(string) {})
	must.Do(t, err)
	t.Logf("\n%s", confusion)
	for row := range confusion {
		got := confusion.Share(row, calibration.GreenColor)
		if is := row == int(calibration.GreenColor); is && !(got >= 0.94) || !is && !(got <= 0.02) {
			t.Errorf("row %d: %.4f are taken for the carpet", row, got)
		}
	}
	if carpet.Class(255, 255, 255) != calibration.UnknownColor {
		t.Error("white is taken for the carpet")
	}
}

// TestATableIsTheWorldsOwn checks that a world's table is reproducible and depends on the world's light. In dim evening
// light, the table of another light must miss at least ten times as much of the carpet as the world's own table.
func TestATableIsTheWorldsOwn(t *testing.T) {
	evening := "[light]\nlamp_temperature_k = 3000\nambient_temperature_k = 3000\nlamp = 0.4\nambient = 0.4\n"
	common, shown := commonTable(t)
	processors := runtime.GOMAXPROCS(1)
	again, other := tableOf(t, load(t, ""), "omni", calibration.YUV)
	runtime.GOMAXPROCS(processors)
	if common.Cells != again.Cells || *shown != *other {
		t.Errorf("two tables of one world differ:\n%s\n%s", shown, other)
	}
	dim, here := tableOf(t, load(t, evening), "omni", calibration.YUV)
	if got := here.Share(int(calibration.GreenColor), calibration.GreenColor); !(got >= 0.97) {
		t.Errorf("%.3f of the carpet is green in the light of the table", got)
	}
	if common.Cells == dim.Cells {
		t.Error("the tables of both lights are the same")
	}
	d, err := Open(load(t, evening), "cyan1", "omni", func(string) {})
	must.Do(t, err)
	defer d.Close()
	var seen calibration.ColorHistogram
	must.Do(t, d.Count(t.Context(), Images{N: 1}, &seen))
	const green = int(calibration.GreenColor)
	missed := func(table *calibration.ColorTable) float64 {
		return 1 - seen.Judge(table).Share(green, calibration.GreenColor)
	}
	if own, other := missed(dim), missed(common); !(10*own < other) {
		t.Errorf("of the carpet in the evening, its own table misses %.4f, the common hall's %.4f: want ten times as "+
			"much", own, other)
	}
}

// TestKindsAreTheTruthOfImages compares the classes with the ground truth of images, which labels floor, markings and
// bodies separately.
func TestKindsAreTheTruthOfImages(t *testing.T) {
	for _, sensor := range []string{"omni", "front"} {
		sim, err := omnipitch.New(load(t, ""), omnipitch.Options{NewRenderer: backend.RayCaster})
		must.Do(t, err)
		defer sim.Close()
		d, err := newDrawing(sim, "cyan1", sensor)
		must.Do(t, err)
		must.Do(t, d.rearrange(3))
		o, err := sim.Sensors().Capture("cyan1", sensor, abstraction.Raw)
		must.Do(t, err)
		defer o.Release()
		s := sim.Sensors().Scenery()
		wrong, seen := 0, map[int8]int{}
		for i, got := range d.kinds() {
			seen[got]++
			label := o.Truth.Labels[i]
			var ok bool
			switch body := int(label) - int(render.LabelBody); {
			case label == render.LabelNothing:
				ok = got == int8(calibration.Outside)
			case label == render.LabelMark:
				ok = got == int8(calibration.Lines)
			case label == render.LabelFloor: // the bare floor next to the carpet has the same class
				ok = got == int8(calibration.GreenColor) || got == int8(calibration.UnknownColor)
			case label == render.LabelHall || body == s.Field():
				ok = got == int8(calibration.UnknownColor)
			case body == s.Ball():
				ok = got == int8(calibration.BallColor)
			default:
				ok = got == int8(calibration.BlackColor) || got == int8(calibration.UnknownColor)
			}
			if !ok {
				wrong++
			}
		}
		// The ground truth labels a pixel as a marking if the marking covers half of it. A table classifies the colour
		// at the centre of the pixel.
		if n := len(o.Truth.Labels); !(float64(wrong) <= 2e-3*float64(n)) {
			t.Errorf("%s: %d of %d pixels are not what the ground truth says", sensor, wrong, n)
		}
		for kind := calibration.BallColor; int(kind) <= calibration.Lines; kind++ {
			if seen[int8(kind)] == 0 {
				t.Errorf("%s: nothing of kind %d is seen", sensor, kind)
			}
		}
	}
}

// TestDrawingsLeaveOutWhatHappens checks that images can be rendered for a world with events and with expectations that
// depend on them.
func TestDrawingsLeaveOutWhatHappens(t *testing.T) {
	w := load(t, "look = \"plain\"\n[[event]]\nname = \"lob\"\nat_s = 1\nplace = { name = \"ball\", z_m = 1 "+
		"}\n[[expect]]\nname = \"seen\"\nafter = \"lob\"\nwithin_s = 1\neventually = { ball_held = { robot = "+
		"\"cyan1\" } }\n")
	d, err := Open(w, "cyan1", "front", func(string) {})
	must.Do(t, err)
	d.Close()
	if len(w.Events) != 1 || len(w.Expect) != 1 {
		t.Errorf("the world has %d events and %d expectations left, want one each", len(w.Events), len(w.Expect))
	}
}
