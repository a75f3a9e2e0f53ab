package dashboard

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// poses collects the poses of moving bodies for 3D views. All fields but wanted belong to the goroutine that steps.
type poses struct {
	wanted atomic.Int32 // number of viewers

	world  *worlds.World // the world that moving and views describe
	moving []int         // indices of moving bodies of the render scene
	views  []view
	all    []spatial.Pose // reused

	shown   *render.Shading
	changes uint32 // number of changes of light and colours
}

// of prepares the receiver for a world, and returns the receiver.
func (p *poses) of(sim *omnipitch.Sim, w *worlds.World) *poses {
	if p.world == w {
		return p
	}
	p.world, p.moving, p.views = w, nil, viewsOf(sim, w)
	for i := range sim.Sensors().Scenery().Scene.Bodies {
		if !sim.Sensors().Scenery().Scene.Bodies[i].Static {
			p.moving = append(p.moving, i)
		}
	}
	return p
}

// shading returns the scene's light and colours, and how often they have changed.
func (p *poses) shading(sim *omnipitch.Sim) (*render.Shading, uint32) {
	scenery := sim.Sensors().Scenery()
	now := scenery.Shading()
	if now == nil {
		now = &scenery.Scene.Shading
	}
	if now != p.shown {
		p.shown = now
		p.changes++
	}
	return now, p.changes
}

// take appends the poses of moving bodies in the world frame, then those of sensor frames.
func (p *poses) take(sim *omnipitch.Sim, w *worlds.World, now *physics.Snapshot, into []spatial.Pose) []spatial.Pose {
	p.of(sim, w)
	p.all = sim.Sensors().Scenery().Poses(now, p.all)
	for _, i := range p.moving {
		into = append(into, p.all[i])
	}
	for i := range p.views {
		v := &p.views[i]
		into = append(into, now.Robots[v.robot].PoseWB.Mul(v.poseBS(sim)))
	}
	return into
}

// posesHead is the length of a message's header, bytes.
const posesHead = 24

// message encodes poses in little-endian: world, changes of light and colours, number of bodies, number of sensors (32
// bits each), sim time (s, 64-bit float), then for each body and each sensor x, y, z (m) and the quaternion x, y, z, w
// as 32-bit floats.
func (at *instant) message() []byte {
	out := make([]byte, 0, posesHead+28*len(at.poses))
	for _, n := range [...]uint32{uint32(at.worlds), at.look, uint32(at.moving), uint32(len(at.poses) - at.moving)} {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(at.truth.Time.Seconds()))
	for i := range at.poses {
		p := &at.poses[i]
		for _, x := range [...]float64{p.Pos[0], p.Pos[1], p.Pos[2], p.Rot.V[0], p.Rot.V[1], p.Rot.V[2], p.Rot.W} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		}
	}
	return out
}
