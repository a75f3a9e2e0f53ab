package world_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// frame is the time between frames.
const frame = time.Second / 30

// see returns the message of frame n for a robot that stands in the middle of its half, in play.
func see(n int) *msg.Perception {
	p := &msg.Perception{Team: msg.TeamCyan, Number: 2, FieldLength: 18, FieldWidth: 12, SelfKnown: true, X: -4.5,
		Phase: "playing"}
	p.Header.Stamp = msg.TimeFrom(time.Duration(n) * frame)
	return p
}

// A robot that drives in a circle, with pose errors in its messages, knows its present pose more accurately.
func TestFramesAreFilteredAndPredicted(t *testing.T) {
	const speed, omega, noise = 1.5, 0.5, 0.035 // m/s, rad/s, m
	random := rand.New(rand.NewPCG(1, 2))
	at := func(t float64) (pos pitch.Vec, heading float64) {
		return pitch.Vec{math.Sin(omega*t) * speed / omega, (1 - math.Cos(omega*t)) * speed / omega}, omega * t
	}
	m := world.NewModel()
	sum, n := 0.0, 0
	for i := range 300 {
		p := see(i)
		then := p.Header.Stamp.Since()
		pos, heading := at(then.Seconds())
		p.X, p.Y, p.Heading = pos[0]+noise*random.NormFloat64(), pos[1]+noise*random.NormFloat64(),
			pitch.Wrap(heading+0.01*random.NormFloat64())
		p.VX, p.Omega = speed, omega
		w := m.Update(p)
		if now, _ := at((then + world.Latency).Seconds()); i > 30 {
			d := pitch.Distance(w.Me.Pos, now)
			sum, n = sum+d*d, n+1
		}
	}
	if rms := math.Sqrt(sum / float64(n)); !(rms < 0.75*noise) {
		t.Errorf("off by %.3f m, want less than three quarters of one frame's %.3f m in each direction", rms, noise)
	}
}

// Positions in a frame are relative to the robot's estimated pose, not to the frame's pose with its error.
func TestTheBallStaysWhereTheRobotErrs(t *testing.T) {
	m := world.NewModel()
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		p := see(i)
		err := 0.1 * random.NormFloat64()
		p.X, p.BallSeen, p.BallX, p.BallVelocityKnown = p.X+err, true, -2.5+err, true // 2 m ahead of it
		w := m.Update(p)
		if ahead := w.Ball.Pos[0] - w.Me.Pos[0]; !(math.Abs(ahead-2) < 0.05) {
			t.Fatalf("frame %d: ball %.3f m ahead, want 2, where frames err by 0.1 m", i, ahead)
		}
	}
}

// An unseen rolling ball rolls on, comes to rest, and is forgotten.
func TestAHiddenBallRollsOn(t *testing.T) {
	m := world.NewModel()
	var w *world.World
	for i := range 30 {
		p := see(i)
		p.BallSeen, p.BallVelocityKnown, p.BallX, p.BallVX = true, true, -2+float64(i)/30, 1
		w = m.Update(p)
	}
	last := w.Ball.Pos[0]
	if want := -2 + 29./30 + world.Latency.Seconds(); !(math.Abs(last-want) < 0.02) {
		t.Errorf("ball at %.3f m, want %.3f", last, want)
	}
	for i := 30; i < 60; i++ {
		w = m.Update(see(i))
	}
	// 1 m minus 0.2 m from rolling friction
	if gone := w.Ball.Pos[0] - last; !w.Ball.Known || !(gone > 0.7 && gone < 0.9) {
		t.Errorf("known %v, rolled on by %.2f m", w.Ball.Known, gone)
	}
	for i := 60; i < 180; i++ {
		w = m.Update(see(i))
	}
	if w.Ball.Known {
		t.Error("a ball that has not been seen for 4 s is still known")
	}
}

// A ball that is lost for a frame or two counts as held throughout. After that, holding starts again.
func TestHoldSurvivesAMoment(t *testing.T) {
	m := world.NewModel()
	hold := func(from, to int, holding bool) (w *world.World) {
		for i := from; i < to; i++ {
			p := see(i)
			p.X, p.VX, p.Holding = -4.5+float64(i)/30, 1, holding
			w = m.Update(p)
		}
		return w
	}
	hold(0, 30, true)
	hold(30, 33, false)
	if got := hold(33, 60, true).Carried(); !(math.Abs(got-59./30) < 0.1) {
		t.Errorf("carried %.2f m, want 2", got)
	}
	hold(60, 75, false)
	if got := hold(75, 90, true).Carried(); !(math.Abs(got-0.5) < 0.1) {
		t.Errorf("carried %.2f m after half a second without the ball, want 0.5", got)
	}
}

// Two opponents that pass each other keep their numbers, even while their colours are hidden. An unseen robot is
// forgotten.
func TestTracks(t *testing.T) {
	m := world.NewModel()
	var w *world.World
	for i := range 60 {
		p := see(i)
		along := float64(i) / 30
		for n, s := range []msg.Sighting{{X: -1 + along, Y: 0.4, VX: 1}, {X: 1 - along, Y: -0.4, VX: -1}} {
			if i < 10 || i > 50 {
				s.Team, s.Number = msg.TeamMagenta, uint8(n+3)
			}
			p.Others = append(p.Others, s)
		}
		w = m.Update(p)
		if len(w.Others) != 2 {
			t.Fatalf("frame %d: %d robots", i, len(w.Others))
		}
	}
	for _, o := range w.Others {
		if want := map[uint8]float64{3: 1, 4: -1}[o.Number]; o.Side != world.Opponent ||
			!(math.Abs(o.Pos[0]-want) < 0.2) {
			t.Errorf("number %d of side %d at %.2f, want %.1f", o.Number, o.Side, o.Pos[0], want)
		}
	}
	for i := 60; i < 120; i++ {
		w = m.Update(see(i))
	}
	if len(w.Others) != 0 {
		t.Errorf("%d robots are remembered after 2 s", len(w.Others))
	}
}

// A set piece lasts until the ball has moved, and its taker may not play the ball again until another robot has.
func TestSetPieces(t *testing.T) {
	m := world.NewModel()
	n := 0
	step := func(phase string, ballX float64, other *msg.Sighting) *world.World {
		var w *world.World
		for range 10 {
			p := see(n)
			n++
			p.Phase, p.SetPiece, p.SetPieceTeam = phase, "freekick", msg.TeamCyan
			p.BallSeen, p.BallX, p.BallVelocityKnown = true, ballX, true
			p.Others = []msg.Sighting{{Team: msg.TeamCyan, Number: 3, X: -1, Y: 3}}
			if other != nil {
				p.Others = append(p.Others, *other)
			}
			w = m.Update(p)
		}
		return w
	}
	type state struct {
		phase   world.Phase
		waiting bool
		taker   uint8
	}
	for _, c := range []struct {
		name  string
		phase string
		ballX float64
		other *msg.Sighting
		want  state
	}{
		{"places are taken, the robot is nearest", "set_piece", -4, nil, state{world.TakePlaces, false, 2}},
		{"play begins", "playing", -4, nil, state{world.Playing, true, 2}},
		{"the ball has moved", "playing", -3, nil, state{world.Playing, false, 2}},
		{"an opponent is at the ball", "playing", -2, &msg.Sighting{Team: msg.TeamMagenta, Number: 5, X: -1.7},
			state{world.Playing, false, 0}},
		{"stop", "stopped", -2, nil, state{world.Stopped, false, 0}},
	} {
		w := step(c.phase, c.ballX, c.other)
		if got := (state{w.Game.Phase, w.Game.Waiting, w.Game.Taker}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// When time goes back, everything is forgotten.
func TestAWorldThatBeginsAgain(t *testing.T) {
	m, fresh := world.NewModel(), world.NewModel()
	for i := range 60 {
		p := see(i)
		p.BallSeen, p.BallX = true, 3
		m.Update(p)
	}
	again, want := m.Update(see(0)), fresh.Update(see(0))
	if again.Ball.Known || again.Now != want.Now || again.Me != want.Me {
		t.Errorf("%+v, want %+v", again, want)
	}
}

// The position of the ball at a set piece comes from frames captured after the announcement. Earlier frames show its
// old position.
func TestThePlaceOfASetPiece(t *testing.T) {
	m := world.NewModel()
	var w *world.World
	for i := range 20 {
		p := see(i)
		p.SetPieceTeam, p.BallSeen = msg.TeamCyan, i < 12
		if i >= 10 {
			p.Phase, p.SetPiece = "set_piece", "corner"
		}
		w = m.Update(p)
	}
	if w.Game.SpotSeen {
		t.Errorf("the ball of a corner is known to lie at %v, where it was before", w.Game.Spot)
	}
	for i := 20; i < 40; i++ {
		p := see(i)
		p.Phase, p.SetPiece, p.SetPieceTeam, p.BallSeen, p.BallX, p.BallY = "set_piece", "corner", msg.TeamCyan, true,
			8.7, 5.7
		w = m.Update(p)
	}
	if want := (pitch.Vec{8.7, 5.7}); !w.Game.SpotSeen || !(pitch.Distance(w.Game.Spot, want) < 0.05) {
		t.Errorf("seen %v at %v, want %v", w.Game.SpotSeen, w.Game.Spot, want)
	}
}

// An obstacle at the place of a teammate does not continue the teammate's track if another camera identifies robots.
func TestSeparateTracks(t *testing.T) {
	for _, separate := range []bool{false, true} {
		m := world.NewModel()
		m.Separate = separate
		p := &msg.Perception{FieldLength: 12, FieldWidth: 8, SelfKnown: true, Team: msg.TeamCyan}
		var w *world.World
		for n := range 30 {
			p.Header.Stamp = msg.TimeFrom(time.Second + time.Duration(n)*time.Second/30)
			p.Others = []msg.Sighting{{X: 2, Y: 1}}
			if n == 0 {
				p.Others = []msg.Sighting{{Team: msg.TeamCyan, X: 2, Y: 1}}
			}
			w = m.Update(p)
		}
		seen := time.Duration(-1)
		w.Mates(func(r *world.Robot) { seen = r.Seen })
		if old := seen < w.Now-500*time.Millisecond; seen < 0 || old != separate {
			t.Errorf("separate %v: teammate last seen at %v, now %v", separate, seen, w.Now)
		}
	}
}
