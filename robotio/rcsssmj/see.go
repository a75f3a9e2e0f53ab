package rcsssmj

import (
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// landmark is a crossing of lines that the league names.
type landmark struct {
	name string
	kind abstraction.CrossingKind
	atW  mgl64.Vec2
}

// landmarks returns the crossings of a field's lines, with the league's names: l, c or r for left, centre and right; u
// or l for upper, +y, and lower; f, ga, pa and c for the field, the goal and the penalty areas and the centre circle.
// Source: the markers of rcssservermj 0.2.1.
func landmarks(f *physics.Field) (all []landmark) {
	if !f.HasLines {
		return nil
	}
	add := func(kind abstraction.CrossingKind, name string, x, y float64) {
		all = append(all, landmark{name, kind, mgl64.Vec2{x, y}})
	}
	l, w := f.Length/2, f.Width/2
	for _, s := range [...]struct {
		name string
		y    float64
	}{{"u", 1}, {"l", -1}} {
		add(abstraction.CrossingT, "t_c"+s.name+"f", 0, s.y*w)
		if f.CentreCircle > 0 {
			add(abstraction.CrossingX, "x_c"+s.name+"c", 0, s.y*f.CentreCircle)
		}
		for _, e := range [...]struct {
			name string
			x    float64
		}{{"l", -1}, {"r", 1}} {
			add(abstraction.CrossingL, "l_"+e.name+s.name+"f", e.x*l, s.y*w)
			for _, area := range [...]struct {
				name         string
				depth, width float64
			}{{"ga", f.GoalAreaDepth, f.GoalAreaWidth}, {"pa", f.PenaltyAreaDepth, f.PenaltyAreaWidth}} {
				if area.depth > 0 {
					add(abstraction.CrossingL, "l_"+e.name+s.name+area.name, e.x*(l-area.depth), s.y*area.width/2)
					add(abstraction.CrossingT, "t_"+e.name+s.name+area.name, e.x*l, s.y*area.width/2)
				}
			}
		}
	}
	return all
}

// posts are the league's names of the tops of goal posts. Left and right in the world's names are as seen from the
// field.
var posts = map[string]string{"post_minus_left": "g_llp", "post_minus_right": "g_lup", "post_plus_left": "g_rup",
	"post_plus_right": "g_rlp"}

// nearest is how far from a landmark's place a crossing may be reported and still have its name, m. A guess: more than
// the errors of vision, and less than the distance between two landmarks.
const nearest = 0.5

// eye appends the perceptor See.
type eye struct {
	landmarks []landmark
	robots    []worlds.Robot
	teams     [2]string
}

// append appends what a camera reports, at the true pose of its robot, in the frame S of the camera: x forward, y left.
func (e *eye) append(b []byte, o *sensors.Observation, poseWB spatial.Pose) []byte {
	poseSB := spatial.BodyToOptical().Mul(o.PoseBC.Inverse())
	polar := func(b []byte, name string, posB mgl64.Vec3) []byte {
		p := poseSB.Apply(posB)
		far := p.Len()
		b = append(append(append(b, '('), name...), " (pol"...)
		azimuth, elevation := mgl64.RadToDeg(math.Atan2(p[1], p[0])), 0.0
		if far > 0 {
			elevation = mgl64.RadToDeg(math.Asin(mgl64.Clamp(p[2]/far, -1, 1)))
		}
		return append(appendNumbers(b, 2, far, azimuth, elevation), "))"...)
	}
	b = append(b, "(See "...)
	for _, c := range o.Objects.Crossings {
		atB := mgl64.Vec3{c.AtB[0], c.AtB[1]}
		if name := e.name(c.Kind, poseWB.Apply(atB).Vec2()); name != "" {
			b = polar(b, name, atB)
		}
	}
	for i := range o.Objects.Detections {
		d := &o.Objects.Detections[i]
		switch d.Kind {
		case abstraction.BallKind:
			b = polar(b, "B", d.PosB)
		case abstraction.PostKind:
			if name := posts[d.Name]; name != "" {
				b = polar(b, name, d.PosB.Add(mgl64.Vec3{0, 0, d.Size[2]}))
			}
		case abstraction.RobotKind:
			k := 0
			for k < len(e.robots) && e.robots[k].Name != d.Name {
				k++
			}
			if k == len(e.robots) { // a false positive
				continue
			}
			b = append(append(b, "(P (team "...), e.team(e.robots[k].Team)...)
			b = append(strconv.AppendInt(append(b, ")(id "...), int64(e.robots[k].Number), 10), ')')
			b = polar(b, "head", d.PosB.Add(mgl64.Vec3{0, 0, d.Size[2]}))
			b = append(polar(polar(b, "lfoot", d.PosB), "rfoot", d.PosB), ')')
		}
	}
	return append(b, ')')
}

// name returns the name of the landmark of a kind that is nearest to a place, or "".
func (e *eye) name(kind abstraction.CrossingKind, atW mgl64.Vec2) (name string) {
	best := nearest
	for i := range e.landmarks {
		l := &e.landmarks[i]
		if far := l.atW.Sub(atW).Len(); l.kind == kind && far < best {
			best, name = far, l.name
		}
	}
	return name
}

// team returns the name of a team: that of its agents or, without any, its colour.
func (e *eye) team(team physics.Team) string {
	if name := e.teams[side(team)]; name != "" {
		return name
	}
	return string(team)
}

// side returns 0 for cyan, on the left, and 1 for magenta.
func side(team physics.Team) int {
	if team == physics.Magenta {
		return 1
	}
	return 0
}
