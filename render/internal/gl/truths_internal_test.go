package gl

import (
	"testing"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Layers have only the planes of truth that were wanted. If a plane cannot be made, none stays, and each later call
// fails until all can be made.
func TestTruthHasThePlanesThatWereWanted(t *testing.T) {
	r := must.Get(NewGrouped(&render.Scene{}))(t)
	defer r.Close()
	must.Do(t, r.thread.do(func() error {
		l, err := newLayers(32, 16, 3)
		if err != nil {
			return err
		}
		defer l.delete()
		all := planeSet{true, true, true, true}
		for _, wanted := range []planeSet{{labelPlane: true}, {labelPlane: true, normalPlane: true}, all} {
			if err := l.addTruth(&wanted); err != nil {
				return err
			}
			for i, texture := range l.truth.textures {
				if made := texture != 0; made != wanted[i] || (l.truth.sheets[i].texture != 0) != made {
					t.Errorf("of planes %v, plane %d is made: %v", wanted, i, made)
				}
			}
		}
		l.truth.delete()
		for range 2 {
			if err := l.addTruth(&planeSet{labelPlane: true}); err != nil {
				return err
			}
			old := l.truth
			l.width = 1 << 24
			for range 2 {
				if l.addTruth(&all) == nil || l.truth != (truthLayers{}) {
					t.Errorf("an image of %d pixels a row leaves %+v", l.width, l.truth)
				}
			}
			l.width = 32
			if gl.IsTexture(old.textures[labelPlane]) || gl.IsTexture(old.depth) || gl.IsFramebuffer(old.fbo) {
				t.Error("a failure does not delete what was made before")
			}
		}
		return l.addTruth(&all)
	}))
}
