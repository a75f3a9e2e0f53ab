package pipeline

import (
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
)

// seen is the value of Pipeline.unseen while listeners get everything.
const seen = -1

// Skip has listeners get nothing that is delivered up to and at a sim time, so that it need not be computed, until
// ResumeDelivery.
func (p *Pipeline) Skip(until time.Duration) { p.unseen = until }

// ResumeDelivery has listeners get what is delivered from now on, after Skip, and tells who follows levels of each
// sensor's newest frame. dt is the length of a step.
func (p *Pipeline) ResumeDelivery(dt time.Duration) {
	p.unseen = seen
	for _, in := range p.instances {
		if in.level == "" {
			continue // it has had no frame
		}
		stamp := (in.cfg.Due(in.next-1) + dt - 1) / dt * dt // when it was captured
		for _, f := range p.onLevel {
			f(LevelChange{in.robotName, in.cfg.Name, in.level, in.next - 1, stamp})
		}
	}
}

// skips tells whether a frame that is captured now need not be computed, as nobody gets it. Frames that later ones
// depend on are: all that vision remembers, and of a camera that annotates the last one, from which the flow of the
// next is.
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
