package omnipitch

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Listener gets a sensor's observations.
type Listener struct {
	// Observe is called by the goroutine that steps, at the time of delivery. What it keeps after it returns, it must
	// Retain and Release.
	Observe func(*sensors.Observation)
	// Wants tells whether somebody would look at the next frame at its level; of a camera that nobody wants nothing is
	// computed. nil is always.
	Wants func(abstraction.Level) bool
}

// instance is one sensor of one robot with its schedule and its listeners.
type instance struct {
	robot     int
	robotName string
	sensor    sensors.Sensor
	camera    *sensors.Camera // nil for a sensor without pictures
	kindTag   uint64
	cfg       *sensors.Config

	setting sync.Mutex // held to change the setup, which is read without
	setup   atomic.Pointer[setup]
	levels  abstraction.Levels                   // that it knows
	own     map[abstraction.Level]sensors.Sensor // levels that were plugged in
	shown   abstraction.Level                    // of the last frame
	surveys bool                                 // it looks at the scene

	next      uint64        // number of the next frame
	due       time.Duration // its time
	delivered uint64
	late      uint64
	scene     abstraction.Environment
	instant   sensors.Instant
	last      time.Duration // delivery of the last frame
	pool      pool[buffers]
	idle      pool[delivery]
	jitter    random.Source
	looks     uint64 // submitted
	looked    atomic.Uint64
	exposures pool[exposure]
	latency   mean           // wall time from capture to delivery
	before    *render.Before // the last frame on the schedule, for the flow of a camera that annotates
}

// setup is what anybody may change about a sensor while it runs. It is replaced and never changed.
type setup struct {
	level     abstraction.Level // that the next frame gets
	listeners []*Listener
}

// change replaces the setup.
func (in *instance) change(f func(*setup)) {
	in.setting.Lock()
	defer in.setting.Unlock()
	next := *in.setup.Load()
	f(&next)
	in.setup.Store(&next)
}

// skip goes on to a frame.
func (in *instance) skip(frame uint64) { in.next, in.due = frame, in.cfg.Due(frame) }

func newInstance(robot int, name string, sensor sensors.Sensor, seed uint64) *instance {
	cfg := sensor.Config()
	in := &instance{
		robot: robot, robotName: name, sensor: sensor, cfg: cfg, kindTag: kindTag(string(cfg.Kind)), levels: cfg.Kind.Levels(),
		surveys: cfg.Kind.NeedsEnvironment(),
		jitter:  random.New(seed, name, cfg.Name+".latency", 0),
	}
	in.camera, _ = sensor.(*sensors.Camera)
	in.setup.Store(&setup{level: cfg.Level})
	in.skip(0)
	return in
}

func (s *Sim) find(robot, sensor string) *instance {
	for _, in := range s.instances {
		if in.robotName == robot && in.cfg.Name == sensor {
			return in
		}
	}
	return nil
}

func (s *Sim) instance(robot, sensor string) (*instance, error) {
	if in := s.find(robot, sensor); in != nil {
		return in, nil
	}
	return nil, fmt.Errorf("sensor = %q: there is no such sensor", robot+"."+sensor)
}

// Listen adds a listener to a sensor and returns how to remove it. Both may be called from any goroutine.
func (s *Sim) Listen(robot, sensor string, l Listener) (remove func(), err error) {
	in := s.find(robot, sensor)
	if in == nil {
		return nil, fmt.Errorf("sensor = %q: there is no such sensor", robot+"."+sensor)
	}
	in.change(func(x *setup) { x.listeners = append(slices.Clone(x.listeners), &l) })
	return func() {
		in.change(func(x *setup) {
			x.listeners = slices.DeleteFunc(slices.Clone(x.listeners), func(other *Listener) bool { return other == &l })
		})
	}, nil
}

// check makes sure that a sensor can deliver at a level, and that there is a renderer if it needs one.
func (s *Sim) check(in *instance, level abstraction.Level) error {
	if s.post.isClosed() {
		return ErrClosed
	}
	name := in.robotName + "." + in.cfg.Name
	if !level.In(in.levels) {
		return fmt.Errorf("%s: level = %q: must be one of %v for kind %s", name, level, in.levels, in.cfg.Kind)
	}
	if in.camera != nil && level.Rendered() {
		if err := s.frames.open(); err != nil {
			return fmt.Errorf("%s: level = %q: %w", name, level, err)
		}
	}
	return nil
}

// Level returns the level of a sensor's next frame. It may be called from any goroutine.
func (s *Sim) Level(robot, sensor string) (abstraction.Level, error) {
	in := s.find(robot, sensor)
	if in == nil {
		return "", fmt.Errorf("sensor = %q: there is no such sensor", robot+"."+sensor)
	}
	return in.setup.Load().level, nil
}

// wanted returns the level of the frame that is due and whether anybody listens.
func (in *instance) wanted() (abstraction.Level, bool) {
	x := in.setup.Load()
	for _, l := range x.listeners {
		if l.Wants == nil || l.Wants(x.level) {
			return x.level, true
		}
	}
	return x.level, false
}

// observe captures a frame of every sensor that is due. Pictures of one instant are drawn together.
func (s *Sim) observe() {
	var job *frameJob
	var now *moment
	s.toSee = s.toSee[:0]
	for _, in := range s.instances {
		if in.due > s.truth.Time {
			continue
		}
		frame := in.next
		in.skip(frame + 1)
		level, wanted := in.wanted()
		if in.camera != nil {
			wanted = in.steers(level) || wanted
		}
		if level != in.shown {
			in.shown = level
			for _, f := range s.onLevel {
				f(LevelChange{in.robotName, in.cfg.Name, level, frame, s.truth.Time})
			}
		}
		if !wanted && !in.cfg.Kind.Integrates() {
			if s.lockstep { // whoever is to answer it is not there
				s.gate.Owe(in.robotName, in.cfg.Name, s.truth.Time)
			}
			continue
		}
		s.did += in.tag(level, false)
		d := in.begin(s, level, frame)
		if d.looks {
			if now == nil {
				now = s.looking.moment(s)
			}
			s.toSee = append(s.toSee, d.lookAt(s, now))
		}
		if d.ready != nil {
			if job == nil {
				job = &frameJob{frame: render.Batch{PosesWB: s.scenery.Poses(&s.truth, nil)}}
			}
			job.add(in, d, s)
		}
		s.enqueue(d)
	}
	if job != nil {
		s.frames.submit(job)
		s.drawing = append(s.drawing, job)
	}
	if len(s.toSee) > 0 {
		s.looking.submit(s.toSee)
	}
}

// steers tells whether the controller of a camera's head needs a frame. At levels with pictures the robot's own steers.
func (in *instance) steers(level abstraction.Level) bool {
	mode := in.camera.Head().Mode()
	if mode != sensors.HeadHold && level.Rendered() {
		in.camera.Head().Command(sensors.HeadCommand{Mode: sensors.HeadHold})
		return false
	}
	return mode.NeedsBall()
}

// lookAt describes a moment to a camera that is to see it.
func (d *delivery) lookAt(s *Sim, now *moment) *look {
	k := &d.look
	k.in, k.obs, k.moment, k.beside = d.in, d.obs, now, d.beside
	k.eye, k.scene = d.in.camera.Viewpoint(s.instant(d.in)), now.around.Of(d.in.robot, &now.truth)
	if d.obs.Level == abstraction.Features {
		k.view = d.in.camera.View(abstraction.Ideal, s.instant(d.in))
		if len(now.posesWB) == 0 {
			now.posesWB = s.scenery.Poses(&now.truth, now.posesWB)
		}
	}
	k.turn, k.err = d.in.looks, nil
	k.seen.Store(false)
	d.in.looks++
	now.looks.Add(1)
	return k
}

// instant describes the present state to a sensor.
func (s *Sim) instant(in *instance) *sensors.Instant {
	in.instant = sensors.Instant{Snapshot: &s.truth, Robot: in.robot, Gravity: s.world.Physics.Gravity, Environment: &in.scene}
	return &in.instant
}
