package window

import (
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/viewer"
)

// outline is the edge of a camera's field of view.
type outline struct {
	robot   int
	reach   float64      // range of the camera's vision, m
	edgeC   []mgl64.Vec3 // unit vectors in the optical frame, once around the edge
	insideC []mgl64.Vec3 // unit vectors halfway between the image's centre and the edge
	corners []int        // indices of the image's corners in edgeC; empty for a mirror camera
}

// outlineBearings is the number of bearings around the image's centre for which the edge is computed. The bearings of
// the image's corners come in addition.
const outlineBearings = 64

// outlineOf returns the outline of a camera of the shown world. It computes each outline once.
func (s *screen) outlineOf(name string) *outline {
	if o := s.outlines[name]; o != nil {
		return o
	}
	robot, sensor, _ := strings.Cut(name, ".")
	o := &outline{}
	for i := range s.shown.world.Robots {
		for k := range s.shown.world.Robots[i].Sensors {
			if c := &s.shown.world.Robots[i].Sensors[k]; s.shown.world.Robots[i].Name == robot && c.Name == sensor &&
				c.Vision != nil {
				o.robot, o.reach = i, c.Vision.MaxRange
			}
		}
	}
	if model, ok := s.sim.Sensors().Model(robot, sensor); ok {
		o.find(optics.Prepared(model))
	}
	s.outlines[name] = o
	return o
}

// find computes the directions at the edge of the image, or of the mirror in it.
func (o *outline) find(m optics.Model) {
	w, h := m.Size()
	cx, cy := float64(w-1)/2, float64(h-1)/2
	_, mirror := m.(optics.Catadioptric)
	corner := math.Atan2(float64(h), float64(w))
	for k := range outlineBearings {
		from, to := 2*math.Pi*float64(k)/outlineBearings, 2*math.Pi*float64(k+1)/outlineBearings
		bearings := []float64{from}
		for _, b := range []float64{corner, math.Pi - corner, math.Pi + corner, 2*math.Pi - corner} {
			if b > from && b < to && !mirror {
				o.corners = append(o.corners, len(o.edgeC)+1)
				bearings = append(bearings, b)
			}
		}
		for _, b := range bearings {
			sin, cos := math.Sincos(b)
			// The edge is the image's edge, half a pixel inside, or the limit of the optics, whichever is nearer.
			length := min(cx/max(math.Abs(cos), 1e-9), cy/max(math.Abs(sin), 1e-9))
			seen := func(r float64) (mgl64.Vec3, bool) { return m.Unproject(cx+r*cos, cy+r*sin) }
			dir, ok := seen(length)
			for lo, hi := 0.0, length; !ok && hi-lo > 0.1; {
				if d, there := seen((lo + hi) / 2); there {
					lo, dir, length = (lo+hi)/2, d, (lo+hi)/2
				} else {
					hi = (lo + hi) / 2
				}
			}
			o.edgeC = append(o.edgeC, dir)
			if d, there := seen(length / 2); there {
				o.insideC = append(o.insideC, d)
			}
		}
	}
}

// seesFloor reports whether a camera sees anything below its horizon.
func (o *outline) seesFloor(poseWC spatial.Pose) bool {
	down := func(dirC mgl64.Vec3) bool { return poseWC.Rotate(dirC)[2] < 0 }
	return slices.ContainsFunc(o.edgeC, down) || slices.ContainsFunc(o.insideC, down)
}

// drawFields draws the visible part of the floor within the range of each camera's vision, and the corners of the
// images in space.
func (s *screen) drawFields(pen *viewer.Pen) {
	for i, name := range s.feeds.images.names {
		if i >= len(s.shown.eyes) {
			return // the overlay was switched on after the state was copied
		}
		o := s.outlineOf(name)
		o.draw(pen, s.shown.eyes[i], teamInk(s.shown.world.Robots[o.robot].Team, 170))
	}
}

func (o *outline) draw(pen *viewer.Pen, poseWC spatial.Pose, ink viewer.Ink) {
	if n := len(o.edgeC); o.seesFloor(poseWC) {
		last := o.foot(poseWC, o.edgeC[n-1])
		for _, d := range o.edgeC {
			at := o.foot(poseWC, d)
			pen.Line(last, at, ink)
			last = at
		}
	}
	ink.Opacity /= 2
	for _, k := range o.corners {
		pen.Line(poseWC.Pos, o.end(poseWC, o.edgeC[k]), ink)
	}
}

// foot returns the point where a direction from the camera meets the floor. If that point is beyond the camera's range,
// or the direction does not meet the floor, foot returns the point of the floor at that range.
func (o *outline) foot(poseWC spatial.Pose, dirC mgl64.Vec3) mgl64.Vec3 {
	d := poseWC.Rotate(dirC)
	across := math.Hypot(d[0], d[1])
	r := o.reach
	if d[2] < 0 {
		r = min(r, across*(poseWC.Pos[2]-overFloor)/-d[2])
	}
	k := r / max(across, 1e-9)
	return mgl64.Vec3{poseWC.Pos[0] + k*d[0], poseWC.Pos[1] + k*d[1], overFloor}
}

// end returns the end point, in the world frame, of a ray from the camera: where it meets the floor, or at the camera's
// range.
func (o *outline) end(poseWC spatial.Pose, dirC mgl64.Vec3) mgl64.Vec3 {
	d := poseWC.Rotate(dirC)
	r := o.reach
	if d[2] < 0 {
		r = min(r, (poseWC.Pos[2]-overFloor)/-d[2])
	}
	return poseWC.Pos.Add(d.Mul(r))
}
