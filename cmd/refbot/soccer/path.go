package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Disc is an obstacle. The centre of the robot stays outside of the disc.
type Disc struct {
	Centre pitch.Vec
	Radius float64 // m
}

// maxDetours is the largest number of discs that a path goes around.
const maxDetours = 3

// PlanPath appends to the slice into the waypoints of a short path around discs. The path starts at the position from,
// and its last waypoint is the position to. If two paths have similar lengths, PlanPath prefers the path in the
// direction of the robot's velocity vel, so that the choice does not alternate from frame to frame.
func PlanPath(into []pitch.Vec, from, vel, to pitch.Vec, discs []Disc) []pitch.Vec {
	return detour(into, from, to, vel, discs, maxDetours)
}

// detour appends to the slice into the waypoints of a path that goes around the first disc in the way, on the side on
// which the whole path is shorter. It goes around at most left discs.
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

// Guesses. clearance is the distance of a waypoint from the edge of the disc that the path goes around, in m. keepOn is
// how much longer a path in the driving direction may be than another path, in m for each m/s of the robot's speed.
const (
	clearance = 0.05
	keepOn    = 0.6
)

// firstInWay returns the index of the first disc on a straight path, or −1 if no disc is on the path. If a disc
// contains an end of the path, it counts only if the path leads deeper into the disc.
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

// besideAll reports whether a disc lies entirely on one side of the bounding box of a path, so that it cannot be in the
// way. The test is cheap, and true for most discs.
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
