package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// now returns when the message of frame n arrives.
func now(n int) time.Duration { return time.Duration(n)*frame + world.Latency }

// mates returns the teammates in a world by number.
func mates(w *world.World) map[uint8]world.Robot {
	all := map[uint8]world.Robot{}
	w.Mates(func(m *world.Robot) { all[m.Number] = *m })
	return all
}

// A teammate's message is predicted to the present and counts until the teammate has been silent for half a second.
// Then what is seen counts again, and is remembered for a while.
func TestToldMatesArePredictedUntilTheyAreSilent(t *testing.T) {
	m := world.NewModel()
	m.Update(see(0))
	m.Hear(now(0), &world.RadioMessage{Number: 4, Pos: pitch.Vec{1, 2}, Vel: pitch.Vec{1.5, 0}})
	for n := 1; n < 75; n++ {
		w := m.Update(see(n))
		age := float64(n) / 30
		mate, known := mates(w)[4]
		switch {
		case age < 0.49:
			if !known || w.MessageFrom(4) == nil || !(pitch.Distance(mate.Pos, pitch.Vec{1 + 1.5*age, 2}) < 1e-6) {
				t.Fatalf("%.2f s: known %v, told %v, at %v", age, known, w.MessageFrom(4), mate.Pos)
			}
		case age > 0.52 && w.MessageFrom(4) != nil:
			t.Fatalf("%.2f s: a silent mate still counts as heard", age)
		case age > 2.1 && known:
			t.Fatalf("%.2f s: a mate that is neither heard nor seen is still at %v", age, mate.Pos)
		}
	}
}

// Late messages do not replace newer ones, and messages with the robot's own number are ignored.
func TestOldMessagesAreDropped(t *testing.T) {
	m := world.NewModel()
	m.Hear(60*time.Millisecond, &world.RadioMessage{Number: 3, Pos: pitch.Vec{1, 1}})
	m.Hear(20*time.Millisecond, &world.RadioMessage{Number: 3, Pos: pitch.Vec{9, 9}})
	m.Hear(60*time.Millisecond, &world.RadioMessage{Number: 2, Pos: pitch.Vec{5, 5}})
	w := m.Update(see(0))
	if len(w.Heard) != 1 || w.Heard[0].Pos != (pitch.Vec{1, 1}) {
		t.Errorf("heard %+v", w.Heard)
	}
}

// A robot of unknown team at a teammate's reported pose is the teammate. A robot that only a teammate sees is added,
// unless it is on the own team.
func TestToldRobots(t *testing.T) {
	m := world.NewModel()
	p := see(0)
	p.Others = []msg.Sighting{{X: 1.1, Y: 2}, {X: 4, Y: -3}}
	m.Hear(now(0), &world.RadioMessage{Number: 3, Pos: pitch.Vec{1, 2}, Others: []world.RadioOther{
		{Opponent: true, Number: 5, Pos: pitch.Vec{4.1, -3}}, // seen without a colour
		{Opponent: true, Number: 2, Pos: pitch.Vec{6, 1}},    // not seen
		{Pos: pitch.Vec{-4.4, 0.1}},                          // the robot itself
	}})
	w := m.Update(p)
	got := map[world.Side]map[uint8]pitch.Vec{world.Mate: {}, world.Opponent: {}, world.Unknown: {}}
	for _, o := range w.Others {
		got[o.Side][o.Number] = o.Pos
	}
	if len(w.Others) != 3 || got[world.Mate][3] != (pitch.Vec{1, 2}) || got[world.Opponent][2] != (pitch.Vec{6, 1}) ||
		!(pitch.Distance(got[world.Opponent][5], pitch.Vec{4, -3}) < 0.1) {
		t.Errorf("%+v", w.Others)
	}
}

// A ball that teammates see is known, predicted, with its age. The own observation has priority if it is as new. An old
// one is ignored.
func TestToldBalls(t *testing.T) {
	tell := func(age time.Duration) *world.RadioMessage {
		return &world.RadioMessage{Number: 3, Ball: world.RadioBall{Known: true, Pos: pitch.Vec{2, 1},
			Vel: pitch.Vec{1, 0},
			Age: age}}
	}
	for _, c := range []struct {
		name  string
		age   time.Duration // of the mate's ball
		seen  bool          // by the robot
		known bool
		x     float64
	}{
		{"only told", 70 * time.Millisecond, false, true, 2},
		{"seen", 70 * time.Millisecond, true, true, -3},
		{"told of long ago", 4 * time.Second, false, false, 0},
	} {
		m := world.NewModel()
		for n := range 150 {
			m.Update(see(n))
		}
		m.Hear(now(150), tell(c.age))
		p := see(150)
		p.BallSeen, p.BallX, p.BallVelocityKnown = c.seen, -3, true
		w := m.Update(p)
		if w.Ball.Known != c.known || c.known && !(math.Abs(w.Ball.Pos[0]-c.x) < 0.02) {
			t.Errorf("%s: known %v at %v", c.name, w.Ball.Known, w.Ball.Pos)
		}
		if c.name == "only told" && w.Now-w.Ball.Seen != c.age {
			t.Errorf("%s: seen %v ago, want %v", c.name, w.Now-w.Ball.Seen, c.age)
		}
	}
}

// When time goes back, earlier messages are forgotten.
func TestAWorldThatBeginsAgainHasHeardNothing(t *testing.T) {
	m := world.NewModel()
	for n := range 60 {
		m.Hear(now(n), &world.RadioMessage{Number: 3})
		m.Update(see(n))
	}
	if w := m.Update(see(0)); len(w.Heard) != 0 || len(w.Others) != 0 {
		t.Errorf("heard %+v, knows %+v", w.Heard, w.Others)
	}
}
