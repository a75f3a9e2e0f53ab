package pipeline

import (
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
)

// seen is the value of Pipeline.unseen while all observations are delivered.
const seen = -1

// Skip suppresses deliveries up to and including the sim time until, so that the frames need not be computed. It lasts
// until ResumeDelivery.
func (p *Pipeline) Skip(until time.Duration) { p.unseen = until }

// ResumeDelivery ends Skip, and calls the OnLevel callbacks with each sensor's newest frame. dt is the length of a
// step.
func (p *Pipeline) ResumeDelivery(dt time.Duration) {
	p.unseen = seen
	for _, in := range p.instances {
		if in.level == "" {
			continue // no frame yet
		}
		stamp := (in.cfg.Due(in.next-1) + dt - 1) / dt * dt // time of capture, at the end of a step
		for _, f := range p.onLevel {
			f(LevelChange{in.robotName, in.cfg.Name, in.level, in.next - 1, stamp})
		}
	}
}

// skips reports whether a frame that is captured now need not be computed because nobody receives it. Frames on which
// later ones depend are computed: those that vision remembers, and the last one before the flow of an annotating
// camera.
func (p *Pipeline) skips(in *instance, level abstraction.Level, frame uint64) bool {
	if p.unseen == seen || in.camera != nil && in.camera.Remembers(level) {
		return false
	}
	at := p.deliveryTime(in, level, frame)
	if in.camera != nil && in.cfg.Annotate {
		at = max(at, in.cfg.Due(frame+1)+in.delay(level, frame+1))
	}
	return at <= p.unseen
}
