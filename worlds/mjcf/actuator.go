package mjcf

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// actuator is the name under which classes have actuators of all kinds.
const actuator = "general"

// kinds are the kinds of actuators.
var kinds = map[string]bool{"general": true, "motor": true, "position": true, "velocity": true, "intvelocity": true,
	"damper": true, "cylinder": true, "muscle": true, "adhesion": true, "dcmotor": true}

// actuators reads the motors of joints: those of the kinds motor, position, velocity and general that act on one joint.
func (r *reader) actuators(all []*markup.Element) {
	if len(all) == 0 {
		return // the file says nothing of motors
	}
	robot := r.robot
	for i := range robot.Joints {
		robot.Joints[i].Motor = articulated.WithoutMotor
	}
	for _, section := range all {
		for _, e := range section.Children {
			name, ok := e.Attr("joint")
			if i := r.jointOf(name); ok && i >= 0 && r.motor(e, &robot.Joints[i]) {
				e.Used = true
			} else {
				e.Why = e.String() + " of <actuator>"
			}
		}
	}
	for i := range robot.Joints {
		if j := &robot.Joints[i]; j.Limit != nil && math.IsInf(j.Limit.Effort, 1) {
			j.Limit.Effort = 0 // no limit
		}
	}
}

func (r *reader) jointOf(name string) int {
	for i := range r.robot.Joints {
		if j := &r.robot.Joints[i]; j.Name == name && j.Type != articulated.Fixed {
			return i
		}
	}
	return -1
}

// motor adds an actuator to its joint: the largest effort and the gains of all actuators of a joint add up. It returns
// false for an actuator of another kind.
func (r *reader) motor(e *markup.Element, j *articulated.Joint) bool {
	t := r.thing(e, nil)
	gear := [6]float64{1}
	r.some(t, "gear", &gear[0], &gear[1], &gear[2], &gear[3], &gear[4], &gear[5])
	by := math.Abs(gear[0])
	effort := math.Inf(1)
	bound := func(low, high float64) {
		if effort = min(effort, max(math.Abs(low), math.Abs(high))); low != -high {
			r.robot.Skipped.Add("difference between the efforts of a motor in its two directions", e.Place)
		}
	}
	if low, high, ok := r.limited(t, "forcerange", "forcelimited"); ok {
		bound(low, high)
	}
	gain, p, d := 1.0, 0.0, 0.0 // force of the actuator per control, per position and per velocity
	switch e.Name {
	case "motor":
	case "position":
		gain = r.notNegative(t, "kp", 1)
		p, d = gain, r.notNegative(t, "kv", 0)
	case "velocity":
		gain = r.notNegative(t, "kv", 1)
		d = gain
	case "general":
		for _, only := range [][2]string{{"gaintype", "fixed"}, {"dyntype", "none"}} {
			if kind, ok := t.text(only[0]); ok && kind != only[1] {
				return false
			}
		}
		gain = r.first(t, "gainprm", 1, 0)
		switch bias, _ := t.text("biastype"); bias {
		case "", "none":
		case "affine":
			p, d = -r.first(t, "biasprm", 0, 1), -r.first(t, "biasprm", 0, 2)
			if p < 0 || d < 0 || p != gain && d != gain {
				return false // is no servo
			}
		default:
			return false
		}
	default:
		return false
	}
	t.Attr("name")
	if low, high, ok := r.limited(t, "ctrlrange", "ctrllimited"); ok && p == 0 && d == 0 {
		bound(low*gain, high*gain)
	}
	if own := j.Limit.Effort; j.Motor == articulated.WithMotor {
		j.Limit.Effort = own + effort*by
	} else if own > 0 { // that of actuatorfrcrange
		j.Limit.Effort = min(own, effort*by)
	} else {
		j.Limit.Effort = effort * by
	}
	j.Motor, j.P, j.D = articulated.WithMotor, j.P+p*by*by, j.D+d*by*by
	return true
}

// first returns the number with an index of an attribute of up to ten numbers, the first of which may be left out.
func (r *reader) first(t thing, name string, otherwise float64, index int) float64 {
	var all [10]float64
	into := make([]*float64, len(all))
	for i := range all {
		into[i] = &all[i]
	}
	if r.some(t, name, into...) == 0 && index == 0 {
		return otherwise
	}
	return all[index]
}

// exclusions reads the pairs of bodies that pass through each other.
func (r *reader) exclusions(all []*markup.Element) {
	for _, section := range all {
		for _, e := range section.All("exclude") {
			e.Attr("name")
			pair := [2]string{r.Required(e, "body1"), r.Required(e, "body2")}
			for _, name := range pair {
				if name != "world" && r.robot.Link(name) < 0 {
					r.Fail(e, "%.60q is no body", name)
				}
			}
			r.robot.Apart = append(r.robot.Apart, pair)
		}
	}
}

// start reads the positions of joints at the start from the first <key>.
func (r *reader) start(all []*markup.Element) {
	var joints []*articulated.Joint
	for i := range r.robot.Joints {
		if j := &r.robot.Joints[i]; j.Type != articulated.Fixed {
			joints = append(joints, j)
		}
	}
	for _, section := range all {
		for _, e := range section.Children {
			if e.Name != "key" {
				continue
			}
			text, _ := e.Attr("qpos")
			n, root := len(strings.Fields(text)), 0
			if r.free {
				root = 7
			}
			if n != root+len(joints) {
				e.Why = fmt.Sprintf("%s, which has %d positions: the robot has %d", e, n, root+len(joints))
				return
			}
			e.Used = true
			e.Attr("name")
			values := make([]float64, n)
			into := make([]*float64, n)
			for i := range values {
				into[i] = &values[i]
			}
			r.Numbers(e, "qpos = ", text, into...)
			for i, j := range joints {
				j.Start = mgl64.Clamp(values[root+i], j.Limit.Lower, j.Limit.Upper)
			}
			return
		}
	}
}
