package soccer_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

func anyPlace(t *rapid.T, name string) pitch.Vec {
	return pitch.Vec{rapid.Float64Range(-8, 8).Draw(t, name+".x"), rapid.Float64Range(-5, 5).Draw(t, name+".y")}
}

// drawTeam returns the worlds of five robots that have received all radio messages. Each sees the ball and its
// teammates elsewhere, so only the messages count.
func drawTeam(t *rapid.T, told []*world.RadioMessage) (all []*world.World) {
	for i := range told {
		w := &world.World{Now: time.Second, Pitch: pitch.Pitch{Length: 18, Width: 12}, Known: true, Said: told[i],
			Me:   world.Robot{Side: world.Mate, Number: told[i].Number, Pos: anyPlace(t, "me")},
			Ball: world.Ball{Known: true, Pos: anyPlace(t, "ball")}}
		for j, m := range told {
			if j != i {
				w.Heard = append(w.Heard, world.MateMessage{Sent: time.Second, RadioMessage: m})
				w.Others = append(w.Others, world.Robot{Side: world.Mate, Number: m.Number, Pos: anyPlace(t, "mate")})
			}
		}
		all = append(all, w)
	}
	return all
}

// With any radio messages, such as equal roles, equal times to the ball, or a held or passed ball, exactly one robot
// attacks: the one with the ball, else the receiver of a pass.
func TestOneAttacksOfThoseThatHearEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var told []*world.RadioMessage
		for n := range 5 {
			told = append(told, &world.RadioMessage{Number: uint8(n + 1),
				Role:  uint8(rapid.IntRange(0, 4).Draw(t, "role")),
				Reach: time.Duration(rapid.IntRange(0, 8).Draw(t, "reach")) * 200 * time.Millisecond})
		}
		attacker := 0
		switch rapid.SampledFrom([]string{"nobody", "holds", "passes"}).Draw(t, "ball") {
		case "holds":
			attacker = rapid.IntRange(2, 5).Draw(t, "holder")
			told[attacker-1].Holding = true
		case "passes":
			attacker = rapid.IntRange(2, 5).Draw(t, "receiver")
			from := rapid.IntRange(1, 5).Filter(func(n int) bool { return n != attacker }).Draw(t, "passer")
			told[from-1].Pass = world.RadioPass{To: uint8(attacker), Kicked: true}
		}
		var attackers []uint8
		for i, w := range drawTeam(t, told) {
			w.Hold.Is = told[i].Holding
			if new(soccer.Assigner).Assign(w) == soccer.Attacker {
				attackers = append(attackers, w.Me.Number)
			}
		}
		if len(attackers) != 1 || attacker != 0 && attackers[0] != uint8(attacker) {
			t.Fatalf("attackers %v, want one, of number %d (0: any)", attackers, attacker)
		}
	})
}

// Of two attackers the closer one continues. An attacker continues unless another robot is clearly faster. A robot that
// must not play the ball does not.
func TestWhoAttacksGoesOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		reach [4]time.Duration // of the numbers 2 to 5
		has   [4]soccer.Role
		want  uint8
	}{
		{"nearest", [4]time.Duration{3 * time.Second, time.Second, 2 * time.Second, 2 * time.Second},
			[4]soccer.Role{2, 2, 2, 2}, 3},
		{"a little faster", [4]time.Duration{1200 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second},
			[4]soccer.Role{soccer.Attacker, 2, 2, 2}, 2},
		{"clearly faster", [4]time.Duration{1500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second},
			[4]soccer.Role{soccer.Attacker, 2, 2, 2}, 3},
		{"two attack", [4]time.Duration{1200 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second},
			[4]soccer.Role{soccer.Attacker, soccer.Attacker, 2, 2}, 3},
		{"as near", [4]time.Duration{time.Second, time.Second, time.Second, time.Second}, [4]soccer.Role{2, 2, 2, 2},
			2},
		{"the taker", [4]time.Duration{world.NeverReaches, 2 * time.Second, 3 * time.Second, 3 * time.Second},
			[4]soccer.Role{soccer.Attacker, 2, 2, 2}, 3},
	} {
		told := []*world.RadioMessage{{Number: 1, Reach: 0}}
		for i := range c.reach {
			told = append(told, &world.RadioMessage{Number: uint8(i + 2), Reach: c.reach[i], Role: uint8(c.has[i])})
		}
		rapid.Check(t, func(t *rapid.T) {
			for _, w := range drawTeam(t, told) {
				if attacks := new(soccer.Assigner).Assign(w) == soccer.Attacker; attacks != (w.Me.Number == c.want) {
					t.Fatalf("%s: number %d attacks: %v, want number %d", c.name, w.Me.Number, attacks, c.want)
				}
			}
		})
	}
}

// A teammate that has become silent counts only as it is seen. With all teammates silent, earlier messages do not
// count.
func TestSilentMatesAreSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		told := []*world.RadioMessage{{Number: 1}, {Number: 2}, {Number: 3}, {Number: 4}, {Number: 5}}
		for i := range told {
			told[i].Reach, told[i].Pass = time.Duration(i)*time.Second, world.RadioPass{To: 5, Kicked: true}
		}
		for _, w := range drawTeam(t, told) {
			w.Heard = nil
			seen := *w
			seen.Said = nil
			if got, want := new(soccer.Assigner).Assign(w), new(soccer.Assigner).Assign(&seen); got != want {
				t.Fatalf("number %d is %v, want %v", w.Me.Number, got, want)
			}
		}
	})
}

// A robot to which a pass is announced goes to its place before the ball is kicked.
func TestReceiversGoToThePlaceOfThePass(t *testing.T) {
	at := pitch.Vec{3, -2}
	w := &world.World{Now: time.Second, Pitch: pitch.Pitch{Length: 18, Width: 12}, Known: true,
		Me:   world.Robot{Number: 4, Pos: pitch.Vec{1, 3}},
		Ball: world.Ball{Known: true, Pos: pitch.Vec{-1, 0}},
		Heard: []world.MateMessage{{Sent: time.Second, RadioMessage: &world.RadioMessage{Number: 3, Holding: true,
			Pass: world.RadioPass{To: 4, At: at}}}}}
	if c := soccer.PlayRole(soccer.Supporter, w); c.Target != at {
		t.Errorf("goes to %v, want %v", c.Target, at)
	}
}
