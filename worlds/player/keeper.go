package player

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Keeper stays between the ball and its own goal, on an arc from post to post or on a line in front of the goal. When
// the ball comes towards the goal the robot goes to where the ball will pass. If it is too late for that, it extends
// itself. It faces the ball, and never leaves its goal for the ball.
type Keeper struct {
	Limits
	Path string  `toml:"path" oneof:"arc|line" doc:"shape of the path: half an ellipse around the middle of the goal, or a line parallel to the goal line"`
	Out  float64 `toml:"out_m" range:"[0.1, 5]" doc:"distance of the path from the goal line, in the middle of the goal"`
}

// SetDefaults keeps the robot in front of the posts and within a goal area.
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

// keeper computes in the frame of its goal: x from the middle of the goal line into the field, y to the left of that.
type keeper struct {
	driver
	*Keeper
	goal  mgl64.Vec2 // middle of the goal line, W
	side  float64    // +1 if the goal is at +x, else −1
	width float64    // half width of the goal, metres
	half  float64    // half width of the path, metres
	least float64    // smallest distance from the goal line, metres
	reach float64    // reach of the extension, metres; 0 without one

	extended physics.ExtensionState
	until    time.Duration // end of the present extension
}

func (p *keeper) Exchange(c *keyframe.Codec) {
	p.driver.Exchange(c)
	c.Value(&p.extended)
	c.Check(p.extended <= physics.ExtendUp, "its extension is %d, which must be at most %d", p.extended,
		physics.ExtendUp)
	c.Duration(&p.until)
}

// Guesses. A robot at postGap from a post leaves no gap for a ball. Balls slower than shotSpeed, or that take longer
// than shotTime, are no shots. Balls within shotMargin of the goal may still touch a post. Within extendTime a shot is
// too fast to drive to; the rules allow the extension for one second.
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

// between returns where the line from the middle of the goal to the ball crosses the path. For a ball within twice the
// arc it returns the midpoint of that line.
func (p *keeper) between(ball mgl64.Vec2) mgl64.Vec2 {
	switch {
	case p.Path == "line":
		return mgl64.Vec2{p.Out, ball[1] * p.Out / max(p.Out, ball[0])}
	case ball[0] <= 0:
		return mgl64.Vec2{p.least, math.Copysign(p.half, ball[1])}
	}
	return ball.Mul(min(0.5, 1/math.Hypot(ball[0]/p.Out, ball[1]/p.half)))
}

// crossing returns where, and in how many seconds, a shot crosses the path, or the goal line if it misses the path.
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

// pathTime returns when a ball first crosses the path, seconds. It returns NaN if the ball does not, and less than 0 if
// the ball is behind the path.
func (p *keeper) pathTime(ball, vel mgl64.Vec2) float64 {
	if p.Path == "line" {
		return (p.Out - ball[0]) / vel[0]
	}
	b, v := mgl64.Vec2{ball[0] / p.Out, ball[1] / p.half}, mgl64.Vec2{vel[0] / p.Out, vel[1] / p.half}
	vv, bv := v.Dot(v), b.Dot(v)
	return (-bv - math.Sqrt(bv*bv-vv*(b.Dot(b)-1))) / vv
}

// extension returns the state to which the robot extends: to the side where a shot will pass it, or upwards. It keeps
// the state for a while.
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
