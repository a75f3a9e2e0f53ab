package robotio

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/sensors"
)

// Limits of images that wait for the results of a robot's vision. The values are guesses: a vision that is slower
// cannot be used in a game, and no camera takes more than 60 images in a second.
const (
	visionDelay = 500 * time.Millisecond // sim time after which an image is published without results
	keptResults = 32                     // number of images that wait, and of messages of a topic that are kept
)

// keepRecent decodes the newest message, which is about an image, and keeps its content. The caller holds mu.
func (t *beliefTopic) keepRecent() {
	t.fresh = false
	if t.decode(); !t.ok {
		return
	}
	if len(t.recent) == keptResults {
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, t.said)
}

// about returns what the topic says about the image of a stamp, or else about the newest image before it. settled
// reports whether no better result can come: the topic has no current message, or has a message about this image or a
// newer one.
func (t *beliefTopic) about(stamp, now time.Duration) (found belief.Things, settled bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.current(now) || len(t.recent) == 0 {
		return found, true
	}
	for i := range t.recent {
		said := &t.recent[i]
		settled = settled || said.Stamp >= stamp
		if said.Stamp <= stamp && stamp-said.Stamp <= visionDelay {
			var r belief.Robot
			addSaid(&r, said)
			found = r.Things
		}
	}
	return found, settled
}

// inImage returns what a robot's programs have found in the image that its camera took at a stamp, in pixels. settled
// reports whether no better result can come; see beliefTopic.about.
func (l *Beliefs) inImage(robot, sensor string, stamp time.Duration) (r belief.Robot, settled bool) {
	l.keepSubscribed()
	now := l.sim.Clock().Time()
	r.Name, settled = robot, now-stamp > visionDelay
	waits := false
	for _, t := range l.topics {
		if s := t.Context.Sensor; s == nil || s.Name != sensor || t.Context.Robot.Name != robot {
			continue
		}
		found, topicSettled := t.about(stamp, now)
		waits = waits || !topicSettled
		r.Things.Fill(&found)
	}
	return r, settled || !waits
}

// observeSettled publishes an observation together with what the robot's programs have found in it. It keeps the
// observation until they have answered, and first publishes earlier observations that it has kept.
func (p *topicPublisher) observeSettled(o *sensors.Observation, l *Beliefs) {
	o.Retain()
	p.waiting = append(p.waiting, o)
	now := p.bridge.sim.Clock().Time()
	for len(p.waiting) > 0 {
		first := p.waiting[0]
		// An image is out of date if nobody subscribed for a while, or if the simulation has restarted.
		outdated := now-first.Stamp > 2*visionDelay || first.Stamp > now
		if !outdated {
			var settled bool
			p.Context.Believed, settled = l.inImage(o.Robot, o.Sensor, first.Stamp)
			if !settled && len(p.waiting) < keptResults {
				return
			}
			p.observe(first)
		}
		first.Release()
		p.waiting = slices.Delete(p.waiting, 0, 1)
	}
}

// dropWaiting forgets the observations that wait for the robot's programs.
func (p *topicPublisher) dropWaiting() {
	for _, o := range p.waiting {
		o.Release()
	}
	p.waiting = nil
}
