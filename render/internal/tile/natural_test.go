package tile

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/light"
)

// inHall is a few bodies in natural light.
func inHall() *render.Scene {
	s := crowded()
	s.Natural, s.Floor.SizeX, s.Floor.SizeY = true, 12, 9
	s.Room = render.Room{Margin: 2, Height: 4, Floor: mgl32.Vec3{0.3, 0.3, 0.3}, Wall: mgl32.Vec3{0.5, 0.4, 0.3},
		Ceiling: mgl32.Vec3{0.8, 0.8, 0.8}}
	use(&s.Floor)
	s.Bodies = nil
	s.Materials = append(s.Materials,
		render.Material{Color: mgl32.Vec3{1, 1, 1}, Pattern: render.SoccerBall, F0: mgl32.Vec3{0.04, 0.04, 0.04},
			Roughness: 0.3},
		render.Material{F0: mgl32.Vec3{0.9, 0.6, 0.2}, Roughness: 0.1, Metal: true},
	)
	for i, part := range []render.Part{{Mesh: 2}, {Mesh: 1, Material: 2}, {Mesh: 2, Material: 3}, {Mesh: 3},
		{Mesh: 4, Material: 1}} {
		part.PoseBP = spatial.Identity()
		s.Bodies = append(s.Bodies, render.Body{Parts: []render.Part{part}, Static: i == 0})
	}
	return s
}

// use adds traces of use to a floor, and rolls of carpet with sheen.
func use(f *render.Floor) {
	f.Sheen, f.Seams, f.Traces = 0.6, render.Seams{Pitch: 1.5, Dark: 0.5}, render.NewTraces(f)
	for i := range f.Traces.Pix {
		x, y := i/4%render.TraceTexels, i/4/render.TraceTexels
		f.Traces.Pix[i] = byte(180 + 75*math.Sin(float64(x)*0.06+float64(i%4))*math.Cos(float64(y)*0.05))
	}
}

// Natural light does not depend on the instruction set and the number of workers. Frames of it allocate nothing. A body
// with a NaN pose does not change the rest.
func TestNaturalLight(t *testing.T) {
	r := newRandom(12)
	s := inHall()
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(12)
	const last = 3 // a post
	there, away := poses[last], spatial.Translation([3]float64{0, 0, -80})
	with := rendererOf(t, s, 0, 2)
	all := drawn(t, with, poses, views)
	for i, k := range supportedKernels()[1:] {
		off, n := 0, 0
		for v, got := range drawn(t, rendererOf(t, s, i+1, 3), poses, views) {
			if nameOf(k) != "base" && !same(&got, &all[v]) {
				t.Errorf("view %d, a %T: %s and 3 workers draw other bytes", v, got.Model, nameOf(k))
			}
			for at, x := range all[v].Color.Pix {
				n++
				if y := got.Color.Pix[at]; max(x, y)-min(x, y) > 1 {
					off++
				}
			}
		}
		if !(float64(off) <= 0.001*float64(n)) {
			t.Errorf("%s: %d of %d bytes differ by more than 1", nameOf(k), off, n)
		}
	}
	poses[last] = away
	want := drawn(t, with, poses, views)
	for name, pose := range wildPoses() {
		poses[last] = pose
		for k, got := range drawn(t, with, poses, views) {
			if !same(&got, &want[k]) {
				t.Errorf("view %d, a %T: other bytes with a body whose pose is %s", k, got.Model, name)
			}
		}
	}
	poses[last] = there
	for k, got := range drawn(t, with, poses, views) {
		if !same(&got, &all[k]) {
			t.Errorf("view %d: other bytes after other poses", k)
		}
	}
	for _, s := range with.shots { // any of them may draw any view next
		for k := range views {
			if err := s.set(with.scene, with.tables[k], &views[k], poses, with.rotations); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, least := &render.Batch{PosesWB: poses, Views: views}, math.Inf(1)
	for range 3 { // the runtime itself sometimes allocates when goroutines wait
		least = min(least, testing.AllocsPerRun(3, func() {
			if err := with.Render(f); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if least > 0 {
		t.Errorf("a batch makes %v allocations", least)
	}
}

// Without a hall there is no natural light.
func TestNaturalLightNeedsAHall(t *testing.T) {
	r := newRandom(13)
	s := crowded()
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(2)
	want := drawn(t, rendererOf(t, s, 0, 1), poses, views)
	s.Natural = true
	for k, got := range drawn(t, rendererOf(t, s, 0, 1), poses, views) {
		if !same(&got, &want[k]) {
			t.Errorf("view %d: not the bytes of plain light", k)
		}
	}
}

// onFloor returns the light of lamps and of windows at a point of the empty floor.
func onFloor(f *light.Field, x, y float64) (of [2]mgl32.Vec3) {
	u, v := min(max(x/f.HalfX+1, 0), 2)/2*float64(f.Floor.Cols-1), min(max(y/f.HalfY+1, 0), 2)/2*float64(f.Floor.Rows-1)
	i, j := min(int(u), f.Floor.Cols-2), min(int(v), f.Floor.Rows-2)
	for k := range 4 { // the nodes around
		col, row := i+k%2, j+k/2
		weight := (1 - math.Abs(u-float64(col))) * (1 - math.Abs(v-float64(row)))
		for s := range of {
			of[s] = of[s].Add(f.Floor.Of[s][row*f.Floor.Cols+col].Mul(float32(weight)))
		}
	}
	return of
}

// The texels of the floor hold the field's light times the shadow map, within half a step of 8 bits relative to the
// brightest of them, for a brightness of white and down to a sixteenth of it. So do those beyond the shadow map, and
// those in other light.
func TestFloorHasItsNaturalLight(t *testing.T) {
	r := newRandom(14)
	s := inHall()
	s.Light.Spots = []render.PointLamp{{PosW: mgl32.Vec3{2, 1, 3}, Light: mgl32.Vec3{0.5, 0.3, 0.1}}}
	with := rendererOf(t, s, 0, 2)
	dusk := s.Shading
	dusk.Light.Lamp, dusk.Carpet = mgl32.Vec3{0.1, 0.2, 0.1}, mgl32.Vec3{0.1, 0.1, 0.3}
	field := light.NewField(s, &dusk)
	m := light.NewShadowMap(s, field)
	for range 2 {
		poses := scattered(r.Rand, len(s.Bodies))
		// a box on the floor
		poses[2] = spatial.Translation([3]float64{6 * (r.Float64() - 0.5), 4 * (r.Float64() - 0.5), 0.4})
		shade(t, with, &dusk, poses)
		m.Draw(poses)
		k := with.scene.kernel.hall
		n := with.scene.natural
		worst, shaded := 0.0, 0
		for y := range int(k.height) {
			for x := range int(k.width) {
				px, py := (float64(x)-float64(k.offset[0]))/float64(k.scale[0]),
					(float64(y)-float64(k.offset[1]))/float64(k.scale[1])
				at := 2 * (min(max(y-n.border, 0), m.Height-1)*m.Width + min(max(x-n.border, 0), m.Width-1))
				full, kept := onFloor(field, px, py), 1.0
				if math.Abs(px) < s.Floor.SizeX/2 && math.Abs(py) < s.Floor.SizeY/2 {
					kept = float64(s.Floor.Traces.KeptAt(float32(px), float32(py)))
				}
				texel := uint32(n.texels[y*int(k.stride)+x])
				if m.Pix[at] < 250 {
					shaded++
				}
				for c, code := range [3]float64{float64(texel&2047) / 2047, float64(texel>>11&2047) / 2047,
					float64(texel>>22) / 1023} {
					want := float64(m.Pix[at])/255*float64(full[light.Lamps][c]) +
						float64(m.Pix[at+1])/255*float64(full[light.Windows][c])
					want *= kept
					got := code * code * float64(k.floor_most)
					white := max(want, float64(k.floor_most)/16)
					worst = max(worst, math.Abs(render.Encoded(got/white)-render.Encoded(want/white))*255)
					if math.IsNaN(got) {
						t.Fatal("light that is not a number")
					}
				}
			}
		}
		if !(worst <= 0.5) || shaded == 0 {
			t.Errorf("texels are off by up to %.2f of 255; %d are shaded", worst, shaded)
		}
	}
}
