package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses; distances are in m. A robot within hasBallWithin of the ball counts as having the ball. If the partner is
// closer to the ball by mateCloserBy, the partner fetches the ball. If the ball has lain in the other half for
// lyingTime, a robot fetches it from there. If the ball has not been seen for ballLostAfter, a robot searches for the
// ball. passLimit is the longest time that a pass may take.
const (
	hasBallWithin = 0.5
	mateCloserBy  = 0.1
	lyingTime     = 5 * time.Second
	ballLostAfter = 4 * time.Second
	passLimit     = 4 * time.Second
)

// Partner plays the technical challenge of the Middle Size League of 2015 for one of two robots. The two robots pass
// without communication, swap sides, and pass again. The field is 12 m × 8 m with an obstacle in each half. Passes go
// from the half x < 0 to the half x > 0.
//
// The strategy is that of Dai, Yu, Xiao and Zheng, "Communication-Less Cooperation Between Soccer Robots" (RoboCup
// 2016): the heuristic for choosing the passing point (equations 2 to 5), the receiving positions (tables 1 and 2), and
// the robot's task, which depends on the halves in which ball and robot are (table 3). A Partner remembers from frame
// to frame where the other robot is, which passing point it has chosen, and at which position it receives.
type Partner struct {
	adjusts   bool
	now       time.Duration
	mate      rememberedMate
	obstacles []pitch.Vec // positions of robots and obstacles other than the partner
	attempt   passAttempt
	waits     pitch.Vec     // receiving position
	kicked    time.Duration // when the robot last passed; 0 if never, or if it has had the ball since
	near      time.Duration // when a robot was last near the ball
	seen      time.Duration // when the ball's position was last known
}

// rememberedMate is the last known state of the partner.
type rememberedMate struct {
	world.Robot
	known bool
}

// NewPartner returns a player for one robot. If adjusts is true, the robot passes from the best passing point, and
// receives where no obstacle stands in the path of the pass. If adjusts is false, the robot passes from where it took
// the ball, and receives at a fixed position.
func NewPartner(adjusts bool) *Partner { return &Partner{adjusts: adjusts, waits: receiveHome} }

// Decide returns the robot's command for a frame.
func (p *Partner) Decide(w *world.World) Command {
	if w.Now < p.now { // the world has restarted
		*p = *NewPartner(p.adjusts)
	}
	p.now = w.Now
	p.remember(w)
	switch p.task(w) {
	case taskFetch:
		return Fetch(w)
	case taskBring:
		return Carry(w, bringTo)
	case taskPass:
		return p.pass(w)
	case taskReceive:
		return p.receive(w)
	case taskSearch:
		return Search(w)
	}
	return Stop(w, p.facing(w))
}

// remember updates what is known of the partner, the obstacles and the ball. An unidentified robot close to the
// partner's position counts as the partner, not as an obstacle.
func (p *Partner) remember(w *world.World) {
	w.Mates(func(r *world.Robot) { p.mate = rememberedMate{*r, true} })
	p.obstacles = p.obstacles[:0]
	w.Rivals(func(r *world.Robot) {
		if !p.mate.known || pitch.Distance(r.Pos, p.mate.Pos) > mateRadius {
			p.obstacles = append(p.obstacles, r.Pos)
		}
	})
	if !w.Ball.Known {
		return
	}
	p.seen = w.Now
	if pitch.Distance(w.Me.Pos, w.Ball.Pos) < hasBallWithin || p.mateHas(w) || w.Ball.Vel.Len() > movingSpeed {
		p.near = w.Now
	}
	switch {
	case w.Hold.Is:
		p.kicked = 0
	case w.Now-w.Hold.Lost > attemptReleased:
		p.attempt = passAttempt{}
	}
	if w.Me.Pos[0] < 0 {
		p.waits = receiveHome
	}
}

// Guesses, in m and m/s. A sighting within mateRadius of the partner's position counts as the partner. A ball that is
// faster than movingSpeed is moving; a slower ball lies still.
const (
	mateRadius  = 0.6
	movingSpeed = 0.2
)

// mateUnseenAfter is how long after the last sighting the partner counts as seen. 300 ms is a guess.
const mateUnseenAfter = 300 * time.Millisecond

// attemptReleased is how long the robot must not have had the ball before its attempt to pass ends. 250 ms is a guess.
const attemptReleased = 250 * time.Millisecond

// sees reports whether the robot has seen its partner within the last mateUnseenAfter.
func (p *Partner) sees(w *world.World) bool {
	return p.mate.known && w.Now-p.mate.Seen < mateUnseenAfter
}

func (p *Partner) mateHas(w *world.World) bool {
	return p.sees(w) && w.Ball.Known && pitch.Distance(p.mate.Pos, w.Ball.Pos) < hasBallWithin
}

// facing returns the heading towards the ball, in rad. If the ball is unknown, it returns the heading towards the
// partner. If the partner is unknown too, it returns the heading towards the other half.
func (p *Partner) facing(w *world.World) float64 {
	switch {
	case w.Ball.Known:
		return Facing(w, w.Ball.Pos)
	case p.mate.known:
		return Facing(w, p.mate.Pos)
	}
	return Facing(w, pitch.Vec{-w.Me.Pos[0], 0})
}

// challengeTask is a robot's task in a round.
type challengeTask uint8

const (
	taskWait    challengeTask = iota // wait for the partner to receive
	taskFetch                        // fetch the ball
	taskBring                        // bring the ball to the passing half
	taskPass                         // choose a passing point and pass
	taskReceive                      // go to the receiving half and receive
	taskSearch                       // search for the ball
)

// Guesses, in m. bringTo is the position to which the robot brings the ball, opposite to the receiving position. The
// robot passes when the ball's x coordinate is below broughtX.
var bringTo = pitch.Vec{-2.5, 0}

const broughtX = -2.0 // m

// task returns the robot's task. The task depends on the halves in which the robot and the ball are. Source: Dai et
// al., table 3.
func (p *Partner) task(w *world.World) challengeTask {
	switch {
	case !w.Ball.Known && w.Now-p.seen > ballLostAfter:
		return taskSearch
	case w.Hold.Is && (p.attempt.begun != 0 || w.Ball.Pos[0] < broughtX):
		return taskPass
	case w.Hold.Is:
		return taskBring
	case p.passed(w) || !w.Ball.Known && w.Me.Pos[0] < 0:
		return taskWait
	case w.Ball.Known && p.fetches(w):
		return taskFetch
	}
	return taskReceive
}

// passed reports whether this robot has kicked a pass that is still on its way.
func (p *Partner) passed(w *world.World) bool {
	return p.kicked != 0 && w.Now-p.kicked < passLimit && w.Ball.Known && w.Ball.Vel.Len() > movingSpeed &&
		!p.mateHas(w)
}

// fetches reports whether this robot fetches the ball. The robot in the ball's half fetches it. If both robots are
// there, the closer robot does. The table does not say what happens when neither robot is in the ball's half, for
// example after a failed pass. Then the closer robot fetches the ball too, and after lyingTime any robot that sees the
// ball does.
func (p *Partner) fetches(w *world.World) bool {
	side := w.Ball.Pos[0] > 0
	here, mateHere := (w.Me.Pos[0] > 0) == side, p.sees(w) && (p.mate.Pos[0] > 0) == side
	switch {
	case p.mateHas(w):
		return false
	case here != mateHere:
		return here
	case !p.sees(w) && !here:
		return w.Now-p.near > lyingTime
	}
	return !p.sees(w) || pitch.Distance(w.Me.Pos, w.Ball.Pos) < pitch.Distance(p.mate.Pos, w.Ball.Pos)+mateCloserBy
}

// Coordinates of the receiving positions near the centre circle, in m. Source: Dai et al., tables 1 and 2. If no
// obstacle requires one of these positions, the robot receives at receiveHome, which is not from this source.
const (
	receiveX  = 2.0
	receiveY  = 1.5
	obstacleY = 0.5 // an obstacle farther from the long axis makes the robot receive on the opposite side of the axis
)

var receiveHome = pitch.Vec{receiveX, 0}

// Guesses, in m. An obstacle within effectiveArea of the path of a pass blocks the pass. A ball within onAxis of the
// long axis counts as on neither side of the axis.
const (
	effectiveArea = 1.0
	onAxis        = 0.2
)

// receive drives to the receiving position and faces the ball.
func (p *Partner) receive(w *world.World) Command {
	if p.adjusts && w.Me.Pos[0] > crossedX {
		p.moveAside(w)
	}
	g := DriveGoal{Pos: p.waits, Heading: p.facing(w)}
	if w.Me.Pos[0] < crossedX {
		g.Pos, g.Room, g.Speed = p.around(w), crossRoom, crossSpeed
	}
	return GoTo(w, g)
}

// Guesses for how a robot without the ball crosses to the receiving half. It keeps away from the centre, to which the
// partner brings the ball, and drives slowly enough to avoid obstacles.
const (
	crossedX        = 0.3  // m, distance beyond the halfway line at which the robot has crossed
	crossWidth      = 2.8  // m, distance from the long axis at which the robot crosses
	crossRoom       = 0.15 // m, additional clearance from obstacles
	crossSpeed      = 2.0  // m/s
	crossRoomEnough = 1.0  // m, distance from the centre of an obstacle above which more distance has no value
	crossPathCost   = 0.1  // cost of a metre of path, in m of distance from obstacles
)

// around returns a waypoint near one end of the halfway line: the end to which the path is farther from obstacles.
func (p *Partner) around(w *world.World) (best pitch.Vec) {
	most := math.Inf(-1)
	for _, side := range [2]float64{1, -1} {
		to := pitch.Vec{crossedX + 0.2, side * crossWidth}
		room := crossRoomEnough
		for _, o := range p.obstacles {
			off, _ := pitch.FromSegment(o, w.Me.Pos, to)
			room = min(room, off)
		}
		if v := room - crossPathCost*pitch.Distance(w.Me.Pos, to); v > most {
			best, most = to, v
		}
	}
	return best
}

// moveAside changes the receiving position if an obstacle stands between the receiving position and the ball. If the
// robot does not see the ball, it uses the partner's position instead. If it sees neither the ball nor the partner, the
// receiving position stays.
func (p *Partner) moveAside(w *world.World) {
	from := p.mate.Pos
	switch {
	case w.Ball.Known:
		from = w.Ball.Pos
	case !p.sees(w):
		return
	}
	if from[0] > 0 {
		return
	}
	for _, o := range p.obstacles {
		if o[0] > 0 && fromWay(o, from, p.waits) < effectiveArea {
			p.waits = receivingPlace(o, from, p.waits)
			return
		}
	}
}

// receivingPlace returns the receiving position to use when an obstacle stands in the receiving half. The position ball
// is that of the ball, or of the partner if the ball is not seen. present is the present receiving position.
func receivingPlace(obstacle, ball, present pitch.Vec) pitch.Vec {
	side := math.Copysign(1, ball[1])
	switch {
	case obstacle[1] > obstacleY:
		side = -1
	case obstacle[1] < -obstacleY:
		side = 1
	case math.Abs(ball[1]) < onAxis && present[1] != 0:
		return present
	}
	return pitch.Vec{receiveX, side * receiveY}
}
