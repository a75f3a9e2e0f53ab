package pipeline

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// overlay returns all parts of the next frame's overlay that at least one listener wants.
func (x *setup) overlay() (all sensors.OverlayParts) {
	for _, l := range x.listeners {
		if l.Overlay != nil {
			all |= l.Overlay()
		}
	}
	return all
}

// overlay creates a frame's Overlay and fills in the poses. The task of a frame with images computes further parts.
func (p *Pipeline) overlay(d *delivery, parts sensors.OverlayParts) {
	in := d.in
	o := &sensors.Overlay{PoseWB: p.cfg.State.Robots[in.robot].PoseWB}
	d.obs.Overlay = o
	if in.camera != nil {
		o.PoseWC, o.Model = o.PoseWB.Mul(d.obs.PoseBC), in.camera.Model()
	}
	if parts &^= sensors.OverlayPoses; d.ready != nil && parts != 0 {
		d.overlaid, d.task.parts = true, parts
	}
}

// overlay computes the parts of an Overlay that a task asks for. It does not change the state that the camera's vision
// keeps from frame to frame.
func (p *perceiver) overlay(t *task) error {
	o := t.obs.Overlay
	whole := t.obs.Fault == "" // a broken camera does not report these objects and lines
	if t.parts&sensors.OverlayObjects != 0 && whole {
		view, env := t.viewpoint, t.env
		obs := &sensors.Observation{Level: abstraction.Objects, Frame: t.obs.Frame, Stamp: t.obs.Stamp,
			PoseBC: t.obs.PoseBC, Settings: t.obs.Settings}
		t.in.camera.Perceive(&view, &env, nil, obs, true)
		o.Objects = *obs.Objects
	}
	if t.parts&(sensors.OverlayLines|sensors.OverlayBodies) == 0 {
		return nil
	}
	image := p.contours.take()
	defer p.contours.idle.put(image)
	// The range is unlimited. This does not change the line points, because bodies beyond vision's range hide nothing
	// nearer.
	if err := p.draw(t, image, p.contours.posts(), math.Inf(1)); err != nil {
		return err
	}
	if t.parts&sensors.OverlayLines != 0 && whole {
		o.LinePoints = abstraction.LinePoints(&t.viewpoint, &t.env, image, t.in.cfg.Vision.MaxRange)
	}
	if t.parts&sensors.OverlayBodies != 0 {
		o.Draw(image, t.env.Targets, sensors.SelfTarget(t.in.robot))
		if e := &t.in.eye; e.outline == nil {
			e.outline = e.own.Outline()
		}
		o.Own = t.in.eye.outline
	}
	return nil
}
