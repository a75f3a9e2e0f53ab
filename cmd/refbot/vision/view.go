package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// View is a table of the directions in which a camera's pixels look.
type View struct {
	Width, Height int
	Pos           mgl64.Vec3   // viewpoint in the robot's frame, m
	rays          [][3]float32 // unit vectors in the robot's frame, row by row
}

// NewOmniView computes the view of an omnidirectional camera.
func NewOmniView(m *OmniModel, mount OmniMount) *View {
	return newView(m.Width, m.Height, mgl64.Vec3{mount.X, mount.Y, mount.Height},
		func(u, v float64) mgl64.Vec3 { return mount.Direction(m.Ray(u, v)) })
}

func newView(width, height int, pos mgl64.Vec3, ray func(u, v float64) mgl64.Vec3) *View {
	view := &View{Width: width, Height: height, Pos: pos, rays: make([][3]float32, width*height)}
	for i := range view.rays {
		d := ray(float64(i%width), float64(i/width)).Normalize()
		view.rays[i] = [3]float32{float32(d[0]), float32(d[1]), float32(d[2])}
	}
	return view
}

// Index returns the unit vector of the direction in which the centre of a pixel looks. The argument i is the pixel's
// index, row by row.
func (v *View) Index(i int) mgl64.Vec3 {
	r := &v.rays[i]
	return mgl64.Vec3{float64(r[0]), float64(r[1]), float64(r[2])}
}

// At returns the unit vector of the direction in which a point of the image looks, interpolated between pixels. It
// returns false for a point outside of the image.
func (v *View) At(x, y float64) (mgl64.Vec3, bool) {
	if !(x >= 0 && y >= 0 && x < float64(v.Width-1) && y < float64(v.Height-1)) {
		return mgl64.Vec3{}, false
	}
	i, j := int(x), int(y)
	a, b := x-float64(i), y-float64(j)
	k := j*v.Width + i
	up := v.Index(k).Mul(1 - a).Add(v.Index(k + 1).Mul(a))
	down := v.Index(k + v.Width).Mul(1 - a).Add(v.Index(k + v.Width + 1).Mul(a))
	return up.Mul(1 - b).Add(down.Mul(b)).Normalize(), true
}

// Meets returns the point at which a ray from the viewpoint meets the horizontal plane at a height, in the robot's
// frame, in m. It returns false if the ray does not meet the plane.
func (v *View) Meets(ray mgl64.Vec3, height float64) (x, y float64, ok bool) {
	t := (height - v.Pos[2]) / ray[2]
	return v.Pos[0] + t*ray[0], v.Pos[1] + t*ray[1], t > 0 && !math.IsInf(t, 1)
}

// Floor is a table that gives for each pixel of a camera the point of the floor that the pixel shows.
type Floor struct {
	Width, Height int
	Row, Column   float64 // centre of the image, pixels
	Reach         float64 // m; pixels that show points farther from the camera have no floor point
	Mount         OmniMount
	points        [][2]float32 // x, y in the robot's frame, m, row by row; NaN for no floor
}

// NewFloor computes the table of a camera. The argument reach is the largest distance of a floor point from the camera,
// in m.
func NewFloor(m *OmniModel, mount OmniMount, reach float64) *Floor {
	f := &Floor{Width: m.Width, Height: m.Height, Row: m.Row, Column: m.Column, Reach: reach, Mount: mount,
		points: make([][2]float32, m.Width*m.Height)}
	nan := float32(math.NaN())
	for v := range m.Height {
		for u := range m.Width {
			at := &f.points[v*m.Width+u]
			*at = [2]float32{nan, nan}
			d := mount.Direction(m.Ray(float64(u), float64(v)))
			if d[2] >= 0 {
				continue
			}
			x, y := -d[0]/d[2]*mount.Height, -d[1]/d[2]*mount.Height
			if math.Hypot(x, y) <= reach {
				*at = [2]float32{float32(x + mount.X), float32(y + mount.Y)}
			}
		}
	}
	return f
}

// At returns the floor point that the centre of a pixel shows, in the robot's frame, in m. ok is false if the pixel
// shows no floor.
func (f *Floor) At(u, v int) (x, y float64, ok bool) {
	if u < 0 || v < 0 || u >= f.Width || v >= f.Height {
		return 0, 0, false
	}
	return f.Index(v*f.Width + u)
}

// Index returns the same as At for the pixel with the index i, row by row.
func (f *Floor) Index(i int) (x, y float64, ok bool) {
	p := f.points[i]
	return float64(p[0]), float64(p[1]), p[0] == p[0]
}
