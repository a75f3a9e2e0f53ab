package player

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Keeper is the behaviour of a robot that stays between the ball and its own goal, on an arc from post to post or on a
// line in front of the goal. When the ball comes towards the goal, the robot goes to the point where the ball will
// cross this path. If it is too late for that, the robot extends itself. The robot faces the ball, and never leaves its
// goal to fetch the ball.
type Keeper struct {
	Limits
	Path string  `toml:"path" oneof:"arc|line" doc:"shape of the path: half an ellipse around the middle of the goal, or a line parallel to the goal line"`
	Out  float64 `toml:"out_m" range:"[0.1, 5]" doc:"distance of the path from the goal line, in the middle of the goal"`
}

// SetDefaults sets a path that keeps the robot in front of the posts and within a goal area.
func (k *Keeper) SetDefaults() {
	k.Limits.SetDefaults()
	k.Speed, k.Path, k.Out = 3, "arc", 0.5
}

func (*Keeper) Validate(string, World) error { return nil }

func (k *Keeper) Start(m *physics.Model, robot int) Player {
	r := &m.Robots[robot]
	p := &keeper{driver: newDriver(m, robot, k.Limits), Keeper: k, goal: ownGoal(m, robot)}
	p.side = math.Copysign(1, p.goal[0])
	p.width = m.Field.GoalWidth / 2
	p.half = max(0.05, p.width-r.Body.Radius-postGap)
	p.least = min(k.Out, r.Body.Radius)
	if r.Extension != nil {
		p.reach = r.Extension.Reach
	}
	return p
}

// keeper computes in a frame at its goal. The x axis points from the centre of the goal line into the field, and the y
// axis points to the left of the x axis.
type keeper struct {
	driver
	*Keeper
	goal  mgl64.Vec2 // centre of the goal line, in W, m
	side  float64    // +1 if the goal is at +x, else −1
	width float64    // half the width of the goal, m
	half  float64    // half the width of the path along which the robot moves, m
	least float64    // smallest distance of the robot from the goal line, m
	reach float64    // how far the robot's extension reaches, m; 0 for a robot without an extension

	extended physics.ExtensionState
	until    time.Duration // sim time at which the present extension ends
}

func (p *keeper) Exchange(c *keyframe.Codec) {
	p.driver.Exchange(c)
	c.Value(&p.extended)
	c.Check(p.extended <= physics.ExtendUp, "its extension is %d, which must be at most %d", p.extended,
		physics.ExtendUp)
	c.Duration(&p.until)
}

// Parameters of goalkeeping, all of them guesses. A robot at the distance postGap from a post leaves no gap for a ball.
// A ball is not a shot if it is slower than shotSpeed, or needs longer than shotTime to arrive. A ball that misses the
// goal by less than shotMargin may still touch a post. A shot that arrives within extendTime is too fast for the robot
// to drive to. The rules allow the extension for one second.
const (
	postGap    = 0.08 // m
	shotSpeed  = 0.5  // m/s towards the goal
	shotTime   = 3.0  // s
	shotMargin = 0.3  // m
	extendTime = 0.35 // s
	extendFor  = time.Second
)

func (p *keeper) Command(now *physics.Snapshot, c *physics.Command) bool {
	ball := flat(now.Ball.PosW).Sub(p.goal).Mul(-p.side)
	vel := flat(now.Ball.TwistInW.Lin).Mul(-p.side)
	place, in, shot := p.crossing(ball, vel)
	if p.reach > 0 {
		c.Extend = p.extension(now, place[1], in, shot)
	}
	if !shot {
		place = p.between(ball)
	}
	place = mgl64.Vec2{max(p.least, place[0]), mgl64.Clamp(place[1], -p.half, p.half)}
	p.drive(now, c, goal{place: p.goal.Sub(place.Mul(p.side)), heading: p.facing(now, flat(now.Ball.PosW))})
	return true
}

// between returns the point where the path crosses the line from the centre of the goal to the ball. On an arc, it
// returns the midpoint of that line instead if the midpoint is closer to the goal than the arc.
func (p *keeper) between(ball mgl64.Vec2) mgl64.Vec2 {
	switch {
	case p.Path == "line":
		return mgl64.Vec2{p.Out, ball[1] * p.Out / max(p.Out, ball[0])}
	case ball[0] <= 0:
		return mgl64.Vec2{p.least, math.Copysign(p.half, ball[1])}
	}
	return ball.Mul(min(0.5, 1/math.Hypot(ball[0]/p.Out, ball[1]/p.half)))
}

// crossing returns the point where a shot crosses the path, and the time in s until then. If the shot misses the path,
// it returns the point and the time at which the shot crosses the goal line. The result shot is false if the ball is
// not a shot.
func (p *keeper) crossing(ball, vel mgl64.Vec2) (place mgl64.Vec2, in float64, shot bool) {
	if vel[0] > -shotSpeed || ball[0] < 0 {
		return mgl64.Vec2{}, 0, false
	}
	in = ball[0] / -vel[0]
	place = ball.Add(vel.Mul(in))
	if in > shotTime || math.Abs(place[1]) > p.width+shotMargin {
		return mgl64.Vec2{}, 0, false
	}
	if t := p.pathTime(ball, vel); t >= 0 && t < in {
		in, place = t, ball.Add(vel.Mul(t))
	}
	return place, in, true
}

// pathTime returns the time in s until a ball first crosses the path. It returns NaN if the ball does not cross the
// path, and a negative number if the ball is already behind the path.
func (p *keeper) pathTime(ball, vel mgl64.Vec2) float64 {
	if p.Path == "line" {
		return (p.Out - ball[0]) / vel[0]
	}
	b, v := mgl64.Vec2{ball[0] / p.Out, ball[1] / p.half}, mgl64.Vec2{vel[0] / p.Out, vel[1] / p.half}
	vv, bv := v.Dot(v), b.Dot(v)
	return (-bv - math.Sqrt(bv*bv-vv*(b.Dot(b)-1))) / vv
}

// extension returns the state to which the robot extends itself: to the side where a shot will pass it, or upwards.
// While this extension lasts, extension returns the same state.
func (p *keeper) extension(now *physics.Snapshot, y, in float64, shot bool) physics.ExtensionState {
	if now.Time < p.until {
		return p.extended
	}
	p.extended = physics.NotExtended
	if !shot || in > extendTime {
		return p.extended
	}
	body := &p.model.Robots[p.robot].Body
	at := p.pos(now).Sub(p.goal).Mul(-p.side)
	fall := now.Ball.TwistInW.Lin[2] - p.model.Config.Gravity*in/2
	switch z := now.Ball.PosW[2] + fall*in; {
	case z > body.Height:
		p.extended = physics.ExtendUp
	case y-at[1] > body.Radius:
		p.extended = physics.ExtendLeft
	case at[1]-y > body.Radius:
		p.extended = physics.ExtendRight
	default:
		return p.extended
	}
	p.until = now.Time + extendFor
	return p.extended
}
