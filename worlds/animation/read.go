package animation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// MaxBytes is the largest size of a file.
const MaxBytes = 256 << 10

// Script is an animation whose joints have names.
type Script struct {
	filename string
	hermite  bool
	frames   []frame
}

type frame struct {
	duration, pause time.Duration
	goals           []goal
}

type goal struct {
	joint string
	value float64 // as in the file
	at    *yaml.Node
	path  string
}

// Parse reads a file. Errors name the place, the value and the rule.
func Parse(filename string, data []byte) (*Script, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: has %d bytes: must have at most %d", filename, len(data), MaxBytes)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: is not YAML: %w", filename, err)
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s:1:1: is empty: must have keyframes", filename)
	}
	s := &Script{filename: filename}
	if err := s.read(doc.Content[0]); err != nil {
		return nil, fmt.Errorf("%s:%w", filename, err)
	}
	return s, nil
}

// header lists the keys that are for people.
var header = []string{"name", "author", "description", "version", "last_edited", "hostname"}

func (s *Script) read(root *yaml.Node) error {
	t, err := tableOf(root, "", "the keys interpolation and keyframes", append(header, "interpolation", "keyframes")...)
	if err != nil {
		return err
	}
	if v := t["interpolation"]; v != nil {
		if s.hermite = v.Value == "hermite"; !s.hermite && v.Value != "linear" {
			return fail(v, "interpolation", "must be linear or hermite")
		}
	}
	list := t["keyframes"]
	switch {
	case list == nil:
		return fail(root, "keyframes", "must be given")
	case list.Kind != yaml.SequenceNode || len(list.Content) == 0 || len(list.Content) > physics.MaxKeyFrames:
		return fail(list, "keyframes", fmt.Sprintf("must be a list of 1 to %d key frames", physics.MaxKeyFrames))
	}
	for i, n := range list.Content {
		f, err := readFrame(n, fmt.Sprintf("keyframes[%d]", i))
		if err != nil {
			return err
		}
		s.frames = append(s.frames, f)
	}
	return nil
}

func readFrame(n *yaml.Node, path string) (f frame, err error) {
	t, err := tableOf(n, path, "the keys duration, pause and goals", "name", "duration", "pause", "goals")
	if err != nil {
		return f, err
	}
	if t["duration"] == nil {
		return f, fail(n, path+".duration", "must be given")
	}
	most := physics.MaxKeyTime.Seconds()
	if f.duration, err = seconds(t["duration"], path+".duration", 0.001, most); err != nil {
		return f, err
	}
	if f.pause, err = seconds(t["pause"], path+".pause", 0, most); err != nil || t["goals"] == nil {
		return f, err
	}
	path += ".goals"
	if t["goals"].Kind != yaml.MappingNode {
		return f, fail(t["goals"], path, "must be names of joints with positions")
	}
	for k := 0; k+1 < len(t["goals"].Content); k += 2 {
		name, v := t["goals"].Content[k], t["goals"].Content[k+1]
		g := goal{joint: name.Value, at: v, path: path + "." + name.Value}
		if slices.ContainsFunc(f.goals, func(o goal) bool { return o.joint == g.joint }) {
			return f, fail(v, g.path, "is given twice")
		}
		if g.value, err = number(v, g.path); err != nil {
			return f, err
		}
		f.goals = append(f.goals, g)
	}
	return f, nil
}

// Of returns the animation of a robot with some joints. Its Name is left out. Errors name the place, the value and the
// rule.
func (s *Script) Of(joints []physics.Joint) (a physics.Animation, err error) {
	a.Hermite = s.hermite
	r := physics.Robot{Joints: joints}
	for i := range s.frames {
		f := &s.frames[i]
		to := physics.KeyFrame{Duration: f.duration, Pause: f.pause}
		for _, g := range f.goals {
			k := r.Joint(g.joint)
			if k < 0 {
				return a, s.fail(g.at, g.path, "the robot has no such joint"+rules.DidYouMean(g.joint, r.JointNames()))
			}
			unit := math.Pi / 180
			if joints[k].Slides {
				unit = 1
			}
			target := physics.JointTarget{Mode: physics.JointPosition, Value: g.value * unit}
			if err := joints[k].Check(&target); err != nil {
				rule := err.Error()
				if j := &joints[k]; j.Commanded() {
					rule = fmt.Sprintf("must lie in [%.6g, %.6g]", j.Lower/unit, j.Upper/unit)
				}
				return a, s.fail(g.at, g.path, rule)
			}
			to.Goals = append(to.Goals, physics.JointGoal{Joint: k, Position: target.Value})
		}
		a.Frames = append(a.Frames, to)
	}
	return a, nil
}

func (s *Script) fail(n *yaml.Node, path, rule string) error {
	return fmt.Errorf("%s:%w", s.filename, fail(n, path, rule))
}

// fail returns an error about a node: its place, its path and value, and the rule.
func fail(n *yaml.Node, path, rule string) error {
	value := ""
	if n.Kind == yaml.ScalarNode && n.Value != "" && len(n.Value) < 80 {
		value = fmt.Sprintf(" = %s", n.Value)
	}
	if path == "" {
		return fmt.Errorf("%d:%d: %s", n.Line, n.Column, rule)
	}
	shown := strconv.Quote(path) // names of joints may have any characters
	return fmt.Errorf("%d:%d: %.80s%s: %s", n.Line, n.Column, shown[1:len(shown)-1], value, rule)
}

// tableOf returns the values of a mapping by their keys, which must be among known ones.
func tableOf(n *yaml.Node, path, content string, known ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fail(n, path, "must have "+content)
	}
	t := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			return nil, fmt.Errorf("%d:%d: %.80q: is no key here%s", key.Line, key.Column, key.Value,
				rules.DidYouMean(key.Value, known))
		case t[key.Value] != nil:
			return nil, fmt.Errorf("%d:%d: %s: is given twice", key.Line, key.Column, key.Value)
		}
		t[key.Value] = n.Content[i+1]
	}
	return t, nil
}

// seconds returns a time in a range, in seconds, or 0 for a nil node.
func seconds(n *yaml.Node, path string, from, to float64) (time.Duration, error) {
	if n == nil {
		return 0, nil
	}
	s, err := number(n, path)
	if err == nil && !(s >= from && s <= to) {
		err = fail(n, path, fmt.Sprintf("must lie in [%g, %g] s", from, to))
	}
	return time.Duration(math.Round(s * 1e9)), err
}

// number returns the value of a node.
func number(n *yaml.Node, path string) (x float64, err error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Decode(&x) != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fail(n, path, "must be a finite number")
	}
	return x, nil
}
