package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Role is what a robot does for its team while the ball is in play. Robots that hear each other by radio agree on one
// attacker. Robots that only see each other may disagree for a moment, and then two of the robots attack.
type Role uint8

const (
	Goalkeeper Role = iota
	Attacker        // plays the ball
	Supporter       // offers itself for a pass
	Marker          // stays with an opponent
	Sweeper         // a Sweeper stays between the ball and the own goal
)

func (r Role) String() string {
	return [...]string{"goalkeeper", "attacker", "supporter", "marker", "sweeper"}[r]
}

// Assigner chooses a robot's role. It remembers which robot is the attacker. The attacker keeps its role until another
// robot can reach the ball clearly earlier.
type Assigner struct{ attacker uint8 }

// takeoverMargin is how much earlier than the present attacker another robot has to reach the ball to become the
// attacker, in s. 0.4 is a guess.
const takeoverMargin = 0.4

// Assign returns the robot's present role. Number 1 is the goalkeeper. The robot that reaches the ball first is the
// attacker. Of the remaining robots, the rearmost is the sweeper, the foremost is the supporter, and the robots between
// them are markers. Robots with the same information choose the same roles, and no robot has to cross the field to its
// place.
func (a *Assigner) Assign(w *world.World) Role {
	if w.Me.Number == 1 {
		return Goalkeeper
	}
	if w.Ball.Known {
		a.attacker = a.fastest(w)
	}
	if a.attacker == w.Me.Number && w.Ball.Known {
		return Attacker
	}
	behind, before := 0, 0
	w.Mates(func(m *world.Robot) {
		switch {
		case m.Number == 1 || m.Number == a.attacker:
		case m.Pos[0] < w.Me.Pos[0], m.Pos[0] == w.Me.Pos[0] && m.Number < w.Me.Number:
			behind++
		default:
			before++
		}
	})
	switch {
	case w.Attacking() && behind > 0:
		return Supporter
	case behind == 0 && before == 0 && w.Ball.Pos[0] > 0, before == 0 && behind > 0:
		return Supporter
	case behind == 0:
		return Sweeper
	}
	return Marker
}

// fastest returns the number of the field robot of the own team that reaches the ball first. It skips the taker of a
// set piece, because the taker must not play the ball again.
func (a *Assigner) fastest(w *world.World) (number uint8) {
	if w.Hold.Is {
		return w.Me.Number
	}
	if to := announcedReceiver(w); to != 0 {
		return to
	}
	least := math.Inf(1)
	consider := func(r *world.Robot) {
		in, attacks := a.timeToBall(w, r)
		if r.Number <= 1 || in >= world.NeverReaches.Seconds() {
			return
		}
		if attacks {
			in -= takeoverMargin
		}
		if in < least || in == least && r.Number < number {
			least, number = in, r.Number
		}
	}
	consider(&w.Me)
	w.Mates(consider)
	return number
}

// timeToBall returns the time until a robot reaches the ball, in s, and whether the robot is the attacker. If the robot
// has sent a radio message, timeToBall uses the values in the message, even for this robot itself, so that all robots
// that hear the message agree.
func (a *Assigner) timeToBall(w *world.World, r *world.Robot) (in float64, attacks bool) {
	told := w.Said
	if h := w.MessageFrom(r.Number); h != nil {
		told = h.RadioMessage
	} else if r.Number != w.Me.Number || len(w.Heard) == 0 {
		told = nil
	}
	switch {
	case told != nil && told.Holding:
		return -1, true
	case told != nil:
		return told.Reach.Seconds(), Role(told.Role) == Attacker
	}
	return TimeToBall(w, r), r.Number == a.attacker
}

// TimeToBall returns the time until the robot r can reach the ball, in s, according to what this robot sees. It returns
// NeverReaches, converted to s, for the taker of a set piece, because the taker must not play the ball again.
func TimeToBall(w *world.World, r *world.Robot) float64 {
	if r.Number == w.Game.Taker {
		return world.NeverReaches.Seconds()
	}
	if pitch.Distance(r.Pos, w.Ball.Pos) < world.HoldDistance+0.1 {
		return 0 // the robot has the ball
	}
	_, in := Intercept(w, r.Pos)
	return in
}

// announcedReceiver returns the number of the robot to which a pass is on its way, or 0 if there is no such pass. If
// two robots have announced passes, the pass of the robot with the lower number counts.
func announcedReceiver(w *world.World) (to uint8) {
	if len(w.Heard) == 0 {
		return 0
	}
	from := uint8(math.MaxUint8)
	consider := func(m *world.RadioMessage) {
		if m.Pass.Kicked && m.Number < from {
			to, from = m.Pass.To, m.Number
		}
	}
	if w.Said != nil {
		consider(w.Said)
	}
	for i := range w.Heard {
		consider(w.Heard[i].RadioMessage)
	}
	return to
}

// PlayRole returns the command of a robot with a role while the ball is in play.
func PlayRole(r Role, w *world.World) Command {
	switch {
	case r == Goalkeeper:
		return KeepGoal(w)
	case !w.Ball.Known:
		return Search(w)
	}
	if at, ok := announcedPass(w); ok && r != Attacker {
		return receiveAt(w, at)
	}
	switch r {
	case Attacker:
		return Attack(w)
	case Supporter:
		return Support(w)
	case Marker:
		return Mark(w)
	}
	return Sweep(w)
}

// WaitingPlace returns where a robot with a role waits while it must not play the ball.
func WaitingPlace(r Role, w *world.World) pitch.Vec {
	switch r {
	case Goalkeeper:
		return goalkeeperHome(w)
	case Supporter:
		return supportAt(w)
	case Marker:
		return markerAt(w)
	}
	return sweeperAt(w)
}

// Guesses. A kicked pass that has not arrived at the expected time counts as on its way for another passOverdue. The
// pass ends when a robot is within takenWithin, in m, of the ball.
const (
	passOverdue = 500 * time.Millisecond
	takenWithin = 0.5
)

// report collects what the robot tells its teammates by radio.
type report struct {
	m    world.RadioMessage
	now  time.Duration
	due  time.Duration // when the robot's pass is expected to arrive
	told time.Duration // when the robot last sent a message
}

// note updates the report after the robot, which has the given role, has decided on the command c.
func (r *report) note(w *world.World, role Role, c *Command) {
	if w.Now < r.now { // the world has restarted
		*r = report{}
	}
	r.now = w.Now
	pass := r.m.Pass
	r.m = world.RadioMessage{Number: w.Me.Number, Role: uint8(role), Holding: w.Hold.Is, Pos: w.Me.Pos, Vel: w.Me.Vel,
		Heading: w.Me.Heading, Target: c.Target,
		Reach: world.NeverReaches, Others: r.m.Others[:0]}
	if c.Target == (pitch.Vec{}) {
		r.m.Target = w.Me.Pos
	}
	if w.Ball.Known {
		r.m.Ball = world.RadioBall{Known: true, Pos: w.Ball.Pos, Vel: w.Ball.Vel, Age: w.Now - w.Ball.Seen}
		r.m.Reach = time.Duration(TimeToBall(w, &w.Me)*1e3) * time.Millisecond
	}
	w.Rivals(func(o *world.Robot) {
		if o.Seen == w.Now {
			r.m.Others = append(r.m.Others, world.RadioOther{Opponent: o.Side == world.Opponent, Number: o.Number,
				Pos: o.Pos, Vel: o.Vel})
		}
	})
	switch {
	case c.Pass.To != 0:
		in := time.Duration(c.Pass.In * float64(time.Second))
		r.m.Pass, r.due = world.RadioPass{To: c.Pass.To, At: c.Pass.At, In: in, Kicked: c.Kick != NoKick}, w.Now+in
	case pass.Kicked && w.Now < r.due+passOverdue && !ballTaken(w):
		pass.In = max(0, r.due-w.Now)
		r.m.Pass = pass
	}
}

// ballTaken reports whether a robot other than this one has the ball.
func ballTaken(w *world.World) bool {
	for i := range w.Others {
		if w.Ball.Known && pitch.Distance(w.Others[i].Pos, w.Ball.Pos) < takenWithin {
			return true
		}
	}
	return false
}

// Tell returns the radio message to send after a frame, or nil if no message is due.
func (p *Player) Tell() []byte {
	r := &p.report
	if p.strategy != ByRadio || !p.model.World().Known || r.told != 0 && r.now < r.told+p.model.World().Times().Report {
		return nil
	}
	r.told = r.now
	said := r.m
	said.Others = nil
	p.model.Said(&said)
	return r.m.Append(nil)
}

// Hear handles a radio message. sent is the sim time at which it was sent. Hear ignores bytes that are not a
// RadioMessage, because other programs may use the radio too.
func (p *Player) Hear(sent time.Duration, data []byte) {
	if p.strategy != ByRadio {
		return
	}
	if m, err := world.DecodeRadio(data); err == nil {
		p.model.Hear(sent, m)
	}
}

// The methods below report to observers what the player believes after a frame. The poses are in the ROS frame "map",
// and are predicted to the time of the command.

// Pose fills in the robot's pose. It returns false if the pose is unknown.
func (p *Player) Pose(m *msg.PoseStamped) bool {
	w := p.model.World()
	m.Header = p.header()
	m.Pose = p.inMap(w.Me.Pos, w.Me.Heading)
	return w.Known
}

// Ball fills in the ball's position. It returns false if the position is unknown.
func (p *Player) Ball(m *msg.PointStamped) bool {
	w := p.model.World()
	m.Header = p.header()
	m.Point = p.inMap(w.Ball.Pos, 0).Position
	m.Point.Z = w.Ball.Height
	return w.Known && w.Ball.Known
}

// Others fills in the positions of other robots and obstacles. It returns false if the robot's own pose is unknown.
func (p *Player) Others(m *msg.PoseArray) bool {
	w := p.model.World()
	m.Header, m.Poses = p.header(), m.Poses[:0]
	for i := range w.Others {
		m.Poses = append(m.Poses, p.inMap(w.Others[i].Pos, 0))
	}
	return w.Known
}

// Path fills in the planned path from the robot's position. The path of a robot that does not drive is empty.
func (p *Player) Path(m *msg.Path) bool {
	w := p.model.World()
	m.Header, m.Poses = p.header(), m.Poses[:0]
	if p.way == nil {
		return w.Known
	}
	m.Poses = append(m.Poses, msg.PoseStamped{Header: m.Header, Pose: p.inMap(w.Me.Pos, 0)})
	for _, at := range p.way {
		m.Poses = append(m.Poses, msg.PoseStamped{Header: m.Header, Pose: p.inMap(at, 0)})
	}
	return w.Known
}

// Status fills in the robot's velocity, role and action, and whether it has the ball. It returns false if the robot's
// own pose is unknown.
func (p *Player) Status(m *msg.RobotStatus) bool {
	w, said := p.model.World(), &p.report.m
	v := p.inMap(said.Vel, 0).Position
	*m = msg.RobotStatus{Header: p.header(), VX: v.X, VY: v.Y, Role: string(p.strategy), Action: p.action,
		Dribbling: said.Holding}
	if p.strategy == ByCards || p.strategy == ByRadio {
		m.Role = Role(said.Role).String()
	}
	return w.Known
}

// actionOf names the action of a robot that has decided on the command c.
func actionOf(w *world.World, c *Command) string {
	switch {
	case w.Game.Phase == world.Stopped:
		return "stop"
	case w.Game.Phase == world.Parked:
		return "park"
	case c.Pass.To != 0:
		return "pass"
	case c.Kick != NoKick:
		return "kick"
	case w.Game.Phase == world.TakePlaces:
		return "take_place"
	case w.Hold.Is:
		return "dribble"
	case c.Target != pitch.Vec{}:
		return "drive"
	}
	return "stand"
}

func (p *Player) header() msg.Header {
	return msg.Header{Stamp: msg.TimeFrom(p.model.World().Now), FrameID: "map"}
}

// inMap converts a pose from the team's field frame to the ROS frame "map". The x axis of this frame points to the goal
// that the cyan team attacks.
func (p *Player) inMap(at pitch.Vec, heading float64) msg.Pose {
	if p.team == msg.TeamMagenta {
		at, heading = at.Mul(-1), heading+math.Pi
	}
	sin, cos := math.Sincos(heading / 2)
	return msg.Pose{Position: msg.Point{X: at[0], Y: at[1]}, Orientation: msg.Quaternion{Z: sin, W: cos}}
}
