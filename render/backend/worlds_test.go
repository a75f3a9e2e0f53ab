package backend_test

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/internal/truthtest"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var (
	renderersWorlds = flag.String("renderers.worlds", "", "worlds whose images TestRenderersAgreeInShippedWorlds "+
		"compares, separated by commas, or all; its own few by default")
	saveImages = flag.String("save", "", "folder that tests write images to for comparison")
)

// fewCameras lists the worlds and cameras that are compared by default. Package scenery also compares the renderers in
// the scene of nubot-attack.
var fewCameras = map[string][]string{"faults": {"cyan1.kinect_v1"}, "busy-hall": {"cyan1.front"},
	"corridor": {"cyan1.front"}}

const (
	farByte  = 8     // of 255: a larger difference is far
	farDepth = 0.002 // metres: a larger difference is far
)

// Limits for the ground truth of a world's images, see truthtest.CompareMost. A camera that looks down sees only floor.
// Edges and the pixels beside them take 41 % of a mirror's image of 64 × 64 pixels. Where parts of a robot face the
// same way, one before another, 14 of its 529 pixels differed at most.
const (
	truthLabels   = 1
	comparedTruth = 0.5
	truthParts    = 0.05
)

// agreement has limits for images of the tile renderer. p99 and far limit the difference to OpenGL, which has the same
// formulas and samples. worseMean and worseFar limit how much farther than OpenGL they may be from the ray caster.
type agreement struct {
	p99                      int
	far, worseMean, worseFar float64
}

// rounding is added to worseMean at level raw, of 255. Images of OpenGL and of the ray caster are rounded to 8 bits
// before the chip is applied, in the same way; those of the tile renderer only afterwards.
const rounding = 0.2

var (
	// Rounding changes few bytes, and few samples at edges. The share of bytes that may be far from OpenGL's is also
	// the share that may be far from the ray caster's in only one of the two images.
	plainLimits = agreement{p99: 1, far: 0.001, worseMean: 0.02, worseFar: 0.001}
	// The tile renderer has one light probe at each of two heights for a moving body or, if the body is large, for each
	// part. It computes the light near the floor only at the corners of triangles. The difference is larger if a body
	// fills the image, or is in front of bright windows.
	naturalLimits = agreement{p99: 7, far: 0.0045, worseMean: 0.6, worseFar: 0.0045}
	// Of 64 × 48 pixels, one row is between carpet and hall. Its footprints come from the row above, which shows the
	// wall. They are so long that both renderers blur the line there; OpenGL uses at most four markings near a pixel.
	horizonLimits = agreement{p99: 15, far: 0.02, worseMean: 0.1, worseFar: 0.015}
)

// specialLimits has the worlds and cameras with other limits.
var specialLimits = map[string]agreement{
	// Walls, which never move, are lit like OpenGL's.
	"corridor": {p99: 2, far: 0.0045, worseMean: 0.1, worseFar: 0.0045},
	// A crate that can be moved fills the image.
	"tug.front in warehouse":       {p99: 7, far: 0.0045, worseMean: 1.2, worseFar: 0.0045},
	"cyan1.front in broken-camera": horizonLimits,
	"cyan1.front in dark-hall":     horizonLimits,
	// 64 × 48 pixels: the edges of windows and lamps fill pixels.
	"cyan1.front in daylight": {p99: 15, far: 0.02, worseMean: 0.12, worseFar: 0.015},
	// Sharpening multiplies rounding errors, and JPEG sometimes turns them into another step of a coefficient.
	"cyan1.webcam in faults": {p99: 8, far: 0.008, worseMean: 0.1, worseFar: 0.004},
	// 64 × 64 pixels: the same at the edge of the carpet, in few pixels.
	"cyan1.omni in lost-level": {p99: 2, far: 0.003, worseMean: 0.02, worseFar: 0.0025},
	"nubot-attack":             {p99: 6, far: 0.0015, worseMean: 0.15, worseFar: 0.001},
	// The tile renderer treats wear as part of the floor's light, in other texels than those of the map of wear.
	"worn-hall": {p99: 6, far: 0.0015, worseMean: 0.2, worseFar: 0.0012},
	// The pipes of a near goal: the tile renderer computes their light at few corners.
	"random-scenes": {p99: 12, far: 0.016, worseMean: 0.6, worseFar: 0.016},
	// All of these effects at once, multiplied by sharpening.
	"vision-training": {p99: 8, far: 0.005, worseMean: 0.3, worseFar: 0.005},
	// The same, multiplied by up to three times as much sharpening, and JPEG; without both, naturalLimits hold.
	"match-halls": {p99: 12, far: 0.02, worseMean: 0.6, worseFar: 0.02},
}

// limitsOf returns the limits for a camera of a world at a level.
func limitsOf(w *worlds.World, camera string, level abstraction.Level) agreement {
	limits, ok := specialLimits[camera+" in "+w.Name]
	if !ok {
		limits, ok = specialLimits[w.Name]
	}
	if !ok {
		limits = map[string]agreement{worlds.LookPlain: plainLimits, worlds.LookNatural: naturalLimits}[w.Look]
	}
	if level == abstraction.Raw {
		limits.worseMean += rounding
	}
	return limits
}

func TestRenderersAgreeInShippedWorlds(t *testing.T) {
	list := fewCameras
	if *renderersWorlds != "" {
		list = map[string][]string{}
		for _, f := range worlds.Shipped() {
			if f.Kind == "world" && (*renderersWorlds == "all" ||
				slices.Contains(strings.Split(*renderersWorlds, ","), f.Name)) {
				list[f.Name] = nil
			}
		}
	}
	t.Log("differences of bytes, of 255, in each pair of renderers: mean, 99th percentile, share that is more than " +
		"8; then share of depths off by more than 2 mm")
	for name, only := range list {
		t.Run(name, func(t *testing.T) { renderersAgree(t, name, only) })
	}
}

// renderersAgree compares the images of a world's cameras at levels ideal and raw, at time 0 and while the robots
// drive. only lists the cameras to compare, which are compared at level raw while driving; nil: all.
func renderersAgree(t *testing.T, world string, only []string) {
	w := simtest.World(t, world)
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			c := &w.Robots[i].Sensors[k]
			c.Annotate = c.Kind.TakesImages()
		}
	}
	turns := &inTurns{}
	defer turns.close()
	s := simtest.New(t, w, omnipitch.Options{NewRenderer: turns.open})
	compare := func(instant string, levels ...abstraction.Level) {
		for _, r := range w.Robots {
			for _, c := range r.Sensors {
				name := r.Name + "." + c.Name
				if c.Image == nil || only != nil && !slices.Contains(only, name) {
					continue
				}
				camera := s.Camera(r.Name, c.Name)
				switch view := camera.View(abstraction.Ideal, &sensors.Instant{Snapshot: s.Truth()}); {
				case view.CubeFace > 0 || isNonCentral(camera.Model()):
					t.Logf("%s: is drawn in one way only", name)
					continue
				case !(view.PoseWC.Pos[2] > 1e-3): // in real-sensors, a camera that nobody draws
					t.Logf("%s: lies in the floor, so that rounding decides what it sees", name)
					continue
				}
				for _, level := range levels {
					var images [4]*sensors.Observation
					for turns.now = range images {
						images[turns.now] = s.Capture(r.Name, c.Name, level)
					}
					what := fmt.Sprintf("%-7s %-5v %-19s", instant, level, name)
					compareRenderers(t, what, images, limitsOf(w, name, level))
					truthtest.CompareMost(t, what, images[3].Truth, images[1].Truth, truthLabels, comparedTruth,
						truthParts)
				}
			}
		}
	}
	if only == nil {
		compare("start", abstraction.Ideal, abstraction.Raw)
	}
	for i, r := range w.Robots {
		s.Must(&action.Drive{Robot: r.Name, VX: 0.7, VY: 0.3, Omega: 50 + 10*float64(i)})
	}
	s.Steps(250)
	if only == nil {
		compare("driving", abstraction.Ideal)
	}
	compare("driving", abstraction.Raw)
}

func isNonCentral(m optics.Model) bool {
	_, ok := m.(optics.NonCentral)
	return ok
}

// difference describes how much two images differ.
type difference struct {
	mean, far float64
	p99       int
	depths    float64 // share of the depths that are far
}

func (d difference) String() string {
	return fmt.Sprintf("%6.3f %3d %7.4f %% %7.4f %%", d.mean, d.p99, 100*d.far, 100*d.depths)
}

func differenceOf(a, b *sensors.Observation) (d difference) {
	var count [256]int
	n := len(a.Color.Pix)
	for i, x := range a.Color.Pix {
		y := b.Color.Pix[i]
		count[max(x, y)-min(x, y)]++
	}
	below := 0
	for by, many := range count {
		d.mean += float64(by*many) / float64(n)
		if by > farByte {
			d.far += float64(many) / float64(n)
		}
		if below += many; float64(below) < 0.99*float64(n) {
			d.p99 = by + 1
		}
	}
	if a.Depth != nil {
		for i, z := range a.Depth.Z {
			if x, y := float64(z), float64(b.Depth.Z[i]); x != y && !(math.Abs(x-y) <= farDepth) {
				d.depths += 1 / float64(len(a.Depth.Z))
			}
		}
	}
	return d
}

// compareRenderers compares images of OpenGL, the tile renderer, the ray caster and OpenGL in groups of views.
func compareRenderers(t *testing.T, what string, images [4]*sensors.Observation, most agreement) {
	// Sharpening by 3, and JPEG, multiply the difference of rounding in match-halls.
	if d := differenceOf(images[3], images[0]); !(d.mean <= 0.1 && d.p99 <= 2 && d.far <= 0.0005 &&
		d.depths <= 0.0005) {
		t.Errorf("%s: in groups of views OpenGL differs from itself by %v", what, d)
		save(t, strings.Join(strings.Fields(what), " ")+" grouped", images[3].Color)
	}
	both, glRays, tileRays := differenceOf(images[1], images[0]), differenceOf(images[0], images[2]),
		differenceOf(images[1], images[2])
	t.Logf("%s tile and OpenGL: %v   OpenGL and rays: %v   tile and rays: %v", what, both, glRays, tileRays)
	switch {
	case !(both.p99 <= most.p99 && both.far <= most.far && both.depths <= most.far):
		t.Errorf("%s: the tile renderer differs from OpenGL by %v, want at most %+v", what, both, most)
	case !(tileRays.mean <= glRays.mean+most.worseMean && tileRays.far <= glRays.far+most.worseFar &&
		tileRays.depths <= glRays.depths+most.worseFar):
		t.Errorf("%s: the tile renderer is farther from the ray caster, by %v, than OpenGL, by %v, want at most %+v",
			what, tileRays, glRays, most)
	default:
		return
	}
	for i, suffix := range []string{"opengl", "tile", "rays"} {
		save(t, strings.Join(strings.Fields(what), " ")+" "+suffix, images[i].Color)
	}
}

// save writes an image as a PNG file, if the flag -save is given.
func save(t *testing.T, name string, im *render.Image) {
	t.Helper()
	if *saveImages == "" {
		return
	}
	p := image.NewRGBA(image.Rect(0, 0, im.Width, im.Height))
	for i := range im.Width * im.Height {
		p.SetRGBA(i%im.Width, i/im.Width, color.RGBA{im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2], 255})
	}
	f := must.Get(os.Create(filepath.Join(*saveImages, strings.ReplaceAll(t.Name()+" "+name+".png", "/", " "))))(t)
	defer f.Close()
	must.Do(t, png.Encode(f, p))
}

// inTurns is a renderer that draws with OpenGL, the tile renderer, the ray caster or OpenGL in groups of views, as now
// says. A Sim opens its renderer twice; both share these four.
type inTurns struct {
	now int
	mu  sync.Mutex
	all []render.Renderer
}

func (r *inTurns) open(s *render.Scene) (render.Renderer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all != nil {
		return r, nil
	}
	for _, open := range []func(*render.Scene) (render.Renderer, error){backend.OpenGL, backend.Tile,
		backend.RayCaster, backend.OpenGLGrouped} {
		one, err := open(s)
		if err != nil {
			return nil, err
		}
		r.all = append(r.all, one)
	}
	return r, nil
}

// Render omits views that only rays can draw, and the ground truth of images except from the tile renderer and from
// OpenGL in groups of views. A Sim draws all its cameras once at the start.
func (r *inTurns) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := *f
	b.Views = slices.DeleteFunc(slices.Clone(b.Views), func(v render.View) bool { return isNonCentral(v.Model) })
	for i := range b.Views {
		if r.now%2 == 0 {
			b.Views[i].Truth, b.Views[i].Before = nil, nil
		}
	}
	return r.all[r.now].Render(&b)
}

func (r *inTurns) Close() {} // close does it, since the Sim calls Close twice

func (r *inTurns) close() {
	for _, one := range r.all {
		one.Close()
	}
}
