package backend_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// naturalHall is a small hall with natural light, bodies of all kinds of materials, and a chequered picture on its
// walls. The first body is static, and divided like a wall of package scenery.
func naturalHall() (*render.Scene, []spatial.Pose) {
	s := withFloor(bare(shapes.GridBox(0.1, 3, 0.5, 1, render.NearFloor), ball(0.2), shapes.Sphere(0.25, 4),
		shapes.BevelledBox(0.4, 0.4, 0.6, 0.02), shapes.Box(0.02, 1, 0.8)), 8,
		spatial.Mark{Kind: spatial.Arc, Radius: 1.5, Sweep: 2 * math.Pi, Width: 0.125})
	s.Natural, s.Carpet, s.Floor.Wear = true, mgl32.Vec3{0.05, 0.3, 0.08}, 0.3
	s.Floor.Sheen, s.Floor.Seams, s.Floor.Traces = 0.5, render.Seams{Pitch: 1.1, Dark: 0.5}, render.NewTraces(&s.Floor)
	for i := range s.Floor.Traces.Pix {
		x, y := i/4%render.TraceTexels, i/4/render.TraceTexels
		s.Floor.Traces.Pix[i] = byte(160 + 90*math.Sin(float64(x)*0.06+float64(i%4))*math.Cos(float64(y)*0.05))
	}
	s.Room = render.Room{Margin: 1, Height: 4, Floor: mgl32.Vec3{0.3, 0.3, 0.3}, Wall: mgl32.Vec3{0.5, 0.45, 0.4},
		Ceiling: mgl32.Vec3{0.7, 0.7, 0.7}}
	s.Room.Picture, s.Room.PictureWidth = render.NewImage(64, 64), 4
	for i := range s.Room.Picture.Pix {
		s.Room.Picture.Pix[i] = uint8(60 + 120*(i/3/16%2^i/3/64/16%2) + 10*(i%3))
	}
	s.Light = render.Light{
		DirectionW: mgl32.Vec3{0.3, 0.2, 0.9}.Normalize(), Lamp: mgl32.Vec3{0.4, 0.36, 0.3}, Sky: mgl32.Vec3{0.2, 0.22,
			0.26},
		Spots: []render.PointLamp{{PosW: mgl32.Vec3{2, -2, 4}, Light: mgl32.Vec3{3, 2, 1}}},
	}
	plastic := mgl32.Vec3{0.04, 0.04, 0.04}
	s.Materials = []render.Material{
		{Color: mgl32.Vec3{0.4, 0.4, 0.5}},
		{Color: mgl32.Vec3{0.7, 0.4, 0.02}, Color2: mgl32.Vec3{0.02, 0.02, 0.02}, Pattern: render.SoccerBall,
			F0: plastic, Roughness: 0.3},
		{Color: mgl32.Vec3{0.5, 0.5, 0.5}, F0: mgl32.Vec3{0.9, 0.8, 0.7}, Roughness: 0.1, Metal: true},
		{Color: mgl32.Vec3{0.05, 0.3, 0.6}, F0: plastic, Roughness: 0.2, Gloss: 0.5, Shininess: 20},
		{Color: mgl32.Vec3{0.8, 0.8, 0.8}, Pattern: render.Net},
	}
	for i := range s.Bodies {
		s.Bodies[i].Parts[0].Material = i
	}
	s.Bodies[0].Static = true
	// a shield behind it
	s.Bodies[3].Parts = append(s.Bodies[3].Parts,
		render.Part{Mesh: 4, PoseBP: spatial.Translation(mgl64.Vec3{-0.3, 0, 0.1})})
	return s, []spatial.Pose{
		spatial.Translation(mgl64.Vec3{3, 0, 0.25}), spatial.RPY(mgl64.Vec3{1, 0.5, 0.2}, 0.3, 0.4, 0),
		spatial.Translation(mgl64.Vec3{0.3, -1, 0.25}),
		spatial.RPY(mgl64.Vec3{-0.5, 1.2, 0.3}, 0, 0, 0.4), spatial.Translation(mgl64.Vec3{2, -1.5, 0.4}),
	}
}

// naturalViews are views of it through all kinds of optics, the last through a cube map.
func naturalViews() []render.View {
	mirror := omni()
	mirror.Width, mirror.Height, mirror.FX, mirror.FY, mirror.CX, mirror.CY = 240, 240, 186, 188, 120, 119
	eye := mgl64.Vec3{-2, 0.2, 0.8}
	views := []render.View{
		colorView(optics.PinholeFromFOV(200, 150, 1.2), forward(eye, 0, 0.15, -0.1)),
		colorView(optics.PinholeFromFOV(200, 150, 1.2), forward(eye, 0.2, -0.5, 2)), // ceiling, walls and windows
		colorView(mirror, upward(mgl64.Vec3{0, 0, 0.9})),
		colorView(wideLens(200, 160), forward(eye, 0, 0.2, 0)),
		colorView(wideLens(200, 160), forward(eye, 0, -0.6, 1)),
	}
	for i := range views {
		views[i].Vignetting = 0.5
	}
	views[4].CubeFace = 256
	return views
}

// imagesApart returns the difference of images: the mean difference of bytes, and the fraction that differs by more
// than 8 of 255.
func imagesApart(a, b *render.Image) (mean, far float64) {
	n := float64(len(a.Pix))
	for i, x := range a.Pix {
		d := math.Abs(float64(x) - float64(b.Pix[i]))
		mean += d / n
		if d > 8 {
			far += 1 / n
		}
	}
	return mean, far
}

// Images in natural light equal the ray caster's except at edges, through all optics, with the scene's shading and with
// others.
func TestNaturalLightIsThatOfTheRayCaster(t *testing.T) {
	eachRasteriser(t, naturalLightIsThatOfTheRayCaster)
}

func naturalLightIsThatOfTheRayCaster(t *testing.T, open opener) {
	s, poses := naturalHall()
	dimmed, turned := s.Shading.Clone(), s.Shading.Clone()
	dimmed.Light.Lamp, dimmed.Light.Spots[0].Light = mgl32.Vec3{0.1, 0.05, 0.05}, mgl32.Vec3{1, 3, 6}
	dimmed.Materials[2].F0, dimmed.Materials[3].Color = mgl32.Vec3{0.3, 0.8, 0.9}, mgl32.Vec3{0.6, 0.1, 0.1}
	turned.Light.DirectionW, turned.Carpet = mgl32.Vec3{-0.5, 0, 0.8}.Normalize(), mgl32.Vec3{0.3, 0.05, 0.05}
	rays, r := caster(t, s), open(t, s)
	_, cubes := r.(*gl.Renderer)
	worst := 80.0 // times the share that may be far off
	if cubes {
		worst = 60
	}
	for k, with := range []*render.Shading{nil, dimmed, turned} {
		poses[1].Pos[0] += 0.1 * float64(k)
		want, got := naturalViews(), naturalViews()
		for i := range want {
			if want[i].CubeFace = 0; !cubes { // which OpenGL alone draws through
				got[i].CubeFace = 0
			}
		}
		for by, views := range map[render.Renderer][]render.View{rays: want, r: got} {
			must.Do(t, by.Render(&render.Batch{PosesWB: poses, Shading: with, Views: views}))
		}
		for i := range want {
			mean, far := imagesApart(got[i].Color, want[i].Color)
			report := t.Logf
			if most := 0.01 * float64(1+min(got[i].CubeFace, 1)); !(mean <= worst*most && far <= most) {
				report = t.Errorf
			}
			report("shading %d, view %d: %.3f of 255 off on the average, %.2f %% far off", k, i, mean, 100*far)
		}
	}
}

// The shadow map is uploaded where it changes. The result equals that of a renderer that draws only the last poses.
// A body or a camera at no place leaves no trace either. Frames allocate nothing.
func TestNaturalShadowsLeaveNoTrace(t *testing.T) { each(t, 4, naturalShadowsLeaveNoTrace) }

func naturalShadowsLeaveNoTrace(t *testing.T, open opener) {
	s, poses := naturalHall()
	image := func(r render.Renderer, posesWB []spatial.Pose) []byte {
		view := naturalViews()[0]
		draw(t, r, posesWB, view)
		return view.Color.Pix
	}
	moved := slices.Clone(poses)
	for i := 1; i < len(moved); i++ {
		moved[i].Pos = moved[i].Pos.Add(mgl64.Vec3{-1.5, 0.7, 0})
	}
	r := open(t, s)
	first, other, again := image(r, poses), image(r, moved), image(r, poses)
	if !bytes.Equal(first, again) || bytes.Equal(first, other) {
		t.Error("other pixels where bodies are back, or the same where they have moved")
	}
	if !bytes.Equal(other, image(open(t, s), moved)) {
		t.Error("other pixels than in the first image of another renderer")
	}
	away := slices.Clone(poses)
	away[2] = at(900, 900, 0.2)
	want := image(r, away)
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e30} {
		away[2] = at(x, 0, 0.2)
		if !bytes.Equal(image(r, away), want) {
			t.Errorf("a body at %v changes an image that does not show it", x)
		}
		broken := naturalViews()[0]
		for _, pose := range []spatial.Pose{at(x, 0, 1), {Pos: mgl64.Vec3{-2, 0, 1}, Rot: mgl64.Quat{W: x}}} {
			broken.PoseWC = pose
			draw(t, r, poses, broken)
		}
	}
	if !bytes.Equal(first, image(r, poses)) {
		t.Error("other pixels after images of broken poses")
	}
	if _, ok := r.(*gl.Renderer); ok {
		f := &render.Batch{PosesWB: poses, Views: naturalViews()[:1]}
		checkAllocatesNothing(t, r, func() *render.Batch {
			poses[1].Pos[0] = 0.3 - poses[1].Pos[0]
			return f
		})
	}
}
