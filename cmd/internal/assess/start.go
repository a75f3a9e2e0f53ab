package assess

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// limit ends a run.
type limit struct {
	length, within time.Duration
	stop           func()        // nil for a run that its caller ends
	elapsed        time.Duration // sim time, of all episodes
	began          time.Duration // when the judgement began, counted like elapsed; 0: not yet
}

// Limit makes the assessment call stop when the run has lasted long enough: a duration of sim time since the first
// message on each topic, or since the end of within for topics that have no message by then. If no message arrives
// within the duration within, stop is called at its end. A length of 0 has no end.
func (a *Assessment) Limit(length, within time.Duration, stop func()) {
	a.limit = limit{length: length, within: within, stop: stop}
}

// Starting returns how long the start of the vision has taken so far, or did take, in sim time.
func (a *Assessment) Starting() time.Duration {
	if a.limit.began > 0 {
		return a.limit.began
	}
	return a.limit.elapsed
}

// check stops the run if it is time.
func (l *limit) check(topics []*topic) {
	if l.stop == nil {
		return
	}
	begun := 0
	for _, t := range topics {
		if t.begun {
			begun++
		}
	}
	late := l.elapsed >= l.within
	switch {
	case l.began > 0:
		if l.length > 0 && l.elapsed-l.began >= l.length {
			l.stop()
		}
	case begun == len(topics), late && begun > 0:
		l.began = l.elapsed
	case late:
		l.stop()
	}
}

// canJudge reports whether each assessed topic that an expectation names has a message.
func (a *Assessment) canJudge(e *expectation.Expectation) bool {
	names := e.Topics()
	return !slices.ContainsFunc(a.topics, func(t *topic) bool { return !t.begun && slices.Contains(names, t.Name) })
}

// NeverStarted returns a sentence about the topics without any message. If there are none, it returns "".
func (r *Result) NeverStarted() string {
	var names []string
	for i := range r.Topics {
		if r.Topics[i].Messages == 0 {
			names = append(names, r.Config.Topics[i].Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("never started: nothing arrived on %s in %.4g s of sim time: does the vision run, and does it "+
		"publish there?", strings.Join(names, ", "), r.Sim.Seconds())
}

// Verdict summarises the result: never started, stopped, nothing assessed, failed or passed.
func (r *Result) Verdict() string {
	switch {
	case r.NeverStarted() != "":
		return "never started"
	case r.Stopped != "":
		return "stopped"
	case r.Nothing() != "":
		return "nothing assessed"
	case len(r.Failed()) > 0:
		return "failed"
	}
	return "passed"
}
