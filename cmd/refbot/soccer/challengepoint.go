package soccer

import (
	"iter"
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Weights of the terms in the score of a passing point. Source: Dai et al., eq. 5.
const (
	obstacleWeight = 0.5
	wayWeight      = 0.25
	mateWeight     = 0.25
)

// pointSpacing is the distance between candidate passing points, m. Source: Dai et al., section 4.2.
const pointSpacing = 0.5

// Guesses for where candidate passing points may lie: their least distances from lines and obstacles.
const (
	behindHalfway = 0.5 // m, from the halfway line
	offLines      = 0.5 // m, from the other lines
	standRoom     = 0.9 // m, from the centre of an obstacle
)

// obstacleTerm returns h_a of an obstacle, a term of the score from 0 to 1. The argument far is the obstacle's distance
// from the path of the pass, in m, or +Inf if the obstacle is not between the robots. Source: Dai et al., eq. 2.
func obstacleTerm(far float64) float64 { return min(1, max(0, (far-0.5)/1.5)) }

// wayTerm returns h_b of a passing point, a term of the score. The argument far is the point's distance from where the
// robot took the ball, in m. Source: Dai et al., eq. 3.
func wayTerm(far float64) float64 {
	if !(far >= 1 && far <= 3) {
		return 0
	}
	return (3 - far) / 2
}

// mateTerm returns h_c of a passing point, a term of the score. The argument far is the point's distance from the
// receiver, in m. The term is 0 outside of 1 m to 4 m, the range in which colour cards are recognised. Source: Dai et
// al., eq. 4.
func mateTerm(far float64) float64 {
	if !(far >= 1 && far <= 4) {
		return 0
	}
	return (4 - far) / 3
}

// fromWay returns the distance of an obstacle from the path of a pass, in m, or +Inf if the obstacle is not between the
// ends of the path.
func fromWay(obstacle, from, to pitch.Vec) float64 {
	way := to.Sub(from)
	long := way.Len()
	if along := obstacle.Sub(from).Dot(way) / max(long, 1e-9); !(along > 0 && along < long) {
		return math.Inf(1)
	}
	off, _ := pitch.FromSegment(obstacle, from, to)
	return off
}

// passingPointScore returns the score h of a passing point; higher is better. The argument took is where the robot took
// the ball, and mate is the receiver's position. Source: Dai et al., eq. 5.
func passingPointScore(point, took, mate pitch.Vec, obstacles []pitch.Vec) float64 {
	h := wayWeight*wayTerm(pitch.Distance(point, took)) + mateWeight*mateTerm(pitch.Distance(point, mate))
	for _, o := range obstacles {
		h += obstacleWeight * obstacleTerm(fromWay(o, point, mate))
	}
	return h
}

// passingPoints yields the candidate passing points in the passer's half. The points closest to the halfway line come
// first.
func passingPoints(field pitch.Pitch) iter.Seq[pitch.Vec] {
	return func(yield func(pitch.Vec) bool) {
		rows := math.Floor((field.Width/2 - offLines) / pointSpacing)
		for x := -behindHalfway; x >= offLines-field.Length/2; x -= pointSpacing {
			for k := -rows; k <= rows; k++ {
				if !yield(pitch.Vec{x, k * pointSpacing}) {
					return
				}
			}
		}
	}
}

// occupied reports whether an obstacle is so close to a position that a robot cannot stand there.
func occupied(at pitch.Vec, obstacles []pitch.Vec) bool {
	for _, o := range obstacles {
		if pitch.Distance(at, o) < standRoom {
			return true
		}
	}
	return false
}
