package articulated

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

const (
	grip     = 1.0  // coefficient of friction of a shape whose file gives none; MuJoCo's default
	thinnest = 1e-3 // half size of the box around a flat mesh, m
)

// layers are the bits of all shapes of some links.
type layers struct{ in, touched uint32 }

// collide sets the shapes with which links of a robot without wheels collide, and the links that pass through each
// other.
func (r *Robot) collide(m *Mechanism, s *stand, mover []int, meshes Meshes) error {
	poseBR := spatial.Translation(mgl64.Vec3{0, 0, -s.floor})
	of := make([]layers, len(r.Links))
	for i := range s.bodies {
		b := &s.bodies[i]
		shape, err := r.colliding(b.Collision, meshes)
		if err != nil {
			return err
		}
		shape.PoseB = poseBR.Mul(s.poses[b.link]).Mul(shape.PoseB)
		if k := mover[b.link]; k >= 0 {
			m.Joints[k].Shapes = append(m.Joints[k].Shapes, shape)
		} else {
			m.Trunk.Shapes = append(m.Trunk.Shapes, shape)
		}
		bits := layers{b.Layers, b.Touches}
		if bits == (layers{}) {
			bits = layers{math.MaxUint32, math.MaxUint32}
		}
		of[b.link].in |= bits.in
		of[b.link].touched |= bits.touched
	}
	m.Apart = r.apart(of, mover, len(m.Joints))
	return nil
}

// apart returns the pairs of joints, or -1 for the trunk, of which no two links collide.
func (r *Robot) apart(of []layers, mover []int, joints int) (all [][2]int) {
	excluded := map[[2]int]bool{}
	for _, pair := range r.Apart {
		a, b := r.Link(pair[0]), r.Link(pair[1])
		excluded[[2]int{a, b}], excluded[[2]int{b, a}] = true, true
	}
	meet := make([][]bool, joints+1)
	for i := range meet {
		meet[i] = make([]bool, joints+1)
	}
	for a := range of {
		for b := range of {
			if of[a].in&of[b].touched != 0 && !excluded[[2]int{a, b}] {
				meet[mover[a]+1][mover[b]+1], meet[mover[b]+1][mover[a]+1] = true, true
			}
		}
	}
	for a := range meet {
		for b := a + 1; b < len(meet); b++ {
			if !meet[a][b] {
				all = append(all, [2]int{a - 1, b - 1})
			}
		}
	}
	return all
}

// colliding returns a shape as engines have it, with its pose in the link's frame. Meshes and ellipsoids become the
// boxes around them.
func (r *Robot) colliding(c *Collision, meshes Meshes) (physics.Shape, error) {
	s := physics.Shape{PoseB: c.PoseLS, Friction: c.Friction}
	if s.Friction == 0 {
		s.Friction = grip
	}
	switch c.Shape {
	case Sphere:
		s.Kind, s.Half = physics.SphereShape, mgl64.Vec3{c.Radius}
	case Capsule:
		s.Kind, s.Half = physics.CapsuleShape, mgl64.Vec3{c.Radius, 0, c.Length / 2}
	case Cylinder:
		s.Kind, s.Half = physics.CylinderShape, mgl64.Vec3{c.Radius, 0, c.Length / 2}
	case Box, Ellipsoid:
		s.Kind, s.Half = physics.BoxShape, c.Size.Mul(0.5)
	case Mesh:
		corners, err := r.corners(c, spatial.Identity(), meshes)
		if err == nil && len(corners) == 0 {
			err = r.fault(c.Place, "mesh %q: has no triangles", c.File)
		}
		if err != nil {
			return s, err
		}
		var low, high mgl64.Vec3
		for k := range low {
			low[k], high[k] = math.Inf(1), math.Inf(-1)
			for _, at := range corners {
				low[k], high[k] = min(low[k], at[k]), max(high[k], at[k])
			}
			s.Half[k] = max((high[k]-low[k])/2, thinnest)
		}
		s.Kind, s.PoseB = physics.BoxShape, c.PoseLS.Mul(spatial.Translation(low.Add(high).Mul(0.5)))
	}
	return s, nil
}
