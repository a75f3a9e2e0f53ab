package backend_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// The oracle intersects every pixel's ray with the floor in float64. The shader does the same in float32, where the
// ray's slope to the floor, h/Z, is a difference of terms of order one, with an error of about 3·2⁻²⁴. The relative
// error of Z is therefore 2e-7·(1 + Z/h).
func TestDepthOfTheFloor(t *testing.T) { each(t, 4, depthOfTheFloor) }

func depthOfTheFloor(t *testing.T, open opener) {
	s := withFloor(bare(), 20)
	r := open(t, s)
	for _, pose := range []spatial.Pose{
		forward(mgl64.Vec3{0, 0, 0.7}, 0, 0.2, 0), forward(mgl64.Vec3{-4, 3, 0.5}, 0.1, 0.5, 2),
		forward(mgl64.Vec3{1, 1, 3}, 0, math.Pi/2, 0),
	} {
		m := kinect()
		view := depthView(m, pose)
		draw(t, r, nil, view)
		worst := 0.0
		for i, got := range view.Depth.Z {
			dirC, _ := m.Unproject(float64(i%m.Width), float64(i/m.Width))
			dirW := pose.Rotate(dirC.Mul(1 / dirC[2]))
			want := -pose.Pos[2] / dirW[2]
			p := pose.Pos.Add(dirW.Mul(want))
			edge := math.Max(math.Abs(p[0]), math.Abs(p[1])) - 10
			switch {
			case want > 0 && edge < -1e-3:
				share := math.Abs(float64(got)/want-1) / (1 + want/pose.Pos[2])
				worst = math.Max(worst, share)
				if !(share < 1e-6) {
					t.Fatalf("pixel %d: Z = %v, want %v", i, got, want)
				}
			case want <= 0 || edge > 1e-3:
				if !math.IsInf(float64(got), 1) {
					t.Fatalf("pixel %d: Z = %v beyond the floor, want +Inf", i, got)
				}
			}
		}
		t.Logf("largest error: %.2g of Z, times 1 + Z/h", worst)
	}
}

// The oracle is the sphere's surface in closed form. The mesh's flat faces lie within radius·angle²/4 of it, where
// angle is that of their edges seen from the centre, and are seen under the angle of incidence.
func TestDepthOfASphere(t *testing.T) { each(t, 4, depthOfASphere) }

func depthOfASphere(t *testing.T, open opener) {
	const radius = 0.5
	centre := mgl64.Vec3{3, 0.2, 1}
	r := open(t, withFloor(bare(shapes.Sphere(radius, 5)), 2))
	m, pose := kinect(), forward(mgl64.Vec3{0, 0, 1.2}, 0, 0.05, 0)
	view := depthView(m, pose)
	draw(t, r, []spatial.Pose{spatial.Translation(centre)}, view)
	edge := 1.1072 / 32 // of the icosahedron, halved five times
	flat := radius * edge * edge / 4
	seen, worst := 0, 0.0
	for i, got := range view.Depth.Z {
		dirC, _ := m.Unproject(float64(i%m.Width), float64(i/m.Width))
		dirW := pose.Rotate(dirC)
		b, c := dirW.Dot(pose.Pos.Sub(centre)), pose.Pos.Sub(centre).LenSqr()-radius*radius
		root := b*b - c
		if root < 0 {
			continue
		}
		cosine := math.Sqrt(root) / radius
		if cosine < 0.2 {
			continue // the silhouette
		}
		want := (-b - math.Sqrt(root)) * dirC[2]
		seen++
		miss := math.Abs(float64(got)-want) * cosine
		worst = math.Max(worst, miss)
		if !(miss < flat+1e-5) {
			t.Fatalf("pixel %d: Z = %v, want %v", i, got, want)
		}
	}
	t.Logf("%d pixels, largest error %.3g m across the surface, %.3g expected of flat faces", seen, worst, flat)
	if seen < 5000 {
		t.Errorf("only %d pixels see the sphere", seen)
	}
}

// The reflectance of a pixel is that of its material, of the carpet or of the bare floor around it.
func TestReflectanceOfDepths(t *testing.T) {
	for _, b := range []opener{openerOf(backend.Tile), openerOf(backend.RayCaster), openerOf(backend.OpenGL)} {
		s := withFloor(bare(shapes.Box(1, 1, 1), shapes.Box(1, 1, 1), shapes.Box(1, 1, 1)), 6)
		s.Materials = []render.Material{{Color: mgl32.Vec3{0.3, 0.2, 0.1}}, {Color: mgl32.Vec3{1, 1, 1}, Gloss: 0.4},
			{Color: mgl32.Vec3{1, 1, 1}, Metal: true}}
		for i := range s.Bodies {
			s.Bodies[i].Parts[0].Material = i
		}
		s.Carpet, s.Room = mgl32.Vec3{0.1, 0.5, 0.3}, render.Room{Margin: 2, Floor: mgl32.Vec3{0.7, 0.7, 0.1},
			Wall: mgl32.Vec3{0.8, 0.8, 0.8}, Height: 3, Solid: true}
		r := b(t, s)
		var poses []spatial.Pose
		for _, y := range []float64{1.5, 0, -1.5} {
			poses = append(poses, spatial.Translation(mgl64.Vec3{2, y, 0.5}))
		}
		m := kinect()
		v := depthView(m, forward(mgl64.Vec3{-1, 0, 1.5}, 0, 0.3, 0))
		v.Color = render.NewImage(m.Width, m.Height)
		v.Depth.KeepReflectance()
		draw(t, r, poses, v)
		for _, c := range []struct {
			at   mgl64.Vec3
			want float64
		}{
			{mgl64.Vec3{1.5, 1.5, 0.7}, 0.2}, {mgl64.Vec3{1.5, 0, 0.7}, 0.6}, {mgl64.Vec3{1.5, -1.5, 0.7}, 0},
			{mgl64.Vec3{1, 0.3, 0}, 0.3}, {mgl64.Vec3{4.5, 1.375, 0}, 0.5}, {mgl64.Vec3{5, 0.75, 1}, 0.8},
		} {
			pC := v.PoseWC.Inverse().Apply(c.at)
			x, y, _ := m.Project(pC)
			i := int(math.Round(y))*m.Width + int(math.Round(x))
			if got := float64(v.Depth.Reflectance[i]); !scalar.EqualWithinAbs(got, c.want, 1e-6) ||
				!scalar.EqualWithinAbs(float64(v.Depth.Z[i]), pC[2], 0.03) {
				t.Errorf("%T: at %v the reflectance is %v, want %v; Z = %v, want %v", r, c.at, got, c.want,
					v.Depth.Z[i], pC[2])
			}
		}
	}
}

func TestDepthBesideColor(t *testing.T) { each(t, 4, depthBesideColor) }

func depthBesideColor(t *testing.T, open opener) {
	r := open(t, withFloor(bare(shapes.Box(1, 1, 1)), 20))
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{3, 0, 0.5})}
	m, pose := kinect(), forward(mgl64.Vec3{0, 0, 0.5}, 0, 0, 0)
	both, alone := depthView(m, pose), depthView(m, pose)
	both.Color = render.NewImage(m.Width, m.Height)
	draw(t, r, poses, both, alone)
	for i, z := range both.Depth.Z {
		if z != alone.Depth.Z[i] {
			t.Fatalf("pixel %d: Z = %v with colour, %v without", i, z, alone.Depth.Z[i])
		}
	}
	// The face towards the camera is a plane at Z = 2.5 m; its interpolation has a few rounding errors of float32.
	if z := both.Depth.Z[215*m.Width+250]; !scalar.EqualWithinAbs(float64(z), 2.5, 2e-6) {
		t.Errorf("Z of a face 2.5 m away = %v", z)
	}
}

// A camera looks straight down on a floor with a line, and on a ball. It rotates about its axis, so that the floor's
// flow is a rotation about the image's middle. The ball rotates with it, and moves in the camera's frame by known
// metres.
func TestTruthOfAPicture(t *testing.T) {
	t.Run("groups", func(t *testing.T) { truthOfAPicture(t, grouped) })
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
