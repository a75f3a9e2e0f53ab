package tile

import (
	"runtime"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/internal/truthtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is the ray caster, which shares no code.
func TestTruthIsTheRayCasters(t *testing.T) {
	s, poses := truthtest.Scene(), truthtest.Poses(1)
	rays := must.Get(raycast.New(s))(t)
	defer rays.Close()
	var renderers []*Renderer
	for i := range supportedKernels() {
		renderers = append(renderers, rendererOf(t, s, i, runtime.GOMAXPROCS(0)))
	}
	for _, c := range truthtest.Cases(t) {
		want := c.Truth()
		must.Do(t, rays.Render(&render.Batch{PosesWB: poses, Views: []render.View{want}}))
		truths := map[string]*render.Truth{}
		for _, r := range renderers {
			view := c.Truth()
			must.Do(t, r.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}}))
			truths[nameOf(r.kernel)] = view.Truth
			name := c.Name + " by " + nameOf(r.kernel)
			truthtest.Compare(t, name, view.Truth, want.Truth, c.Labels)
			checkCompany(t, name, r, view, poses)
		}
		if a, b := truths["avx512"], truths["avx2"]; a != nil && b != nil && !truthtest.Same(a, b) {
			t.Errorf("%s: avx512 and avx2 tell different truths", c.Name)
		}
	}
}

// checkCompany draws a view several times in a batch, without its earlier instant. Its truth, except for the flow, must
// not depend on how many workers share the work.
func checkCompany(t *testing.T, name string, r *Renderer, view render.View, posesWB []spatial.Pose) {
	t.Helper()
	want := *view.Truth
	want.Flow = make([]float32, len(want.Flow))
	view.Before = nil
	batch := render.Batch{PosesWB: posesWB}
	for range 2*r.workers.Size + 1 {
		view.Truth = render.NewTruth(want.Width, want.Height)
		batch.Views = append(batch.Views, view)
	}
	must.Do(t, r.Render(&batch))
	for i := range batch.Views {
		if !truthtest.Same(batch.Views[i].Truth, &want) {
			t.Errorf("%s: view %d has another truth in company", name, i)
		}
	}
}
