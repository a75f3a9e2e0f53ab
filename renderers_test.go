package omnipitch

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

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var (
	renderersWorlds = flag.String("renderers.worlds", "", "worlds whose images TestRenderersAgreeInShippedWorlds "+
		"compares, separated by commas, or all; its own few by default")
	renderersPictures = flag.String("renderers.pictures", "", "folder that TestRenderersAgreeInShippedWorlds writes "+
		"the images to that are farther apart than they may be")
)

// fewCameras lists the worlds and cameras that are compared by default. Package scenery also compares the renderers in
// the scene of nubot-attack.
var fewCameras = map[string][]string{"faults": {"cyan1.kinect_v1"}, "busy-hall": {"cyan1.front"}}

const (
	farByte  = 8     // of 255: a larger difference is far
	farDepth = 0.002 // metres: a larger difference is far
)

// agreement has limits for images of the tile renderer. p99 and far limit the difference to OpenGL, which has the same
// formulas and samples. worseMean and worseFar limit how much farther than OpenGL they may be from the ray caster.
type agreement struct {
	p99                      int
	far, worseMean, worseFar float64
}

// plain has the usual limits. Rounding changes few bytes, and few samples at edges. The share of bytes that may be far
// from OpenGL's is also the share that may be far from the ray caster's in only one of the two images.
var plain = agreement{p99: 1, far: 0.001, worseMean: 0.02, worseFar: 0.001}

// rounding is added to worseMean at level raw, of 255. Images of OpenGL and of the ray caster are rounded to 8 bits
// before the chip is applied, in the same way; those of the tile renderer only afterwards.
const rounding = 0.2

// special has the cameras with other limits.
var special = map[string]agreement{
	// Of 64 × 48 pixels, one row is between carpet and hall. Its footprints come from the row above, which shows the
	// wall. They are so long that both renderers blur the line there; OpenGL uses at most four markings near a pixel.
	"cyan1.front in broken-camera": {p99: 15, far: 0.02, worseMean: 0.1, worseFar: 0.015},
	"cyan1.front in dark-hall":     {p99: 15, far: 0.02, worseMean: 0.1, worseFar: 0.015},
	// 64 × 48 pixels: the edges of windows and lamps fill pixels.
	"cyan1.front in daylight": {p99: 15, far: 0.02, worseMean: 0.12, worseFar: 0.015},
	// Sharpening multiplies rounding errors, and JPEG sometimes turns them into another step of a coefficient.
	"cyan1.webcam in faults": {p99: 8, far: 0.008, worseMean: 0.1, worseFar: 0.004},
	// 64 × 64 pixels: the same at the edge of the carpet, in few pixels.
	"cyan1.omni in lost-level":              {p99: 2, far: 0.003, worseMean: 0.02, worseFar: 0.0025},
	"cyan1.omni in nubot-attack":            nubotAttack,
	"cyan1.front in nubot-attack":           nubotAttack,
	"magenta1.kinect_left in nubot-attack":  nubotAttack,
	"magenta1.kinect_right in nubot-attack": nubotAttack,
	"cyan1.omni in worn-hall":               worn,
	"cyan1.front in worn-hall":              worn,
	"magenta1.kinect_left in worn-hall":     worn,
	"magenta1.kinect_right in worn-hall":    worn,
	// The pipes of a near goal: the tile renderer computes their light at few corners.
	"* in random-scenes": {p99: 12, far: 0.016, worseMean: 0.6, worseFar: 0.016},
	// All of these effects at once, multiplied by sharpening.
	"* in vision-training": {p99: 8, far: 0.005, worseMean: 0.3, worseFar: 0.005},
}

// natural has the limits in the natural appearance, and nubotAttack those in the world of this name. The tile renderer
// has two light probes per body, and computes the light near the floor only at the corners of triangles. The difference
// is larger if a body fills the image, or is in front of bright windows.
var (
	natural     = agreement{p99: 7, far: 0.0045, worseMean: 0.6, worseFar: 0.0045}
	nubotAttack = agreement{p99: 6, far: 0.0015, worseMean: 0.15, worseFar: 0.001}
)

// worn has the limits for a worn carpet. The tile renderer treats wear as part of the floor's light, in other texels
// than those of the map of wear.
var worn = agreement{p99: 6, far: 0.0015, worseMean: 0.2, worseFar: 0.0012}

func TestRenderersAgreeInShippedWorlds(t *testing.T) {
	list := fewCameras
	if *renderersWorlds != "" {
		list = map[string][]string{}
		for _, f := range worlds.Shipped() {
			if f.Kind == "world" && (*renderersWorlds == "all" || strings.Contains(","+*renderersWorlds+",",
				","+f.Name+",")) {
				list[f.Name] = nil
			}
		}
	}
	t.Log("differences of bytes, of 255, in each pair of renderers: mean, 99th percentile, share that is more than " +
		"8; then share of depths off by more than 2 mm")
	for _, f := range worlds.Shipped() {
		if only, ok := list[f.Name]; ok && f.Kind == "world" {
			t.Run(f.Name, func(t *testing.T) { renderersAgree(t, f.Name, only) })
		}
	}
}

// drawn is an image with its depth image.
type drawn struct {
	color render.Image
	depth render.Depth
}

// renderersAgree compares the images of a world's cameras at levels ideal and raw, at time 0 and while the robots
// drive. only lists the cameras to compare; nil: all.
func renderersAgree(t *testing.T, world string, only []string) {
	w, err := worlds.Load(world)
	if err != nil {
		t.Fatal(err)
	}
	turns := &inTurns{}
	defer turns.close()
	s, err := New(w, Options{NewRenderer: turns.open})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	instants, levels := []string{"start", "driving"}, []abstraction.Level{abstraction.Ideal, abstraction.Raw}
	if only != nil {
		instants, levels = instants[1:], levels[1:]
	}
	for _, at := range instants {
		if at == "driving" {
			for i, r := range w.Robots {
				if err := s.Do(&action.Drive{Robot: r.Name, VX: 0.7, VY: 0.3, Omega: 50 + 10*float64(i)}); err != nil {
					t.Fatal(err)
				}
			}
			for range 250 {
				if err := s.Step(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, c := range camerasOf(s) {
			name := c.robotName + "." + c.Config().Name
			if only != nil && !slices.Contains(only, name) {
				continue
			}
			in := c.instant(s)
			if view := c.View(abstraction.Ideal, in); view.CubeFace > 0 || isNonCentral(view.Model) {
				t.Logf("%s: is drawn in one way only", name)
				continue
			}
			for _, level := range levels {
				var images [3]drawn
				for turns.now = range images {
					o, err := s.Sensors().Capture(c.robotName, c.Config().Name, level)
					if err != nil {
						t.Fatal(err)
					}
					images[turns.now] = copied(o)
					o.Release()
				}
				limits, ok := special[name+" in "+world]
				if !ok {
					limits, ok = special["* in "+world]
				}
				if !ok {
					limits = map[string]agreement{worlds.LookPlain: plain, worlds.LookNatural: natural}[w.Look]
				}
				if level == abstraction.Raw {
					limits.worseMean += rounding
				}
				compare(t, fmt.Sprintf("%-7s %-5v %-19s", at, level, name), &images, limits)
			}
		}
	}
}

func isNonCentral(m optics.Model) bool {
	_, ok := m.(optics.NonCentral)
	return ok
}

func copied(o *sensors.Observation) (d drawn) {
	d.color = render.Image{Width: o.Color.Width, Height: o.Color.Height, Pix: slices.Clone(o.Color.Pix)}
	if o.Depth != nil {
		d.depth = render.Depth{Width: o.Depth.Width, Height: o.Depth.Height, Z: slices.Clone(o.Depth.Z)}
	}
	return d
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

func between(a, b *drawn) (d difference) {
	var count [256]int
	n := len(a.color.Pix)
	for i, x := range a.color.Pix {
		y := b.color.Pix[i]
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
	for i, z := range a.depth.Z {
		if x, y := float64(z), float64(b.depth.Z[i]); x != y && !(math.Abs(x-y) <= farDepth) {
			d.depths += 1 / float64(len(a.depth.Z))
		}
	}
	return d
}

func compare(t *testing.T, what string, images *[3]drawn, most agreement) {
	opengl, tiles, rays := &images[0], &images[1], &images[2]
	both, glRays, tileRays := between(tiles, opengl), between(opengl, rays), between(tiles, rays)
	t.Logf("%s tile and OpenGL: %v   OpenGL and rays: %v   tile and rays: %v", what, both, glRays, tileRays)
	switch {
	case !(both.p99 <= most.p99 && both.far <= most.far && both.depths <= most.far):
		t.Errorf("%s: the tile renderer differs from OpenGL by %v", what, both)
	case !(tileRays.mean <= glRays.mean+most.worseMean && tileRays.far <= glRays.far+most.worseFar &&
		tileRays.depths <= glRays.depths+most.worseFar):
		t.Errorf("%s: the tile renderer is farther from the ray caster, by %v, than OpenGL, by %v", what, tileRays,
			glRays)
	default:
		return
	}
	if *renderersPictures != "" {
		name := filepath.Join(*renderersPictures, strings.ReplaceAll(t.Name()+" "+strings.Join(strings.Fields(what),
			" "), "/", " "))
		for _, p := range []struct {
			suffix string
			pix    func(i int) int
		}{
			{"opengl", func(i int) int { return int(opengl.color.Pix[i]) }},
			{"tile", func(i int) int { return int(tiles.color.Pix[i]) }},
			{"rays", func(i int) int { return int(rays.color.Pix[i]) }},
			{"differ", func(i int) int {
				return 255 - min(16*abs(int(tiles.color.Pix[i])-int(opengl.color.Pix[i])),
					255)
			}},
			{"tile-rays", func(i int) int {
				return 255 - min(16*abs(int(tiles.color.Pix[i])-int(rays.color.Pix[i])),
					255)
			}},
		} {
			if err := savePNG(name+" "+p.suffix+".png", opengl.color.Width, opengl.color.Height, p.pix); err != nil {
				t.Error(err)
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }

func savePNG(name string, width, height int, pix func(i int) int) error {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		m.SetRGBA(i%width, i/width, color.RGBA{uint8(pix(3 * i)), uint8(pix(3*i + 1)), uint8(pix(3*i + 2)), 255})
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return png.Encode(f, m)
}

// inTurns is a renderer that draws with OpenGL, the tile renderer or the ray caster, as now says. A Sim opens its
// renderer twice; both share these three.
type inTurns struct {
	now int
	mu  sync.Mutex
	all [3]render.Renderer
}

func (r *inTurns) open(s *render.Scene) (render.Renderer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[0] != nil {
		return r, nil
	}
	opengl, err := backend.NewOpenGL(s)
	if err != nil {
		return nil, err
	}
	tiles, err := backend.Tile(s)
	if err != nil {
		return nil, err
	}
	rays, err := backend.RayCaster(s)
	if err != nil {
		return nil, err
	}
	r.all = [3]render.Renderer{opengl, tiles, rays}
	return r, nil
}

// Render omits ground truth of images, which OpenGL lacks, and views that only rays can draw. A Sim draws all its
// cameras once at the start.
func (r *inTurns) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := *f
	b.Views = slices.DeleteFunc(slices.Clone(b.Views), func(v render.View) bool { return isNonCentral(v.Model) })
	for i := range b.Views {
		b.Views[i].Truth, b.Views[i].Before = nil, nil
	}
	return r.all[r.now].Render(&b)
}

func (r *inTurns) Close() {} // close does it, since the Sim calls Close twice

func (r *inTurns) close() {
	for _, one := range r.all {
		if one != nil {
			one.Close()
		}
	}
}
