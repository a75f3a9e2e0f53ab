package mujoco

import (
	"math"
	"unsafe"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Exchange implements play.Bodies. MuJoCo computes all else from these numbers: its solver starts at the accelerations
// of the last step.
func (w *world) Exchange(c *keyframe.Codec) error {
	if w.c == nil {
		return errClosed
	}
	for _, list := range [][]float64{w.qpos, w.qvel, w.warmstart, w.push} {
		for i := range list {
			c.FloatIn(&list[i], -math.MaxFloat64, math.MaxFloat64)
		}
	}
	c.FloatIn((*float64)(unsafe.Pointer(w.c.time)), 0, math.MaxFloat64)
	pushed := w.c.pushed != 0
	c.Bool(&pushed)
	if w.c.pushed = 0; pushed {
		w.c.pushed = 1
	}
	for i := range w.absent {
		absent := w.absent[i]
		if c.Bool(&absent); absent != w.absent[i] {
			w.collide(i, !absent)
		}
	}
	return c.Err()
}

// setAbsent notes whether a robot, or an obstacle after all robots, is in the world, from the pose at which it is
// placed.
func (w *world) setAbsent(body int, pose spatial.Pose) {
	gone := spatial.Absent(body)
	w.collide(body, pose.Pos[0] != gone.Pos[0] || pose.Pos[1] != gone.Pos[1])
}

// collide lets a body collide with others, or with nothing.
func (w *world) collide(body int, on bool) {
	if w.absent[body] == !on {
		return
	}
	w.absent[body] = !on
	owner, geoms := unsafe.Slice(w.c.owner, int(w.c.nbody)), unsafe.Slice(w.c.geom_body, int(w.c.ngeom))
	contype, affinity := unsafe.Slice(w.c.contype, int(w.c.ngeom)), unsafe.Slice(w.c.conaffinity, int(w.c.ngeom))
	for g, b := range geoms {
		if physics.BodyID(owner[b]) != physics.BodyID(body) {
			continue
		}
		// masked geoms keep their affinity in the upper bits
		if on {
			contype[g], affinity[g] = contype[g]>>shelf, affinity[g]>>shelf
		} else {
			contype[g], affinity[g] = contype[g]<<shelf, affinity[g]<<shelf
		}
	}
}

// shelf is the number of bits by which the masks of an absent body are shifted: onto bits that nothing present has.
const shelf = 8

// keepAbsent holds absent bodies in their place, with motors that rest.
func (w *world) keepAbsent() {
	for i, absent := range w.absent {
		if !absent {
			continue
		}
		pose := spatial.Absent(i)
		pose.Pos[2] = 0
		if i < len(w.robots) {
			w.PlaceRobot(i, pose, spatial.Twist{})
			for k := range w.robots[i].joints {
				if j := &w.robots[i].joints[k]; j.pos >= 0 {
					w.qvel[j.vel], w.warmstart[j.vel] = 0, 0
				}
				w.setServo(i, k, &play.Servo{})
			}
		} else {
			w.PlaceObstacle(i-len(w.robots), pose, spatial.Twist{})
		}
	}
}
