package node

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// begun returns the play of a robot.
func begun(team, number uint8) *play {
	var p play
	p.begin(&Player{Team: team, Number: number},
		&locate.Field{Markings: locate.Markings{Pitch: pitch.Pitch{Length: 18, Width: 12}}}, false)
	return &p
}

// at is what an image shows, of a robot at (3, 1) m that looks along y: the ball 2 m ahead, and an obstacle 1 m to its
// left.
func at() *Seen {
	return &Seen{
		Pose: locate.Estimate{Pose: locate.Pose{Pos: pitch.Vec{3, 1}, Heading: math.Pi / 2}, Known: true},
		Ball: vision.BallCandidate{Pos: mgl64.Vec3{2, 0, 0.11},
			Covariance: mgl64.Diag3(mgl64.Vec3{1e-4, 1e-4, 1e-4})},
		HasBall:   true,
		Obstacles: []vision.Obstacle{{X: 0, Y: 1, Radius: 0.25}},
	}
}

func header(n int) msg.Header {
	return msg.Header{Stamp: msg.TimeFrom(time.Duration(n) * time.Second / 30)}
}

// Each team receives perceptions in its own field frame: x towards the opponents' goal.
func TestTeamsSeeInTheirOwnFrame(t *testing.T) {
	for _, c := range []struct {
		team                         uint8
		x, y, heading, ballX, ballY  float64
		otherX, otherY, goals, other float64
	}{
		{msg.TeamCyan, 3, 1, math.Pi / 2, 3, 3, 2, 1, 2, 1},
		{msg.TeamMagenta, -3, -1, -math.Pi / 2, -3, -3, -2, -1, 1, 2},
	} {
		p := begun(c.team, 4)
		p.hear(&msg.Game{Phase: "set_piece", Half: "second_half", SetPiece: "corner", Team: "magenta", Cyan: 2,
			Magenta: 1})
		var m *msg.Perception
		for n := range 4 { // an obstacle is believed after some images
			m = p.perception(header(n), at())
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) < 0.01) {
				t.Errorf("team %d: %s = %.3f, want %.3f", c.team, what, got, want)
			}
		}
		near("x", m.X, c.x)
		near("y", m.Y, c.y)
		near("heading", m.Heading, c.heading)
		near("ball_x", m.BallX, c.ballX)
		near("ball_y", m.BallY, c.ballY)
		if len(m.Others) != 1 {
			t.Fatalf("others: %+v", m.Others)
		}
		near("others[0].x", m.Others[0].X, c.otherX)
		near("others[0].y", m.Others[0].Y, c.otherY)
		if m.Number != 4 || m.Team != c.team || !m.SelfKnown || !m.BallSeen || m.Phase != "set_piece" ||
			m.SetPiece != "corner" || m.SetPieceTeam != msg.TeamMagenta ||
			m.Goals != uint32(c.goals) || m.GoalsAgainst != uint32(c.other) {
			t.Errorf("team %d: %+v", c.team, m)
		}
	}
}

// Before the first message of the referee, play is stopped. A ball without a new image is not seen. A robot without a
// pose sees nothing.
func TestWhatIsNotKnown(t *testing.T) {
	p := begun(msg.TeamCyan, 2)
	if m := p.perception(header(0), at()); m.Phase != "" || m.SetPieceTeam != msg.TeamUnknown || !m.BallSeen {
		t.Errorf("%+v", m)
	}
	s := at()
	s.HasBall = false
	if m := p.perception(header(1), s); m.BallSeen {
		t.Error("a ball that the image does not show is seen")
	}
	front := at()
	p.watch(header(1).Stamp.Since(), &front.Pose.Pose, &front.Ball) // by the front camera
	if m := p.perception(header(2), s); !m.BallSeen {
		t.Error("the front camera's ball is not seen")
	}
	s = at()
	s.Pose.Known = false
	if m := p.perception(header(3), s); m.SelfKnown || m.BallSeen || len(m.Others) != 0 {
		t.Errorf("a robot that is lost: %+v", m)
	}
}

// The ball is held while it presses in both levers.
func TestLeversTellThatTheBallIsHeld(t *testing.T) {
	p := begun(msg.TeamCyan, 2)
	for _, c := range []struct {
		levers []float64
		want   bool
	}{{nil, false}, {[]float64{0.01, 0.01}, true}, {[]float64{0.01, 0.001}, false}, {[]float64{math.NaN(), 0.01},
		false}} {
		if p.press(c.levers); p.Holding != c.want {
			t.Errorf("levers %v: held %v", c.levers, p.Holding)
		}
	}
}

// A teammate in front images is in the perception if it is within 4 m, in the team's frame, and only until the next
// perception. Without Meets, none is.
func TestTeammatesInFrontImages(t *testing.T) {
	mate := []vision.CardRobot{{Color: vision.ClassCyan, X: 2, Y: 1, Distance: 2}}
	far := []vision.CardRobot{{Color: vision.ClassCyan, X: 4, Y: 1, Distance: 4.1}}
	for _, c := range []struct {
		name  string
		meets bool
		mates []vision.CardRobot
		want  int
	}{{"near", true, mate, 1}, {"too far", true, far, 0}, {"not asked for", false, mate, 0}} {
		p := begun(msg.TeamCyan, 2)
		p.meets = c.meets
		s := at()
		s.Obstacles = nil
		for n := range 4 {
			p.meet(header(n).Stamp.Since(), &s.Pose.Pose, c.mates)
		}
		m := p.perception(header(3), s)
		if len(m.Others) != c.want {
			t.Fatalf("%s: others: %+v, want %d", c.name, m.Others, c.want)
		}
		if c.want > 0 {
			if o := m.Others[0]; o.Team != msg.TeamCyan || o.Number != 0 ||
				!(math.Hypot(o.X-2, o.Y-3) < 0.01) { // the robot at (3, 1) looks along y
				t.Errorf("%s: %+v, want a robot of team cyan at (2, 3)", c.name, o)
			}
			if m = p.perception(header(4), s); len(m.Others) != 0 {
				t.Errorf("%s: without another front image: %+v", c.name, m.Others)
			}
		}
	}
}
