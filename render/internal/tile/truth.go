package tile

// #include "call.h"
import "C"

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// motion holds the motion of the points that a view shows, since the view's Before, as the kernels read it. The first
// raster.MotionRow is for static points, and the others are for the visible bodies.
type motion []C.float

// set computes the motion of a view's points, given the current poses of the bodies.
func (m *motion) set(memory *memory, v *render.View, visible *raster.Visibility, posesWB []spatial.Pose) {
	if *m == nil {
		*m = newArray[C.float](memory, len(raster.MotionRow{})*(1+len(posesWB)))
	}
	m.setRow(v, posesWB, -1)
	for _, i := range visible.Order {
		m.setRow(v, posesWB, i)
	}
}

func (m *motion) setRow(v *render.View, posesWB []spatial.Pose, body int) {
	pose := raster.Motion(v, posesWB, body)
	row := raster.NewMotionRow(&pose)
	for k, x := range row {
		(*m)[len(row)*(1+body)+k] = C.float(x)
	}
}

// ray returns the direction of a pixel.
func (l *lens) ray(x, y int) mgl64.Vec3 {
	at := y*l.stride + x
	return mgl64.Vec3{float64(l.rays[0][at]), float64(l.rays[1][at]), float64(l.rays[2][at])}
}
