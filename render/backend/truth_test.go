package backend_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// A camera looks straight down on a floor with a line, and on a ball. It rotates about its axis, so that the floor's
// flow is a rotation about the image's middle. The ball rotates with it, and moves in the camera's frame by known
// metres.
func TestTruthOfAPicture(t *testing.T) {
	t.Run("tile", func(t *testing.T) { truthOfAPicture(t, tiles) })
	t.Run("raycast", func(t *testing.T) { truthOfAPicture(t, caster) })
}

func truthOfAPicture(t *testing.T, open opener) {
	const radius, turn, height = 0.3, 0.02, 3.0
	s := bare(shapes.Sphere(radius, 5))
	s.Floor = render.Floor{SizeX: 20, SizeY: 20, Marks: []spatial.Mark{{Kind: spatial.Segment, A: [2]float64{-5, 1},
		B: [2]float64{5, 1}, Width: 0.2}}}
	m := optics.PinholeFromFOV(321, 241, 1.2)
	down := func(angle float64) spatial.Pose {
		return spatial.RPY(mgl64.Vec3{0, 0, height}, 0, math.Pi/2, angle).Mul(spatial.BodyToOptical())
	}
	now, before := down(0.5+turn), down(0.5)
	// In the camera's frame the ball moves from one place to another.
	ballC, movedC := mgl64.Vec3{-0.6, 0.2, height - radius}, mgl64.Vec3{0.04, -0.01, 0}
	ballNow := spatial.Pose{Pos: now.Apply(ballC), Rot: now.Rot}
	ballBefore := spatial.Pose{Pos: before.Apply(ballC.Sub(movedC)), Rot: before.Rot}

	v := colorView(m, now)
	v.Truth = render.NewTruth(321, 241)
	v.Before = &render.Before{PosesWB: []spatial.Pose{ballBefore}, PoseWC: before}
	draw(t, open(t, s), []spatial.Pose{ballNow}, v)
	count := map[uint16]int{}
	for i, label := range v.Truth.Labels {
		dC, _ := m.Unproject(float64(i%321), float64(i/321))
		along := ballC.Dot(dC)
		inside := radius*radius - (ballC.Dot(ballC) - along*along)
		if math.Abs(inside) < 0.01 {
			continue // the outline
		}
		distance := height / dC[2]
		p := now.Apply(dC.Mul(distance))
		want, normal := render.LabelFloor, mgl64.Vec3{0, 0, -1} // of the floor, in the camera's frame
		// Seen from above the camera rotates anticlockwise and the image clockwise, which is from x to y. A point's
		// earlier position follows from the inverse rotation.
		sin, cos := math.Sincos(turn)
		x, y := (float64(i%321)-m.CX)/m.FX, (float64(i/321)-m.CY)/m.FY
		du, dv := m.FX*(x-(cos*x+sin*y)), m.FY*(y-(-sin*x+cos*y))
		switch {
		case inside > 0:
			want, distance = render.LabelBody, along-math.Sqrt(inside)
			q := dC.Mul(distance)
			normal = q.Sub(ballC).Mul(1 / radius)
			du, dv = m.FX*movedC[0]/q[2], m.FY*movedC[1]/q[2]
		case math.Abs(p[1]-1) < 0.09:
			want = render.LabelMark
		case math.Abs(p[1]-1) < 0.11:
			continue // the line's edge
		}
		count[label]++
		if label != want || !scalar.EqualWithinAbs(float64(v.Truth.Range[i]), distance, 2e-3) {
			t.Fatalf("pixel %d: label %d, range %v, want %d, %v", i, label, v.Truth.Range[i], want, distance)
		}
		n := mgl64.Vec3{float64(v.Truth.Normals[3*i]), float64(v.Truth.Normals[3*i+1]), float64(v.Truth.Normals[3*i+2])}
		if !(n.Sub(normal).Len() <= 0.02) { // the mesh's triangles are 3 cm wide
			t.Fatalf("pixel %d: normal %v, want %v", i, n, normal)
		}
		if gu, gv := float64(v.Truth.Flow[2*i]), float64(v.Truth.Flow[2*i+1]); !(math.Hypot(gu-du, gv-dv) <= 0.02) {
			t.Fatalf("pixel %d, label %d: flow (%v, %v), want (%v, %v)", i, label, gu, gv, du, dv)
		}
	}
	for _, label := range []uint16{render.LabelFloor, render.LabelMark, render.LabelBody} {
		if count[label] < 500 {
			t.Errorf("only %d pixels have the label %d", count[label], label)
		}
	}
}
