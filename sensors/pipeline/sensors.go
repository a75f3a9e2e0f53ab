package pipeline

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Sensors is the part of a Pipeline that users of a simulation may call. It adds listeners, captures single frames,
// plugs in sensors and levels, and renders images for another process.
//
// Any goroutine may call Listen and the function that it returns, Level, Model, Measure, Open and DrawHere. OnLevel,
// OnFault, Plug and PlugLevel must be called before the first step. All other methods belong to the goroutine that
// steps.
type Sensors struct{ p *Pipeline }

// Sensors returns the Pipeline's interface for users of the simulation.
func (p *Pipeline) Sensors() Sensors { return Sensors{p} }

// Listen adds a listener to a sensor and returns a function that removes the listener.
func (s Sensors) Listen(robot, sensor string, l Listener) (remove func(), err error) {
	in, err := s.p.instance(robot, sensor)
	if err != nil {
		return nil, err
	}
	in.change(func(x *setup) { x.listeners = append(slices.Clone(x.listeners), &l) })
	return func() {
		in.change(func(x *setup) {
			x.listeners = slices.DeleteFunc(slices.Clone(x.listeners),
				func(other *Listener) bool { return other == &l })
		})
	}, nil
}

// Level returns the level of a sensor's next frame.
func (s Sensors) Level(robot, sensor string) (abstraction.Level, error) {
	in, err := s.p.instance(robot, sensor)
	if err != nil {
		return "", err
	}
	return in.setup.Load().level, nil
}

// Model returns the model of a robot's camera, with which users can project points into images. It returns false if
// there is no such camera. A restart does not change the model.
func (s Sensors) Model(robot, sensor string) (optics.Model, bool) {
	in := s.p.find(robot, sensor)
	if in == nil || in.model == nil {
		return nil, false
	}
	return in.model, true
}

// Camera returns a camera of a robot, which a restart replaces. It returns false if there is no such camera.
func (s Sensors) Camera(robot, sensor string) (*sensors.Camera, bool) {
	in := s.p.find(robot, sensor)
	if in == nil || in.camera == nil {
		return nil, false
	}
	return in.camera, true
}

// OnLevel adds a callback that is called for the first frame of every sensor. It is also called for the first frame at
// the new level after each switch of a sensor's level. It does not matter whether a listener wants the frame.
func (s Sensors) OnLevel(f func(LevelChange)) { s.p.onLevel = append(s.p.onLevel, f) }

// OnFault adds a callback that is called when a sensor gets a fault or is healed, before the first frame with the
// change is captured. When the sensor is healed, the argument fault is empty. A restart heals all sensors without
// calling the callback.
func (s Sensors) OnFault(f func(robot, sensor string, fault sensors.Fault)) {
	s.p.onFault = append(s.p.onFault, f)
}

// Reports returns what each sensor has delivered since Run was called, in the order of the sensors.
func (s Sensors) Reports() []Report { return s.p.Reports(s.p.cfg.State.Time) }

// Measure starts or stops measuring the cost of frames, see Report.Cost.
func (s Sensors) Measure(on bool) { s.p.measured.Store(on) }

// Plug adds a user-defined sensor to a robot. It uses only the name, rate, phase, latency and jitter of cfg. The
// sensor's level is raw. Listeners, level switches and reports work as for built-in sensors. The other sensors are not
// affected.
func (s Sensors) Plug(robot string, cfg sensors.Config, own sensors.Own) error {
	number := slices.Index(s.p.cfg.Robots, robot)
	name := robot + "." + cfg.Name
	switch {
	case number < 0:
		return fmt.Errorf("robot = %q: there is no such robot", robot)
	case cfg.Name == "" || s.p.find(robot, cfg.Name) != nil:
		return fmt.Errorf("sensor = %q: must be a name that the robot's other sensors do not have", name)
	case !(cfg.Rate > 0 && cfg.Rate <= 1000):
		return fmt.Errorf("%s: rate = %v: must lie in (0, 1000]", name, cfg.Rate)
	case min(cfg.Phase, cfg.Latency, cfg.Jitter) < 0:
		return fmt.Errorf("%s: phase, latency and jitter must not be negative", name)
	}
	cfg.Kind, cfg.Level = sensors.OwnKind, abstraction.Raw
	in := newInstance(number, robot, sensors.NewOwn(&cfg, own, s.p.cfg.Seed, robot), s.p.cfg.Seed)
	in.levels = []abstraction.Level{cfg.Level}
	in.whole = own
	in.catchUp(s.p)
	s.p.add(in)
	return nil
}

// PlugLevel adds a user-defined level to a sensor. SetLevel can switch the sensor to this level as to any other. The
// Reading of an observation at this level is the value that own.Sense returns.
func (s Sensors) PlugLevel(robot, sensor string, level abstraction.Level, own sensors.Own) error {
	in, err := s.p.instance(robot, sensor)
	if err != nil {
		return err
	}
	if level == "" || level.In(in.levels) {
		return fmt.Errorf("%s.%s: level = %q: must be one that it does not have: it has %v", robot, sensor, level,
			in.levels)
	}
	if in.own == nil {
		in.own, in.plugged = map[abstraction.Level]sensors.Sensor{}, map[abstraction.Level]sensors.Own{}
	}
	in.own[level], in.plugged[level] = sensors.NewOwn(in.cfg, own, s.p.cfg.Seed, robot), own
	in.levels = append(in.levels, level)
	return nil
}

// catchUp skips the frames whose capture time has passed, if a step has already been made.
func (in *instance) catchUp(p *Pipeline) {
	if p.stepped {
		for in.due <= p.cfg.State.Time {
			in.skip(in.next + 1)
		}
	}
}

// Capture returns the observation of the present state that a camera would deliver at a level. It waits for the result
// and does not change the camera's schedule. The faults frozen and off are ignored. The caller must Release the
// observation. Capture returns ErrClosed after Close.
func (s Sensors) Capture(robot, sensor string, level abstraction.Level) (*sensors.Observation, error) {
	return s.CaptureOverlaid(robot, sensor, level, 0)
}

// CaptureOverlaid does the same as Capture, and also computes the given parts of the observation's Overlay.
func (s Sensors) CaptureOverlaid(robot, sensor string, level abstraction.Level,
	parts sensors.OverlayParts) (*sensors.Observation, error) {
	if s.p.closed.Load() {
		return nil, ErrClosed
	}
	return s.p.captureNow(robot, sensor, level, parts)
}

// Open creates the renderers now. Otherwise the first image creates them, which can take a second. It returns
// render.ErrNoContext if the machine lacks the driver, and ErrClosed after Close.
func (s Sensors) Open() error { return s.p.drawers.open() }

// DrawOrder starts rendering the images of an order. Order.Append has encoded the order in another process of the same
// world. The simulation of this process need not run, because the order contains all necessary state. DrawOrder returns
// an error if the order is damaged or comes from another world. After Close it returns ErrClosed.
func (s Sensors) DrawOrder(order []byte) (*Drawn, error) {
	if s.p.closed.Load() {
		return nil, ErrClosed
	}
	return s.p.drawOrder(order)
}

// DrawHere starts rendering the given frames in this process. All frames must belong to the same Order.
func (s Sensors) DrawHere(frames []Frame) { s.p.drawHere(frames) }
