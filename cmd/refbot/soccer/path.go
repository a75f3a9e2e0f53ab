package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Disc is something to go round: a robot's middle stays outside of it.
type Disc struct {
	Centre pitch.Vec
	Radius float64 // m
}

// maxDetours is around how many discs a path goes, one after the other.
const maxDetours = 3

// PlanPath appends the way points of a short way between two places around discs, the last of which is the place itself.
// Where two ways are as long, it goes on in the direction in which the robot drives already, so that it does not change
// its mind from frame to frame.
func PlanPath(into []pitch.Vec, from, vel, to pitch.Vec, discs []Disc) []pitch.Vec {
	return detour(into, from, to, vel, discs, maxDetours)
}

// detour goes round the first disc in the way, on the side where the whole way is shorter.
func detour(into []pitch.Vec, from, to, vel pitch.Vec, discs []Disc, left int) []pitch.Vec {
	i := firstInWay(from, to, discs)
	if i < 0 || left == 0 {
		return append(into, to)
	}
	var best []pitch.Vec
	least := math.Inf(1)
	across := pitch.Turn(pitch.Unit(to.Sub(from)), math.Pi/2)
	for _, side := range [2]float64{1, -1} {
		corner := discs[i].Centre.Add(across.Mul(side * (discs[i].Radius + clearance)))
		way := detour(nil, from, corner, vel, discs, left-1)
		way = detour(way, corner, to, pitch.Vec{}, discs, left-1)
		cost := pathLength(from, way) - keepOn*pitch.Unit(corner.Sub(from)).Dot(vel)
		if cost < least {
			best, least = way, cost
		}
	}
	return append(into, best...)
}

// clearance is how much wider than the disc a corner is, m; keepOn is by how much longer a way may be that goes on as
// the robot drives, m for each m/s. Guesses.
const (
	clearance = 0.05
	keepOn    = 0.6
)

// firstInWay returns the disc that a straight way meets first, or −1. A disc around one of the way's ends does not
// count as far as it is left.
func firstInWay(from, to pitch.Vec, discs []Disc) int {
	first, nearest := -1, math.Inf(1)
	for i := range discs {
		d := &discs[i]
		if besideAll(d, from, to) {
			continue
		}
		radius := min(d.Radius, pitch.Distance(d.Centre, from)-1e-6, pitch.Distance(d.Centre, to)-1e-6)
		if off, along := pitch.FromSegment(d.Centre, from, to); off < radius && along < nearest {
			first, nearest = i, along
		}
	}
	return first
}

// besideAll tells cheaply whether a disc is wholly on one side of a way, as most are.
func besideAll(d *Disc, from, to pitch.Vec) bool {
	for k := range 2 {
		if c := d.Centre[k]; c > max(from[k], to[k])+d.Radius || c < min(from[k], to[k])-d.Radius {
			return true
		}
	}
	return false
}

func pathLength(from pitch.Vec, way []pitch.Vec) (sum float64) {
	for _, p := range way {
		sum += pitch.Distance(from, p)
		from = p
	}
	return sum
}
