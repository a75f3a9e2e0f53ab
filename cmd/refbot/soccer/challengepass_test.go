package soccer

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

var field = pitch.Pitch{Length: 12, Width: 8}

// The terms at the ends and in the middle of their ranges. Oracle: Dai et al., eqs. 2 to 4, by hand.
func TestTerms(t *testing.T) {
	for _, c := range []struct {
		name      string
		term      func(float64) float64
		far, want float64
	}{
		{"obstacle", obstacleTerm, 0.5, 0}, {"obstacle", obstacleTerm, 0, 0}, {"obstacle", obstacleTerm, 1.25, 0.5},
		{"obstacle", obstacleTerm, 2, 1}, {"obstacle", obstacleTerm, math.Inf(1), 1},
		{"way", wayTerm, 0.99, 0}, {"way", wayTerm, 1, 1}, {"way", wayTerm, 2, 0.5}, {"way", wayTerm, 3, 0},
		{"way", wayTerm, 3.01, 0},
		{"mate", mateTerm, 0.99, 0}, {"mate", mateTerm, 1, 1}, {"mate", mateTerm, 2.5, 0.5}, {"mate", mateTerm, 4, 0},
		{"mate", mateTerm, 4.01, 0},
	} {
		if got := c.term(c.far); !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("term of the %s at %.2f m: %.3f, want %.3f", c.name, c.far, got, c.want)
		}
	}
}

// Oracle: eq. 5 by hand, for a point 2 m from where the ball was taken and 3 m from the partner, with an obstacle 0.8 m
// beside the pass and another behind the partner.
func TestWorth(t *testing.T) {
	got := passingPointScore(pitch.Vec{-1, 0}, pitch.Vec{-3, 0}, pitch.Vec{2, 0}, []pitch.Vec{{0, 0.8}, {3, 0}})
	if want := 0.5*(0.2+1) + 0.25*0.5 + 0.25/3; !(math.Abs(got-want) < 1e-12) {
		t.Errorf("%.4f, want %.4f", got, want)
	}
}

// Candidates are 0.5 m apart, in the passer's half, without duplicates.
func TestCandidates(t *testing.T) {
	seen := map[pitch.Vec]bool{}
	for p := range passingPoints(field) {
		if seen[p] || !(p[0] <= -behindHalfway) || !field.Inside(p, offLines-1e-9) ||
			math.Mod(p[0], pointSpacing) != 0 ||
			math.Mod(p[1], pointSpacing) != 0 {
			t.Errorf("candidate %v", p)
		}
		seen[p] = true
	}
	if len(seen) != 11*15 {
		t.Errorf("%d candidates, want 11 × 15", len(seen))
	}
}

// With any two obstacles in the effective area, the pass from the best point clears them, the robot has room there, and
// the ball has been dribbled far enough.
func TestBestPointIsClear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := func(name string, from, to float64) float64 { return rapid.Float64Range(from, to).Draw(t, name) }
		p := NewPartner(true)
		p.obstacles = []pitch.Vec{{at("x1", -1.6, -0.8), at("y1", -1, 1)}, {at("x2", 0.6, 1.2), at("y2", -1, 1)}}
		took := pitch.Vec{at("x", -4, -2), at("y", -1, 1)}
		from := pitch.Vec{-3, 0} // position of the ball
		p.mate.known, p.mate.Pos = true, receivingPlace(p.obstacles[1], from, receiveHome)
		p.attempt = passAttempt{took: took, from: took, at: took}
		best, h := p.best(field)
		if best == took || occupied(best, p.obstacles) || !p.dribbled(best) {
			t.Fatalf("best point %v, worth %.2f", best, h)
		}
		for _, o := range p.obstacles {
			if off := fromWay(o, best, p.mate.Pos); !(off > 0.25+pitch.BallRadius) {
				t.Fatalf("from %v to %v the ball passes %v by %.2f m", best, p.mate.Pos, o, off)
			}
		}
	})
}
