package mujoco

// #include "world.h"
import "C"

import (
	"errors"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// foot is a foot of a robot. Its index in the world's feet is that in omni_mj.feet.
type foot struct {
	physics.Foot
	robot, at int // at is the index in Snapshot.Feet
}

// feetOf returns the feet of robots that move by their joints.
func feetOf(model *physics.Model) (all []foot) {
	at := 0
	for i := range model.Robots {
		feet, ok := model.Robots[i].Feet()
		if !ok {
			continue
		}
		if model.Robots[i].Drive.Level == physics.JointsDrive {
			all = append(all, foot{feet[0], i, at}, foot{feet[1], i, at + 1})
		}
		at += 2
	}
	return all
}

// findFeet lets MuJoCo's contacts load the feet.
func (w *world) findFeet() error {
	if C.omni_mj_feet(w.c, C.int(len(w.feet))) != 0 {
		return errors.New("mujoco: out of memory")
	}
	of := unsafe.Slice(w.c.foot, int(w.c.nbody))
	for i, f := range w.feet {
		of[w.robots[f.robot].joints[f.Joint].body] = C.int(i)
	}
	return nil
}

// readFeet sets the loads of the feet.
func (w *world) readFeet(now *physics.Snapshot) {
	loads := unsafe.Slice(w.c.feet, len(w.feet))
	for i := range w.feet {
		f, from := &w.feet[i], &loads[i]
		to := &now.Feet[f.at]
		if *to = (physics.FootLoad{}); !(from.normal > 0) {
			continue
		}
		r := &w.robots[f.robot]
		moved := w.model.Robots[f.robot].Moved(f.Joint, now.Joints[r.first:])
		pose := now.Robots[f.robot].PoseWB.Mul(moved)
		force, centre := mgl64.Vec3{}, mgl64.Vec3{}
		for k := range 3 {
			force[k], centre[k] = float64(from.force[k])/float64(w.parts), float64(from.moment[k]/from.normal)
		}
		if to.Force = pose.Unrotate(force)[2]; !(to.Force > 0) { // the sole does not carry the instep or a side
			to.Force = 0
			continue
		}
		inverse := pose.Inverse()
		at := inverse.Apply(centre).Sub(f.SoleB)
		for k := range to.Pressure {
			to.Pressure[k] = mgl64.Clamp(at[k], -f.Half[k], f.Half[k])
		}
	}
}
