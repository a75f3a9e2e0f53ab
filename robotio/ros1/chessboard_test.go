package ros1

import (
	"math"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// testCamera is a pinhole camera with plumb_bob distortion, in pixels and OpenCV's terms.
type testCamera struct {
	width, height  int
	fx, fy, cx, cy float64
	k1, k2, p1, p2 float64
}

var distorted = testCamera{width: 320, height: 240, fx: 250, fy: 248, cx: 161, cy: 118, k1: -0.25, k2: 0.06, p1: 0.001,
	p2: -0.0005}

func (c testCamera) info() *msg.CameraInfo {
	return &msg.CameraInfo{Height: uint32(c.height), Width: uint32(c.width), DistortionModel: "plumb_bob",
		D: []float64{c.k1, c.k2, c.p1, c.p2, 0},
		K: [9]float64{c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1}, R: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1},
		P: [12]float64{c.fx, 0, c.cx, 0, 0, c.fy, c.cy, 0, 0, 0, 1, 0}}
}

// distort returns the normalised image coordinates of the ray (x, y, 1). Source: OpenCV, calib3d.
func (c testCamera) distort(x, y float64) (float64, float64) {
	r2 := x*x + y*y
	k := 1 + c.k1*r2 + c.k2*r2*r2
	return x*k + 2*c.p1*x*y + c.p2*(r2+2*x*x), y*k + c.p1*(r2+2*y*y) + 2*c.p2*x*y
}

// ray is the inverse of distort for a pixel, by fixed-point iteration, which converges for mild distortion.
func (c testCamera) ray(u, v float64) (x, y float64) {
	xd, yd := (u-c.cx)/c.fx, (v-c.cy)/c.fy
	x, y = xd, yd
	for range 12 {
		dx, dy := c.distort(x, y)
		x, y = x+xd-dx, y+yd-dy
	}
	return x, y
}

// samples is the number of samples of a pixel in each direction.
const samples = 3

// rays returns the rays of all samples of all pixels, row-major.
func (c testCamera) rays() (list [][2]float64) {
	for v := range c.height {
		for u := range c.width {
			for i := range samples * samples {
				x, y := c.ray(float64(u)+float64(i%samples-1)/samples, float64(v)+float64(i/samples-1)/samples)
				list = append(list, [2]float64{x, y})
			}
		}
	}
	return list
}

// picture renders a scene along the camera's rays: mono8, row-major.
func (c testCamera) picture(rays [][2]float64, light func(x, y float64) float64) *msg.Image {
	m := &msg.Image{Height: uint32(c.height), Width: uint32(c.width), Encoding: "mono8", Step: uint32(c.width),
		Header: msg.Header{FrameID: "cam"}}
	const n = samples * samples
	for ; len(rays) > 0; rays = rays[n:] {
		sum := 0.0
		for _, r := range rays[:n] {
			sum += light(r[0], r[1])
		}
		m.Data = append(m.Data, uint8(math.Round(255*sum/n)))
	}
	return m
}

// board is a chessboard of 8×6 inner corners with a white margin and squares of 0.1 m. In the camera's frame its
// position is pos, in metres, and it is turned by yaw about the y axis and by pitch about the x axis, in radians.
type board struct {
	pos        [3]float64
	yaw, pitch float64
}

const square = 0.1 // m

// light returns a function that gives the brightness along a ray: 1 white, 0 black.
func (b board) light() func(x, y float64) float64 {
	sy, cy, sp, cp := math.Sin(b.yaw), math.Cos(b.yaw), math.Sin(b.pitch), math.Cos(b.pitch)
	// The board's axes in the camera's frame: the columns of Ry(yaw)·Rx(pitch).
	ex, ey, ez := [3]float64{cy, 0, -sy}, [3]float64{sy * sp, cp, cy * sp}, [3]float64{sy * cp, -sp, cy * cp}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	return func(x, y float64) float64 {
		ray := [3]float64{x, y, 1}
		t := dot(b.pos, ez) / dot(ray, ez)
		hit := [3]float64{t*ray[0] - b.pos[0], t*ray[1] - b.pos[1], t*ray[2] - b.pos[2]}
		i, j := dot(hit, ex)/square+4.5, dot(hit, ey)/square+3.5
		switch {
		case i < -0.7 || j < -0.7 || i > 9.7 || j > 7.7:
			return 0.4 // the wall behind
		case i < 0 || j < 0 || i >= 9 || j >= 7 || (int(i)+int(j))%2 == 1:
			return 1
		}
		return 0
	}
}
