package timesync

import "time"

// WaitFor is a robot that steps wait for at speed lockstep.
type WaitFor struct {
	Robot   string        `toml:"robot" required:"true" doc:"the robot that is waited for"`
	After   string        `toml:"after" doc:"one of its sensors: each observation that is delivered is to be answered; without it the clock is"`
	Rate    float64       `toml:"rate_hz" range:"[0, 1000]" doc:"answers a second of sim time that the clock is to have; 0 is one a step"`
	Answer  string        `toml:"answer" oneof:"command|ack" doc:"what counts: any command, or only an acknowledgement of the time up to which it has seen everything"`
	Order   Order         `toml:"order" oneof:"answers|all" doc:"all: it gets its messages one at a time and acknowledges each, instead of after, rate_hz and answer; see docs/time.md"`
	Timeout time.Duration `toml:"timeout_ms" range:"[1, 3600000]" doc:"of wall time; for its first answer to the clock a robot has any time"`
	Then    OnTimeout     `toml:"on_timeout" oneof:"continue|pause|fail" doc:"what happens then: go on without it until it answers again, pause, or end the run"`
}

// SetDefaults waits a second for a command each step, and fails.
func (w *WaitFor) SetDefaults() {
	w.Answer, w.Order, w.Timeout, w.Then = "command", OrderAnswers, time.Second, Fail
}

// Order is what of a robot's traffic comes in an order that does not depend on wall time.
type Order string

const (
	OrderAnswers Order = "answers" // steps, and what answers them
	OrderAll     Order = "all"     // every message that the robot takes, too
)

// OnTimeout is what happens when a robot does not answer in time.
type OnTimeout string

const (
	Continue OnTimeout = "continue"
	Pause    OnTimeout = "pause"
	Fail     OnTimeout = "fail"
)
