package reproduce

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Parameters of tracking.
const (
	pathSpeed = 3.25 // m/s, from the paper
	// fraction of the robot's acceleration that the course uses; the rest is left for control. 0.8 is a guess
	pathShare  = 0.8
	pathPeriod = 30 * time.Millisecond // time between two commands: NuBot sends them at 33 Hz
	// gain of the position control, 1/s. 4 is a guess: slower than the drive, which takes 0.1 s to reach a velocity
	pathGain = 4.0
	// how far commands look ahead: half of a command's period plus the delay of motors, for which 20 ms is a guess
	pathAhead   = pathPeriod/2 + 20*time.Millisecond
	pathAtEnd   = time.Second // time for which the robot is observed after the end
	pathNear    = 0.1         // m: the paper says "low tracking errors", without a number
	pathReached = 0.98        // fraction of pathSpeed that counts as reached
)

func runPath(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	var points [4]mgl64.Vec2
	for i := range points {
		if points[i], err = t.areaMiddle(w, fmt.Sprintf("p%d", i)); err != nil {
			return err
		}
	}
	plots := []experiment.Plot{
		{Name: "path", Title: "Path", XLabel: "x, m", YLabel: "y, m", Square: true},
		{Name: "speed", Title: "Speed while tracking", XLabel: "time, s", YLabel: "speed, m/s"},
		{Name: "error", Title: "Distance from where the robot should be", XLabel: "time, s", YLabel: "distance, cm"},
	}
	for i := range w.Robots {
		c := newCourse(bezier(points), 4000, 0, 0, pathSpeed, pathShare*w.Robots[i].Drive.MaxAccel)
		if i == 0 {
			curve := experiment.Curve{Name: "reference"}
			for _, at := range c.points {
				curve.Add(at.pos[0], at.pos[1])
			}
			plots[0].Curves = append(plots[0].Curves, curve)
		}
		for _, f := range pathFollowers {
			track, err := t.track(ctx, i, c, f.new(c))
			if err != nil {
				return err
			}
			name := w.Robots[i].Name + ", " + f.name
			t.addTrack(name, &track)
			for k, curve := range []experiment.Curve{track.path, track.speed, track.error} {
				curve.Name = name
				plots[k].Curves = append(plots[k].Curves, curve)
			}
		}
		t.Progress(float64(i+1) / float64(len(w.Robots)))
	}
	for _, p := range plots {
		t.Plot(p)
	}
	return nil
}

// addTrack adds the findings of one robot and controller.
func (t *Trial) addTrack(name string, track *track) {
	t.Add(Trend(name+": highest speed", track.fastest, "m/s", "bounded at 3.25 m/s",
		fmt.Sprintf("at least %.0f %% of it", 100*pathReached), track.fastest >= pathReached*pathSpeed))
	t.Add(Trend(name+": greatest tracking error", 100*track.most, "cm", "low tracking errors",
		fmt.Sprintf("up to %.0f cm", 100*pathNear), track.most <= pathNear))
	t.Add(Aside(name+": mean tracking error", 100*track.mean, "cm"))
	t.Add(Aside(name+": mean error of the heading", track.heading/spatial.Degree, "°"))
	t.Add(Trend(name+": from p3 at the end", 100*track.end, "cm", "stops at p3", "up to 5 cm", track.end <= 0.05))
}

// follower returns the velocity that is commanded to a robot, in m/s in the map, and the rate of turn, rad/s, for the
// period after the sim time now.
type follower func(now time.Duration, state *physics.RobotState) (velocityW mgl64.Vec2, omega float64)

// pathFollowers are the compared ways to follow a course. The first is that of refbot.
var pathFollowers = []struct {
	name string
	new  func(*course) follower
}{{"feed-forward", feedForward}, {"predictive", predictive}}

// feedForward commands the velocity of the course a little ahead, plus a share of the position error.
func feedForward(c *course) follower {
	return func(now time.Duration, state *physics.RobotState) (mgl64.Vec2, float64) {
		want, ahead := c.at(now.Seconds()), c.at((now + pathAhead).Seconds())
		sin, cos := math.Sincos(ahead.direction)
		off := want.pos.Sub(state.PoseWB.Pos.Vec2())
		return mgl64.Vec2{cos, sin}.Mul(ahead.speed).Add(off.Mul(pathGain)),
			ahead.turning + pathGain*spatial.WrapAngle(want.heading-state.PoseWB.Heading())
	}
}

// predictive is model predictive control of each coordinate.
func predictive(c *course) follower {
	x, y, heading := newAxisControl(), newAxisControl(), newAxisControl()
	return func(now time.Duration, state *physics.RobotState) (mgl64.Vec2, float64) {
		var wantX, wantY, wantHeading [mpcSteps]float64
		for k := range wantX {
			want := c.at((now + time.Duration(k+1)*pathPeriod).Seconds())
			wantX[k], wantY[k], wantHeading[k] = want.pos[0], want.pos[1], want.heading
		}
		pos, twist := state.PoseWB.Pos, state.TwistWBInW
		is := c.at(now.Seconds()).heading
		is += spatial.WrapAngle(state.PoseWB.Heading() - is) // continuous, like the course's
		return mgl64.Vec2{x.next(pos[0], twist.Lin[0], &wantX), y.next(pos[1], twist.Lin[1], &wantY)},
			heading.next(is, twist.Ang[2], &wantHeading)
	}
}

// areaMiddle returns the centre of a circular area of the world.
func (t *Trial) areaMiddle(w *worlds.World, name string) (mgl64.Vec2, error) {
	for i := range w.Areas {
		if c := w.Areas[i].Circle; w.Areas[i].Name == name && c != nil {
			return mgl64.Vec2{c.X, c.Y}, nil
		}
	}
	return mgl64.Vec2{}, t.unfit("has no area %q that is a circle", name)
}

// track is the result of tracking a course.
type track struct {
	path, speed, error experiment.Curve
	fastest            float64 // greatest speed, m/s
	mean, most         float64 // mean and greatest position error, m
	heading            float64 // mean heading error, rad
	end                float64 // position error at the end, m
}

// track lets one robot of the world follow a course from the start of the course.
func (t *Trial) track(ctx context.Context, robot int, c *course, f follower) (r track, err error) {
	sim, err := t.start()
	if err != nil {
		return r, err
	}
	defer sim.Close()
	name := sim.World().Robots[robot].Name
	begin := c.points[0]
	if err := sim.Do(&action.Place{Name: name, X: begin.pos[0], Y: begin.pos[1], Heading: begin.heading}); err != nil {
		return r, err
	}
	commanded, samples := -pathPeriod, 0.0
	err = steps(ctx, sim, time.Duration(c.end()*float64(time.Second))+pathAtEnd, func() error {
		if sim.Truth().Time-commanded < pathPeriod {
			return nil
		}
		commanded = sim.Truth().Time
		state := &sim.Truth().Robots[robot]
		velocity, omega := f(sim.Truth().Time, state)
		inB := state.PoseWB.Unrotate(velocity.Vec3(0))
		return sim.Do(&action.Drive{Robot: name, VX: inB[0], VY: inB[1], Omega: omega})
	}, func() {
		now, state := sim.Truth().Time.Seconds(), &sim.Truth().Robots[robot]
		want := c.at(now)
		off := state.PoseWB.Pos.Vec2().Sub(want.pos).Len()
		speed := state.TwistWBInW.Lin.Vec2().Len()
		r.fastest, r.end = math.Max(r.fastest, speed), state.PoseWB.Pos.Vec2().Sub(c.points[len(c.points)-1].pos).Len()
		r.mean, r.most = (r.mean*samples+off)/(samples+1), math.Max(r.most, off)
		r.heading = (r.heading*samples + math.Abs(spatial.WrapAngle(state.PoseWB.Heading()-want.heading))) / (samples +
			1)
		samples++
		r.path.Add(state.PoseWB.Pos[0], state.PoseWB.Pos[1])
		r.speed.Add(now, speed)
		r.error.Add(now, 100*off)
	})
	return r, err
}
