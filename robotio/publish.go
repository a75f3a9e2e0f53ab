package robotio

import (
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// visionQueue is the depth of queues of pictures and of what vision finds in them: the message on its way, and the next.
const visionQueue = 2

// publications sets up what a profile publishes for a robot, and for the world.
func (b *Bridge) publications(l *link, d *dialect, s scene) error {
	for _, e := range d.publications(s) {
		if !l.taken.claim(e) {
			continue
		}
		publish := b.publishEvery
		if e.of.cfg != nil {
			publish = b.publishSensor
		}
		if err := publish(l, d.publish[e.i], &d.Publish[e.i], e.name, e.of); err != nil {
			return err
		}
	}
	return nil
}

// publishEvery sets up a topic that goes by time alone.
func (b *Bridge) publishEvery(l *link, tpl *mapping.Template[*scene], e *mapping.Publish, name string, s scene) error {
	o, err := b.outlet(l, tpl, e, name, s)
	if err != nil {
		return err
	}
	o.every(e.Rate)
	return nil
}

// publishSensor sets up a topic that a sensor's observations go to.
func (b *Bridge) publishSensor(l *link, tpl *mapping.Template[*scene], e *mapping.Publish, name string, s scene) error {
	if camera, ok := b.sim.Camera(s.robot.Name, s.cfg.Name); ok {
		s.about = lensOf(camera.Model())
	}
	o, err := b.outlet(l, tpl, e, name, s)
	if err != nil {
		return err
	}
	return b.listen(s.robot.Name, s.cfg.Name, o.listener(e.Beside))
}

// outlet makes an outlet with a publisher, which it shares with others of the same topic, as transforms do.
func (b *Bridge) outlet(l *link, tpl *mapping.Template[*scene], e *mapping.Publish, name string, s scene) (*outlet, error) {
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
	}
	o := &outlet{pub: pub, tpl: tpl, scene: s, robot: s.robot, cfg: s.cfg, levels: e.Levels, content: holds}
	o.fill = func(into []byte) []byte { return tpl.Append(into, &o.scene) }
	b.mu.Lock()
	b.outlets = append(b.outlets, o)
	b.mu.Unlock()
	return o, nil
}
