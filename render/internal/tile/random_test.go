package tile

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// random draws small random scenes, and views of them.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 20))} }

func (r random) between(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
func (r random) once(in int) bool               { return r.IntN(in) == 0 }
func (r random) color(most float64) mgl32.Vec3 {
	return mgl32.Vec3{float32(r.between(0, most)), float32(r.between(0, most)), float32(r.between(0, most))}
}

// scene returns a scene with or without bodies, carpet, markings, hall, crowd, wear, lamps and shadows.
func (r random) scene() *render.Scene {
	s := &render.Scene{Meshes: []render.Mesh{
		shapes.Sphere(0.15, 2), shapes.BevelledBox(0.5, 0.5, 0.7, 0.04), shapes.Cylinder(0.03, 2, 8),
		shapes.Box(1, 0.02, 1), shapes.Box(4, 0.3, 1),
	}}
	s.Materials = []render.Material{
		{Color: r.color(1)}, {Color: r.color(1), Color2: r.color(0.1), Pattern: render.SoccerBall, Gloss: 0.2,
			Shininess: 30},
		{Color: r.color(1), Pattern: render.Net}, {Color: r.color(0.3), Gloss: 0.5, Shininess: 80},
	}
	for range r.IntN(8) {
		b := render.Body{Static: r.once(4)}
		for range 1 + r.IntN(2) {
			b.Parts = append(b.Parts, render.Part{Mesh: r.IntN(len(s.Meshes)), Material: r.IntN(len(s.Materials)),
				PoseBP: r.pose(0.2)})
		}
		s.Bodies = append(s.Bodies, b)
	}
	s.Carpet = r.color(0.5)
	if !r.once(4) {
		s.Floor = render.Floor{SizeX: r.between(2, 14), SizeY: r.between(2, 9), LineColor: r.color(1),
			Wear: float64(r.IntN(2)) * 0.4}
		for range r.IntN(6) {
			s.Floor.Marks = append(s.Floor.Marks, spatial.Mark{
				Kind: spatial.MarkKind(r.IntN(3)), A: [2]float64{r.between(-3, 3), r.between(-3, 3)},
				B:     [2]float64{r.between(-3, 3), r.between(-3, 3)},
				Width: r.between(0.05, 0.3), Radius: r.between(0.1, 2), From: r.between(-3, 3),
				Sweep: r.between(0.1, 2*math.Pi),
			})
		}
	}
	if r.once(2) {
		s.Room = render.Room{Margin: r.between(0.5, 3), Height: r.between(1, 4), Floor: r.color(0.3)}
		if r.once(2) {
			s.Room.Picture, s.Room.PictureWidth = render.NewImage(16, 8), 3
			for i := range s.Room.Picture.Pix {
				s.Room.Picture.Pix[i] = byte(r.IntN(256))
			}
		}
	}
	s.Light = r.light(r.IntN(3))
	s.Light.Shadowless = r.once(4)
	return s
}

func (r random) light(spots int) render.Light {
	l := render.Light{
		DirectionW: mgl32.Vec3{float32(r.between(-0.6, 0.6)), float32(r.between(-0.6, 0.6)), 1}.Normalize(),
		Lamp:       r.color(0.8), Sky: r.color(0.5), Bounce: r.color(0.3), Background: r.color(1), Wall: r.color(1),
		Tube: r.color(0.1),
	}
	for range spots {
		l.Spots = append(l.Spots, render.PointLamp{PosW: mgl32.Vec3{float32(r.between(-5, 5)),
			float32(r.between(-5, 5)), float32(r.between(0.5, 5))}, Light: r.color(4)})
	}
	return l
}

// pose returns a pose within a distance of the origin.
func (r random) pose(within float64) spatial.Pose {
	p := spatial.RPY(mgl64.Vec3{}, r.between(-4, 4), r.between(-2, 2), r.between(-4, 4))
	p.Pos = mgl64.Vec3{r.between(-within, within), r.between(-within, within), r.between(-within/4, within/2)}
	return p
}

func (r random) poses(n int) []spatial.Pose {
	poses := make([]spatial.Pose, n)
	for i := range poses {
		poses[i] = r.pose(3)
	}
	return poses
}

// view returns a view of few pixels with any kind of model.
func (r random) view() render.View {
	sizes := [][2]int{{16, 16}, {17, 33}, {64, 48}, {90, 70}, {1, 1}, {130, 5}}
	size := sizes[r.IntN(len(sizes))]
	w, h := float64(size[0]), float64(size[1])
	p := optics.Pinhole{Width: size[0], Height: size[1], FX: w * r.between(0.3, 2), FY: w * r.between(0.3, 2),
		CX: w * r.between(0.3, 0.7), CY: h * r.between(0.3, 0.7)}
	v := render.View{PoseWC: r.pose(4), Color: render.NewImage(size[0], size[1]), Vignetting: float64(r.IntN(2)) * 0.5,
		NoiseKey: r.Uint64()}
	v.PoseWC.Pos[2] = math.Abs(v.PoseWC.Pos[2])
	switch r.IntN(6) {
	case 0, 1, 2:
		v.Model = p
		if r.once(2) {
			v.Depth = render.NewDepth(size[0], size[1])
		}
	case 3, 4:
		v.Model = optics.Hyperbolic{Pinhole: p, K: r.between(2.5, 5), C: 0.12, RimRadius: r.between(0.03, 0.07)}
	default: // the same for all views, since its tables take long
		p = optics.Pinhole{Width: 90, Height: 70, FX: 40, FY: 41, CX: 44, CY: 36}
		v.Color = render.NewImage(90, 70)
		m, err := optics.NewKannalaBrandt(p, -0.02, 0.006, -0.004, 0.0006)
		if err != nil {
			panic(err)
		}
		v.Model = m
	}
	if r.once(2) {
		v.Chip = &render.Chip{FullWell: 2000, ReadNoise: 12, Exposure: r.between(0.2, 2), Gain: 1,
			Balance: [3]float64{1, 1.1, 0.9}, Bayer: v.Color.Width > 1 && v.Color.Height > 1 && r.once(2)}
	}
	return v
}

func (r random) views(n int) []render.View {
	views := make([]render.View, n)
	for i := range views {
		views[i] = r.view()
	}
	return views
}

// withNewImages returns the same views with new images.
func withNewImages(views []render.View) []render.View {
	other := make([]render.View, len(views))
	for i, v := range views {
		v.Color = render.NewImage(v.Color.Width, v.Color.Height)
		v.Color.KeepAbove()
		if v.Depth != nil {
			v.Depth = render.NewDepth(v.Depth.Width, v.Depth.Height)
		}
		other[i] = v
	}
	return other
}
