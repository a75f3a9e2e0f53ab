package timesync

import (
	"testing"
	"time"
)

// The parts of a step's cost add up to the whole step, and only steps with a receiver are measured.
func TestCostMeterDividesAStep(t *testing.T) {
	wall := &fakeWall{}
	var m CostMeter
	m.Init(wall)
	var got []StepCost
	step := func(paused bool) {
		if paused {
			m.Paused()
		}
		m.Begin(7*time.Second, wall.Now())
		begun := m.Now()
		wall.now += 3 * time.Millisecond
		m.AddPhysics(begun)
		wall.now += time.Millisecond
		begun = m.Now()
		wall.now += 5 * time.Millisecond
		m.AddSensors(begun)
		m.End(2 * time.Millisecond)
	}
	wall.now = time.Second
	step(false)
	stop := m.OnCost(func(c *StepCost) { got = append(got, *c) })
	step(true)
	step(false)
	stop()
	step(false)
	ms := time.Millisecond
	want := StepCost{7 * time.Second, time.Second + 9*ms, true, 9 * ms, 3 * ms, 3 * ms, 2 * ms}
	if len(got) != 2 || got[0] != want || got[0].Rest() != ms || got[1].Anew {
		t.Errorf("%+v, want %+v and a second step without a pause", got, want)
	}
}
