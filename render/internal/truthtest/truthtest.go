// Package truthtest compares the ground truth of images from different renderers.
package truthtest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// Case is a view of Scene, at the poses of Poses(1), without images.
type Case struct {
	Name   string
	View   render.View
	Labels int // number of different labels in the image
}

// Truth returns the view with a new truth.
func (c *Case) Truth() render.View {
	v := c.View
	v.Truth = render.NewTruth(v.Model.Size())
	return v
}

// Cases returns views through all kinds of optics. Their Before is that of Poses(0).
func Cases(t testing.TB) []Case {
	eye := func(later float64) spatial.Pose {
		return spatial.RPY(mgl64.Vec3{0.02 * later, 0, 0.9}, 0.02, 0.2, 0.03*later)
	}
	forward := func(later float64) spatial.Pose { return eye(later).Mul(spatial.BodyToOptical()) }
	upward := func(later float64) spatial.Pose { // leans, so that the mirror did not show some points before
		return eye(later).Mul(spatial.RPY(mgl64.Vec3{}, 0.2*later, 0, 0)).Mul(
			spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)})
	}
	under := func(later float64) spatial.Pose { // a body extends behind the camera
		return spatial.RPY(mgl64.Vec3{-1, 0, 2.2}, 0.1, -0.4+0.01*later, 2).Mul(spatial.BodyToOptical())
	}
	pinhole := optics.PinholeFromFOV(205, 150, 1.3)
	fisheye, err := optics.NewKannalaBrandt(optics.Pinhole{Width: 204, Height: 160, FX: 70, FY: 70, CX: 100, CY: 80},
		0, 0, 0, -0.0043) // sees up to 1.5 rad from its axis
	if err != nil {
		t.Fatal(err)
	}
	var all []Case
	for _, c := range []struct {
		name   string
		model  optics.Model
		pose   func(later float64) spatial.Pose
		labels int
	}{
		{"pinhole", pinhole, forward, 5},
		{"pinhole under a body", pinhole, under, 2},
		{"mirror", optics.Hyperbolic{
			Pinhole: optics.Pinhole{Width: 240, Height: 230, FX: 190, FY: 188, CX: 121, CY: 114}, K: 3.3, C: 0.12,
			RimRadius: 0.06,
		}, upward, 6},
		{"fisheye", fisheye, forward, 7},
	} {
		all = append(all, Case{Name: c.name, Labels: c.labels, View: render.View{
			Model: c.model, PoseWC: c.pose(1), Before: &render.Before{PosesWB: Poses(0), PoseWC: c.pose(0)},
			Hidden: []render.Hidden{{Body: 4, Part: "lid"}},
		}})
	}
	return all
}

// Scene is a hall with markings, a ball, boxes and a net.
func Scene() *render.Scene {
	one := mgl32.Vec3{1, 1, 1}
	s := &render.Scene{
		Meshes: []render.Mesh{shapes.Sphere(0.3, 4), shapes.Box(0.6, 0.4, 0.8), shapes.Box(2, 0.02, 1),
			shapes.Box(4, 4, 0.5)},
		Floor: render.Floor{SizeX: 12, SizeY: 10, Marks: []spatial.Mark{
			{Kind: spatial.Segment, A: [2]float64{-5, 1}, B: [2]float64{5, 1}, Width: 0.125},
			{Kind: spatial.Arc, Radius: 2, Sweep: 2 * math.Pi, Width: 0.125},
			{Kind: spatial.Spot, A: [2]float64{2, -1}, Radius: 0.1},
		}},
		Room: render.Room{Margin: 3, Height: 5},
		Shading: render.Shading{
			Materials: []render.Material{{Color: one}, {Color: one, Color2: one, Pattern: render.SoccerBall},
				{Color: one, Pattern: render.Net}},
			Light: render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Sky: one},
		},
	}
	lid := render.Part{Mesh: 1, PoseBP: spatial.Planar(0.2, 0, 0.4), Name: "lid"}
	s.Bodies = []render.Body{
		{Parts: []render.Part{{Mesh: 0, Material: 1, PoseBP: spatial.Identity()}}},
		{Parts: []render.Part{{Mesh: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.4})},
			{Mesh: 0, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 1})}}},
		// a net, which the truth ignores
		{Parts: []render.Part{{Mesh: 2, Material: 2, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.5})}}},
		{Parts: []render.Part{{Mesh: 3, PoseBP: spatial.Identity()}}, Static: true},
		{Parts: []render.Part{lid}},
	}
	return s
}

// Poses returns the poses of its bodies at two instants: later is 0 or 1.
func Poses(later float64) []spatial.Pose {
	return []spatial.Pose{
		{Pos: mgl64.Vec3{1.5 + 0.05*later, 0.2, 0.3}, Rot: mgl64.QuatRotate(0.3+0.1*later, mgl64.Vec3{0.6, 0.8, 0})},
		spatial.Planar(2.5, -1.2+0.03*later, 0.5+0.02*later), spatial.Planar(1.2, 0, math.Pi/2),
		spatial.Translation(mgl64.Vec3{-1, 0, 2.6}),
		spatial.Planar(0.9, 0.5, later),
	}
}

// Same reports whether truths have the same bits; all NaNs are equal.
func Same(a, b *render.Truth) bool {
	same := func(x, y float32) bool { return x == y || x != x && y != y }
	return slices.Equal(a.Labels, b.Labels) && slices.EqualFunc(a.Range, b.Range, same) && slices.EqualFunc(a.Normals,
		b.Normals, same) &&
		slices.EqualFunc(a.Flow, b.Flow, same)
}

// Compare compares truths, and checks that enough pixels were compared. Away from silhouettes, the truth of every pixel
// must be the same: where the pixels around show the same body, or the same kind of floor, in about the same direction.
// Labels may differ only within a pixel of the border between two labels, and in at most 1 % of the pixels that are not
// compared, which lie there.
func Compare(t testing.TB, name string, got, want *render.Truth, labels int) {
	t.Helper()
	CompareMost(t, name, got, want, labels, 0.6, 0)
}

// CompareMost is like Compare, for at least the fraction least of the pixels. In the fraction parts of the compared
// pixels of each body, range, normal and flow may differ: where a part stands before another that faces the same way.
// In 1 of 10,000 pixels of the image, the label of another body may stand with the same range, normal and flow: where
// faces of two bodies are in the same place.
func CompareMost(t testing.TB, name string, got, want *render.Truth, labels int, least, parts float64) {
	t.Helper()
	p := pair{got, want}
	pixels := want.Width * want.Height
	counted, differ, compared, off, wrong, shared := map[uint16]int{}, map[uint16]int{}, 0, 0, 0, 0
	mostShared := 0
	if parts > 0 {
		mostShared = pixels / 10000
	}
	var broken []string
	breaks := func(i int) {
		if wrong++; wrong <= 3 {
			broken = append(broken, p.describe(i))
		}
	}
	for i, label := range want.Labels {
		if !p.inner(i) {
			if got.Labels[i] != label {
				if off++; !p.border(i) {
					breaks(i)
				}
			}
			continue
		}
		compared++
		counted[label]++
		switch ok, bodies := p.agree(i), min(got.Labels[i], label) >= render.LabelBody; {
		case got.Labels[i] != label && ok && bodies && shared < mostShared:
			shared++
		case got.Labels[i] != label || !ok && !bodies:
			breaks(i)
		case !ok:
			differ[label]++
		}
	}
	for label, n := range differ {
		if most := int(math.Ceil(parts * float64(counted[label]))); n > most {
			t.Errorf("%s: %d of %d pixels with label %d differ, at most %d may", name, n, counted[label], label, most)
		}
	}
	report, enough, mostOff := t.Logf, int(math.Ceil(least*float64(pixels))), (pixels-compared+99)/100
	if wrong > 0 || len(counted) < labels || compared < enough || off > mostOff {
		report = t.Errorf
	}
	report("%s: %d of %d pixels compared, at least %d must be; of them %d break the rules, none may, and %v differ; "+
		"%d of the others have another label, at most %d may; %d labels %v, at least %d must be %s", name, compared,
		pixels, enough, wrong, differ, off, mostOff, len(counted), counted, labels, strings.Join(broken, "; "))
}

// pair is a truth and the one that it should be like.
type pair struct{ got, want *render.Truth }

// around reports whether a condition holds for a pixel of an image and for each of those around it that are in the
// image. It passes their indices.
func (p pair) around(i int, holds func(k int) bool) bool {
	w, h := p.want.Width, p.want.Height
	for y := max(i/w-1, 0); y <= min(i/w+1, h-1); y++ {
		for x := max(i%w-1, 0); x <= min(i%w+1, w-1); x++ {
			if !holds(y*w + x) {
				return false
			}
		}
	}
	return true
}

// border reports whether a pixel around has another label.
func (p pair) border(i int) bool {
	return !p.around(i, func(k int) bool { return p.want.Labels[k] == p.want.Labels[i] })
}

// inner reports whether a pixel is not at the image's edge, and it and those around it show the same object in about
// the same direction.
func (p pair) inner(i int) bool {
	w, h := p.want.Width, p.want.Height
	if i%w == 0 || i%w == w-1 || i/w == 0 || i/w == h-1 {
		return false
	}
	return p.around(i, func(k int) bool {
		n, m := p.want.Normals[3*k:3*k+3], p.want.Normals[3*i:3*i+3]
		return p.want.Labels[k] == p.want.Labels[i] &&
			(p.want.Labels[i] == render.LabelNothing || n[0]*m[0]+n[1]*m[1]+n[2]*m[2] > 0.8) // else an edge
	})
}

// agree reports whether range, normal and flow of a pixel agree.
func (p pair) agree(i int) bool {
	near := func(a, b float32, tolerance float64) bool {
		return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) || math.Abs(float64(a-b)) <= tolerance
	}
	ok := near(p.got.Range[i], p.want.Range[i], 1e-4*math.Abs(float64(p.want.Range[i])))
	for k := 3 * i; k < 3*i+3; k++ {
		ok = ok && near(p.got.Normals[k], p.want.Normals[k], 0.01)
	}
	// Points that were almost beside the camera moved by thousands of pixels, through a division by a small number that
	// is rounded: the error of a quotient grows with its square.
	fu, fv := float64(p.want.Flow[2*i]), float64(p.want.Flow[2*i+1])
	for k := 2 * i; k < 2*i+2; k++ {
		ok = ok && near(p.got.Flow[k], p.want.Flow[k], 1e-3+1e-8*(fu*fu+fv*fv))
	}
	return ok
}

// describe returns a text about a pixel.
func (p pair) describe(i int) string {
	got, want, w := p.got, p.want, p.want.Width
	return fmt.Sprintf("pixel (%d, %d): label %d, range %v, normal %v, flow %v; want %d, %v, %v, %v", i%w, i/w,
		got.Labels[i], got.Range[i], got.Normals[3*i:3*i+3], got.Flow[2*i:2*i+2], want.Labels[i], want.Range[i],
		want.Normals[3*i:3*i+3], want.Flow[2*i:2*i+2])
}
