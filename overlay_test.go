package omnipitch

import (
	"fmt"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// undrawn is a renderer that leaves images unchanged.
type undrawn struct{}

func (undrawn) Render(*render.Batch) error { return nil }
func (undrawn) Close()                     {}

// Overlays of images do not change a run or its sensors. They contain all requested parts, at the image's stamp.
func TestOverlaysChangeNothing(t *testing.T) {
	run := func(parts sensors.OverlayParts) (reported string) {
		w, err := worlds.Load("planar")
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(w, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return undrawn{}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		const robot, sensor = "cyan2", "omni"
		seen := 0
		poseWB := map[time.Duration]spatial.Pose{}
		l := Listener{Observe: func(o *sensors.Observation) {
			if o.Objects != nil {
				reported += fmt.Sprint(o.Stamp, *o.Objects)
			}
			if o.Color == nil {
				return
			}
			switch v := o.Overlay; {
			case parts == 0 && v != nil:
				t.Error("nobody asked for an overlay")
			case parts != 0 && v == nil:
				t.Error("an image came without its overlay")
			case parts != 0:
				seen++
				if len(v.LinePoints) == 0 || len(v.Bodies) < 5 || len(v.Own) == 0 || v.Model == nil {
					t.Errorf("%d line points, %d bodies, %d lines around the robot itself", len(v.LinePoints),
						len(v.Bodies), len(v.Own))
				}
				if want := poseWB[o.Stamp]; v.PoseWB != want {
					t.Errorf("at %v the robot was at %v, the overlay says %v", o.Stamp, want, v.PoseWB)
				}
			}
		}}
		if parts != 0 {
			l.Overlay = func() sensors.OverlayParts { return parts }
		}
		if _, err := s.Listen(robot, sensor, l); err != nil {
			t.Fatal(err)
		}
		now := s.Truth()
		for k := range 120 {
			if k == 40 || k == 80 { // the vision's filters continue from their state
				if err := s.pipeline.SetLevel(robot, sensor, map[int]abstraction.Level{40: abstraction.Ideal,
					80: abstraction.Objects}[k]); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Step(); err != nil {
				t.Fatal(err)
			}
			poseWB[now.Time] = now.Robots[1].PoseWB
		}
		if parts != 0 && seen < 3 {
			t.Errorf("%d images came", seen)
		}
		return fmt.Sprint(reported, now.Hash())
	}
	plain := run(0)
	if with := run(sensors.OverlayObjects | sensors.OverlayLines | sensors.OverlayBodies); with != plain ||
		len(plain) < 1000 {
		t.Errorf("overlays change what comes of a run")
	}
}

// The reports in an overlay equal the camera's reports at levels objects and features in the same state.
func TestOverlaysAreWhatLevelsReport(t *testing.T) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(w, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return undrawn{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sensor := range []string{"omni", "front"} {
		capture := func(level abstraction.Level, parts sensors.OverlayParts) *sensors.Observation {
			o, err := s.Sensors().CaptureOverlaid("cyan3", sensor, level, parts)
			if err != nil {
				t.Fatal(err)
			}
			return o // never released: the caller keeps it
		}
		o := capture(abstraction.Raw, sensors.OverlayObjects|sensors.OverlayLines).Overlay
		objects, features := capture(abstraction.Objects, 0).Objects, capture(abstraction.Features, 0).Features
		if got, want := fmt.Sprint(o.Objects.Detections), fmt.Sprint(objects.Detections); got != want ||
			len(objects.Detections) == 0 {
			t.Errorf("%s: detections\n%s, at level objects\n%s", sensor, got, want)
		}
		if got, want := fmt.Sprint(o.LinePoints), fmt.Sprint(features.LinePoints); got != want ||
			len(features.LinePoints) < 20 {
			t.Errorf("%s: points of lines\n%s, at level features\n%s", sensor, got, want)
		}
		if len(o.Bodies) > 0 {
			t.Errorf("%s: nobody asked for %d bodies", sensor, len(o.Bodies))
		}
	}
}
