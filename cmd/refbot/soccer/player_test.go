package soccer_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// perceptionFrame returns message number n, in which a robot sees the ball and a teammate.
func perceptionFrame(n int) *msg.Perception {
	p := &msg.Perception{Team: msg.TeamCyan, Number: 3, FieldLength: 18, FieldWidth: 12, SelfKnown: true, X: -2,
		Phase: "playing", BallSeen: true, BallX: 1,
		Others: []msg.Sighting{{Team: msg.TeamCyan, Number: 2, X: 2, Y: 1}}}
	p.Header.Stamp = msg.TimeFrom(time.Duration(n) * time.Second / 30)
	return p
}

// A robot that receives no radio message, or only invalid ones, plays as one without a radio.
func TestWithoutMatesItPlaysByCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cards, talks := soccer.NewPlayer(soccer.ByCards), soccer.NewPlayer(soccer.ByRadio)
		for n := range 30 {
			talks.Hear(time.Duration(n)*time.Second/30, rapid.SliceOf(rapid.Byte()).Filter(func(b []byte) bool {
				_, err := world.DecodeRadio(b)
				return err != nil
			}).Draw(t, "garbage"))
			if got, want := talks.Decide(perceptionFrame(n)), cards.Decide(perceptionFrame(n)); got != want {
				t.Fatalf("frame %d: %+v, want %+v", n, got, want)
			}
			talks.Tell()
		}
	})
}

// The robot sends its pose and the ball's position 15 times a second. One that plays by cards sends nothing.
func TestWhatItTells(t *testing.T) {
	p, silent := soccer.NewPlayer(soccer.ByRadio), soccer.NewPlayer(soccer.ByCards)
	told := 0
	for n := range 30 {
		p.Decide(perceptionFrame(n))
		silent.Decide(perceptionFrame(n))
		if silent.Tell() != nil {
			t.Fatal("a robot that plays by cards tells its mates something")
		}
		data := p.Tell()
		if data == nil {
			continue
		}
		told++
		m, err := world.DecodeRadio(data)
		if err != nil || m.Number != 3 || !m.Ball.Known || !(m.Ball.Pos[0] > 0.9 && m.Ball.Pos[0] < 1.1) ||
			!(m.Pos[0] > -2.1 && m.Pos[0] < -1.9) {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	if told != 15 {
		t.Errorf("%d messages in a second, want 15", told)
	}
}
