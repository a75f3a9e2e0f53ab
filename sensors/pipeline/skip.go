package pipeline

import (
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
)

// seen is the value of Pipeline.unseen while all observations are delivered.
const seen = -1

// Skip suppresses all deliveries up to and including the given sim time, so that most of these frames need not be
// computed. ResumeDelivery ends the suppression.
func (p *Pipeline) Skip(until time.Duration) { p.unseen = until }

// ResumeDelivery ends the suppression of deliveries by Skip. It calls the OnLevel callbacks with each sensor's newest
// frame. The argument dt is the length of a step.
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

// skips reports whether a frame that is captured now need not be computed, because Skip suppresses its delivery. It
// returns false for a frame on which later frames depend. Frames depend on earlier ones if the camera's vision
// remembers them. The first frame that is delivered also depends on its predecessor if the camera records ground truth,
// because its optical flow needs the earlier poses.
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
