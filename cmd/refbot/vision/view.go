package vision

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// View is a table of the directions in which a camera's pixels look. Aim moves the camera.
type View struct {
	Width, Height int
	Pos           mgl64.Vec3   // viewpoint in the robot's frame, m
	rays          [][3]float32 // unit vectors in the camera's own frame, row by row
	turn          mgl64.Mat3   // from that frame to the robot's
}

// NewOmniView computes the view of an omnidirectional camera.
func NewOmniView(m *OmniModel, mount OmniMount) *View {
	return newView(m.Width, m.Height, mgl64.Vec3{mount.X, mount.Y, mount.Height},
		func(u, v float64) mgl64.Vec3 { return mount.Direction(m.Ray(u, v)) })
}

func newView(width, height int, pos mgl64.Vec3, ray func(u, v float64) mgl64.Vec3) *View {
	view := &View{Width: width, Height: height, Pos: pos, rays: make([][3]float32, width*height),
		turn: mgl64.Ident3()}
	for i := range view.rays {
		d := ray(float64(i%width), float64(i/width)).Normalize()
		view.rays[i] = [3]float32{float32(d[0]), float32(d[1]), float32(d[2])}
	}
	return view
}

// Aim moves the camera of a view that NewLensView returned. pos is the viewpoint in the robot's frame, m. turn is the
// rotation from the optical frame (x right, y down, z forward) to the robot's frame.
func (v *View) Aim(pos mgl64.Vec3, turn mgl64.Mat3) { v.Pos, v.turn = pos, turn }

// Index returns the unit vector of the direction in which the centre of a pixel looks. i is the pixel's index, row by
// row.
func (v *View) Index(i int) mgl64.Vec3 { return v.turn.Mul3x1(v.ray(i)) }

func (v *View) ray(i int) mgl64.Vec3 {
	r := &v.rays[i]
	return mgl64.Vec3{float64(r[0]), float64(r[1]), float64(r[2])}
}

// up returns the vertical component of Index(i).
func (v *View) up(i int) float64 {
	r := &v.rays[i]
	return v.turn[2]*float64(r[0]) + v.turn[5]*float64(r[1]) + v.turn[8]*float64(r[2])
}

// Floor returns the floor point that the centre of a pixel shows, in the robot's frame, in m. ok is false if the pixel
// shows no floor. i is the pixel's index, row by row.
func (v *View) Floor(i int) (x, y float64, ok bool) { return v.Meets(v.Index(i), 0) }

// At returns the unit vector of the direction in which a point of the image looks, interpolated between pixels. It
// returns false for a point outside of the image.
func (v *View) At(x, y float64) (mgl64.Vec3, bool) {
	if !(x >= 0 && y >= 0 && x < float64(v.Width-1) && y < float64(v.Height-1)) {
		return mgl64.Vec3{}, false
	}
	i, j := int(x), int(y)
	a, b := x-float64(i), y-float64(j)
	k := j*v.Width + i
	up := v.ray(k).Mul(1 - a).Add(v.ray(k + 1).Mul(a))
	down := v.ray(k + v.Width).Mul(1 - a).Add(v.ray(k + v.Width + 1).Mul(a))
	return v.turn.Mul3x1(up.Mul(1 - b).Add(down.Mul(b)).Normalize()), true
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
	// largest distance of a floor point from the camera, m; pixels that show farther points have no floor point
	Reach float64
	Mount OmniMount
	// x and y in the robot's frame for each pixel, m, row by row; NaN if the pixel shows no floor
	points [][2]float32
}

// NewFloor computes the table of a camera. reach is the largest distance of a floor point from the camera, in m.
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

// Index is like At for the pixel with the index i, row by row.
func (f *Floor) Index(i int) (x, y float64, ok bool) {
	p := f.points[i]
	return float64(p[0]), float64(p[1]), p[0] == p[0]
}

// Pinhole is a camera with a lens, as in sensor_msgs/CameraInfo.
type Pinhole struct {
	Width, Height  int
	FX, FY, CX, CY float64 // pixels
	Equidistant    bool    // whether the lens is a fisheye lens (Kannala and Brandt)
	// distortion: k1 to k4 for a fisheye lens; k1, k2, p1, p2, k3 and optionally k4, k5, k6 for others (Brown and
	// Conrady); empty for none
	D []float64
}

// PinholeMount is the mount of a camera with a lens. The camera has no roll.
type PinholeMount struct {
	X, Y, Height float64 // viewpoint in the robot's frame, m
	Yaw, Pitch   float64 // yaw is positive to the left, pitch is positive down, rad
}

// NewPinhole returns the camera that a sensor_msgs/CameraInfo describes. k is the matrix K row by row, model is the
// name of the distortion model, and d are the coefficients of the distortion. NewPinhole returns an error for an
// unsupported model.
func NewPinhole(width, height int, k [9]float64, model string, d []float64) (*Pinhole, error) {
	p := &Pinhole{Width: width, Height: height, FX: k[0], FY: k[4], CX: k[2], CY: k[5],
		Equidistant: model == "equidistant", D: d}
	switch {
	case width < 1 || height < 1 || width > maxSide || height > maxSide:
		return nil, fmt.Errorf("camera_info: %d × %d pixels: must be from 1 to %d", width, height, maxSide)
	case !(p.FX > 0 && p.FY > 0) || math.IsInf(p.FX+p.FY, 1):
		return nil, fmt.Errorf("camera_info: K: fx = %v, fy = %v: must be positive", p.FX, p.FY)
	case p.Equidistant && len(d) != 4:
		return nil, fmt.Errorf("camera_info: D: has %d coefficients: must have 4 for equidistant", len(d))
	case p.Equidistant:
	case model != "plumb_bob" && model != "rational_polynomial" && len(d) > 0:
		return nil, fmt.Errorf("camera_info: distortion_model = %.40q: must be plumb_bob, rational_polynomial or "+
			"equidistant", model)
	case len(d) != 0 && len(d) != 5 && len(d) != 8:
		return nil, fmt.Errorf("camera_info: D: has %d coefficients: must have 5 or 8", len(d))
	}
	for _, x := range append([]float64{p.CX, p.CY}, d...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("camera_info: %v: must be finite", x)
		}
	}
	return p, nil
}

// undistortions is the number of fixed-point iterations that undo the distortion. OpenCV does 5 iterations. For the
// shipped lenses, the error after 8 iterations is below a thousandth of a pixel.
const undistortions = 8

// Ray returns the direction in which a pixel looks, in the optical frame: x right, y down, z forward.
func (p *Pinhole) Ray(u, v float64) mgl64.Vec3 {
	x0, y0 := (u-p.CX)/p.FX, (v-p.CY)/p.FY
	if p.Equidistant {
		return p.fisheye(x0, y0)
	}
	if len(p.D) == 0 {
		return mgl64.Vec3{x0, y0, 1}
	}
	var k [8]float64
	copy(k[:], p.D)
	x, y := x0, y0
	for range undistortions {
		r2 := x*x + y*y
		radial := (1 + r2*(k[0]+r2*(k[1]+r2*k[4]))) / (1 + r2*(k[5]+r2*(k[6]+r2*k[7])))
		dx, dy := 2*k[2]*x*y+k[3]*(r2+2*x*x), k[2]*(r2+2*y*y)+2*k[3]*x*y
		x, y = (x0-dx)/radial, (y0-dy)/radial
	}
	return mgl64.Vec3{x, y, 1}
}

// fisheye returns the direction in which a pixel of an equidistant lens looks. The lens shows a direction at the angle
// θ from its axis at the radius θ·(1 + k1·θ² + k2·θ⁴ + k3·θ⁶ + k4·θ⁸). fisheye solves for θ by Newton's method.
func (p *Pinhole) fisheye(x, y float64) mgl64.Vec3 {
	r := math.Hypot(x, y)
	if r == 0 {
		return mgl64.Vec3{0, 0, 1}
	}
	theta := min(r, math.Pi)
	for range undistortions {
		t2 := theta * theta
		value := theta * (1 + t2*(p.D[0]+t2*(p.D[1]+t2*(p.D[2]+t2*p.D[3]))))
		slope := 1 + t2*(3*p.D[0]+t2*(5*p.D[1]+t2*(7*p.D[2]+t2*9*p.D[3])))
		if !(slope > 0) {
			break // θ is beyond the maximum of the polynomial
		}
		theta -= (value - r) / slope
	}
	sin, cos := math.Sincos(theta)
	return mgl64.Vec3{sin * x / r, sin * y / r, cos}
}

// NewLensView computes the view of a camera with a lens that moves on the robot. Until the first call of Aim, the
// robot's frame is the optical frame.
func NewLensView(p *Pinhole) *View { return newView(p.Width, p.Height, mgl64.Vec3{}, p.Ray) }

// opticalAxes is the rotation from the optical frame (x right, y down, z forward) to the axes of a camera that looks
// along x (y left, z up).
var opticalAxes = mgl64.Mat3{0, -1, 0, 0, 0, -1, 1, 0, 0}

// NewPinholeView computes the View of a camera with a lens.
func NewPinholeView(p *Pinhole, mount PinholeMount) *View {
	v := NewLensView(p)
	v.Aim(mgl64.Vec3{mount.X, mount.Y, mount.Height},
		mgl64.Rotate3DZ(mount.Yaw).Mul3(mgl64.Rotate3DY(mount.Pitch)).Mul3(opticalAxes))
	return v
}
