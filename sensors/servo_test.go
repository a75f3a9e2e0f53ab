package sensors

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The temperature of a motor under a constant effort is an exponential, of which key frames keep the state. The voltage
// falls with the power of all motors. Joints without a motor, or without a largest effort, have neither.
func TestServos(t *testing.T) {
	robots := []physics.Robot{{Joints: []physics.Joint{{Name: "loaded", MaxEffort: 4}, {Name: "idle", MaxEffort: 4},
		{Name: "endless", MaxEffort: math.Inf(1)}, {Name: "passive", MaxEffort: 4, Passive: true}}}}
	for i := range robots[0].Joints {
		robots[0].Joints[i].Wheel, robots[0].Joints[i].Mimics = -1, -1
	}
	cfg := &Config{Name: "joints", Kind: "joints", Rate: 10}
	cfg.Complete()
	must.Do(t, cfg.Validate())
	made := func() Sensor {
		return must.Get(New(cfg, Site{Robot: &robots[0], Model: &physics.Model{Robots: robots}, Seed: 1}))(t)
	}
	now := &Instant{Snapshot: &physics.Snapshot{
		Joints: []physics.JointState{{Effort: -2}, {}, {Effort: 2}, {Effort: 2}}}}
	s, spec := made(), cfg.Joints
	current := spec.Stall / 2
	heat := spec.Supply / spec.Stall * current * current
	for frame := range uint64(10 * 900) {
		got := read[JointsReading](s, abstraction.Truth, frame, now).Joints
		if frame%1000 != 0 {
			continue
		}
		seconds := float64(frame) / cfg.Rate
		want := spec.Air + spec.ThermalOhm*heat*(1-math.Exp(-seconds/spec.ThermalTau))
		must.Near(t, "temperature", got[0].Temperature, want, 1e-6)
		must.Near(t, "temperature of an idle motor", got[1].Temperature, spec.Air, 0)
		for i := range 2 {
			must.Near(t, "voltage", got[i].Voltage, spec.Supply-spec.SupplyOhm*heat/spec.Supply, 1e-9)
		}
		for _, none := range got[2:] {
			must.Equal(t, [2]float64{none.Voltage, none.Temperature}, [2]float64{}, "%s", none.Name)
		}
	}
	late := read[JointsReading](made(), abstraction.Truth, 9000, now).Joints[0].Temperature
	must.Near(t, "temperature at a first reading, however late", late, spec.Air, 0)

	saved, restored := keyframe.Append(nil), made()
	s.Exchange(saved)
	into := keyframe.Restore(saved.Data())
	restored.Exchange(into)
	must.Do(t, into.End())
	raw := read[JointsReading](s, abstraction.Raw, 9000, now).Joints
	must.Equal(t, read[JointsReading](restored, abstraction.Raw, 9000, now).Joints[0], raw[0], "a restored reading")
	must.Near(t, "whole degrees", raw[0].Temperature, math.Round(raw[0].Temperature), 0)

	// A motor that moves what resists needs more power, one that brakes returns none.
	for _, c := range []struct{ speed, power float64 }{{3, heat + 6}, {-0.1, heat - 0.2}, {-100, 0}} {
		now.Snapshot.Joints[0] = physics.JointState{Effort: 2, Velocity: c.speed}
		got := read[JointsReading](s, abstraction.Ideal, 9001, now).Joints[0].Voltage
		must.Near(t, "voltage of a motor that turns", got, spec.Supply-spec.SupplyOhm*c.power/spec.Supply, 1e-9)
	}
}
