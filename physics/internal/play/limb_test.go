package play

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// In any posture, the points of links are within reach, and all links at once move as each of them does.
func TestReachBoundsLinks(t *testing.T) {
	r := enginetest.Humanoid(0, 0, 0)
	random := rand.New(rand.NewPCG(1, 2))
	states := make([]physics.JointState, len(r.Joints))
	all := links{poses: make([]spatial.Pose, len(r.Joints)), known: make([]bool, len(r.Joints))}
	nearest := math.Inf(1)
	for range 100 {
		for i := range states {
			states[i].Position = 2 * math.Pi * (random.Float64() - 0.5)
		}
		clear(all.known)
		for i := len(r.Joints) - 1; i >= 0; i-- {
			link := all.moved(r.Joints, states, i)
			must.Equal(t, link, r.Moved(i, states), "link %d", i)
			p := r.Joints[i].PointB.Add(mgl64.Vec3{random.Float64(), random.Float64(), random.Float64()}.Mul(0.1))
			root, most := reach(&r, i, p)
			left := most - link.Apply(p).Sub(root).Len()
			if nearest = min(nearest, left); !(left >= -1e-9) {
				t.Fatalf("a point of link %d is %v m beyond its reach", i, -left)
			}
		}
	}
	if !(nearest < 0.1) {
		t.Errorf("no point comes nearer to its reach than %v m: the bound must be tight", nearest)
	}
}
