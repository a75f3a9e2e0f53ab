package sensors

import (
	"math"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Encoders count whole ticks with the noise, the error of the zero and the resolution of their configuration. The
// velocity is the difference of two frames, also across changes of the level and after a key frame.
func TestJointEncoders(t *testing.T) {
	const joints, frames, speed = 60, 200, 1.3
	robots := []physics.Robot{{Joints: make([]physics.Joint, 2)}, {Name: "r"}}
	for i := range joints {
		robots[1].Joints = append(robots[1].Joints, physics.Joint{Name: string(rune('A' + i)), Slides: i%2 == 1})
	}
	model := &physics.Model{Robots: robots}
	cfg := &Config{Name: "joints", Kind: "joints"}
	cfg.Complete()
	must.Do(t, cfg.Validate())
	made := func() Sensor { return must.Get(New(cfg, Site{Robot: &robots[1], Model: model, Seed: 1}))(t) }
	now := &Instant{Robot: 1, Snapshot: &physics.Snapshot{Joints: make([]physics.JointState, 2+joints)}}
	move := func(frame int) {
		for i := range joints {
			now.Snapshot.Joints[2+i] = physics.JointState{Position: speed * float64(frame) / cfg.Rate, Velocity: speed,
				Effort: 0.123}
		}
	}
	s, restored := made(), made()
	var offsets, noise, differences []float64
	for frame := range frames {
		move(frame)
		now.Unread = frame%7 == 3 // nobody listens
		if now.Unread {
			s.Observe(now, &Observation{Level: abstraction.Truth, Frame: uint64(frame), Stamp: cfg.Due(uint64(frame))})
			continue
		}
		for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Truth} {
			for i, got := range read[JointsReading](made(), level, uint64(frame), now).Joints {
				is := now.Snapshot.Joints[2+i]
				want := JointReading{Name: robots[1].Joints[i].Name, Position: is.Position, Velocity: is.Velocity,
					Effort: is.Effort}
				must.Equal(t, got, want, "%s", level)
			}
		}
		saved := keyframe.Append(nil)
		s.Exchange(saved)
		into := keyframe.Restore(saved.Data())
		restored.Exchange(into)
		must.Do(t, into.End())
		raw := read[JointsReading](s, abstraction.Raw, uint64(frame), now).Joints
		again := read[JointsReading](restored, abstraction.Raw, uint64(frame), now).Joints
		if !slices.Equal(raw, again) {
			t.Fatalf("frame %d: a restored sensor reads %v, want %v", frame, again, raw)
		}
		for i, got := range raw {
			perUnit := cfg.Joints.Ticks / (2 * math.Pi)
			if robots[1].Joints[i].Slides {
				perUnit = cfg.Joints.LinearTick
			}
			ticks := got.Position * perUnit
			must.Near(t, "whole ticks", ticks, math.Round(ticks), 1e-6)
			must.Near(t, "effort", got.Effort, 0.123, cfg.Joints.EffortStep/2)
			off := ticks - now.Snapshot.Joints[2+i].Position*perUnit
			if frame == 0 {
				must.Equal(t, got.Velocity, 0, "velocity before the second frame")
				offsets = append(offsets, off)
				continue
			}
			noise = append(noise, off-s.(*jointEncoders).zero[i])
			differences = append(differences, (got.Velocity-speed)/cfg.Rate*perUnit)
		}
	}
	spread := cfg.Joints.Noise*cfg.Joints.Noise + 1./12 // of rounding
	checkErrors(t, "zero", offsets, cfg.Joints.ZeroError*cfg.Joints.ZeroError+spread)
	checkErrors(t, "position", noise, spread)
	checkErrors(t, "velocity", differences, 2*spread)
}
