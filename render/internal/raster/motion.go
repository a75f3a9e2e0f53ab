package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Motion returns the pose that transforms points of a body from a view's optical frame to the optical frame of the
// view's Before. The body −1 stands for all points that do not move.
func Motion(v *render.View, posesWB []spatial.Pose, body int) spatial.Pose {
	pose := v.Before.PoseWC.Inverse()
	if body >= 0 {
		pose = pose.Mul(v.Before.PosesWB[body]).Mul(posesWB[body].Inverse())
	}
	return pose.Mul(v.PoseWC)
}

// MotionRow is a pose as kernels and shaders read it: the rows of its rotation matrix, and then its position.
type MotionRow [12]float32

// NewMotionRow returns the row of a pose.
func NewMotionRow(pose *spatial.Pose) (row MotionRow) {
	rot := pose.Rot.Mat4()
	for k := range 3 {
		row[3*k], row[3*k+1], row[3*k+2], row[9+k] = float32(rot.At(k, 0)), float32(rot.At(k, 1)),
			float32(rot.At(k, 2)), float32(pose.Pos[k])
	}
	return row
}

// Flow computes the optical flow of rows y0 to y1 − 1 of a view's truth from its Labels and its Range. It is for models
// without a formula, because kernels and shaders cannot project points with such a model. ray returns the direction of
// a pixel in the optical frame, of unit length.
func Flow(v *render.View, posesWB []spatial.Pose, y0, y1 int, ray func(x, y int) mgl64.Vec3) {
	t, last := v.Truth, render.LabelNothing
	var pose spatial.Pose
	for y := y0; y < y1; y++ {
		for x := range t.Width {
			i := y*t.Width + x
			t.Flow[2*i], t.Flow[2*i+1] = float32(math.NaN()), float32(math.NaN())
			distance, label := float64(t.Range[i]), t.Labels[i]
			if label == render.LabelNothing || math.IsInf(distance, 0) {
				continue
			}
			if label != last {
				pose, last = Motion(v, posesWB, max(int(label)-int(render.LabelBody), -1)), label
			}
			if u, w, ok := v.Model.Project(pose.Apply(ray(x, y).Mul(distance))); ok {
				t.Flow[2*i], t.Flow[2*i+1] = float32(float64(x)-u), float32(float64(y)-w)
			}
		}
	}
}
