package vision

import "math"

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
