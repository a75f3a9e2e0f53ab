package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
)

// headConfig returns the configuration of the vision node of a robot on legs, which sees by the camera in its head.
func (s *sight) headConfig(robot string) (node.Config, error) {
	f, err := s.files(robot)
	if err != nil {
		return node.Config{}, err
	}
	markings, _ := locate.MarkingsOf(cmp.Or(s.Field, "hsl-9x6"))
	h := node.Head{HeadConfig: node.HeadConfig{BallRadius: markings.BallRadius()}}
	if h.Colors, err = readColors(f.front, vision.BGR); err == nil && h.Colors == nil {
		err = fmt.Errorf("--calibration %s: has no %s/CTableBGR.dat, the colour table of the camera in the head",
			s.Calibration, robot)
	}
	if err == nil {
		err = s.readNeck(&h)
	}
	if err != nil {
		return node.Config{}, err
	}
	if start, ok := s.starts[robot]; ok {
		h.Start = &start
	}
	h.Field = locate.NewField(markings)
	return node.Config{Head: &h}, nil
}

// Names and places of the parts of model humanoid-kid.
const (
	kidNeck   = "head_yaw,head_pitch,0,0.676"
	kidCamera = "camera,0.064,0.735"
)

// readNeck parses how a camera is mounted in a head.
func (s *sight) readNeck(h *node.Head) error {
	parse := func(flag, form, text string, names ...*string) (at mgl64.Vec3, err error) {
		words := strings.Split(text, ",")
		if len(words) != len(names)+2 || slices.Contains(words, "") {
			return at, fmt.Errorf("%s %.80q: must be %s", flag, text, form)
		}
		for i := range names {
			*names[i] = words[i]
		}
		x, err := numbers(words[len(names):])
		switch {
		case err != nil:
			return at, fmt.Errorf("%s %.80q: %w", flag, text, err)
		case !(x[1] > 0 && x[1] <= 10):
			return at, fmt.Errorf("%s %.80q: height %v: must lie in (0, 10]", flag, text, x[1])
		}
		return mgl64.Vec3{x[0], 0, x[1]}, nil
	}
	axes, err := parse("--neck", "PAN,TILT,X,HEIGHT", cmp.Or(s.Neck, kidNeck), &h.Pan, &h.Tilt)
	if err != nil {
		return err
	}
	camera, err := parse("--head-camera", "NAME,X,HEIGHT", cmp.Or(s.HeadCamera, kidCamera), &h.Camera)
	h.Neck = vision.Neck{Axes: axes, Camera: camera.Sub(axes)}
	return err
}

// readStarts parses where robots stand at first. robots are the namespaces of all.
func (s *sight) readStarts(robots []string) error {
	s.starts = map[string]locate.Pose{}
	for _, text := range s.Start {
		name, rest, found := strings.Cut(text, "=")
		words := strings.Split(rest, ",")
		if name = strings.TrimPrefix(name, "/"); !found || len(words) != 3 {
			return fmt.Errorf("--start %.80q: must be NAME=X,Y,HEADING", text)
		}
		if !slices.Contains(robots, "/"+name) {
			return fmt.Errorf("--start %.80q: must name a robot of --robots", text)
		}
		if _, twice := s.starts[name]; twice {
			return fmt.Errorf("--start %.80q: %s has another start", text, name)
		}
		at, err := numbers(words)
		if err != nil {
			return fmt.Errorf("--start %.80q: %w", text, err)
		}
		s.starts[name] = locate.Pose{Pos: pitch.Vec{at[0], at[1]}, Heading: at[2] * math.Pi / 180}
	}
	return nil
}
