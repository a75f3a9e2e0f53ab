package timesync

import "time"

// WaitFor is a robot whose answers each step waits for at speed lockstep.
type WaitFor struct {
	Robot   string        `toml:"robot" required:"true" doc:"name of the robot"`
	After   string        `toml:"after" doc:"one of its sensors: the robot answers each of its observations; without this key it answers the clock"`
	Rate    float64       `toml:"rate_hz" range:"[0, 1000]" doc:"answers to the clock per second of sim time; 0 is one for each step"`
	Answer  string        `toml:"answer" oneof:"command|ack" doc:"what counts as an answer: any command, or only an acknowledgement of the time up to which the robot has received everything"`
	Order   Order         `toml:"order" oneof:"answers|all" doc:"all: the robot receives its messages one at a time and acknowledges each, and after, rate_hz and answer do not apply; see docs/time.md"`
	Timeout time.Duration `toml:"timeout_ms" range:"[1, 3600000]" doc:"longest wait in wall time; the wait for a robot's first answer to the clock is not limited"`
	Then    OnTimeout     `toml:"on_timeout" oneof:"continue|pause|fail" doc:"on a timeout: continue without the robot until it answers again, pause, or end the run"`
}

// SetDefaults sets answer = "command", order = "answers", a timeout of 1 s, and on_timeout = "fail".
func (w *WaitFor) SetDefaults() {
	w.Answer, w.Order, w.Timeout, w.Then = "command", OrderAnswers, time.Second, Fail
}

// Order selects which of a robot's messages arrive in an order that does not depend on wall time.
type Order string

const (
	OrderAnswers Order = "answers" // the steps, and the answers to steps
	OrderAll     Order = "all"     // the steps, the answers, and every message that the robot receives
)

// OnTimeout is the reaction to a robot that does not answer in time.
type OnTimeout string

const (
	Continue OnTimeout = "continue"
	Pause    OnTimeout = "pause"
	Fail     OnTimeout = "fail"
)
