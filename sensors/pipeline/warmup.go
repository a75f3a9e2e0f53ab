package pipeline

import (
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// mostWarm is the maximum number of bodies, and of cameras, that a renderer renders to warm up. Further bodies and
// cameras of the same kind need little time at their first use. When the limit is reached, a camera is added only if no
// camera of the same model is among them.
const mostWarm = 32

// warmUp holds the images that every renderer renders before its first job. Graphics drivers compile shaders at their
// first use. Without a warm-up this would delay the first second of a run.
type warmUp struct {
	scene   *render.Scene
	posesWB []spatial.Pose // with the bodies beyond mostWarm out of sight
	startWB []spatial.Pose // of all bodies
	cameras []*sensors.Camera
	views   []render.View
}

// newWarmUp prepares a warm-up from the present state.
func (p *Pipeline) newWarmUp() *warmUp {
	w := &warmUp{scene: p.cfg.Scene, startWB: p.cfg.Poses(p.cfg.State, nil)}
	w.posesWB = slices.Clone(w.startWB)
	for i := mostWarm; i < len(w.posesWB); i++ {
		if !p.cfg.Scene.Bodies[i].Static { // static bodies stay in place, because their shadows are drawn only once
			w.posesWB[i].Pos[2] -= 1000 // below the hall, out of sight of all cameras
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

// batch returns a batch that renders the warm-up into newly allocated images.
func (w *warmUp) batch() *render.Batch { return w.withBodies(w.posesWB) }

// samples returns a batch of the same cameras that shows all bodies.
func (w *warmUp) samples() *render.Batch { return w.withBodies(w.startWB) }

func (w *warmUp) withBodies(posesWB []spatial.Pose) *render.Batch {
	f := &render.Batch{PosesWB: posesWB, Views: slices.Clone(w.views)}
	for i, camera := range w.cameras {
		b := imagesOf(camera)
		f.Views[i].Color, f.Views[i].Truth = b.color, b.truth
		if camera.Stereo() == nil {
			f.Views[i].Depth = b.depth
		}
	}
	return f
}
