package vision

import "math"

// Grouping of feet. Guesses, except for the sizes of robots in the rules.
const (
	footJump       = 0.3  // m, largest difference between the ranges of neighbours
	footGap        = 3    // scan lines without a foot, at most; those along a rod of the mirror do not count
	obstacleNarrow = 0.12 // m: a narrower black obstacle is none
	// fraction of black pixels from which an obstacle is black; noise and skins account for the rest
	blackish = 0.25
	// m: the same for one that is not black; lines away from the robot, rods of the mirror and goal posts are narrower
	obstacleWide     = 0.3
	obstacleSmallest = 0.15 // m: radius
	obstacleLargest  = 0.35 // m: radius; a robot is at most 0.52 m wide, with radius 0.37 over its corner
	obstacleTypical  = 0.3  // m: wider ones are several side by side
	obstacleMost     = 3    // side by side; more are a wall, such as boards
)

// A robot's hull hangs over its wheels. The lowest black part is its chassis, hullClearance above the floor and
// hullSetback from the robot's centre, m. The values are those of the shipped robots and about those of team NuBot. For
// a box on the floor the result is too close.
const (
	hullClearance = 0.03
	hullSetback   = 0.155
)

// cluster groups neighbouring feet into obstacles.
func (f *ObstacleFinder) cluster() {
	n := len(f.feet)
	if n == 0 {
		return
	}
	start := 0 // start behind a gap, because the scan lines form a circle
	for i := range n {
		if !f.joined((i+n-1)%n, i) {
			start = i
			break
		}
	}
	first := 0
	for i := 1; i <= n; i++ {
		if i == n || !f.joined((start+i-1)%n, (start+i)%n) {
			f.add(start+first, i-first)
			first = i
		}
	}
}

// joined reports whether two consecutive feet belong to one obstacle.
func (f *ObstacleFinder) joined(i, j int) bool {
	a, b := &f.feet[i], &f.feet[j]
	if i == j || math.Abs(a.reach-b.reach) >= footJump {
		return false
	}
	without := 0
	for k := (a.line + 1) % len(f.lines); k != b.line && without <= footGap; k = (k + 1) % len(f.lines) {
		if !f.blind[k] {
			without++
		}
	}
	return without <= footGap
}

// add adds the obstacle of n feet, or several side by side if they are too wide for one.
func (f *ObstacleFinder) add(first, n int) {
	at := func(i int) *foot { return &f.feet[(first+i)%len(f.feet)] }
	line := 2 * math.Pi / float64(len(f.lines))
	turn := math.Remainder(at(n-1).bearing-at(0).bearing, 2*math.Pi)
	half := (math.Abs(turn) + line) / 2
	// The middle half of a round foot is as close as its nearest point, within centimetres.
	near, black, count := 0.0, 0.0, 0
	for i := n / 4; i < n-n/4; i++ {
		near, black, count = near+at(i).reach, black+at(i).black, count+1
	}
	near /= float64(count)
	distance := near*(1-hullClearance/f.floor.Mount.Height) + hullSetback
	sin := math.Sin(min(half, math.Pi/2))
	if width := 2 * distance * sin; width < obstacleNarrow || width < obstacleWide && black < blackish*float64(count) {
		return
	}
	parts := max(1, int(math.Round(distance*sin/obstacleTypical)))
	if parts > obstacleMost { // a wall
		return
	}
	middle := at(0).bearing + turn/2
	half /= float64(parts)
	radius := min(max(distance*math.Sin(min(half, math.Pi/2)), obstacleSmallest), obstacleLargest)
	for k := range parts {
		sin, cos := math.Sincos(middle + half*float64(2*k-parts+1))
		f.found = append(f.found, Obstacle{f.floor.Mount.X + distance*cos, f.floor.Mount.Y + distance*sin, radius})
	}
}
