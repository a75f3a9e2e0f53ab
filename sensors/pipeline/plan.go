package pipeline

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
)

// tag returns a hash of a task: the capture of a frame of the sensor at a level or, if delivers is true, the delivery
// of such a frame. If the hashes of two steps have the same sum, the steps do the same work. So their wall times are
// comparable.
func (in *instance) tag(level abstraction.Level, delivers bool) uint64 {
	x := hashText(in.kindTag, string(level)) << 1
	if delivers {
		x++
	}
	// SplitMix64
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// repeatTag returns the hash of the capture of a frame that repeats an earlier frame. It takes the place of the hash
// that tag returns.
func (in *instance) repeatTag(level abstraction.Level) uint64 { return ^in.tag(level, false) }

// kindTag returns a hash of a kind of sensor.
func kindTag(kind string) uint64 { return hashText(14695981039346656037, kind) }

// hashText continues an FNV-1a hash with a text and a terminator.
func hashText(h uint64, text string) uint64 {
	const prime = 1099511628211
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return (h ^ 0xff) * prime // 0xff never occurs in UTF-8
}

// plan holds the drawing jobs in flight, and memory that the method Pipeline.Plan reuses.
type plan struct {
	drawing []*drawJob // jobs in the order in which they were submitted
	waiting []span
	numbers []int
}

// Plan predicts the work of the next n steps. Each step has the length dt, and the first step begins at the sim time
// start. Plan assumes that levels and listeners do not change. It appends the predicted steps to the slice ahead and
// the drawing jobs in flight to the slice jobs, and returns both slices.
func (p *Pipeline) Plan(dt time.Duration, start time.Duration, n int, ahead []timesync.PlannedStep,
	jobs []timesync.Job) ([]timesync.PlannedStep, []timesync.Job) {
	for _, job := range p.plan.drawing {
		jobs = append(jobs, job.timing())
	}
	first := len(ahead)
	for range n {
		ahead = append(ahead, timesync.PlannedStep{})
	}
	steps := ahead[first:]
	h := horizon{from: start, step: dt, ahead: steps}
	for _, d := range p.inFlight {
		if i, ok := h.at(d.at); ok {
			steps[i].Kind += d.in.tag(d.obs.Level, true)
			if k := slices.Index(p.plan.drawing, d.job); k >= 0 && d.job != nil {
				steps[i].Need = max(steps[i].Need, k+1)
			}
		}
	}
	p.plan.waiting = p.plan.waiting[:0]
	for _, in := range p.instances {
		p.planFrames(in, &h)
	}
	// Each step submits at most one job, so jobs are numbered in the order of the steps.
	number := len(p.plan.drawing)
	for i := range steps {
		if steps[i].Job != 0 {
			number++
		}
		p.plan.numbers = append(p.plan.numbers[:i], number)
	}
	for _, w := range p.plan.waiting {
		steps[w.delivered].Need = max(steps[w.delivered].Need, p.plan.numbers[w.captured])
	}
	return ahead, jobs
}

// horizon is the range of steps that Plan predicts: the sim time at which they start, the length of a step, and the
// steps themselves.
type horizon struct {
	from, step time.Duration
	ahead      []timesync.PlannedStep
}

// span holds the indices of the step in which an image is captured and of the step in which it is delivered.
type span struct{ captured, delivered int }

// at returns the index of the step that handles work that is due at the given sim time, and whether that step is in the
// horizon. A step that begins at the time t handles all work that is due up to t + h.step.
func (h *horizon) at(due time.Duration) (step int, ok bool) {
	i := max(int((due-h.from+h.step-1)/h.step)-1, 0)
	return i, i < len(h.ahead)
}

// planFrames adds the captures and deliveries of one sensor to the steps of a horizon.
func (p *Pipeline) planFrames(in *instance, h *horizon) {
	level, off := in.taken.level, !p.delivers(in)
	needed := in.setup.Load().wanted(level) || in.camera != nil && in.camera.Head().Mode().NeedsObservations()
	if (!needed || off) && !in.cfg.Kind.Integrates() {
		return
	}
	captures, delivers := in.tag(level, false), in.tag(level, true)
	drawn := in.camera != nil && level.Rendered()
	for frame := in.next; ; frame++ {
		i, ok := h.at(in.cfg.Due(frame))
		if !ok {
			return
		}
		if in.taken.fault == sensors.Frozen && (frame > in.next || in.repeated() != nil) {
			if captures, drawn = in.repeatTag(level), false; in.cfg.Kind.Integrates() {
				captures += in.tag(level, false)
			}
		}
		h.ahead[i].Kind += captures
		if drawn {
			h.ahead[i].Job += captures
		}
		if off || !needed {
			continue
		}
		seen := h.from + time.Duration(i+1)*h.step // a frame is captured at the end of its step
		if j, ok := h.at(seen + in.delay(level, frame)); ok {
			h.ahead[j].Kind += delivers
			if drawn {
				p.plan.waiting = append(p.plan.waiting, span{i, j})
			}
		}
	}
}

// forgetDrawn removes complete jobs from the start of the list drawing, up to the first incomplete job. It calls the
// function done, which may be nil, with the timing of each removed job.
func (p *plan) forgetDrawn(done func(timesync.Job)) {
	for len(p.drawing) > 0 {
		timing := p.drawing[0].timing()
		if timing.Done == 0 {
			return
		}
		if done != nil {
			done(timing)
		}
		p.drawing = slices.Delete(p.drawing, 0, 1)
	}
}

// timing returns the job's kind and the wall times of its start and completion.
func (j *drawJob) timing() timesync.Job {
	return timesync.Job{Kind: j.kind, Begun: time.Duration(j.begun.Load()), Done: time.Duration(j.done.Load())}
}
