package omnipitch

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Plug puts a sensor of your own on a robot. It is listened to, switched and reported like all others, and changes none of them. It
// must be called before other goroutines use the Sim.
func (s *Sim) Plug(robot string, cfg sensors.OwnConfig, own sensors.Own) error {
	r := slices.IndexFunc(s.world.Robots, func(r worlds.Robot) bool { return r.Name == robot })
	name := robot + "." + cfg.Name
	switch {
	case r < 0:
		return fmt.Errorf("robot = %q: there is no such robot", robot)
	case cfg.Name == "" || s.find(robot, cfg.Name) != nil:
		return fmt.Errorf("sensor = %q: must be a name that the robot's other sensors do not have", name)
	case !(cfg.Rate > 0 && cfg.Rate <= 1000):
		return fmt.Errorf("%s: rate = %v: must lie in (0, 1000]", name, cfg.Rate)
	case min(cfg.Phase, cfg.Latency, cfg.Jitter) < 0:
		return fmt.Errorf("%s: phase, latency and jitter must not be negative", name)
	}
	c := cfg.Config()
	in := newInstance(r, robot, sensors.NewOwn(c, own, s.world.Seed, robot), s.world.Seed)
	in.levels = slices.Clone(cfg.Levels)
	if len(in.levels) == 0 {
		in.levels = []abstraction.Level{c.Level}
	}
	in.catchUp(s)
	s.instances = append(s.instances, in)
	return nil
}

// PlugLevel teaches a sensor a level of your own, to be switched to like its others. What own returns is the observation's Reading. It
// must be called before other goroutines use the Sim.
func (s *Sim) PlugLevel(robot, sensor string, level abstraction.Level, own sensors.Own) error {
	in := s.find(robot, sensor)
	if in == nil {
		return fmt.Errorf("sensor = %q: there is no such sensor", robot+"."+sensor)
	}
	if level == "" || level.In(in.levels) {
		return fmt.Errorf("%s.%s: level = %q: must be one that it does not know: it knows %v", robot, sensor, level, in.levels)
	}
	if in.own == nil {
		in.own = map[abstraction.Level]sensors.Sensor{}
	}
	in.own[level] = sensors.NewOwn(in.cfg, own, s.world.Seed, robot)
	in.levels = append(in.levels, level)
	return nil
}

// catchUp skips the frames that were due before now.
func (in *instance) catchUp(s *Sim) {
	if s.started {
		for in.due <= s.truth.Time {
			in.skip(in.next + 1)
		}
	}
}

// LevelChange is a sensor's first frame at a level.
type LevelChange struct {
	Robot, Sensor string
	Level         abstraction.Level
	Frame         uint64
	Stamp         time.Duration // of its capture
}

// OnLevel calls f for every sensor's first frame, and for the first one at another level after each switch: who was at which level
// when. Frames that nobody wanted count too.
func (s *Sim) OnLevel(f func(LevelChange)) { s.onLevel = append(s.onLevel, f) }
