package backend_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// opened makes renderers, and counts those that were made and those that are open.
type opened struct {
	by         func(*render.Scene) (render.Renderer, error)
	made, open atomic.Int32
	images     *render.Batch // the first batch that was rendered
}

type openedRenderer struct {
	render.Renderer
	of *opened
}

func (o *opened) new(scene *render.Scene) (render.Renderer, error) {
	r, err := o.by(scene)
	if err != nil {
		return nil, err
	}
	o.made.Add(1)
	o.open.Add(1)
	return openedRenderer{r, o}, nil
}

func (r openedRenderer) Render(b *render.Batch) error {
	if r.of.images == nil {
		r.of.images = b
	}
	return r.Renderer.Render(b)
}

func (r openedRenderer) Close() {
	r.of.open.Add(-1)
	r.Renderer.Close()
}

// rivalsOf returns counters of two renderers, and what chooses between them with a graphics card of the given name.
func rivalsOf(card string, openGL, tile func(*render.Scene) (render.Renderer, error)) (first, second *opened,
	r backend.Rivals) {
	first, second = &opened{by: openGL}, &opened{by: tile}
	return first, second, backend.Rivals{Card: card, OpenGL: first.new, Tile: second.new}
}

// firstImages returns the scene of nubot-attack with one camera, and the images that the world's renderers draw first,
// which have the camera's faults in natural light.
func firstImages(t *testing.T) (*render.Scene, *render.Batch) {
	t.Helper()
	w := simtest.World(t, "nubot-attack", func(w *worlds.World) {
		w.Robots = w.Robots[:1]
		w.Robots[0].Sensors = w.Robots[0].Sensors[:1]
	}, simtest.AtLevel(abstraction.Raw))
	o := opened{by: simtest.Grey}
	s := simtest.New(t, w, omnipitch.Options{NewRenderer: o.new})
	scene := s.Sensors().Scenery().Scene
	if !scene.Natural || o.images == nil || len(o.images.Views) == 0 || o.images.Views[0].Chip == nil {
		t.Fatalf("natural light: %v; images: %+v", scene.Natural, o.images)
	}
	return scene, o.images
}

// keepIn keeps results in a new folder until the end of a test.
func keepIn(t *testing.T) {
	backend.KeepIn(t.TempDir())
	t.Cleanup(func() { backend.KeepIn("") })
}

// forget makes this process forget the times of renderers before and after a test.
func forget(t *testing.T) {
	backend.ForgetTimes()
	t.Cleanup(backend.ForgetTimes)
}

// Auto takes the faster renderer, whichever it is, and keeps its choice for this process and for later ones. Mesa's
// llvmpipe stands for a graphics card; it takes about four times as long as the tile renderer.
func TestAutoTakesTheFasterRenderer(t *testing.T) {
	forget(t)
	scene, images := firstImages(t)
	if r, err := backend.OpenGL(scene); errors.Is(err, render.ErrNoContext) {
		t.Skip(err)
	} else {
		must.Do(t, err)
		r.Close()
	}
	keepIn(t)
	for _, c := range []struct {
		openGL, tile func(*render.Scene) (render.Renderer, error)
		name, why    string
	}{
		{backend.OpenGL, backend.Tile, "tile",
			`^it draws this world's images ([0-9.]+) times as fast as the graphics card \(tile [0-9]\)$`},
		{backend.Tile, backend.OpenGL, "opengl",
			`^the graphics card \(opengl [0-9]\) draws this world's images ([0-9.]+) times as fast as the tile renderer$`},
	} {
		const tries = 5 // other programs may delay the faster renderer in all its turns
		for try := range tries {
			got := chosenByAll(t, fmt.Sprint(c.name, " ", try), c.openGL, c.tile, scene, images)
			t.Log(got)
			why := regexp.MustCompile(c.why).FindStringSubmatch(got.Why)
			if got.Name == c.name && why != nil && must.Get(strconv.ParseFloat(why[1], 64))(t) > 1.5 {
				break
			}
			if try == tries-1 {
				t.Errorf("chose %v: want %s by more than 1.5, %s", got, c.name, c.why)
			}
		}
	}
}

// chosenByAll returns what several simulations of a process choose at the same time, and then another process. It fails
// the test unless all choose the same after one measurement.
func chosenByAll(t *testing.T, card string, openGL, tile func(*render.Scene) (render.Renderer, error),
	scene *render.Scene, images *render.Batch) backend.Choice {
	t.Helper()
	byRule := backend.Choose("opengl", scene)
	first, second, rivals := rivalsOf(card, openGL, tile)
	var choices [4]backend.Choice
	var choosing sync.WaitGroup
	for i := range choices {
		b := *images
		b.Views = slices.Clone(images.Views)
		choosing.Go(func() { choices[i] = rivals.Choose(byRule, scene, &b) })
	}
	choosing.Wait()
	for _, other := range choices[1:] {
		must.Equal(t, other.String(), choices[0].String(), "the choice for another simulation")
	}
	for _, o := range []*opened{first, second} {
		if made, open := o.made.Load(), o.open.Load(); made != 1 || open != 0 {
			t.Errorf("%d renderers were made and %d are open, want 1 and 0", made, open)
		}
	}
	backend.ForgetTimes()
	_, _, rivals = rivalsOf(card, failing("must not be opened"), failing("must not be opened"))
	must.Equal(t, rivals.Choose(byRule, scene, images).String(), choices[0].String(), "the choice of a later process")
	rivals.Card = "another"
	if got := rivals.Choose(byRule, scene, images); !strings.Contains(got.Why, "must not be opened") {
		t.Errorf("for another graphics card, the choice was read: %v", got)
	}
	return choices[0]
}

// failing is a constructor that fails.
func failing(why string) func(*render.Scene) (render.Renderer, error) {
	return func(*render.Scene) (render.Renderer, error) { return nil, errors.New(why) }
}

// broken is a renderer that cannot draw.
type broken struct{ render.Renderer }

func (broken) Render(*render.Batch) error { return errors.New("out of memory") }

// If a renderer cannot be made or cannot draw, Auto takes the other one, closes what it made, and keeps nothing: the
// next choice measures again.
func TestAutoTakesTheOtherRendererAfterAnError(t *testing.T) {
	forget(t)
	keepIn(t)
	scene, images := firstImages(t)
	byRule := backend.Choose("opengl", scene)
	cannotDraw := func(scene *render.Scene) (render.Renderer, error) {
		r, err := backend.Tile(scene)
		return broken{r}, err
	}
	for _, c := range []struct {
		openGL, tile func(*render.Scene) (render.Renderer, error)
		want         string
	}{
		{failing("no memory"), backend.Tile,
			"tile, since the graphics card (llvmpipe) cannot draw this world's images: no memory"},
		{cannotDraw, backend.Tile,
			"tile, since the graphics card (llvmpipe) cannot draw this world's images: out of memory"},
		{backend.Tile, failing("no memory"),
			"opengl, since the tile renderer cannot draw this world's images: no memory"},
		{backend.Tile, cannotDraw,
			"opengl, since the tile renderer cannot draw this world's images: out of memory"},
	} {
		openGL, tile, rivals := rivalsOf("llvmpipe", c.openGL, c.tile)
		must.Equal(t, rivals.Choose(byRule, scene, images).String(), c.want, "the choice")
		if a, b := openGL.open.Load(), tile.open.Load(); a != 0 || b != 0 {
			t.Errorf("%s: %d and %d renderers are open", c.want, a, b)
		}
	}
}

// A simulation may be closed while its renderer is being chosen. Then no renderer stays open.
func TestClosingWhileAutoMeasures(t *testing.T) {
	forget(t)
	scene, images := firstImages(t)
	measuring := make(chan struct{})
	var once sync.Once
	openGL, tile, rivals := rivalsOf("llvmpipe", func(scene *render.Scene) (render.Renderer, error) {
		once.Do(func() { close(measuring) })
		return backend.Tile(scene)
	}, backend.Tile)
	drawing := opened{by: func(s *render.Scene) (render.Renderer, error) {
		b := *images
		b.Views = slices.Clone(images.Views)
		return rivals.Choose(backend.Choose("opengl", scene), scene, &b).New(s)
	}}
	s := simtest.New(t, simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Objects)),
		omnipitch.Options{NewRenderer: drawing.new})
	switched := make(chan error, 1)
	go func() {
		switched <- s.Do(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Raw})
	}()
	<-measuring
	s.Close()
	if err := <-switched; err != nil && !errors.Is(err, omnipitch.ErrClosed) && !errors.Is(err, render.ErrNoContext) {
		t.Error(err)
	}
	for name, o := range map[string]*opened{"OpenGL": openGL, "tile": tile, "the choice": &drawing} {
		if open := o.open.Load(); open != 0 {
			t.Errorf("%d renderers of %s are open", open, name)
		}
	}
}

// Only a clearly faster tile renderer is taken instead of a graphics card.
func TestAutoPrefersTheGraphicsCard(t *testing.T) {
	r := backend.Rivals{Card: "NVIDIA H200"}
	for _, c := range []struct {
		openGL, tile float64
		name, why    string
	}{
		{1.4, 1, "tile", "it draws this world's images 1.4 times as fast as the graphics card (NVIDIA H200)"},
		{1.24, 1, "opengl", "the graphics card (NVIDIA H200) draws this world's images about as fast " +
			"as the tile renderer"},
		{1, 1.24, "opengl", "the graphics card (NVIDIA H200) draws this world's images about as fast " +
			"as the tile renderer"},
		{1, 2.34, "opengl", "the graphics card (NVIDIA H200) draws this world's images 2.3 times as fast " +
			"as the tile renderer"},
	} {
		name, why := r.Verdict([2]float64{c.openGL, c.tile}, [2]error{})
		must.Equal(t, name, c.name, "%v to %v: renderer", c.openGL, c.tile)
		must.Equal(t, why, c.why, "%v to %v: reason", c.openGL, c.tile)
	}
}

// Nothing is measured without a graphics card, for cube maps, and if a renderer is named. What ray casters draw in any
// case decides nothing.
func TestAutoMeasuresOnlyIfItMustChoose(t *testing.T) {
	measures := func() *render.Batch {
		t.Error("measured")
		return &render.Batch{}
	}
	scene := &render.Scene{}
	for _, asked := range []string{"opengl", "tile", "raycast", backend.Reference} {
		must.Equal(t, backend.ChooseFor(asked, scene, measures).String(), backend.Choose(asked, scene).String(), "%s",
			asked)
	}
	cube := &render.Scene{CubeMaps: true}
	must.Equal(t, backend.ChooseFor(backend.Auto, cube, measures).String(), backend.Choose(backend.Auto, cube).String(),
		"with cube maps")
	if c := backend.Choose(backend.Auto, scene); c.Name != "opengl" { // there is no graphics card
		must.Equal(t, backend.ChooseFor(backend.Auto, scene, measures).String(), c.String(), "without a graphics card")
	}
	pinhole := optics.PinholeFromFOV(8, 8, 1)
	spherical := must.Get(optics.NewMirror(pinhole, optics.Sphere{Radius: 0.08}, 0.06, 0.05))(t)
	_, _, rivals := rivalsOf("llvmpipe", failing("must not be opened"), failing("must not be opened"))
	byRule := backend.Choose("opengl", scene)
	must.Equal(t, rivals.Choose(byRule, scene, &render.Batch{Views: []render.View{{Model: spherical}}}).String(),
		byRule.String(), "for views that ray casters draw")
}
