package window

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// feeds keeps the latest observations of the sensors that the window shows: images of cameras, scans of lasers, lidars
// and sonars.
type feeds struct{ images, scans latest }

// latest keeps the latest observation of each of several sensors.
type latest struct {
	names  []string    // names of the sensors, ROBOT.SENSOR
	wanted atomic.Bool // reports whether observations are wanted

	mu     sync.Mutex
	closed bool
	kept   map[string]scan
}

// scan is an observation. For a distance sensor, poseWS is the sensor's pose at the time of measurement.
type scan struct {
	*sensors.Observation
	poseWS spatial.Pose
}

// listen adds a listener to every camera, laser, lidar and sonar.
func (s *screen) listen() error {
	f := &s.feeds
	robots := s.sim.World().Robots
	for i := range robots {
		for k := range robots[i].Sensors {
			c := &robots[i].Sensors[k]
			name := robots[i].Name + "." + c.Name
			var l omnipitch.Listener
			if _, ok := s.sim.Sensors().Model(robots[i].Name, c.Name); ok {
				f.images.names = append(f.images.names, name)
				l = omnipitch.Listener{Wants: func(abstraction.Level) bool { return f.images.wanted.Load() },
					Observe: func(o *sensors.Observation) {
						if o.Color != nil {
							f.images.keep(name, scan{Observation: o})
						}
					}}
			} else if c.Laser != nil || c.Lidar != nil || c.Sonar != nil {
				poseBS := c.Mount.Pose()
				f.scans.names = append(f.scans.names, name)
				l = omnipitch.Listener{Wants: func(abstraction.Level) bool { return f.scans.wanted.Load() },
					Observe: func(o *sensors.Observation) {
						if poseWB, ok := s.stepping.track.at(i, o.Stamp); ok {
							f.scans.keep(name, scan{o, poseWB.Mul(poseBS)})
						}
					}}
			} else {
				continue
			}
			if _, err := s.sim.Listen(robots[i].Name, c.Name, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// want sets whether images and scans are wanted.
func (f *feeds) want(insets, rays bool) {
	f.images.wanted.Store(insets)
	f.scans.wanted.Store(rays)
}

// keep retains a sensor's latest observation.
func (l *latest) keep(name string, o scan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || !l.wanted.Load() {
		return
	}
	o.Retain()
	if old, ok := l.kept[name]; ok {
		old.Release()
	}
	if l.kept == nil {
		l.kept = map[string]scan{}
	}
	l.kept[name] = o
}

// append appends the latest observation of each sensor to a slice, and returns the extended slice. The caller must
// release the observations.
func (l *latest) append(into []scan) []scan {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range l.names {
		if o, ok := l.kept[name]; ok && l.wanted.Load() {
			o.Retain()
			into = append(into, o)
		}
	}
	return into
}

// close releases all observations.
func (f *feeds) close() {
	for _, l := range []*latest{&f.images, &f.scans} {
		l.mu.Lock()
		l.closed = true
		for _, o := range l.kept {
			o.Release()
		}
		clear(l.kept)
		l.mu.Unlock()
	}
}

// track remembers the poses of robots in the last 64 steps, since an observation arrives some time after it was
// measured. Only the goroutine that steps uses a track.
type track struct {
	past [64]place
	next int
}

type place struct {
	at      time.Duration
	posesWB []spatial.Pose
}

func (t *track) add(now *physics.Snapshot) {
	p := &t.past[t.next%len(t.past)]
	t.next++
	p.at, p.posesWB = now.Time, p.posesWB[:0]
	for i := range now.Robots {
		p.posesWB = append(p.posesWB, now.Robots[i].PoseWB)
	}
}

// at returns a robot's pose at a sim time. It returns false if it remembers no step of that time. If a run has gone
// back in time, so that two steps have the same time, the newer step counts.
func (t *track) at(robot int, when time.Duration) (poseWB spatial.Pose, ok bool) {
	for i := t.next - 1; i >= max(0, t.next-len(t.past)); i-- {
		if p := &t.past[i%len(t.past)]; p.at == when && robot < len(p.posesWB) {
			return p.posesWB[robot], true
		}
	}
	return poseWB, false
}
