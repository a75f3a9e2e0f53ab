package robotio

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// objectWords are what a camera tells at objects and truth: places in the robot's axes, and field.* in its team's field
// frame, by where the robot believes to be.
func objectWords() *lexicon {
	l := newLexicon()
	ball := func(s *scene) abstraction.Detection {
		if s.ball == nil {
			return abstraction.Detection{}
		}
		return *s.ball
	}
	posB := func(s *scene) mgl64.Vec3 { return ball(s).PosB }
	l.flag("ball.seen", func(s *scene) bool { return s.ball != nil })
	l.flag("ball.velocity_known", func(s *scene) bool { return ball(s).VelKnown })
	l.flag("ball.field.known", func(s *scene) bool { return s.ball != nil && s.o.Objects.SelfKnown })
	l.plain("ball.confidence", func(s *scene) float64 { return ball(s).Visible })
	l.vec("ball.", posB)
	l.vec("ball.v", func(s *scene) mgl64.Vec3 { return ball(s).VelB })
	l.polar("ball.", posB)
	l.vec("ball.field.", func(s *scene) mgl64.Vec3 {
		if s.ball == nil {
			return mgl64.Vec3{}
		}
		return s.selfF.Apply(s.ball.PosB)
	})
	l.vec("ball.field.v", func(s *scene) mgl64.Vec3 { return s.selfF.Rotate(ball(s).VelB) })
	l.flag("ball.flying", func(s *scene) bool { return ball(s).Flying })
	l.vec("ball.touchdown.", func(s *scene) mgl64.Vec3 { return ball(s).TouchdownB })
	l.Times["ball.touchdown.in"] = func(s *scene) time.Duration { return ball(s).TouchdownIn }

	l.flag("self.known", func(s *scene) bool { return s.o.Objects.SelfKnown })
	l.pose("self.", func(s *scene) spatial.Pose { return s.o.Objects.Self })
	l.pose("self.field.", func(s *scene) spatial.Pose { return s.selfF })
	goalWords(l)

	obstacle := func(d *abstraction.Detection) bool {
		return d.Kind == abstraction.RobotKind || d.Kind == abstraction.ObstacleKind
	}
	l.Lists["obstacles"] = detections(obstacle)
	l.Lists["balls"] = detections(func(d *abstraction.Detection) bool { return d.Kind == abstraction.BallKind })
	l.Lists["posts"] = detections(func(d *abstraction.Detection) bool { return d.Kind == abstraction.PostKind })
	lineWords(l)
	return l
}

// detections is a list of what a camera has found.
func detections(is func(*abstraction.Detection) bool) list {
	m := newLexicon()
	m.vec("", func(s *scene) mgl64.Vec3 { return s.det.PosB })
	m.vec("v", func(s *scene) mgl64.Vec3 { return s.det.VelB })
	m.polar("", func(s *scene) mgl64.Vec3 { return s.det.PosB })
	m.vec("field.", func(s *scene) mgl64.Vec3 { return s.selfF.Apply(s.det.PosB) })
	m.vec("field.v", func(s *scene) mgl64.Vec3 { return s.selfF.Rotate(s.det.VelB) })
	m.plain("confidence", func(s *scene) float64 { return s.det.Visible })
	m.length("width", func(s *scene) float64 { w, _ := s.size(s.det.Name); return w })
	m.length("height", func(s *scene) float64 { _, h := s.size(s.det.Name); return h })
	m.plain("number", func(s *scene) float64 { return s.numberSeen(s.det.Name, s.det.Team) })
	m.Texts["kind"] = func(s *scene) string { return kindSeen(s.det.Kind, s.det.Team) }
	return list{
		Len:   func(s *scene) int { return s.collect(is) },
		Enter: func(s *scene, i int) { s.det = &s.o.Objects.Detections[s.members[i]] },
		Words: m.words,
	}
}

// kindSeen is cyan or magenta of a robot whose card is seen, else robot, obstacle, ball or goal_post.
func kindSeen(kind abstraction.Kind, team string) string {
	if team != "" {
		return team
	}
	return string(kind)
}

// numberSeen is the number on a robot's shirt, which who sees its card can read; else 0.
func (s *scene) numberSeen(name, team string) float64 {
	if r, ok := s.world.Robot(name); ok && team != "" {
		return float64(r.Number)
	}
	return 0
}

// goalWords are those of the opponents' goal.
func goalWords(l *lexicon) {
	goal := func(s *scene) abstraction.GoalObject {
		if s.goal == nil {
			return abstraction.GoalObject{}
		}
		return *s.goal
	}
	l.flag("goal.seen", func(s *scene) bool { return s.goal != nil })
	l.flag("goal.left.known", func(s *scene) bool { return goal(s).LeftKnown })
	l.flag("goal.right.known", func(s *scene) bool { return goal(s).RightKnown })
	l.vec("goal.left.", func(s *scene) mgl64.Vec3 { return goal(s).LeftB })
	l.vec("goal.right.", func(s *scene) mgl64.Vec3 { return goal(s).RightB })
	l.vec("goal.middle.", func(s *scene) mgl64.Vec3 {
		switch g := goal(s); {
		case g.LeftKnown && g.RightKnown:
			return g.LeftB.Add(g.RightB).Mul(0.5)
		case g.LeftKnown:
			return g.LeftB
		default:
			return g.RightB
		}
	})
}

// lineWords are lists of lines, crossings and circles in the robot's axes.
func lineWords(l *lexicon) {
	m := newLexicon()
	m.vec("start.", func(s *scene) mgl64.Vec3 { return flat(s.o.Objects.Lines[s.at].StartB) })
	m.vec("end.", func(s *scene) mgl64.Vec3 { return flat(s.o.Objects.Lines[s.at].EndB) })
	m.plain("confidence", func(s *scene) float64 { return s.o.Objects.Lines[s.at].Confidence })
	l.each("lines", func(s *scene) int { return len(s.o.Objects.Lines) }, m)

	m = newLexicon()
	m.vec("", func(s *scene) mgl64.Vec3 { return flat(s.o.Objects.Crossings[s.at].AtB) })
	m.Texts["kind"] = func(s *scene) string { return string(s.o.Objects.Crossings[s.at].Kind) }
	l.each("crossings", func(s *scene) int { return len(s.o.Objects.Crossings) }, m)

	m = newLexicon()
	m.vec("", func(s *scene) mgl64.Vec3 { return s.rim(0) })
	m.vec("left.", func(s *scene) mgl64.Vec3 { return s.rim(1) })
	m.vec("right.", func(s *scene) mgl64.Vec3 { return s.rim(-1) })
	l.each("circles", func(s *scene) int { return len(s.o.Objects.Circles) }, m)
}

// rim is the middle of the centre circle that is seen, or its leftmost (1) or rightmost (-1) point from where the robot stands.
func (s *scene) rim(side float64) mgl64.Vec3 {
	middle := s.o.Objects.Circles[s.at]
	across := mgl64.Vec2{0, 1}
	if d := middle.Len(); d > 0 {
		across = mgl64.Vec2{-middle[1] / d, middle[0] / d}
	}
	return flat(middle.Add(across.Mul(side * s.world.Field.CentreCircle)))
}
