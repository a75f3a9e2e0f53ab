package robotio

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// worldWords are what everybody may be told: names, the field, and the truth about everything that moves.
func worldWords() *lexicon {
	l := newLexicon()
	l.Times["stamp"] = func(s *scene) time.Duration { return s.stamp }
	l.Times["period"] = func(s *scene) time.Duration {
		if s.cfg == nil {
			return 0
		}
		return time.Duration(float64(time.Second) / s.cfg.Rate)
	}
	l.Texts["world"] = func(s *scene) string { return s.world.Name }
	l.Texts["cyan.prefix"] = func(s *scene) string { return s.prefix(physics.Cyan) }
	l.Texts["magenta.prefix"] = func(s *scene) string { return s.prefix(physics.Magenta) }
	l.Texts["ball"] = func(s *scene) string { return s.name("ball") }
	l.length("field.length", func(s *scene) float64 { return s.world.Field.Length })
	l.length("field.width", func(s *scene) float64 { return s.world.Field.Width })
	l.length("ball.radius", func(s *scene) float64 { return s.world.Ball.Radius })
	l.plain("holder.agent", func(s *scene) float64 { // −1 for nobody
		if h := s.truth.Ball.HeldBy; h >= 0 {
			return float64(agent(&s.world.Robots[h]))
		}
		return -1
	})
	modelWords(l)
	contactWords(l)
	frameWords(l)
	marks := newLexicon()
	// Every line has two ends, one after the other, as a list of line segments wants them.
	marks.vec("", func(s *scene) mgl64.Vec3 { return s.ends[s.at] })
	l.each("line_ends", func(s *scene) int { s.ends = s.lineEnds(); return len(s.ends) }, marks)
	return l
}

// lineEnds are the ends of the field's lines; arcs are left out.
func (s *scene) lineEnds() (ends []mgl64.Vec3) {
	field := &s.world.Field
	for _, m := range field.Marks() {
		if m.Kind == spatial.Segment {
			ends = append(ends, mgl64.Vec3{m.A[0], m.A[1]}, mgl64.Vec3{m.B[0], m.B[1]})
		}
	}
	return ends
}

// models lists everything that moves: the ball, the robots, the obstacles.
func (s *scene) models() int { return 1 + len(s.truth.Robots) + len(s.truth.Obstacles) }

// model returns one of them.
func (s *scene) model(i int) (name, kind string, poseWB spatial.Pose, twistInW spatial.Twist) {
	w := s.world
	if i == 0 {
		ball := &s.truth.Ball
		return s.name("ball"), "ball", spatial.Pose{Pos: ball.PosW, Rot: ball.RotW}, ball.TwistInW
	}
	if i--; i < len(s.truth.Robots) {
		r := &s.truth.Robots[i]
		return w.Robots[i].Name, string(w.Robots[i].Team), r.PoseWB, r.TwistWBInW
	}
	i -= len(s.truth.Robots)
	o := &s.truth.Obstacles[i]
	return w.Obstacles[i].Name, "obstacle", o.PoseWO, o.TwistWOInW
}

func modelWords(l *lexicon) {
	m := newLexicon()
	pose := func(s *scene) spatial.Pose { _, _, p, _ := s.model(s.at); return p }
	twist := func(s *scene) spatial.Twist { _, _, _, t := s.model(s.at); return t }
	m.Texts["name"] = func(s *scene) string { n, _, _, _ := s.model(s.at); return n }
	m.Texts["kind"] = func(s *scene) string { _, k, _, _ := s.model(s.at); return k }
	m.plain("index", func(s *scene) float64 { return float64(s.at) })
	m.pose("", pose)
	m.vec("v", func(s *scene) mgl64.Vec3 { return twist(s).Lin })
	m.rates("w", func(s *scene) mgl64.Vec3 { return twist(s).Ang })
	// NuBot's simulators turn magenta's bodies round.
	m.quat("turned.", func(s *scene) mgl64.Quat {
		if _, kind, p, _ := s.model(s.at); kind == string(physics.Magenta) {
			return p.Rot.Mul(spatial.RotZ(halfTurn))
		}
		return pose(s).Rot
	})
	m.length("width", func(s *scene) float64 { w, _ := s.modelSize(); return w })
	m.length("height", func(s *scene) float64 { _, h := s.modelSize(); return h })
	m.length("middle", func(s *scene) float64 { // height of the middle
		if _, h := s.modelSize(); s.at > 0 {
			return h / 2
		}
		return pose(s).Pos[2]
	})
	l.each("models", (*scene).models, m)
}

func (s *scene) modelSize() (width, height float64) {
	if s.at == 0 {
		d := 2 * s.world.Ball.Radius
		return d, d
	}
	name, _, _, _ := s.model(s.at)
	return s.size(name)
}

// contactWords list what has touched the ball in the last step.
func contactWords(l *lexicon) {
	m := newLexicon()
	touch := func(s *scene) *physics.Touch { return &s.truth.Touches[s.members[s.at]] }
	m.Texts["name"] = func(s *scene) string {
		t := touch(s)
		other := t.A
		if other == s.ballID() {
			other = t.B
		}
		return s.sim.BodyName(other)
	}
	m.vec("", func(s *scene) mgl64.Vec3 { return touch(s).PosW })
	m.plain("impulse", func(s *scene) float64 { return touch(s).Impulse })
	n := func(s *scene) int {
		s.members = s.members[:0]
		for i := range s.truth.Touches {
			if t := &s.truth.Touches[i]; t.A == s.ballID() || t.B == s.ballID() {
				s.members = append(s.members, i)
			}
		}
		return len(s.members)
	}
	l.each("ball_contacts", n, m)
	l.plain("ball.touched", func(s *scene) float64 { return float64(n(s)) })
}

// frameWords list where sensors sit on their robots: mounts of those that stay, heads of those that turn.
func frameWords(l *lexicon) {
	for name, turning := range map[string]bool{"mounts": false, "heads": true} {
		m := newLexicon()
		frame := func(s *scene) *sensorFrame { return &s.frames[s.at] }
		m.Texts["robot"] = func(s *scene) string { return frame(s).robot }
		m.Texts["frame"] = func(s *scene) string { return frame(s).frame }
		m.pose("", func(s *scene) spatial.Pose { return frame(s).poseBS })
		l.each(name, func(s *scene) int { s.frames = s.sensorFrames(turning); return len(s.frames) }, m)
	}
}

// sensorFrame is one sensor's frame on its robot; a camera's is the optical one.
type sensorFrame struct {
	robot, frame string
	poseBS       spatial.Pose
}

func (s *scene) sensorFrames(turning bool) []sensorFrame {
	all := s.frames[:0]
	w := s.world
	for i := range w.Robots {
		r := &w.Robots[i]
		for j := range r.Sensors {
			cfg := &r.Sensors[j]
			if (cfg.Head != nil) != turning {
				continue
			}
			f := sensorFrame{r.Name, cfg.Name, cfg.Mount.Pose()}
			if camera, ok := s.sim.Camera(r.Name, cfg.Name); ok {
				f.frame, f.poseBS = cfg.Name+opticalSuffix, camera.PoseBC()
			}
			all = append(all, f)
		}
	}
	return all
}

// opticalSuffix ends the names of cameras' optical frames.
const opticalSuffix = "_optical"
