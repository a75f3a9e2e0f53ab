package tile

// #include "call.h"
import "C"

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// motion holds the motion of the points that a view shows, since the view's Before. It consists of poses. A pose
// transforms a point from the current optical frame to the optical frame at the earlier instant. The first pose is for
// static points, and the others are for the visible bodies.
type motion struct {
	poses  []spatial.Pose
	kernel []C.float // the same poses in the form that the kernels read
}

// set computes the motion of a view's points, given the current poses of the bodies.
func (m *motion) set(memory *memory, v *render.View, visible *raster.Visibility, posesWB []spatial.Pose) {
	if m.poses == nil {
		m.poses, m.kernel = make([]spatial.Pose, 1+len(posesWB)), newArray[C.float](memory, 12*(1+len(posesWB)))
	}
	poseCW := v.Before.PoseWC.Inverse()
	m.setRow(0, poseCW.Mul(v.PoseWC))
	for _, i := range visible.Order {
		m.setRow(1+i, poseCW.Mul(v.Before.PosesWB[i]).Mul(posesWB[i].Inverse()).Mul(v.PoseWC))
	}
}

func (m *motion) setRow(i int, pose spatial.Pose) {
	m.poses[i] = pose
	row, rot := m.kernel[12*i:][:12], pose.Rot.Mat4()
	for k := range 3 {
		row[3*k], row[3*k+1], row[3*k+2], row[9+k] = C.float(rot.At(k, 0)), C.float(rot.At(k, 1)),
			C.float(rot.At(k, 2)), C.float(pose.Pos[k])
	}
}

// flow computes the optical flow of rows y0 to y1 − 1 of a view that is drawn with tables. The kernels cannot do so,
// because they cannot project points with such a model.
func (m *motion) flow(l *lens, v *render.View, y0, y1 int) {
	t := v.Truth
	for y := y0; y < y1; y++ {
		for x := range t.Width {
			i, at := y*t.Width+x, y*l.stride+x
			t.Flow[2*i], t.Flow[2*i+1] = float32(math.NaN()), float32(math.NaN())
			distance := float64(t.Range[i])
			if t.Labels[i] == render.LabelNothing || math.IsInf(distance, 0) {
				continue
			}
			pose := &m.poses[max(int(t.Labels[i])-int(render.LabelBody)+1, 0)]
			p := mgl64.Vec3{float64(l.rays[0][at]) * distance, float64(l.rays[1][at]) * distance,
				float64(l.rays[2][at]) * distance}
			if u, w, ok := l.Model.Project(pose.Apply(p)); ok {
				t.Flow[2*i], t.Flow[2*i+1] = float32(float64(x)-u), float32(float64(y)-w)
			}
		}
	}
}
