package bench

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/timesync"
)

// recovery measures how a run recovers after it was stopped: its real-time factor, and a robot's timer.
type recovery struct {
	t       *intervals.Run
	client  *timesync.Client
	ticker  *timesync.Timer
	last    time.Duration // sim time of the timer's last tick
	stopped time.Duration // wall time at which the run continued; 0 before that
	wrong   time.Duration // wall time from stopped until the factor was right
	right   bool
	twice   int
	nominal float64      // wall time that the steps so far should have taken, s
	marks   [][2]float64 // pairs of wall time (s) and nominal in the last 100 ms
}

const recoveryPeriod = 20 * time.Millisecond

func newRecovery(t *intervals.Run) *recovery {
	r := &recovery{t: t, client: timesync.NewClient(t.Wall)}
	r.ticker = r.client.NewTicker(recoveryPeriod)
	return r
}

// stepBegan is called at the start of each step.
func (r *recovery) stepBegan(wall time.Duration) {
	r.client.Tick(r.t.Sim.Truth().Time)
	select {
	case at := <-r.ticker.C:
		if r.last > 0 && at-r.last < recoveryPeriod {
			r.twice++
		}
		r.last = at
	default:
	}
	n := len(r.t.Begins)
	if n > 1 && wall-r.t.Begins[n-2] > timeStopped/2 {
		r.stopped = wall
	}
	r.checkPace(wall)
}

// checkPace measures how long after the stop two values are wrong: the pace of the last 100 ms, and the real-time
// factor that the simulation reports. At speed steady the target changes with every step. Then only the pace counts,
// which is compared with the targets of the steps.
func (r *recovery) checkPace(wall time.Duration) {
	aim := r.t.Target
	if aim == 0 {
		return
	}
	if r.stopped == wall {
		r.marks = r.marks[:0]
	}
	r.nominal += r.t.Step.Seconds() / aim
	r.marks = append(r.marks, [2]float64{wall.Seconds(), r.nominal})
	for len(r.marks) > 2 && wall.Seconds()-r.marks[1][0] >= 0.1 {
		r.marks = r.marks[1:]
	}
	if r.stopped == 0 || r.right {
		return
	}
	r.wrong = wall - r.stopped
	first := r.marks[0]
	whole := wall.Seconds()-first[0] >= 0.095
	r.right = whole && math.Abs((r.nominal-first[1])/(wall.Seconds()-first[0])-1) < 0.01
	if r.t.Speed != timesync.Steady {
		r.right = r.right && math.Abs(r.t.Sim.Clock().Factor().Measured/aim-1) < 0.01
	}
}

func (r *recovery) into(report *Report, prefix string) {
	report.add(prefix+"factor_wrong_for", r.wrong.Seconds()*1e3, "ms", 1)
	report.add(prefix+"timers_twice_or_back", float64(r.twice), "times", 1)
}

func (r *recovery) String() string {
	if r.stopped == 0 {
		return "the run was not stopped"
	}
	return fmt.Sprintf("after the stop the factor was right to 1 %% over 100 ms after %v; %d timers fired twice or "+
		"backwards", r.wrong, r.twice)
}
