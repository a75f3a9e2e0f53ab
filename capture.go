package omnipitch

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Capture returns what a sensor would deliver of the present state at a level, at once and beside its schedule, which
// it leaves as it was. The caller releases it. It belongs to the goroutine that steps.
func (s *Sim) Capture(robot, sensor string, level abstraction.Level) (*sensors.Observation, error) {
	in := s.find(robot, sensor)
	if in == nil {
		return nil, fmt.Errorf("sensor = %q: there is no such sensor", robot+"."+sensor)
	}
	if in.camera == nil {
		return nil, fmt.Errorf("sensor = %q: only cameras can be captured", robot+"."+sensor)
	}
	if err := s.check(in, level); err != nil {
		return nil, err
	}
	d := in.begin(s, level, in.next)
	d.beside = true
	if d.looks {
		s.looking.drain()
		s.looking.see(d.lookAt(s, s.looking.moment(s)))
		d.err = d.look.err
	}
	if d.ready != nil {
		job := &frameJob{frame: render.Batch{PosesWB: s.scenery.Poses(&s.truth, nil)}}
		job.add(in, d, s)
		s.frames.submit(job)
		<-d.ready
	}
	return d.obs, d.err
}

// Labels returns the names of the labels in the truth of pictures: those of what is no body, and the bodies'.
func (s *Sim) Labels() map[uint16]string {
	labels := map[uint16]string{render.LabelNothing: "nothing", render.LabelHall: "hall", render.LabelFloor: "floor", render.LabelMark: "marking"}
	for i, b := range s.scenery.Scene.Bodies {
		labels[render.LabelBody+uint16(i)] = b.Name
	}
	return labels
}

// Camera returns a camera, to project into its images.
func (s *Sim) Camera(robot, sensor string) (*sensors.Camera, bool) {
	in := s.find(robot, sensor)
	if in == nil || in.camera == nil {
		return nil, false
	}
	return in.camera, true
}

// Scene returns what there is to be seen. It does not change.
func (s *Sim) Scene() *render.Scene { return s.scenery.Scene }

// Poses appends the present pose of every body of the Scene. It belongs to the goroutine that steps.
func (s *Sim) Poses(into []spatial.Pose) []spatial.Pose { return s.scenery.Poses(&s.truth, into) }

// Look returns what is to be drawn for a camera now, without images; false when there is no such camera. It belongs to
// the goroutine that steps.
func (s *Sim) Look(robot, sensor string) (view render.View, ok bool) {
	in := s.find(robot, sensor)
	if in == nil || in.camera == nil {
		return render.View{}, false
	}
	return in.camera.View(abstraction.Ideal, s.instant(in)), true
}
