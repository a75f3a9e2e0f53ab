package backend_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// candidatesOf returns counters of two renderers, and what chooses between them with a graphics card of the given name.
func candidatesOf(card string, openGL, tile func(*render.Scene) (render.Renderer, error)) (first, second *opened,
	c backend.Candidates) {
	first, second = &opened{by: openGL}, &opened{by: tile}
	return first, second, backend.Candidates{Card: card, OpenGL: first.new, Tile: second.new}
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

// timed is a renderer that draws nothing. It sets a clock forward by its first time, then by the next, and so on, the
// last one again and again.
type timed struct {
	render.Renderer
	clock *time.Time
	takes []time.Duration
}

func (r *timed) Render(*render.Batch) error {
	*r.clock = r.clock.Add(r.takes[0])
	if len(r.takes) > 1 {
		r.takes = r.takes[1:]
	}
	return nil
}

func (r *timed) Close() {}

// Auto takes the faster renderer, whichever it is, and keeps its choice for this process and for later ones. Neither
// the first image nor a single slow one counts.
func TestAutoTakesTheFasterRenderer(t *testing.T) {
	forget(t)
	keepIn(t)
	scene, images := firstImages(t)
	const ms = time.Millisecond
	for i, c := range []struct {
		openGL, tile []time.Duration
		want         string
	}{
		{[]time.Duration{time.Hour, 40 * ms}, []time.Duration{10 * ms},
			"tile, since it draws this world's images 4.0 times as fast as the graphics card (0)"},
		{[]time.Duration{10 * ms}, []time.Duration{time.Hour, 24 * ms, 50 * ms},
			"opengl, since the graphics card (1) draws this world's images 2.4 times as fast as the tile renderer"},
		{[]time.Duration{time.Hour, 200 * ms, 90 * ms, 10 * ms}, []time.Duration{time.Hour, 20 * ms},
			"opengl, since the graphics card (2) draws this world's images 2.0 times as fast as the tile renderer"},
	} {
		var clock time.Time
		opens := func(takes []time.Duration) func(*render.Scene) (render.Renderer, error) {
			return func(*render.Scene) (render.Renderer, error) { return &timed{clock: &clock, takes: takes}, nil }
		}
		openGL, tile, between := candidatesOf(fmt.Sprint(i), opens(c.openGL), opens(c.tile))
		between.Now = func() time.Time { return clock }
		must.Equal(t, chosenByAll(t, openGL, tile, between, scene, images).String(), c.want, "the choice")
	}
}

// Both real renderers are measured. Mesa's llvmpipe stands for a graphics card.
func TestAutoMeasuresBothRenderers(t *testing.T) {
	forget(t)
	keepIn(t)
	scene, images := firstImages(t)
	if r, err := backend.OpenGL(scene); errors.Is(err, render.ErrNoContext) {
		t.Skip(err)
	} else {
		must.Do(t, err)
		r.Close()
	}
	openGL, tile, between := candidatesOf("llvmpipe", backend.OpenGL, backend.Tile)
	got := chosenByAll(t, openGL, tile, between, scene, images).String()
	why := `^(tile|opengl), since .* draws this world's images (about|[0-9.]+ times) as fast as .*$`
	if !regexp.MustCompile(why).MatchString(got) {
		t.Errorf("chose %s: want %s", got, why)
	}
}

// chosenByAll returns what several simulations of a process choose at the same time, and then another process. It fails
// the test unless all choose the same after one measurement.
func chosenByAll(t *testing.T, openGL, tile *opened, between backend.Candidates, scene *render.Scene,
	images *render.Batch) backend.Choice {
	t.Helper()
	fallback := backend.Choose("opengl", scene)
	var choices [4]backend.Choice
	var choosing sync.WaitGroup
	for i := range choices {
		b := *images
		b.Views = slices.Clone(images.Views)
		choosing.Go(func() { choices[i] = between.Choose(fallback, scene, &b) })
	}
	choosing.Wait()
	for _, other := range choices[1:] {
		must.Equal(t, other.String(), choices[0].String(), "the choice for another simulation")
	}
	for _, o := range []*opened{openGL, tile} {
		if made, open := o.made.Load(), o.open.Load(); made != 1 || open != 0 {
			t.Errorf("%d renderers were made and %d are open, want 1 and 0", made, open)
		}
	}
	backend.ForgetTimes()
	between.OpenGL, between.Tile = failing("must not be opened"), failing("must not be opened")
	later := between.Choose(fallback, scene, images)
	must.Equal(t, later.String(), choices[0].String(), "the choice of a later process")
	between.Card = "another"
	if got := between.Choose(fallback, scene, images); !strings.Contains(got.Why, "must not be opened") {
		t.Errorf("for another graphics card, the choice was read: %v", got)
	}
	return choices[0]
}

// A choice holds only for scenes of about the same size and for the same kinds of images.
func TestAutoTellsWorldsApart(t *testing.T) {
	scene, images := firstImages(t)
	_, _, between := candidatesOf("llvmpipe", backend.OpenGL, backend.Tile)
	texts := map[string]string{between.Describe(scene, images): "the world itself"}
	for name, change := range map[string]func(*render.Scene, *render.View){
		"four times as many bodies": func(s *render.Scene, _ *render.View) {
			s.Bodies = slices.Repeat(s.Bodies, 4)
		},
		"larger meshes": func(s *render.Scene, _ *render.View) {
			s.Meshes = slices.Clone(s.Meshes)
			for i := range s.Meshes {
				s.Meshes[i].Vertices = slices.Repeat(s.Meshes[i].Vertices, 4)
			}
		},
		"more materials": func(s *render.Scene, _ *render.View) { s.Materials = slices.Repeat(s.Materials, 4) },
		"a nearby lamp":  func(s *render.Scene, _ *render.View) { s.Light.Spots = make([]render.PointLamp, 3) },
		"plain light":    func(s *render.Scene, _ *render.View) { s.Natural = false },
		"blooming": func(_ *render.Scene, v *render.View) {
			chip := *v.Chip
			chip.Spill = 0.5
			v.Chip = &chip
		},
		"labels":          func(_ *render.Scene, v *render.View) { v.Truth = &render.Truth{Labels: []uint16{0}} },
		"the whole truth": func(_ *render.Scene, v *render.View) { v.Truth = render.NewTruth(1, 1) },
		"a depth":         func(_ *render.Scene, v *render.View) { v.Depth = render.NewDepth(1, 1) },
		"a depth with reflectance": func(_ *render.Scene, v *render.View) {
			v.Depth = render.NewDepth(1, 1)
			v.Depth.KeepReflectance()
		},
		"faults of a depth": func(_ *render.Scene, v *render.View) { v.Ranging = &render.Ranging{Max: 1} },
		"light above white": func(_ *render.Scene, v *render.View) {
			color := *v.Color
			color.Above = []float32{1}
			v.Color = &color
		},
	} {
		s, b := *scene, *images
		b.Views, b.PosesWB = slices.Clone(b.Views), slices.Repeat(b.PosesWB, 4)
		change(&s, &b.Views[0])
		text := between.Describe(&s, &b)
		if other, ok := texts[text]; ok {
			t.Errorf("%s has the same text as %s:\n%s", name, other, text)
		}
		texts[text] = name
	}
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
	fallback := backend.Choose("opengl", scene)
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
		openGL, tile, between := candidatesOf("llvmpipe", c.openGL, c.tile)
		must.Equal(t, between.Choose(fallback, scene, images).String(), c.want, "the choice")
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
	openGL, tile, between := candidatesOf("llvmpipe", func(scene *render.Scene) (render.Renderer, error) {
		once.Do(func() { close(measuring) })
		return backend.Tile(scene)
	}, backend.Tile)
	drawing := opened{by: func(s *render.Scene) (render.Renderer, error) {
		b := *images
		b.Views = slices.Clone(images.Views)
		return between.Choose(backend.Choose("opengl", scene), scene, &b).New(s)
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
	c := backend.Candidates{Card: "NVIDIA H200"}
	for _, x := range []struct {
		openGL, tile float64
		name, why    string
	}{
		{1.4, 1, "tile", "it draws this world's images 1.4 times as fast as the graphics card (NVIDIA H200)"},
		{1.24, 1, "opengl", "the graphics card (NVIDIA H200) draws this world's images about as fast " +
			"as the tile renderer, and leaves the processor free"},
		{1, 1.24, "opengl", "the graphics card (NVIDIA H200) draws this world's images about as fast " +
			"as the tile renderer, and leaves the processor free"},
		{1, 2.34, "opengl", "the graphics card (NVIDIA H200) draws this world's images 2.3 times as fast " +
			"as the tile renderer"},
	} {
		name, why := c.Decide([2]float64{x.openGL, x.tile}, [2]error{})
		must.Equal(t, name, x.name, "%v to %v: renderer", x.openGL, x.tile)
		must.Equal(t, why, x.why, "%v to %v: reason", x.openGL, x.tile)
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
	_, _, between := candidatesOf("llvmpipe", failing("must not be opened"), failing("must not be opened"))
	fallback := backend.Choose("opengl", scene)
	must.Equal(t, between.Choose(fallback, scene, &render.Batch{Views: []render.View{{Model: spherical}}}).String(),
		fallback.String(), "for views that ray casters draw")
}
