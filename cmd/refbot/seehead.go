package main

import (
	"cmp"
	"fmt"
	"math"
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
	if err == nil {
		h.Start, err = s.startOf(robot)
	}
	if err != nil {
		return node.Config{}, err
	}
	h.Field = locate.NewField(markings)
	return node.Config{Head: &h}, nil
}

// readNeck parses how a camera is mounted in a head.
func (s *sight) readNeck(h *node.Head) error {
	parse := func(flag, text string, names ...*string) (at mgl64.Vec3, err error) {
		words := strings.Split(text, ",")
		if len(words) != len(names)+2 {
			return at, fmt.Errorf("%s %.80q: must have %d parts", flag, text, len(names)+2)
		}
		for i := range names {
			if *names[i] = words[i]; words[i] == "" {
				return at, fmt.Errorf("%s %.80q: must have names", flag, text)
			}
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
	axes, err := parse("--neck", s.Neck, &h.Pan, &h.Tilt)
	if err != nil {
		return err
	}
	camera, err := parse("--head-camera", s.HeadCamera, &h.Camera)
	h.Neck = vision.Neck{Axes: axes, Camera: camera.Sub(axes)}
	return err
}

// startOf returns where a robot stands at first, or nil if no flag says so.
func (s *sight) startOf(robot string) (*locate.Pose, error) {
	for _, text := range s.Start {
		name, rest, found := strings.Cut(text, "=")
		words := strings.Split(rest, ",")
		if !found || len(words) != 3 {
			return nil, fmt.Errorf("--start %.80q: must be NAME=X,Y,HEADING", text)
		}
		if name != robot {
			continue
		}
		at, err := numbers(words)
		if err != nil {
			return nil, fmt.Errorf("--start %.80q: %w", text, err)
		}
		return &locate.Pose{Pos: pitch.Vec{at[0], at[1]}, Heading: at[2] * math.Pi / 180}, nil
	}
	return nil, nil
}
