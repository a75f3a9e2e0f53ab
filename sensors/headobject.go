package sensors

import (
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
)

// HeadObject selects the objects that a head's controller searches for or tracks. It must agree with what the camera
// reports: a robot without a visible card is reported as an obstacle. The zero HeadObject selects nothing.
type HeadObject struct {
	Kind abstraction.Kind // empty: the kind or the name is Name
	Name string           // name in the world, or the beginning of the names of goal posts; empty: any
	Team string           // of a robot; empty: any
}

func (o *HeadObject) selects(kind abstraction.Kind, name, team string) bool {
	if o.Kind == "" {
		return o.Name != "" && (name == o.Name || string(kind) == o.Name)
	}
	named := o.Name == "" || name == o.Name || kind == abstraction.PostKind && strings.HasPrefix(name, o.Name)
	return kind == o.Kind && named && (o.Team == "" || team == o.Team)
}

// sought is what a head's controller knows of an object that it searches for or tracks.
type sought struct {
	posB   mgl64.Vec3    // last perceived position in the robot's frame, m
	unseen time.Duration // sim time since the object was last perceived
	known  bool          // the object has been perceived since the command
}

// bodyHeight is the height at which a head looks at an object whose foot is reported, m: half of a robot's largest
// height by the rules.
const bodyHeight = 0.4

// Notice passes an observation of the camera to the head's controller.
func (h *Head) Notice(obs *Observation) {
	if !h.Mode().NeedsObservations() {
		return
	}
	h.find(&h.command.Object, &h.sought[0], obs)
	h.find(&h.command.Other, &h.sought[1], obs)
	if s := &h.sought[0]; h.command.Mode == HeadSearch && s.known && s.unseen == 0 {
		h.aimAt(s.posB)
	}
}

// find stores the position of an object, if the observation contains it. Of several objects it stores the nearest to
// the robot or, if the controller has just seen one, the nearest to that one. Of balls it always stores the nearest to
// the robot, because a false positive must not keep the head.
func (h *Head) find(o *HeadObject, s *sought, obs *Observation) {
	var from, best mgl64.Vec3
	if s.known && s.unseen < lostAfter && o.Kind != abstraction.BallKind {
		from = s.posB
	}
	found := false
	consider := func(posB mgl64.Vec3) {
		if !found || posB.Sub(from).LenSqr() < best.Sub(from).LenSqr() {
			best, found = posB, true
		}
	}
	if obs.Objects != nil {
		for i := range obs.Objects.Detections {
			if d := &obs.Objects.Detections[i]; o.selects(d.Kind, d.Name, d.Team) {
				posB := d.PosB
				switch d.Kind {
				case abstraction.BallKind:
				case abstraction.RobotKind, abstraction.ObstacleKind, abstraction.PostKind:
					posB[2] += bodyHeight
				default:
					posB[2] += d.Bottom + d.Size[2]/2
				}
				consider(posB)
			}
		}
	} else if f := obs.Features; f != nil {
		pixel := func(u, v float64) {
			if dir, ok := h.model.Unproject(u, v); ok {
				consider(obs.PoseBC.Apply(dir.Normalize().Mul(3))) // any distance along the ray will do
			}
		}
		if o.Kind == abstraction.BallKind && len(f.Balls) > 0 {
			pixel(f.Balls[0].U, f.Balls[0].V)
		}
		for i := range f.Obstacles {
			if b := &f.Obstacles[i]; o.selects(b.Kind, b.Name, b.Team) {
				pixel((b.MinU+b.MaxU)/2, (b.MinV+b.MaxV)/2)
			}
		}
		for i := range f.Posts {
			if p := &f.Posts[i]; o.selects(abstraction.PostKind, p.Name, "") {
				pixel((p.Foot[0]+p.Top[0])/2, (p.Foot[1]+p.Top[1])/2)
			}
		}
	}
	if found {
		s.posB, s.unseen, s.known = best, 0, true
	}
}
