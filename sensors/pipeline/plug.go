package pipeline

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Plug puts a sensor of your own on a robot, given by its number and name. Only the name, rate, phase, latency and
// jitter of cfg are used; its level is raw. It is listened to, switched and reported like all others, and changes none
// of them. It must be called before other goroutines use the Pipeline.
func (p *Pipeline) Plug(number int, robot string, cfg sensors.Config, own sensors.Own) error {
	name := robot + "." + cfg.Name
	switch {
	case cfg.Name == "" || p.find(robot, cfg.Name) != nil:
		return fmt.Errorf("sensor = %q: must be a name that the robot's other sensors do not have", name)
	case !(cfg.Rate > 0 && cfg.Rate <= 1000):
		return fmt.Errorf("%s: rate = %v: must lie in (0, 1000]", name, cfg.Rate)
	case min(cfg.Phase, cfg.Latency, cfg.Jitter) < 0:
		return fmt.Errorf("%s: phase, latency and jitter must not be negative", name)
	}
	cfg.Kind, cfg.Level = sensors.OwnKind, abstraction.Raw
	in := newInstance(number, robot, sensors.NewOwn(&cfg, own, p.cfg.Seed, robot), p.cfg.Seed)
	in.levels = []abstraction.Level{cfg.Level}
	in.whole = own
	in.catchUp(p)
	p.add(in)
	return nil
}

// PlugLevel adds a level of your own to a sensor, to be switched to like its others. What own returns is the
// observation's Reading. It must be called before other goroutines use the Pipeline.
func (p *Pipeline) PlugLevel(robot, sensor string, level abstraction.Level, own sensors.Own) error {
	in, err := p.instance(robot, sensor)
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
	in.own[level], in.plugged[level] = sensors.NewOwn(in.cfg, own, p.cfg.Seed, robot), own
	in.levels = append(in.levels, level)
	return nil
}

// catchUp skips the frames that were due before now.
func (in *instance) catchUp(p *Pipeline) {
	if p.stepped {
		for in.due <= p.cfg.State.Time {
			in.skip(in.next + 1)
		}
	}
}
