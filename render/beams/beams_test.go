package beams_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/beams"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// aWall returns a scene with a body whose face towards −x is at x = 0 of its frame, without floor and hall.
func aWall(m render.Material) *render.Scene {
	box := shapes.Box(1, 40, 40)
	return &render.Scene{
		Meshes: []render.Mesh{box},
		Bodies: []render.Body{{Name: "wall", Parts: []render.Part{{
			PoseBP: spatial.Translation(mgl64.Vec3{0.5, 0, 0})}}}},
		Floor: render.Floor{SizeX: 200, SizeY: 200},
		Shading: render.Shading{Materials: []render.Material{m}, Light: render.Light{
			DirectionW: mgl32.Vec3{0, 0, 1}}},
	}
}

// matt returns a matt material whose channels have the mean reflectance of the argument.
func matt(reflectance float32) render.Material {
	return render.Material{Color: mgl32.Vec3{reflectance / 2, reflectance, 3 * reflectance / 2}}
}

// sweep casts a beam that rises at an angle towards a wall, which moves from one distance to another.
func sweep(t *testing.T, m render.Material, from, to, share, angle float64) beams.Echo {
	t.Helper()
	caster := beams.NewCaster(must.Get(beams.New(aWall(m)))(t), 0.003, 0.0015)
	at := func(x float64) []spatial.Pose { return []spatial.Pose{spatial.Translation(mgl64.Vec3{x, 0, 50})} }
	sin, cos := math.Sincos(angle)
	alongS := []mgl64.Vec3{{cos, 0, -sin}, {cos, 0, sin}}
	s := beams.Sector{From: at(from), To: at(to), Columns: []beams.Column{{
		PoseWS: spatial.Translation(mgl64.Vec3{0, 0, 50}), Share: share}}}
	caster.Start(s.To)
	caster.Aim(&s, alongS, 100)
	s.Turn(0)
	return caster.Cast(&s, alongS[1])
}

// A beam returns the distance and, by Lambert's law, the reflectance times the cosine of incidence.
func TestMattWall(t *testing.T) {
	for _, angle := range []float64{0, 0.3, 0.8, 1.2} {
		e := sweep(t, matt(0.4), 5, 5, 1, angle)
		must.Near(t, "distance", float64(e.Range), 5/math.Cos(angle), 1e-5)
		must.Near(t, "reflectance", float64(e.Reflectance), 0.4*math.Cos(angle), 1e-6)
		must.Equal(t, e.Body, 0, "body")
	}
	if e := sweep(t, matt(0.4), 5, 5, 1, 1.5); e.Body != beams.None || !math.IsInf(float64(e.Range), 1) {
		t.Errorf("past the wall: %+v, want nothing", e)
	}
}

// A body is where it is at the instant of a column, between its places at the two ends of the sector. A body that an
// action has put elsewhere is at its new place.
func TestMovingWall(t *testing.T) {
	for _, c := range []struct{ from, to, share, want float64 }{{5, 5.1, 0, 5}, {5, 5.1, 0.25, 5.025}, {5, 5.1, 1, 5.1},
		{5, 9, 0.25, 9}} {
		must.Near(t, "distance", float64(sweep(t, matt(0.4), c.from, c.to, c.share, 0).Range), c.want, 1e-5)
	}
}

// A ray meets the front of a form's nearest face, if it is nearer than the limit, and passes through nets.
func TestForm(t *testing.T) {
	scene := aWall(matt(0.4))
	f := beams.NewForm(scene, scene.Bodies[0].Parts)
	centre, half := f.Box()
	must.Equal(t, centre, mgl64.Vec3{0.5, 0, 0}, "centre")
	must.Equal(t, half, mgl64.Vec3{0.5, 20, 20}, "half")
	for _, c := range []struct{ x, angle, far, want float64 }{
		{-5, 0, 100, 5}, {-5, 0.8, 100, 5 / math.Cos(0.8)}, {-5, 1.5, 100, math.Inf(1)}, // past the wall
		{-5, 0, 4.9, math.Inf(1)}, {-5, 0, math.Inf(1), 5}, {6, math.Pi, 100, 5}, {6, 0, 100, math.Inf(1)},
		{0.5, 0, 100, math.Inf(1)}, // from inside
	} {
		sin, cos := math.Sincos(c.angle)
		got := f.Cast(mgl64.Vec3{c.x, 0, 0}, mgl64.Vec3{cos, 0, sin}, c.far)
		if got != c.want && !(math.Abs(got-c.want) <= 1e-5) {
			t.Errorf("from x = %v at %v rad, up to %v m: %v m, want %v", c.x, c.angle, c.far, got, c.want)
		}
	}
	if f := beams.NewForm(aWall(render.Material{Pattern: render.Net}), scene.Bodies[0].Parts); f != nil {
		t.Error("a net has a form")
	}
}

// A mirror returns much light at a right angle, and next to none at others. Gloss takes light from the matt part.
func TestGlossyWall(t *testing.T) {
	grey := mgl32.Vec3{0.5, 0.5, 0.5}
	chrome := render.Material{Color: grey, Gloss: 0.85, F0: grey, Metal: true}
	ahead, aside := sweep(t, chrome, 5, 5, 1, 0).Reflectance, sweep(t, chrome, 5, 5, 1, 0.5).Reflectance
	if !(ahead > 10) || !(aside < 2e-3) {
		t.Errorf("a mirror returns %v at a right angle, and %v at 0.5 rad, want more than 10, and less than 0.002",
			ahead, aside)
	}
	varnish := matt(0.4)
	varnish.Gloss = 0.25
	must.Near(t, "reflectance", float64(sweep(t, varnish, 5, 5, 1, 0.3).Reflectance), 0.3*math.Cos(0.3), 1e-6)
	// closed form of the highlight at a right angle: F / (4 α²)
	rough := render.Material{F0: grey, Roughness: 0.3}
	must.Near(t, "highlight", float64(sweep(t, rough, 5, 5, 1, 0).Reflectance), 0.5/(4*0.09), 1e-4)
}
