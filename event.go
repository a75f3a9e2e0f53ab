package omnipitch

import (
	"cmp"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
)

func sortedEvents(events []worlds.Event) []worlds.Event {
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b worlds.Event) int { return cmp.Compare(a.At, b.At) })
	return sorted
}

// happen carries out the events whose time has come, before anybody looks at that time.
func (s *Sim) happen() error {
	for len(s.events) > 0 && s.events[0].At <= s.truth.Time {
		e := &s.events[0]
		if robot, sensor, level, ok := e.LevelChange(); ok {
			if err := s.SetLevel(robot, sensor, level); err != nil {
				return err
			}
		} else if robot, to, ok := e.FrameChange(); ok {
			if err := s.post.impose(robot, func(c *physics.Command) { c.Extend = to }); err != nil {
				return err
			}
		} else if robot, sensor, ok := e.Aiming(); ok {
			if err := s.Aim(robot, sensor, e.Pan, e.Tilt); err != nil {
				return err
			}
		} else if robot, sensor, g, ok := e.Gazing(); ok {
			if err := s.Gaze(robot, sensor, g); err != nil {
				return err
			}
		} else if e.Hang != nil {
			s.hang(e.Place, *e.Hang)
		} else if err := s.Place(e.Place, e.Pose.Spatial(), spatial.Twist{}); err != nil {
			return err
		}
		s.events = s.events[1:]
	}
	return nil
}
