package contour

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

var (
	front = optics.Pinhole{Width: 160, Height: 120, FX: 140, FY: 140, CX: 79.5, CY: 59.5}
	omni  = optics.Prepared(optics.Hyperbolic{Pinhole: optics.Pinhole{Width: 160, Height: 160, FX: 200, FY: 200,
		CX: 79.5, CY: 79.5}, K: 5, C: 0.1, RimRadius: 0.035})
)

// box returns the corners of a box around the z axis, standing on the floor.
func box(x, y, z float64) []mgl64.Vec3 {
	var all []mgl64.Vec3
	for i := range 8 {
		all = append(all, mgl64.Vec3{x * (float64(i&1) - 0.5), y * (float64(i>>1&1) - 0.5), z * float64(i>>2)})
	}
	return all
}

func formOf(pieces ...[]mgl64.Vec3) *Form { return NewForm(NewHulls(pieces), nil) }

func TestHullOfABox(t *testing.T) {
	points := box(0.3, 0.5, 0.8)
	for range 200 { // inside and on the surface
		a, b := points[rand.IntN(8)], points[rand.IntN(8)]
		points = append(points, a.Add(b.Sub(a).Mul(rand.Float64())))
	}
	p := newPolyhedron(points, 0)
	if len(p.corners) != 8 || len(p.faces) != 6 || len(p.edges) != 12 {
		t.Errorf("%d corners, %d faces, %d edges", len(p.corners), len(p.faces), len(p.edges))
	}
}

// A hull satisfies Euler's formula. No point is much farther outside than the tolerance, measured from the facet to
// which it is assigned.
func TestHullsOfRandomPoints(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		tolerance := []float64{0, 0.01, 0.1}[i%3]
		var points []mgl64.Vec3
		for range 5 + rnd.IntN(100) {
			p := mgl64.Vec3{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			if i%2 == 0 { // many on common planes
				p = mgl64.Vec3{math.Round(2 * p[0]), math.Round(2 * p[1]), math.Round(2 * p[2])}
			}
			points = append(points, p)
		}
		p := newPolyhedron(points, tolerance)
		if p == nil {
			continue
		}
		if euler := len(p.corners) - len(p.edges) + len(p.faces); euler != 2 {
			t.Fatalf("%d: %d corners, %d edges, %d faces", i, len(p.corners), len(p.edges), len(p.faces))
		}
		for _, q := range points {
			if over := p.over(&q); !(over <= 1.2*tolerance+10*closest) {
				t.Fatalf("%d: a point is %g outside, tolerance %g", i, over, tolerance)
			}
		}
	}
	if newPolyhedron([]mgl64.Vec3{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, 0) != nil {
		t.Error("a line has a hull")
	}
	if p := newPolyhedron([]mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0); p == nil || len(p.corners) != 6 {
		t.Errorf("a sheet is %v", p)
	}
}

// Coarser levels have fewer corners, all of them the body's, and leave out little more than their tolerance.
func TestHullsOfABody(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		var pieces [][]mgl64.Vec3
		known := map[mgl64.Vec3]bool{}
		for range 12 {
			at, size := mgl64.Vec3{rnd.Float64() - 0.5, rnd.Float64() - 0.5, rnd.Float64()}, 0.02+0.2*rnd.Float64()
			var points []mgl64.Vec3
			for range 40 {
				d := mgl64.Vec3{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}.Normalize().Mul(size)
				points = append(points, at.Add(d))
				known[at.Add(d)] = true
			}
			pieces = append(pieces, points)
		}
		before := math.MaxInt
		for i, hulls := range NewHulls(pieces).levels {
			corners := 0
			for k := range hulls {
				corners += len(hulls[k].corners)
				for _, c := range hulls[k].corners {
					if !known[c] {
						t.Fatalf("%v is no corner of the body", c)
					}
				}
			}
			if corners > before {
				t.Errorf("%d corners at %g m, %d at the level before", corners, tolerances[i], before)
			}
			before = corners
			for p := range known {
				least := math.Inf(1)
				for k := range hulls {
					least = math.Min(least, hulls[k].over(&p))
				}
				if !(least <= 1.2*(plainSlack.inward+plainSlack.inside)*tolerances[i]+10*closest) {
					t.Fatalf("a corner is %g m outside at %g m", least, tolerances[i])
				}
			}
		}
	}
}

// first returns the first body that a ray hits, −1 for none: the oracle of At.
func first(scene *Scene, posesWB []spatial.Pose, from, along mgl64.Vec3) int16 {
	code, nearest := Nothing, math.Inf(1)
	for i := range scene.Solids {
		s := &scene.Solids[i]
		o, d := posesWB[s.Body].Unrotate(from.Sub(posesWB[s.Body].Pos)), posesWB[s.Body].Unrotate(along)
		in, out := math.Inf(-1), math.Inf(1)
		if s.Form == nil {
			b, c := o.Dot(d), o.Dot(o)-s.Radius*s.Radius
			if b*b < c {
				continue
			}
			in, out = -b-math.Sqrt(b*b-c), -b+math.Sqrt(b*b-c)
		} else {
			for _, f := range s.Form.levels[0].pieces[0].faces {
				switch slope := f.n.Dot(d); {
				case slope < 0:
					in = math.Max(in, -f.above(&o)/slope)
				case slope > 0:
					out = math.Min(out, -f.above(&o)/slope)
				case f.above(&o) > 0:
					out = math.Inf(-1)
				}
			}
		}
		if in < out && out > 0 && in < nearest {
			code, nearest = s.Code, in
		}
	}
	return code
}

// someBodies is a scene of two boxes, a ball, and a wall that is no target.
func someBodies() *Scene {
	small, flat := formOf(box(0.4, 0.3, 0.6)), formOf(box(0.1, 0.9, 0.5))
	return &Scene{Targets: 3, Looked: [2]mgl64.Vec3{{-9, -6, 0}, {9, 6, 0}}, Solids: []Solid{
		{Form: small, Body: 0, Target: 0, Code: 0}, {Form: flat, Body: 1, Target: 1, Code: 2},
		{Radius: 0.15, Body: 2, Target: 2, Code: 4},
		{Form: formOf(box(0.1, 2, 0.7)), Body: 3, Target: -1, Code: -2},
	}}
}

// someImage draws the bodies from a random camera, at random poses apart from each other.
func someImage(rnd *rand.Rand, i int, scene *Scene, image *Image) (model optics.Model, poseWC spatial.Pose,
	posesWB []spatial.Pose) {
	model = front
	poseWC = spatial.Pose{Pos: mgl64.Vec3{0, 0, 0.5}, Rot: spatial.RPY(mgl64.Vec3{}, 0, 0.2, 0).Rot}.Mul(
		spatial.BodyToOptical())
	if i%2 == 1 {
		model, poseWC = omni, spatial.Translation(mgl64.Vec3{0, 0, 0.8})
	}
	posesWB = []spatial.Pose{
		spatial.Planar(1+rnd.Float64(), 0.6*(rnd.Float64()-0.5), 6*rnd.Float64()),
		spatial.Planar(3+rnd.Float64(), 0.6*(rnd.Float64()-0.5), 6*rnd.Float64()),
		spatial.Translation(mgl64.Vec3{0.5 + 0.2*rnd.Float64(), 0.4 * (rnd.Float64() - 0.5), 0.15 + 0.3*rnd.Float64()}),
		spatial.Planar(2.4, 1.2*(rnd.Float64()-0.5), 0),
	}
	image.Draw(NewCamera(model), poseWC, math.Inf(1), scene, posesWB, -1, nil)
	return model, poseWC, posesWB
}

// Pixels show the first body that a ray through their centre hits, except for a few at outlines.
func TestImagesAgreeWithRays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	scene := someBodies()
	shown, off := 0, 0
	var image Image
	for i := range 60 {
		model, poseWC, poses := someImage(rnd, i, scene, &image)
		w, h := model.Size()
		for v := range h {
			for u := range w {
				d, ok := model.Unproject(float64(u), float64(v))
				if !ok {
					continue
				}
				got, _ := image.At(float64(u), float64(v))
				want := first(scene, poses, poseWC.Pos, poseWC.Rotate(d.Normalize()))
				if want != Nothing {
					shown++
				}
				if got != want {
					off++
				}
			}
		}
	}
	if shown < 20_000 || !(float64(off) <= 0.004*float64(shown)) {
		t.Errorf("%d of %d pixels are off", off, shown)
	}
}

// A line's pixels show a code if the image has the code there, also next to the camera's own robot.
func TestOnlyShowing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	scene := someBodies()
	var image Image
	shown, hidden := 0, 0
	for i := range 60 {
		model, _, _ := someImage(rnd, i, scene, &image)
		w, h := model.Size()
		codes := make([]int16, w*h)
		for k := range codes {
			if codes[k] = Nothing; math.Hypot(float64(k%w-w/2), float64(k/w-h/2)) < float64(w/8) {
				codes[k] = 7
			}
		}
		image.own = NewMask(codes, w)
		for range 40 {
			pixels, visible := make([]optics.Pixel, 30), make([]bool, 30)
			u, v, angle := rnd.Float64()*float64(w), rnd.Float64()*float64(h), rnd.Float64()*2*math.Pi
			code, _ := image.At(u, v)
			for k := range pixels {
				pixels[k] = optics.Pixel{U: u + float64(3*k)*math.Cos(angle), V: v + float64(3*k)*math.Sin(angle)}
				visible[k] = rnd.IntN(5) > 0
			}
			asked := slices.Clone(visible)
			image.OnlyShowing(code, pixels, visible)
			for k, p := range pixels {
				at, inside := image.At(p.U, p.V)
				if want := asked[k] && inside && at == code; visible[k] != want {
					t.Fatalf("image %d: code %d at (%g, %g) is visible: %v, want %v", i, code, p.U, p.V, visible[k], want)
				} else if want {
					shown++
				} else if asked[k] {
					hidden++
				}
			}
		}
	}
	if shown < 1000 || hidden < 1000 {
		t.Errorf("%d points show their code, and %d do not: must be at least 1000 each", shown, hidden)
	}
}

// Points that are outside of a body's extent, but whose pixel's centre is inside, show the body.
func TestOnlyShowingAtOutlines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	scene := someBodies()
	var image Image
	shown := 0
	for i := range 60 {
		someImage(rnd, i, scene, &image)
		for _, r := range image.shown {
			e := &r.extent
			for range 200 {
				u, v := e.minU+rnd.Float64()*(e.maxU-e.minU), e.minV+rnd.Float64()*(e.maxV-e.minV)
				beyond := 0.5 * rnd.Float64()
				p := []optics.Pixel{{U: e.minU - beyond, V: v}, {U: e.maxU + beyond, V: v}, {U: u, V: e.minV - beyond},
					{U: u, V: e.maxV + beyond}}[rnd.IntN(4)]
				at, inside := image.At(p.U, p.V)
				visible := []bool{true}
				code := r.body.Code
				if image.OnlyShowing(code, []optics.Pixel{p}, visible); visible[0] != (inside && at == code) {
					t.Fatalf("image %d: code %d at (%g, %g) is visible: %v, but the image has code %d there", i, code,
						p.U, p.V, visible[0], at)
				}
				if visible[0] {
					shown++
				}
			}
		}
	}
	if shown < 1000 {
		t.Errorf("%d points show a body, must be at least 1000", shown)
	}
}

// A mask overlaps every extent in which it covers a pixel, and none that is two pixels away from it.
func TestMaskOverlaps(t *testing.T) {
	const w, h = 20, 12
	codes := slices.Repeat([]int16{Nothing}, w*h)
	for _, at := range [][2]int{{3, 2}, {4, 2}, {15, 2}, {9, 7}} {
		codes[at[1]*w+at[0]] = 1
	}
	m := NewMask(codes, w)
	rnd := rand.New(rand.NewPCG(13, 14))
	met := 0
	for range 20_000 {
		a, b := [2]float64{rnd.Float64() * w, rnd.Float64() * h}, [2]float64{rnd.Float64() * w, rnd.Float64() * h}
		e := boxOf(a, b)
		covered, near := false, false
		for k, code := range codes {
			u, v := float64(k%w), float64(k/w)
			inside := func(margin float64) bool {
				return u >= e.minU-margin && u <= e.maxU+margin && v >= e.minV-margin && v <= e.maxV+margin
			}
			covered = covered || code != Nothing && inside(0.5)
			near = near || code != Nothing && inside(2)
		}
		if got := m.overlaps(&e); covered && !got || got && !near {
			t.Fatalf("%v: overlaps = %v, covered %v, near %v", e, got, covered, near)
		}
		if !near {
			met++
		}
	}
	if met < 1000 {
		t.Errorf("%d extents are away from the mask, must be at least 1000", met)
	}
}

// Line points are the centres of the runs of pixels that show a marking in range, pixel by pixel, from any camera pose.
func TestLinePointsAgreeWithRays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	const maxRange = 5
	marks := []spatial.Mark{
		{Kind: spatial.Segment, A: [2]float64{2, -6}, B: [2]float64{2, 6}, Width: 0.125},
		{Kind: spatial.Segment, A: [2]float64{-6, 3}, B: [2]float64{9, 3}, Width: 0.125},
		{Kind: spatial.Arc, Radius: 1.5, Sweep: 2 * math.Pi, Width: 0.125}, {Kind: spatial.Arc, A: [2]float64{2, 3},
			Radius: 0.8, From: 2, Sweep: 2, Width: 0.125},
		{Kind: spatial.Spot, A: [2]float64{1, -1}, Radius: 0.1},
	}
	fisheye, err := optics.NewKannalaBrandt(optics.Pinhole{Width: 160, Height: 120, FX: 60, FY: 60, CX: 79.5, CY: 59.5},
		0, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	points, off := 0, 0
	var image Image
	for i := range 150 {
		model, radial := []optics.Model{front, omni, fisheye}[i%3], i%3 == 1
		tilt := 1.2*rnd.Float64() - 0.3 // some look over the horizon
		poseWC := spatial.RPY(mgl64.Vec3{}, 0.1*rnd.NormFloat64(), tilt, 6*rnd.Float64()).Mul(spatial.BodyToOptical())
		if radial {
			poseWC = spatial.RPY(mgl64.Vec3{}, 0.05*rnd.NormFloat64(), 0.05*rnd.NormFloat64(), 6*rnd.Float64())
		}
		poseWC.Pos = mgl64.Vec3{4 * (rnd.Float64() - 0.5), 4 * (rnd.Float64() - 0.5), 0.2 + rnd.Float64()}
		camera := NewCamera(model)
		image.Draw(camera, poseWC, maxRange, &Scene{}, nil, -1, nil)
		got := image.LinePoints(marks, poseWC, radial, maxRange, nil)
		var want [][2]float64
		w, h := model.Size()
		for k := range ScanLines {
			u, v, du, dv, steps := Scan(w, h, k, radial)
			first := -1
			for n := range steps + 1 {
				painted := false
				if x, y := u+float64(n)*du, v+float64(n)*dv; n < steps && optics.Inside(model, x, y) {
					if d, ok := model.Unproject(x, y); ok {
						d = poseWC.Rotate(d)
						to := -poseWC.Pos[2] / d[2]
						p := poseWC.Pos.Add(d.Mul(to))
						painted = to > 0 && to < maxRange && slices.ContainsFunc(marks,
							func(m spatial.Mark) bool { return m.Distance(p[0], p[1]) <= m.Width/2 })
					}
				}
				switch {
				case painted && first < 0:
					first = n
				case !painted && first >= 0:
					middle := float64(first+n-1) / 2
					want = append(want, [2]float64{u + middle*du, v + middle*dv})
					first = -1
				}
			}
		}
		points += len(want) + len(got)
		for _, pair := range [2][2][][2]float64{{got, want}, {want, got}} {
			for _, p := range pair[0] {
				if !slices.ContainsFunc(pair[1], func(q [2]float64) bool {
					return math.Hypot(p[0]-q[0], p[1]-q[1]) <= 0.8
				}) {
					off++
				}
			}
		}
	}
	if points < 4000 || !(float64(off) <= 0.01*float64(points)) {
		t.Errorf("%d of %d line points are off", off, points)
	}
}

// The width and height of a ball entirely in the image are those of its cone of sight.
func TestBoxOfABall(t *testing.T) {
	scene := &Scene{Targets: 1, Solids: []Solid{{Radius: 0.11}}}
	var image Image
	image.Draw(NewCamera(front), spatial.Pose{Rot: mgl64.QuatIdent()}, 100, scene,
		[]spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, 1})}, -1, nil)
	b := image.Boxes(1, nil)[0]
	radius := front.FX * math.Tan(math.Asin(0.11)) // pixels
	want := Box{b.All.Pixels, int(math.Ceil(79.5 - radius - sampled)), int(math.Floor(79.5 + radius + sampled)),
		int(math.Ceil(59.5 - radius - sampled)), int(math.Floor(59.5 + radius + sampled))}
	if b.All != want {
		t.Errorf("%+v, want %+v", b.All, want)
	}
	if area := math.Pi * radius * radius; !(math.Abs(float64(b.All.Pixels)-area-2*radius) < 0.1*area) ||
		image.Unoccluded(0) != b.All.Pixels {
		t.Errorf("%d pixels, %d alone, want about %g", b.All.Pixels, image.Unoccluded(0), area)
	}
}

// Spans behave as sets of pixels.
func TestSpansAreSets(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var s spans
		var want [40]bool
		for range 8 {
			from := rnd.IntN(36)
			to := from + 1 + rnd.IntN(4)
			add := rnd.IntN(3) > 0
			if add {
				s.add(float32(from), float32(to))
			} else {
				s.subtract(float32(from), float32(to))
			}
			for i := from; i < to; i++ {
				want[i] = add
			}
		}
		for i := range want {
			if got := s.contains(float32(i) + 0.5); got != want[i] {
				t.Fatalf("%v: %d is %v", s.at[:s.n], i, got)
			}
		}
	}
}

// Drawing allocates nothing once its memory has grown.
func TestImagesDoNotAllocate(t *testing.T) {
	form := NewForm(NewHulls([][]mgl64.Vec3{box(0.4, 0.3, 0.6)}), [][]mgl64.Vec3{box(0.41, 0.1, 0.2)})
	scene := &Scene{Targets: 2, Solids: []Solid{{Form: form, Target: 0}, {Radius: 0.11, Body: 1, Target: 1, Code: 2}},
		Looked: [2]mgl64.Vec3{{-2, -2, 0}, {2, 2, 0}}}
	poses := []spatial.Pose{spatial.Planar(2, 0, 1), spatial.Translation(mgl64.Vec3{1, 0, 0.11})}
	marks := []spatial.Mark{{Kind: spatial.Segment, A: [2]float64{3, -2}, B: [2]float64{3, 2}, Width: 0.1},
		{Kind: spatial.Arc, Radius: 2, Sweep: 2 * math.Pi, Width: 0.1}}
	camera := NewCamera(omni)
	var image Image
	var boxes []Boxes
	var points [][2]float64
	frame := func() {
		poseWC := spatial.Translation(mgl64.Vec3{0, 0, 0.8})
		image.Draw(camera, poseWC, 8, scene, poses, -1, nil)
		boxes = image.Boxes(2, boxes)
		points = image.LinePoints(marks, poseWC, true, 8, points[:0])
	}
	frame()
	if n := testing.AllocsPerRun(10, frame); n != 0 {
		t.Errorf("%g allocations a frame", n)
	}
	if len(points) < ScanLines-4 || boxes[0].All.Pixels == 0 || boxes[0].Marked.Pixels == 0 {
		t.Errorf("%d line points, boxes %+v", len(points), boxes)
	}
}

// around returns the winding number of lines around a point, by signed crossings of a ray to the right.
func around(o Outline, u, v float64) bool {
	in := false
	for _, line := range o {
		for i, a := range line {
			b := line[(i+1)%len(line)]
			if (a[1] > v) != (b[1] > v) && u < a[0]+(v-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
				in = !in
			}
		}
	}
	return in
}

// An outline encloses what the rows cover and nothing else, with any holes, forks and islands. The test points lie
// between two rows that agree in their surroundings, farther away than the error of outlines.
func TestOutlinesGoAroundRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const first, width = 3, 40
		rows := make([][]span, 12)
		for i := range rows {
			for u := float32(rnd.Float64() * 8); u < width; u += 3 + float32(rnd.Float64()*12) {
				to := u + 1 + float32(rnd.Float64()*10)
				rows[i] = append(rows[i], span{u, to})
				u = to
			}
		}
		o := trace(rows, first)
		for i := range len(rows) - 1 {
			for u := 0.25; u < width; u += 0.5 {
				covers := func(row []span, off float64) bool {
					for _, s := range row {
						if u > float64(s.from)+off && u < float64(s.to)-off {
							return true
						}
					}
					return false
				}
				v := float64(first+i) + 0.5
				const off = 0.7 // outlines may be off by detail; slanted ones more along the row
				all := covers(rows[i], off) && covers(rows[i+1], off)
				none := !covers(rows[i], -off) && !covers(rows[i+1], -off)
				if got := around(o, u, v); all && !got || none && got {
					t.Fatalf("(%g, %g): around: %v; rows %v and %v", u, v, got, rows[i], rows[i+1])
				}
			}
		}
	}
}

// A disc's outline is a circle with few points, within detail and half a row.
func TestOutlineOfDisc(t *testing.T) {
	const radius, middle = 20.3, 30
	var rows [][]span
	for v := 0; v <= 60; v++ {
		var row []span
		if w := radius*radius - float64((v-middle)*(v-middle)); w > 0 {
			row = []span{{float32(middle - math.Sqrt(w)), float32(middle + math.Sqrt(w))}}
		}
		rows = append(rows, row)
	}
	o := trace(rows, 0)
	if len(o) != 1 || len(o[0]) < 12 || len(o[0]) > 50 {
		t.Fatalf("%d lines: %v", len(o), o)
	}
	for _, p := range o[0] {
		if r := math.Hypot(p[0]-middle, p[1]-middle); !(math.Abs(r-radius) <= 0.5) {
			t.Errorf("%v is %g from the middle, want %g", p, r, radius)
		}
	}
	if o := trace(nil, 0); len(o) != 0 {
		t.Errorf("of nothing: %v", o)
	}
}
