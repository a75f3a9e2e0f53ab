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

// feeds keeps the latest observations of the sensors that the window shows: images of cameras, scans of lasers and
// sonars.
type feeds struct {
	cameras []string // ROBOT.SENSOR
	rangers []string
	insets  atomic.Bool // reports whether images are wanted
	rays    atomic.Bool // reports whether scans are wanted

	mu     sync.Mutex
	closed bool
	images map[string]*sensors.Observation
	scans  map[string]scan
}

// scan is a distance measurement with the sensor's pose at that time.
type scan struct {
	*sensors.Observation
	poseWS spatial.Pose
}

// listen adds a listener to every camera, laser and sonar.
func (s *screen) listen() error {
	f := &s.feeds
	f.images, f.scans = map[string]*sensors.Observation{}, map[string]scan{}
	robots := s.sim.World().Robots
	for i := range robots {
		for k := range robots[i].Sensors {
			c := &robots[i].Sensors[k]
			name := robots[i].Name + "." + c.Name
			var l omnipitch.Listener
			if _, ok := s.sim.Sensors().Camera(robots[i].Name, c.Name); ok {
				f.cameras = append(f.cameras, name)
				l = omnipitch.Listener{Wants: func(abstraction.Level) bool { return f.insets.Load() },
					Observe: func(o *sensors.Observation) { f.keepImage(name, o) }}
			} else if c.Laser != nil || c.Sonar != nil {
				poseBS := c.Mount.Pose()
				f.rangers = append(f.rangers, name)
				l = omnipitch.Listener{Wants: func(abstraction.Level) bool { return f.rays.Load() },
					Observe: func(o *sensors.Observation) {
						if poseWB, ok := s.stepping.track.at(i, o.Stamp); ok {
							f.keepScan(name, scan{o, poseWB.Mul(poseBS)})
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
	f.insets.Store(insets)
	f.rays.Store(rays)
}

// keepImage retains a camera's latest image.
func (f *feeds) keepImage(name string, o *sensors.Observation) {
	if o.Color == nil || !f.insets.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	o.Retain()
	if old := f.images[name]; old != nil {
		old.Release()
	}
	f.images[name] = o
}

// keepScan retains a laser's or sonar's latest scan.
func (f *feeds) keepScan(name string, of scan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || !f.rays.Load() {
		return
	}
	of.Retain()
	if old, ok := f.scans[name]; ok {
		old.Release()
	}
	f.scans[name] = of
}

// latestScans appends the latest scan of each laser and sonar to a slice, and returns the extended slice. The caller
// must release the scans.
func (f *feeds) latestScans(into []scan) []scan {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.rangers {
		if of, ok := f.scans[name]; ok {
			of.Retain()
			into = append(into, of)
		}
	}
	return into
}

// latestImages appends the latest image of each camera to a slice, and returns the extended slice. The caller must
// release the images.
func (f *feeds) latestImages(into []*sensors.Observation) []*sensors.Observation {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.cameras {
		if o := f.images[name]; o != nil && f.insets.Load() {
			o.Retain()
			into = append(into, o)
		}
	}
	return into
}

// close releases all observations.
func (f *feeds) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for name, o := range f.images {
		o.Release()
		delete(f.images, name)
	}
	for name, of := range f.scans {
		of.Release()
		delete(f.scans, name)
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
