package pipeline

import (
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// mostWarm limits the cameras and the bodies that a renderer draws to warm up. One camera of each further model is
// added. More of the same kind need little time at their first use.
const mostWarm = 32

// warmUp is what every renderer draws before its first job. Drivers compile shaders at their first use, which would
// delay the first second of a run.
type warmUp struct {
	posesWB []spatial.Pose
	cameras []*sensors.Camera
	views   []render.View
}

// newWarmUp prepares a warm-up from the present state.
func (p *Pipeline) newWarmUp() *warmUp {
	w := &warmUp{posesWB: p.cfg.Poses(p.cfg.State, nil)}
	for i := mostWarm; i < len(w.posesWB); i++ {
		if !p.cfg.Scene.Bodies[i].Static { // the shadows of static bodies are drawn only once, so these stay
			w.posesWB[i].Pos[2] -= 1000 // out of sight
		}
	}
	for _, in := range p.instances {
		if in.camera == nil {
			continue
		}
		view := in.camera.View(abstraction.Raw, p.instant(in))
		view.Chip, _ = in.camera.Chip(&sensors.Observation{Level: abstraction.Raw, Settings: in.camera.Settings()},
			p.cfg.Scene, &p.cfg.Scene.Light)
		if len(w.views) < mostWarm || !slices.ContainsFunc(w.views,
			func(v render.View) bool { return reflect.DeepEqual(v.Model, view.Model) }) {
			w.cameras, w.views = append(w.cameras, in.camera), append(w.views, view)
		}
	}
	return w
}

// batch returns a batch with newly allocated images.
func (w *warmUp) batch() *render.Batch {
	f := &render.Batch{PosesWB: w.posesWB, Views: slices.Clone(w.views)}
	for i, camera := range w.cameras {
		b := imagesOf(camera)
		f.Views[i].Color, f.Views[i].Depth, f.Views[i].Truth = b.color, b.depth, b.truth
	}
	return f
}
