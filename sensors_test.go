package omnipitch

import (
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Renderers are compared with images of the whole world, also if it has more bodies than a renderer warms up with.
func TestSampleImagesShowAllBodies(t *testing.T) {
	sim := must.Get(New(must.Get(worlds.Load("hsl-4v4"))(t), Options{}))(t)
	defer sim.Close()
	scene := sim.Sensors().Scenery().Scene
	samples := sim.pipeline.SampleImages(scene)()
	must.Equal(t, samples.PosesWB, sim.scenery.Poses(&sim.truth, nil), "poses of the bodies")
	cameras := 0
	for _, r := range sim.World().Robots {
		for _, c := range r.Sensors {
			if c.Image != nil {
				cameras++
			}
		}
	}
	if n := len(samples.Views); n < cameras || n == 0 || len(samples.PosesWB) < 100 {
		t.Errorf("%d images of %d cameras, with %d bodies: want an image of each, and at least 100 bodies", n, cameras,
			len(samples.PosesWB))
	}
}

// Renderer names the renderer that was made, and none if the constructor failed or an older world's was chosen.
func TestRendererIsTheOneThatWasMade(t *testing.T) {
	sim := must.Get(New(must.Get(worlds.Load("nubot-attack"))(t), Options{Renderer: "tile"}))(t)
	defer sim.Close()
	chosen := sim.Sensors().ChooseRenderer()
	must.Equal(t, chosen.Name, "tile", "the choice")
	must.Equal(t, sim.Sensors().Renderer().Name, "", "the renderer before one is made")
	sim.sensors.choice.New = func(*render.Scene) (render.Renderer, error) { return nil, render.ErrNoContext }
	if _, err := sim.Sensors().NewRenderer(); err == nil {
		t.Fatal("a renderer was made")
	}
	must.Equal(t, sim.Sensors().Renderer().Name, "", "the renderer after a failure")
	older := &render.Scene{Floor: render.Floor{SizeX: 1, SizeY: 1}}
	sim.opts.Renderer = "raycast"
	r := must.Get(sim.sensors.newRenderer(older, sim.pipeline.SampleImages(older)))(t)
	r.Close()
	must.Equal(t, sim.Sensors().Renderer().String(), backend.Choose("raycast", older).String(), "the renderer")
}
