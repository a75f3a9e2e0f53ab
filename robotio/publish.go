package robotio

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/profile"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/template"
	"github.com/omnipitch/omnipitch/sensors"
)

// visionQueue is the depth of queues of pictures and of what vision finds in them: the message on its way, and the next.
const visionQueue = 2

// publications sets up what a profile publishes for a robot, and for the world.
func (b *Bridge) publications(l *link, d *dialect, s scene) error {
	for i, tpl := range d.publish {
		e := &d.Publish[i]
		switch e.From {
		case fromWorld, fromRobot:
			if e.From == fromWorld {
				s.robot = nil
			}
			if err := b.publishEvery(l, tpl, e, s); err != nil {
				return err
			}
			s.robot = &b.sim.World().Robots[s.index]
			continue
		}
		cfgs, names := sensorsOf(s.robot, sensors.Kind(e.From), e.Topic, e.More)
		for k, cfg := range cfgs {
			of := s
			of.cfg = cfg
			if err := b.publishSensor(l, tpl, e, names[k], of); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishEvery sets up a topic that goes by time alone.
func (b *Bridge) publishEvery(l *link, tpl *template.Template[*scene], e *profile.Publish, s scene) error {
	name := topic(e.Topic, &s)
	if !l.claim(e.Stands, name, &s) {
		return nil
	}
	o, err := b.outlet(l, tpl, e, name, s)
	if err != nil {
		return err
	}
	o.every(e.Rate)
	return nil
}

// publishSensor sets up a topic that a sensor's observations go to.
func (b *Bridge) publishSensor(l *link, tpl *template.Template[*scene], e *profile.Publish, pattern string, s scene) error {
	if eyes, ok := b.sim.Eyes(s.robot.Name, s.cfg.Name); ok {
		s.about = lensOf(eyes.Model())
	}
	name := topic(pattern, &s)
	if !l.claim(e.Stands, name, &s) {
		return nil
	}
	o, err := b.outlet(l, tpl, e, name, s)
	if err != nil {
		return err
	}
	return b.listen(s.robot.Name, s.cfg.Name, o.listener(e.Beside))
}

// outlet makes an outlet with a publisher, which it shares with others of the same topic, as transforms do.
func (b *Bridge) outlet(l *link, tpl *template.Template[*scene], e *profile.Publish, name string, s scene) (*outlet, error) {
	pub, holds := l.pubs[name], contentOf(e.From, e.Levels)
	if pub == nil {
		opts := ros1.PubOptions{Queue: e.Queue, Latch: e.Rate == 0 && (e.From == fromWorld || e.From == fromRobot)}
		if opts.Queue == 0 && holds != mixed {
			opts.Queue = visionQueue
		}
		var err error
		pub, err = ros1.AdvertiseRaw(l.Node, name, tpl.Def(), opts)
		if err := b.keep(pub, err); err != nil {
			return nil, err
		}
		l.pubs[name] = pub
	} else if have := pub.Def(); have.MD5 != tpl.Def().MD5 || have.Name != tpl.Def().Name {
		return nil, fmt.Errorf("topic %s: type %s: is %s in another profile", name, tpl.Def().Name, have.Name)
	}
	o := &outlet{pub: pub, tpl: tpl, scene: s, robot: s.robot, cfg: s.cfg, levels: e.Levels, content: holds}
	o.fill = func(into []byte) []byte { return tpl.Append(into, &o.scene) }
	b.mu.Lock()
	b.outlets = append(b.outlets, o)
	b.mu.Unlock()
	return o, nil
}
