package raster

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
)

// Visible lists the parts of one body that a view shows.
type Visible struct {
	PoseCB   spatial.Pose // of the body in the optical frame
	Parts    []Shown
	distance float64 // of the bounding sphere
}

// Shown is a visible part and the level at which it is drawn: indices into the Body's Parts, and into the part's
// Levels.
type Shown struct{ Part, Level int32 }

// Visibility holds the visible bodies of a view.
type Visibility struct {
	Bodies []Visible // in the Scene's order; elements that are not in Order are outdated
	Order  []int     // into Bodies, nearest first
}

// Collect lists the visible parts of all bodies, whose poses in W are given in the same order.
func (s *Visibility) Collect(bodies []Body, posesWB []spatial.Pose, c *Camera, hidden []render.Hidden) {
	if len(s.Bodies) != len(bodies) {
		s.Bodies = make([]Visible, len(bodies))
		s.Order = make([]int, 0, len(bodies))
	}
	s.Order = s.Order[:0]
	for i := range bodies {
		b := &bodies[i]
		poseCB := c.PoseCW.Mul(posesWB[i])
		centreC := poseCB.Apply(b.Centre)
		if len(b.Parts) == 0 || !c.mayShow(&centreC, b.Radius) {
			continue
		}
		item := &s.Bodies[i]
		item.distance, item.PoseCB = centreC.Len()-b.Radius, poseCB
		item.Parts = item.Parts[:0]
		eyeB, rotCB := poseCB.Inverse().Pos, poseCB.Rot.Mat4().Mat3()
		for k := range b.Parts {
			p := &b.Parts[k]
			centreC := placed(&poseCB.Pos, &rotCB, &p.Centre)
			if c.mayShow(&centreC, p.Radius) && !isHidden(hidden, i, p.Name) {
				item.Parts = append(item.Parts, Shown{int32(k), int32(p.level(c, &eyeB, &centreC))})
			}
		}
		if len(item.Parts) == 0 {
			continue
		}
		s.Order = append(s.Order, i)
		for k := len(s.Order) - 1; k > 0 && s.Bodies[s.Order[k]].distance < s.Bodies[s.Order[k-1]].distance; k-- {
			s.Order[k], s.Order[k-1] = s.Order[k-1], s.Order[k]
		}
	}
}

// nearby is the distance, metres, within which the curves of parts may have four times the error. These parts are the
// robot's own, under its mirror. No vision measures them, and they make up most of a mirror camera's triangles.
const nearby = 0.6

// level returns the coarsest level that is fine enough for a camera at eyeB, for which the centre of the part's
// bounding sphere is at centreC. An edge that subtends an angle deviates from its curve by bend·angle²/8 pixels.
func (p *Part) level(c *Camera, eyeB, centreC *mgl64.Vec3) (level int) {
	if !c.Curved() || len(p.Levels) == 1 {
		return 0
	}
	distance2, off := p.Box.SquareDistance(eyeB), refine.Flat
	if c.Mirrored && distance2 < nearby*nearby {
		off *= 4
	}
	longest2 := distance2 * 8 * off / max(c.bend(centreC, p.Radius), 1)
	for level+1 < len(p.Levels) && p.Levels[level].Edge*p.Levels[level].Edge > longest2 {
		level++
	}
	return level
}

// placed transforms a point by a rotation and a translation.
func placed(pos *mgl64.Vec3, rot *mgl64.Mat3, p *mgl64.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{
		rot[0]*p[0] + rot[3]*p[1] + rot[6]*p[2] + pos[0],
		rot[1]*p[0] + rot[4]*p[1] + rot[7]*p[2] + pos[1],
		rot[2]*p[0] + rot[5]*p[1] + rot[8]*p[2] + pos[2],
	}
}

func isHidden(hidden []render.Hidden, body int, part string) bool {
	for _, h := range hidden {
		if h.Body == body && h.Part == part {
			return true
		}
	}
	return false
}
