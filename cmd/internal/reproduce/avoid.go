package reproduce

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	belief "github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

const (
	avoidAfter = 15 * time.Second // time for the way to the goal
	avoidRoom  = 0.05             // planned distance from obstacles beyond refbot's discs, m: that of its corners
	avoidSlack = 0.1              // depth in a disc from which a course is planned anew, m: a guess
	avoidOff   = 0.2              // distance from the course from which it is planned anew, m: a guess
)

// avoider returns the velocity that is commanded to a robot, in m/s in the map, and the rate of turn, rad/s, for the
// period after a sim time. It counts the plans.
type avoider func(w *belief.World, state *physics.RobotState, plans *int) (velocityW mgl64.Vec2, omega float64)

// avoidWays are the compared ways to drive to a goal. The first is that of refbot. The last leaves no acceleration for
// control.
var avoidWays = []struct {
	name  string
	paper bool // the paper's way, which is judged
	new   func(goal mgl64.Vec2, maxAccel float64) avoider
}{
	{"corners", false, func(goal mgl64.Vec2, _ float64) avoider {
		return func(w *belief.World, _ *physics.RobotState, plans *int) (mgl64.Vec2, float64) {
			*plans++
			c := soccer.GoTo(w, soccer.DriveGoal{Pos: goal})
			return c.Vel, c.Omega
		}
	}},
	{"B-spline, feed-forward", true, func(goal mgl64.Vec2, maxAccel float64) avoider {
		return smoothly(goal, pathShare*maxAccel, feedForward)
	}},
	{"B-spline, predictive", true, func(goal mgl64.Vec2, maxAccel float64) avoider {
		return smoothly(goal, pathShare*maxAccel, predictive)
	}},
	{"B-spline, feed-forward, full acceleration", false, func(goal mgl64.Vec2, maxAccel float64) avoider {
		return smoothly(goal, maxAccel, feedForward)
	}},
}

// smoothly follows a smooth course with heading 0. It plans another one when the course is blocked, or when the robot
// is off the course.
func smoothly(goal mgl64.Vec2, maxAccel float64, follow func(*course) follower) avoider {
	c := &course{}
	f := follow(c)
	return func(w *belief.World, state *physics.RobotState, plans *int) (mgl64.Vec2, float64) {
		now, discs := w.Now.Seconds(), movers(w)
		replan := len(c.points) == 0
		if !replan && pitch.Distance(w.Me.Pos, goal) > avoidSlack {
			_, _, depth := c.deepest(discs, w.Me.Pos, now, splineAhead)
			replan = depth > avoidSlack || pitch.Distance(c.at(now).pos, w.Me.Pos) > avoidOff
		}
		if replan {
			*plans++
			*c = *planSmooth(w.Me.Pos, w.Me.Vel, goal, discs, now, maxAccel)
			for i := range c.points {
				c.points[i].heading, c.points[i].turning = 0, 0
			}
		}
		return f(w.Now, state)
	}
}

// movers returns the discs of the other robots and obstacles, and then those of the goals' posts.
func movers(w *belief.World) []mover {
	discs := soccer.Obstacles(w, soccer.DriveGoal{Room: avoidRoom})
	all := make([]mover, len(discs))
	for i, d := range discs {
		all[i].Disc = d
		if i < len(w.Others) {
			all[i].Centre, all[i].vel = w.Others[i].Pos, w.Others[i].Vel
		}
	}
	return all
}

func runAvoid(ctx context.Context, t *Trial) error {
	draws := 60
	switch {
	case t.brief:
		draws = 2
	case t.Quick:
		draws = 10
	}
	paths := experiment.Plot{Name: "path", Title: "Path among obstacles", XLabel: "x, m", YLabel: "y, m", Square: true}
	speeds := experiment.Plot{Name: "speed", Title: "Speed among obstacles", XLabel: "time, s", YLabel: "speed, m/s"}
	var first *avoided
	for i, way := range avoidWays {
		var all avoided
		for draw := range draws {
			if err := t.avoid(ctx, &all, draw, way.new); err != nil {
				return err
			}
			t.Progress((float64(i) + float64(draw+1)/float64(draws)) / float64(len(avoidWays)))
		}
		if first == nil {
			paths.Curves = append(paths.Curves, all.others...)
		}
		all.path.Name, all.speed.Name = way.name, way.name
		paths.Curves, speeds.Curves = append(paths.Curves, all.path), append(speeds.Curves, all.speed)
		t.addAvoided(way.name, way.paper, &all, first)
		if first == nil {
			first = &all
		}
	}
	t.Plot(paths)
	t.Plot(speeds)
	return nil
}

// addAvoided adds the findings of one way to drive, which can be the paper's. The argument first is the result of
// refbot's way, or nil for this way itself.
func (t *Trial) addAvoided(name string, paper bool, all, first *avoided) {
	runs := float64(len(all.times))
	good := Aside(name+": runs that arrive and touch nothing", 100*float64(all.good)/runs, "%")
	jerk := Aside(name+": jerk, root mean square", mean(all.jerks), "m/s³")
	if fast := slices.Max(all.fastests); paper {
		good = Trend(good.Name, good.Value, good.Unit, "real-time obstacle avoidance", "all", good.Value == 100)
		jerk = Trend(jerk.Name, jerk.Value, jerk.Unit, "a smooth path", "less than with corners",
			jerk.Value < mean(first.jerks))
		t.Add(Trend(name+": highest speed", fast, "m/s", "a relative high speed",
			fmt.Sprintf("at least %.0f %% of 3.25 m/s", 100*pathReached), fast >= pathReached*pathSpeed))
	}
	t.Add(good)
	t.Add(jerk)
	value, low, high := interval(all.times)
	t.Add(Aside(name+": mean time to the goal", value, "s").within(low, high))
	if first != nil {
		value, low, high = interval(minus(all.times, first.times))
		t.Add(Aside(name+": time beyond that by corners", value, "s").within(low, high))
	}
	t.Add(Aside(name+": mean distance at which it passes the nearest body", 100*mean(all.nearests), "cm"))
	t.Add(Aside(name+": plans in a run", float64(all.plans)/runs, ""))
}
