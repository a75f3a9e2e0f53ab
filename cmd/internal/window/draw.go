package window

import (
	"fmt"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
)

// draw draws one frame of the window and shows it.
func (s *screen) draw() error {
	width, height := s.window.Size()
	if s.picture == nil || s.picture.Width != width || s.picture.Height != height {
		s.picture = render.NewImage(width, height)
	}
	said := s.refresh()
	if ready, err := s.open(); err != nil {
		return err
	} else if !ready {
		return s.window.Show(s.picture)
	}
	frame := render.Batch{PosesWB: s.shown.poses, Shading: s.shown.shading}
	view := s.shown.view
	if view.Model != nil {
		w, h := view.Model.Size()
		if s.cameraPicture == nil || s.cameraPicture.Width != w || s.cameraPicture.Height != h {
			s.cameraPicture = render.NewImage(w, h)
		}
		view.Color = s.cameraPicture
	} else {
		view.Model, view.PoseWC = s.viewer.Camera(width, height, frame.PosesWB)
		view.Color = s.picture
	}
	frame.Views = []render.View{view}
	if err := s.renderer.Render(&frame); err != nil {
		return err
	}
	if view.Color != s.picture {
		viewer.Fit(s.picture, view.Color)
	}
	sight := viewer.NewSight(view.Model, view.PoseWC, width, height)
	s.shapes.update(s.shown.world)
	s.overlay(viewer.NewPen(s.picture, sight))
	var insets []viewer.Inset
	for _, o := range s.feeds.latestImages(nil) {
		defer o.Release()
		insets = append(insets, viewer.Inset{Name: o.Robot + "." + o.Sensor, Picture: o.Color})
	}
	s.viewer.Write(s.picture, insets, s.status(), said)
	return s.window.Show(s.picture)
}

// open makes sure that the renderer has the scene of the shown state, because a world that restarts from its file may
// look different. It returns false while no state of the new world has arrived.
func (s *screen) open() (ready bool, err error) {
	if s.drawn == s.shown.scenery {
		return true, nil
	}
	if s.sim.Sensors().Scenery() != s.shown.scenery {
		return false, nil
	}
	if s.renderer != nil {
		s.renderer.Close()
		s.renderer = nil
	}
	renderer, err := s.sim.Sensors().NewRenderer()
	if err != nil {
		return false, err
	}
	s.renderer, s.drawn = renderer, s.shown.scenery
	return true, nil
}

// status is the text of the status line: sim time and real-time factor.
func (s *screen) status() string {
	at := fmt.Sprintf("%.2f s", s.shown.truth.Time.Seconds())
	if s.replay != nil {
		at = fmt.Sprintf("%.2f of %.2f s", s.shown.replayed.Seconds(), s.replay.To.Seconds())
	}
	if factor := s.sim.Clock().Factor().Measured; factor > 0 {
		at += fmt.Sprintf("  %.2f x real time", factor)
	}
	return at
}

// overlay draws the overlays that the user has switched on.
func (s *screen) overlay(pen *viewer.Pen) {
	for _, o := range []struct {
		of   viewer.Overlay
		draw func(*viewer.Pen)
	}{
		{viewer.Fields, s.drawFields}, {viewer.Rays, s.drawRays}, {viewer.Paths, s.drawPaths},
		{viewer.Contacts, s.drawContacts}, {viewer.Labels, s.drawLabels},
	} {
		if s.viewer.Shows(o.of) {
			o.draw(pen)
		}
	}
}
