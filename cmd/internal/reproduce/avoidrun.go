package reproduce

import (
	"context"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	belief "github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// avoided is the result of runs in which a robot drives to a goal among obstacles.
type avoided struct {
	good, plans int                // runs that arrive and touch nothing; plans of all runs
	times       []float64          // of each run until it arrives, s; avoidAfter if it does not
	jerks       []float64          // of each run, root mean square, m/s³
	nearests    []float64          // least distance of the robot's centre from another body's centre in each run, m
	fastests    []float64          // highest speed in each run, m/s
	path, speed experiment.Curve   // of the first run
	others      []experiment.Curve // paths of the other robots, and outlines of the obstacles, in the first run
}

// avoid drives the world's first robot to the centre of the area "goal" once, and adds the result to all.
func (t *Trial) avoid(ctx context.Context, all *avoided, draw int, drive func(mgl64.Vec2, float64) avoider) error {
	w, err := t.Load(draw)
	if err != nil {
		return err
	}
	goal, err := t.areaMiddle(w, "goal")
	if err != nil {
		return err
	}
	if len(w.Robots) == 0 {
		return t.unfit("needs a robot")
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: &t.cache})
	if err != nil {
		return err
	}
	defer sim.Close()
	r := avoidRun{avoided: all, first: draw == 0, nearest: math.Inf(1), commanded: -pathPeriod,
		knows: belief.World{Known: true, Pitch: pitch.Pitch{Length: w.Field.Length, Width: w.Field.Width}}}
	if r.first {
		r.others = outlines(w)
	}
	robot := &w.Robots[0]
	if pitch.Distance(sim.Truth().Robots[0].PoseWB.Pos.Vec2(), goal) < 1 {
		return t.unfit("needs an area \"goal\" farther than 1 m from robot %s", robot.Name)
	}
	next, arrived := drive(goal, robot.Drive.MaxAccel), false
	for !arrived && sim.Truth().Time < avoidAfter {
		err := steps(ctx, sim, sim.Truth().Time+w.Time.Step, func() error {
			s := sim.Truth()
			if s.Time-r.commanded < pathPeriod {
				return nil
			}
			r.observe(s)
			velocity, omega := next(&r.knows, &s.Robots[0], &all.plans)
			inB := s.Robots[0].PoseWB.Unrotate(velocity.Vec3(0))
			return sim.Do(&action.Drive{Robot: robot.Name, VX: inB[0], VY: inB[1], Omega: omega})
		}, func() { arrived = r.judge(sim.Truth(), goal) })
		if err != nil {
			return err
		}
	}
	r.end(sim.Truth().Time, arrived)
	return nil
}

// avoidRun is a run in progress.
type avoidRun struct {
	*avoided
	first            bool
	knows            belief.World
	commanded        time.Duration // sim time of the last command
	velocities       []mgl64.Vec2  // of the robot at each command, m/s
	nearest, fastest float64
	touched          bool
}

// observe tells the robot the truth about itself and the others.
func (r *avoidRun) observe(s *physics.Snapshot) {
	known := func(p *spatial.Pose, v *spatial.Twist) belief.Robot {
		return belief.Robot{Pos: p.Pos.Vec2(), Vel: v.Lin.Vec2(), Heading: p.Heading(), Omega: v.Ang[2]}
	}
	r.commanded, r.knows.Now, r.knows.Others = s.Time, s.Time, r.knows.Others[:0]
	for i := range s.Robots {
		r.knows.Others = append(r.knows.Others, known(&s.Robots[i].PoseWB, &s.Robots[i].TwistWBInW))
	}
	for i := range s.Obstacles {
		r.knows.Others = append(r.knows.Others, known(&s.Obstacles[i].PoseWO, &s.Obstacles[i].TwistWOInW))
	}
	r.knows.Me, r.knows.Others = r.knows.Others[0], r.knows.Others[1:]
	r.knows.Me.Number = 2 // a field robot
	r.velocities = append(r.velocities, r.knows.Me.Vel)
}

// judge evaluates a step, and reports whether the robot has arrived.
func (r *avoidRun) judge(s *physics.Snapshot, goal mgl64.Vec2) bool {
	at, speed := s.Robots[0].PoseWB.Pos.Vec2(), s.Robots[0].TwistWBInW.Lin.Vec2().Len()
	r.fastest = max(r.fastest, speed)
	for i := range s.Robots[1:] {
		other := s.Robots[i+1].PoseWB.Pos.Vec2()
		r.nearest = min(r.nearest, pitch.Distance(at, other))
		if r.first {
			r.others[i].Add(other[0], other[1])
		}
	}
	for i := range s.Obstacles {
		r.nearest = min(r.nearest, pitch.Distance(at, s.Obstacles[i].PoseWO.Pos.Vec2()))
	}
	for i := range s.Touches {
		r.touched = r.touched || s.Touches[i].A == 0 || s.Touches[i].B == 0
	}
	if r.first {
		r.path.Add(at[0], at[1])
		r.speed.Add(s.Time.Seconds(), speed)
	}
	return pitch.Distance(at, goal) < 0.05 && speed < 0.1
}

// end adds the run to the result.
func (r *avoidRun) end(now time.Duration, arrived bool) {
	if !arrived {
		now = avoidAfter
	}
	if arrived && !r.touched {
		r.good++
	}
	sum := 0.0
	for i := 2; i < len(r.velocities); i++ {
		v := r.velocities[i-2 : i+1]
		change := v[2].Sub(v[1].Mul(2)).Add(v[0]).Len()
		sum += change * change
	}
	period := pathPeriod.Seconds()
	r.times = append(r.times, now.Seconds())
	r.jerks = append(r.jerks, math.Sqrt(sum/float64(len(r.velocities)-2))/(period*period))
	r.nearests = append(r.nearests, r.nearest)
	r.fastests = append(r.fastests, r.fastest)
}

// outlines returns empty curves for the paths of the other robots, and the outlines of the obstacles.
func outlines(w *worlds.World) []experiment.Curve {
	var all []experiment.Curve
	for i := range w.Robots[1:] {
		all = append(all, experiment.Curve{Name: w.Robots[i+1].Name})
	}
	boxes := experiment.Curve{Name: "obstacles"}
	for i := range w.Obstacles {
		o := &w.Obstacles[i]
		for _, corner := range [][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}} {
			pose := o.Pose.Spatial()
			at := pose.Apply(mgl64.Vec3{corner[0] * o.Hull.SizeX / 2, corner[1] * o.Hull.SizeY / 2, 0})
			boxes.Add(at[0], at[1])
		}
		boxes.Add(math.NaN(), math.NaN()) // a gap between outlines
	}
	return append(all, boxes)
}
