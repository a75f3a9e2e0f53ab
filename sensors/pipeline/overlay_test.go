//go:build cgo

package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Overlays of images do not change a run or its sensors. They contain all requested parts, at the image's stamp.
func TestOverlaysChangeNothing(t *testing.T) {
	run := func(parts sensors.OverlayParts) (reported string) {
		s := simtest.New(t, simtest.World(t, "planar"), omnipitch.Options{NewRenderer: simtest.Grey})
		const robot, sensor = "cyan2", "omni"
		images := 0
		poseWB := map[time.Duration]spatial.Pose{}
		l := pipeline.Listener{Observe: func(o *sensors.Observation) {
			if o.Objects != nil {
				reported += fmt.Sprint(o.Stamp, *o.Objects)
			}
			if o.Color == nil {
				return
			}
			v := o.Overlay
			if (v != nil) != (parts != 0) {
				t.Fatalf("parts %b are requested, and the overlay is %+v", parts, v)
			}
			if v == nil {
				return
			}
			images++
			if len(v.LinePoints) == 0 || len(v.Bodies) < 5 || len(v.Own) == 0 || v.Model == nil {
				t.Errorf("%d line points, %d bodies, %d lines around the robot itself", len(v.LinePoints),
					len(v.Bodies), len(v.Own))
			}
			if want := poseWB[o.Stamp]; v.PoseWB != want {
				t.Errorf("at %v the robot was at %v, the overlay says %v", o.Stamp, want, v.PoseWB)
			}
		}}
		if parts != 0 {
			l.Overlay = func() sensors.OverlayParts { return parts }
		}
		must.Get(s.Listen(robot, sensor, l))(t)
		// the vision's filters continue from their state
		for _, level := range []abstraction.Level{"", abstraction.Ideal, abstraction.Objects} {
			if level != "" {
				s.Must(&action.SetLevel{Robot: robot, Sensor: sensor, Level: level})
			}
			s.Until(s.Truth().Time+200*time.Millisecond, func() {
				poseWB[s.Truth().Time] = s.Truth().Robots[1].PoseWB
			})
		}
		if parts != 0 && images < 3 {
			t.Errorf("%d images came, want at least 3", images)
		}
		return fmt.Sprint(reported, s.Truth().Hash())
	}
	plain := run(0)
	if with := run(sensors.OverlayObjects | sensors.OverlayLines | sensors.OverlayBodies); with != plain ||
		len(plain) < 1000 {
		t.Errorf("overlays change the reports and the state of a run")
	}
}

// The reports in an overlay equal the camera's reports at levels objects and features in the same state.
func TestOverlaysEqualTheLevelsReports(t *testing.T) {
	s := simtest.New(t, simtest.World(t, "ten-robots"), omnipitch.Options{NewRenderer: simtest.Grey})
	for _, sensor := range []string{"omni", "front"} {
		raw := must.Get(s.Sensors().CaptureOverlaid("cyan3", sensor, abstraction.Raw,
			sensors.OverlayObjects|sensors.OverlayLines))(t)
		o := raw.Overlay
		objects := s.Capture("cyan3", sensor, abstraction.Objects).Objects
		features := s.Capture("cyan3", sensor, abstraction.Features).Features
		if got, want := fmt.Sprint(o.Objects.Detections), fmt.Sprint(objects.Detections); got != want ||
			len(objects.Detections) == 0 {
			t.Errorf("%s: detections\n%s, at level objects\n%s", sensor, got, want)
		}
		if got, want := fmt.Sprint(o.LinePoints), fmt.Sprint(features.LinePoints); got != want ||
			len(features.LinePoints) < 20 {
			t.Errorf("%s: points of lines\n%s, at level features\n%s", sensor, got, want)
		}
		if len(o.Bodies) > 0 {
			t.Errorf("%s: %d bodies that were not requested", sensor, len(o.Bodies))
		}
	}
}
