package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// save returns the state of a rig's engine.
func save(t *testing.T, r *enginetest.Rig) []byte {
	t.Helper()
	c := keyframe.Append(nil)
	must.Do(t, r.Engine.(physics.Keeper).Exchange(c))
	return c.Data()
}

// restore gives a rig's engine a state.
func restore(r *enginetest.Rig, data []byte) error {
	c := keyframe.Restore(data)
	if err := r.Engine.(physics.Keeper).Exchange(c); err != nil {
		return err
	}
	return c.End()
}

// play drives all robots around and into each other and the ball, kicks, and pushes bodies. It returns the hashes of
// the states.
func play(r *enginetest.Rig, from, steps int) (hashes []uint64) {
	for step := from; step < from+steps; step++ {
		for i := range r.Commands {
			phase := float64(step)/60 + float64(i)
			r.Commands[i] = physics.Command{Dribble: i%3 != 0, TwistB: physics.PlanarTwist{VX: 2.5 * math.Cos(phase/3),
				VY: math.Sin(phase), Omega: 2 * math.Sin(phase/2)}}
			if (step+17*i)%90 == 0 {
				r.Commands[i].Kick = physics.Kick{Mode: physics.FlatKick, Speed: 6}
			}
		}
		r.Step()
		if step%40 == 0 {
			r.Push(physics.BodyID(step/40%len(r.Commands)), mgl64.Vec3{20, -10, 0}, mgl64.Vec3{0, 0, 3})
		}
		hashes = append(hashes, r.S.Hash())
	}
	return hashes
}

// A restored state continues with the same bits, in the same engine and in another one of the same model.
func TestRestoredStatesContinue(t *testing.T) {
	for name, k := range map[string]kit{"kinematic": {levels: []physics.DriveLevel{physics.KinematicDrive}},
		"wheels and chassis": {levels: []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive}},
		"mujoco":             onMuJoCo} {
		t.Run(name, func(t *testing.T) {
			model := enginetest.Match(8, func(i int) physics.DriveLevel { return k.levels[i%len(k.levels)] })
			if k.engine != "" {
				model.Robots[2], model.Robots[5] = enginetest.Humanoid(2, 1, 0), enginetest.Humanoid(-2, 1, 2)
				walk := &physics.Walk{}
				walk.SetDefaults()
				model.Robots[5].Drive.Walk = walk
			}
			r := k.start(t, model)
			play(r, 0, 400)
			state := save(t, r)
			want := play(r, 400, 400)
			other := k.start(t, model)
			play(other, 1000, 50)
			for i, to := range []*enginetest.Rig{r, other} {
				must.Do(t, restore(to, state))
				must.Equal(t, string(save(t, to)), string(state), "state after restoring it, rig %d", i)
				got := play(to, 400, 400)
				for k := range want {
					if got[k] != want[k] {
						t.Fatalf("rig %d: another state %d steps after restoring", i, k+1)
					}
				}
			}
		})
	}
}

func TestStatesThatCannotBeRestored(t *testing.T) {
	for _, k := range jointEngines {
		level := k.levels[0]
		r := k.start(t, enginetest.Match(2, func(int) physics.DriveLevel { return level }))
		play(r, 0, 10)
		state := save(t, r)
		for n := 0; n < len(state); n += 97 { // damaged states give errors, not crashes
			other := k.start(t, enginetest.Match(2, func(int) physics.DriveLevel { return level }))
			if restore(other, state[:n]) == nil {
				t.Errorf("%s: no error for the first %d bytes of %d", level, n, len(state))
			}
			other.Close()
		}
	}
	r := enginetest.Start(t, engine.New, enginetest.Alone(physics.RollersDrive, 0, 0, 0))
	err := r.Engine.(physics.Keeper).Exchange(keyframe.Append(nil))
	must.Fail(t, err, "rollers", "state with rollers")
	r.Step() // the engine still works
}
