package raycast

import (
	"fmt"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// Labeler computes, for each pixel, the body and the part that it shows, without light. It must be used by one
// goroutine at a time.
type Labeler struct {
	model    *model
	frames   []rays.Frame
	rays     rayCache
	canvas   canvas
	absent   []bool            // bodies to leave out
	boundary [][]boundaryPixel // by tile
	sorted   []boundaryPixel
}

// NoLabel is the label of a pixel that shows no body, but the floor, the hall, or nothing.
const NoLabel int16 = -1

// NewLabeler prepares a scene, which must not change afterwards.
func NewLabeler(scene *render.Scene) (*Labeler, error) {
	if err := scene.Validate(); err != nil {
		return nil, fmt.Errorf("render/raycast: %w", err)
	}
	return &Labeler{model: newModel(scene)}, nil
}

// Picture holds the labels of a view's pixels.
type Picture struct {
	Codes    []int16 // labels at the pixels' centres, height × width, rows from the top
	Boundary []int   // indices of the pixels that show more than one code, in ascending order
	// the codes of the four samples of each pixel in Boundary; the pixel's colour in an image is the mean of these
	// samples
	BoundarySamples [][4]int16
}

// Labels fills a Picture, whose memory it reuses. The label of a pixel is codes[body][part] for the body and the part
// that the pixel shows, or NoLabel. posesWB are the poses of all bodies. Labels leaves out the bodies for which
// includes returns false, unless includes is nil. It ignores the images of the view.
func (l *Labeler) Labels(view *render.View, posesWB []spatial.Pose, codes [][]int16, includes func(body int) bool,
	into *Picture) {
	l.frames, l.absent = l.frames[:0], l.absent[:0]
	for i := range posesWB {
		l.frames = append(l.frames, rays.NewFrame(posesWB[i]))
		l.absent = append(l.absent, includes != nil && !includes(i))
	}
	c := &l.canvas
	c.absent = l.absent
	c.trace(view, l.rays.get(view.Model), l.model, l.frames)
	if n := c.rays.width * c.rays.height; len(into.Codes) < n {
		into.Codes = make([]int16, n)
	}
	if n := len(c.rays.cones); len(l.boundary) < n {
		l.boundary = append(l.boundary, make([][]boundaryPixel, n-len(l.boundary))...)
	}
	code := func(s *pixelHit) int16 {
		if s.object < 0 {
			return NoLabel
		}
		o := &c.shown[s.object]
		return codes[o.body][o.surfaces[s.m.Source].Part]
	}
	width, height := c.rays.width, c.rays.height
	rays.InParallel(len(c.rays.cones), func(tile int) {
		r := c.rays.tile(tile)
		for y := r.y0; y < r.y1; y++ {
			for i := y*width + r.x0; i < y*width+r.x1; i++ {
				into.Codes[i] = code(&c.hits[i])
			}
		}
	})
	// edge reports whether one of the eight neighbours of a pixel has another code. If no neighbour has, the pixel's
	// four samples all have the same code.
	edge := func(i, x, y int) bool {
		for v := max(y-1, 0); v <= min(y+1, height-1); v++ {
			for u := max(x-1, 0); u <= min(x+1, width-1); u++ {
				if into.Codes[v*width+u] != into.Codes[i] {
					return true
				}
			}
		}
		return false
	}
	rays.InParallel(len(c.rays.cones), func(tile int) {
		r := c.rays.tile(tile)
		l.boundary[tile] = l.boundary[tile][:0]
		if len(c.nearby[tile]) == 0 {
			return
		}
		for y := r.y0; y < r.y1; y++ {
			for x := r.x0; x < r.x1; x++ {
				i := y*width + x
				if c.rays.dir[i] == (rays.Vec{}) || !edge(i, x, y) || !c.isBoundary(i, x, y) {
					continue
				}
				middle := into.Codes[i]
				m := boundaryPixel{pixel: i}
				for k, sub := range c.samples(i, x, y) {
					m.samples[k] = code(&sub.pixelHit)
				}
				if m.samples != [4]int16{middle, middle, middle, middle} {
					l.boundary[tile] = append(l.boundary[tile], m)
				}
			}
		}
	})
	l.sorted = l.sorted[:0]
	for tile := range c.rays.cones {
		l.sorted = append(l.sorted, l.boundary[tile]...)
	}
	slices.SortFunc(l.sorted, func(a, b boundaryPixel) int { return a.pixel - b.pixel })
	into.Boundary, into.BoundarySamples = into.Boundary[:0], into.BoundarySamples[:0]
	for i := range l.sorted {
		into.Boundary, into.BoundarySamples = append(into.Boundary, l.sorted[i].pixel), append(into.BoundarySamples,
			l.sorted[i].samples)
	}
}

// boundaryPixel is a pixel that shows more than one code.
type boundaryPixel struct {
	pixel   int
	samples [4]int16
}

// fillTruth computes one tile of the view's ground truth.
func (c *canvas) fillTruth(tile int) {
	r := c.rays.tile(tile)
	t := c.view.Truth
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.rays.width + r.x0; i < y*c.rays.width+r.x1; i++ {
			label, distance, normal := c.label(i)
			t.Labels[i] = label
			if t.Range != nil {
				t.Range[i] = distance
			}
			if t.Normals != nil {
				n := c.rotWC.Back(normal)
				t.Normals[3*i], t.Normals[3*i+1], t.Normals[3*i+2] = n.X, n.Y, n.Z
			}
			if t.Flow == nil {
				continue
			}
			t.Flow[2*i], t.Flow[2*i+1] = 0, 0
			if c.view.Before != nil {
				t.Flow[2*i], t.Flow[2*i+1] = c.flow(i, label, distance)
			}
		}
	}
}

// label returns the label at a pixel's centre, its distance along the ray in metres, and the surface's normal in W.
func (c *canvas) label(i int) (label uint16, distance float32, normal rays.Vec) {
	if c.rays.dir[i] == (rays.Vec{}) {
		return render.LabelNothing, float32(math.Inf(1)), rays.Vec{}
	}
	o, d := c.ray(i)
	f := c.fan(i)
	if s := &c.hits[i]; s.object >= 0 {
		obj := &c.shown[s.object]
		surface := &obj.surfaces[s.m.Source]
		n := surface.Normal(&s.m)
		return render.LabelBody + uint16(obj.body), s.m.T, obj.frame.Rot.Apply(n).Unit()
	}
	toWall, wall := c.model.room.toWall(o, d)
	if !(d.Z < 0 && -o.Z > d.Z*toWall) {
		return render.LabelHall, toWall, wall
	}
	t := -o.Z / d.Z
	x, y := f.Steps(d, rays.V(0, 0, 1), t)
	if c.model.carpet.Cover(o.X+d.X*t, o.Y+d.Y*t, rays.NewFootprint(x, y)) > 0.5 {
		return render.LabelMark, t, rays.V(0, 0, 1)
	}
	return render.LabelFloor, t, rays.V(0, 0, 1)
}

// flow returns the displacement, in pixels since the earlier instant, of the surface point that a pixel shows.
func (c *canvas) flow(i int, label uint16, distance float32) (du, dv float32) {
	nan := float32(math.NaN())
	if label == render.LabelNothing || math.IsInf(float64(distance), 1) {
		return nan, nan
	}
	e, before := c.rays, c.view.Before
	dC := e.dir[i].Mul(distance)
	if e.origin != nil {
		dC = dC.Add(e.origin[i])
	}
	p := c.view.PoseWC.Apply(dC.In64())
	if body := int(label) - int(render.LabelBody); body >= 0 {
		p = before.PosesWB[body].Apply(c.inverse[body].Apply(p))
	}
	u, v, ok := e.model.Project(c.before.Apply(p))
	if !ok {
		return nan, nan
	}
	return float32(float64(i%e.width) - u), float32(float64(i/e.width) - v)
}
