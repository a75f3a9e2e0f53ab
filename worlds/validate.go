package worlds

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Validate reports every rule that the world or one of its parts breaks. [World.NoErrorAt] describes what Validate
// leaves out.
func (w *World) Validate() error {
	errs := []error{schema.CheckRest(w, w.failed), w.validateNames(), w.validateNumbers(), w.validateDevices(),
		w.validatePlayers(), w.validateRequirements(),
		w.validateEvents(), w.validateExpectations(), w.validateTask(), w.validateHeads(), w.validateRadios(),
		w.validateMasters(), w.validatePrograms(), w.validateColors(), w.validatePieces(), w.validateRecording(),
		w.validateKinds()}
	if len(w.Robots) == 0 {
		errs = append(errs, &schema.Violation{Key: "robot", Rule: "a world needs at least one [[robot]]"})
	}
	if n := len(w.Light.Spots); n > render.MaxSpots {
		errs = append(errs, &schema.Violation{Path: "light", Key: "spot",
			Rule: fmt.Sprintf("%d lamps: must be at most %d", n, render.MaxSpots)})
	}
	errs = append(errs, w.validateAnswers()...)
	errs = append(errs, w.validateParts()...)
	errs = append(errs, w.validateMotion()...)
	if w.physicsRead() {
		m := w.Model()
		if !w.NoErrorAt("time") {
			m.Step = timesync.DefaultConfig().Step
		}
		errs = append(errs, w.inKeys(m, m.Validate()))
	}
	return dropRepeated(errors.Join(errs...))
}

// dropRepeated removes violations that occur a second time. The physics judges parts of robots that have already been
// judged by their tags.
func dropRepeated(err error) error {
	seen := map[string]bool{}
	return errors.Join(slices.DeleteFunc(schema.Flatten(err), func(e error) bool {
		text := e.Error()
		said := seen[text]
		seen[text] = true
		return said
	})...)
}

// physicsRead reports whether everything that the physics needs was read without errors. If not, the rules of the
// physics are not checked, because they concern several of these parts together.
func (w *World) physicsRead() bool {
	for _, part := range []string{"field", "physics", "ball", "obstacle", "prop", "wall", "box", "cylinder"} {
		if !w.NoErrorAt(part) {
			return false
		}
	}
	for i := range w.Robots {
		for _, part := range []string{"pose", "body", "drive", "kicker", "dribbler", "extension", "motion",
			"animation"} {
			if !w.NoErrorAt(fmt.Sprintf("robot[%d].%s", i, part)) {
				return false
			}
		}
	}
	return true
}

// validateAnswers reports robots for whose answers lockstep cannot wait.
func (w *World) validateAnswers() (errs []error) {
	if w.Time.Speed == timesync.Lockstep && len(w.Time.WaitFor) == 0 && w.NoErrorAt("time.wait_for") {
		errs = append(errs, &schema.Violation{Path: "time", Key: "speed", Value: "lockstep",
			Rule: "needs [[time.wait_for]]: no robot is waited for"})
	}
	for i := range w.Time.WaitFor {
		path, wait := fmt.Sprintf("time.wait_for[%d]", i), &w.Time.WaitFor[i]
		robot, ok := w.Robot(wait.Robot)
		if !ok {
			if wait.Robot != "" {
				errs = append(errs, &schema.Violation{Path: path, Key: "robot", Value: wait.Robot,
					Rule: "there is no such robot"})
			}
			continue
		}
		if _, ok := w.Sensor(robot.Name, wait.After); !ok && wait.After != "" && w.complete(robot.Name) {
			errs = append(errs, &schema.Violation{Path: path, Key: "after", Value: wait.After, Rule: "robot " +
				robot.Name + " has no such sensor"})
		}
		if wait.After != "" && wait.Rate != 0 {
			errs = append(errs, &schema.Violation{Path: path, Key: "rate_hz", Value: fmt.Sprint(wait.Rate),
				Rule: "is the clock's; after names a sensor, which has its own"})
		}
		if clock := w.Time.ClockRate; clock > 0 && wait.Rate > clock {
			errs = append(errs, &schema.Violation{Path: path, Key: "rate_hz", Value: fmt.Sprint(wait.Rate),
				Rule: fmt.Sprintf("the clock that is to be answered comes at clock_hz = %v", clock)})
		}
		if wait.Order == timesync.OrderAll {
			errs = append(errs, w.validateAcknowledged(path, i)...)
		}
	}
	return errs
}

// validateAcknowledged reports keys that contradict order = "all", with which a robot acknowledges every message.
func (w *World) validateAcknowledged(path string, i int) (errs []error) {
	const goes = `goes with order = "answers" alone: with "all" every message is `
	const rule = goes + "waited for"
	wait := &w.Time.WaitFor[i]
	if wait.After != "" {
		errs = append(errs, &schema.Violation{Path: path, Key: "after", Value: wait.After, Rule: rule})
	}
	if wait.Rate != 0 {
		errs = append(errs, &schema.Violation{Path: path, Key: "rate_hz", Value: fmt.Sprint(wait.Rate), Rule: rule})
	}
	// the default is no contradiction if the file does not give the key
	if wait.Answer != "command" || w.file != nil && w.file.Bound(path+".answer") {
		errs = append(errs, &schema.Violation{Path: path, Key: "answer", Value: wait.Answer,
			Rule: goes + "acknowledged"})
	}
	for k := range w.Time.WaitFor {
		if k != i && w.Time.WaitFor[k].Robot == wait.Robot {
			errs = append(errs, &schema.Violation{Path: path, Key: "order", Value: string(wait.Order),
				Rule: fmt.Sprintf("robot %s is waited for by time.wait_for[%d] too", wait.Robot, k)})
		}
	}
	return errs
}

// validateDevices reports sensors that need a device or a joint which their robot does not have.
func (w *World) validateDevices() error {
	var errs []error
	for i := range w.Robots {
		r := &w.Robots[i]
		robot := r.physics()
		for j := range r.Sensors {
			if rule := r.Sensors[j].Kind.Needs(&robot); rule != "" {
				errs = append(errs, &schema.Violation{Path: fmt.Sprintf("robot[%d].sensor[%d]", i, j), Key: "kind",
					Value: string(r.Sensors[j].Kind), Rule: rule})
			}
			if name := r.Sensors[j].Mount.Joint; name != "" && robot.Joint(name) < 0 {
				errs = append(errs, &schema.Violation{Path: fmt.Sprintf("robot[%d].sensor[%d].mount", i, j),
					Key: "joint", Value: name,
					Rule: "the robot has no such joint" + rules.DidYouMean(name, robot.JointNames())})
				continue
			}
			if h := r.Sensors[j].Head; h != nil && h.OnJoints() {
				if key, err := h.CheckJoints(&robot, &r.Sensors[j].Mount); err != nil {
					errs = append(errs, &schema.Violation{Path: fmt.Sprintf("robot[%d].sensor[%d].head", i, j),
						Key: key, Rule: err.Error()})
				}
			}
		}
	}
	return errors.Join(errs...)
}

// validateNames reports robots, obstacles, boards, props, walls, boxes, cylinders and balls with the same name. It also
// reports lamps with the same name, and sensors of one robot with the same name.
func (w *World) validateNames() error {
	var taken map[string]string
	var errs []error
	claim := func(path, name, owner string) {
		if other, ok := taken[name]; ok && name != "" {
			errs = append(errs, &schema.Violation{Path: path, Key: "name", Value: name,
				Rule: "is already the name of " + other})
			return
		}
		taken[name] = owner
	}
	for i := range w.Robots {
		taken = map[string]string{}
		for j := range w.Robots[i].Sensors {
			path := fmt.Sprintf("robot[%d].sensor[%d]", i, j)
			claim(path, w.Robots[i].Sensors[j].Name, path)
		}
	}
	taken = map[string]string{}
	for i := range w.Light.Spots {
		path := fmt.Sprintf("light.spot[%d]", i)
		claim(path, w.Light.Spots[i].Name, path)
	}
	taken = map[string]string{"ball": "the ball"}
	for i := range w.Robots {
		claim(fmt.Sprintf("robot[%d]", i), w.Robots[i].Name, fmt.Sprintf("robot[%d]", i))
	}
	for o := range w.obstacles {
		claim(o.Path(), o.Name, o.Path())
	}
	for i := range w.Boards {
		claim(fmt.Sprintf("board[%d]", i), w.Boards[i].Name, fmt.Sprintf("board[%d]", i))
	}
	for i := range w.Props {
		claim(fmt.Sprintf("prop[%d]", i), w.Props[i].Name, fmt.Sprintf("prop[%d]", i))
	}
	for _, p := range w.Pieces() {
		claim(p.Path, p.Name, p.Path)
	}
	for i := range w.Hall.Balls {
		claim(fmt.Sprintf("hall.ball[%d]", i), w.Hall.Balls[i].Name, fmt.Sprintf("hall.ball[%d]", i))
	}
	taken = map[string]string{}
	for _, a := range area.Of(&w.Field.Field, nil) {
		taken[a.Name] = "an area of the field"
	}
	for i := range w.Areas {
		claim(fmt.Sprintf("area[%d]", i), w.Areas[i].Name, fmt.Sprintf("area[%d]", i))
	}
	taken = map[string]string{}
	for i := range w.Events {
		claim(fmt.Sprintf("event[%d]", i), w.Events[i].Name, fmt.Sprintf("event[%d]", i))
	}
	taken = map[string]string{}
	for i := range w.Expect {
		claim(fmt.Sprintf("expect[%d]", i), w.Expect[i].Name, fmt.Sprintf("expect[%d]", i))
	}
	return errors.Join(errs...)
}

// complete reports whether all sensors of a robot were read. If the robot's model cannot be read, the sensors of the
// model were not read.
func (w *World) complete(robot string) bool {
	for i := range w.Robots {
		if w.Robots[i].Name == robot && w.failed.At(fmt.Sprintf("robot[%d].sensor", i)) {
			return false
		}
	}
	return true
}

// similarSensor returns a text that proposes the sensor with the most similar name.
func (w *World) similarSensor(robot, sensor string) string {
	var all []string
	for _, r := range w.Robots {
		for _, s := range r.Sensors {
			all = append(all, r.Name+"."+s.Name)
		}
	}
	if near := rules.Nearest(robot+"."+sensor, all); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

func (w *World) board(name string) bool {
	return slices.ContainsFunc(w.Boards, func(b Board) bool { return b.Name == name })
}

// hasBody reports whether a body on the floor has the given name.
func (w *World) hasBody(name string) bool {
	if name == "ball" {
		return !w.Ball.Absent
	}
	_, ok := w.Obstacle(name)
	return ok || slices.ContainsFunc(w.Robots, func(r Robot) bool { return r.Name == name })
}
