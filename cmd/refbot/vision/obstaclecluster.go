package vision

import "math"

// How feet belong together. Guesses, but for the rules' sizes of robots.
const (
	footJump       = 0.3  // m by which the ranges of neighbours differ, at most
	footGap        = 3    // scanLine lines without any between them, at most, and any number that run along a rod of the mirror
	obstacleNarrow = 0.12 // m: what is less wide is none, if it is black
	blackish       = 0.25 // share of what an obstacle hides that makes it black: noise and skins take the rest away
	// m: the same of what is not: lines that run away from the robot, rods of the mirror and goal posts are less wide
	obstacleWide     = 0.3
	obstacleSmallest = 0.15 // m: radius
	obstacleLargest  = 0.35 // m: radius; a robot is at most 0.52 m wide, and seen over its corner 0.37
	obstacleTypical  = 0.3  // m: what is wider by half is two side by side
	obstacleMost     = 3    // side by side; more are a wall, such as boards
)

// A robot's hull hangs over its wheels. What is black lowest is its chassis, so far above the floor, and its front so
// far from the robot's middle, m: of the robots that ship, and about that of team NuBot's. What stands on the floor
// like a box is reported too near by it.
const (
	hullClearance = 0.03
	hullSetback   = 0.155
)

// cluster makes obstacles of feet that are side by side.
func (f *ObstacleFinder) cluster() {
	n := len(f.feet)
	if n == 0 {
		return
	}
	start := 0 // begin behind a gap: the circle has no first line
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

// joined tells whether two feet, one after the other, are of one obstacle.
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

// add adds what n feet stand for: one obstacle, or several side by side where they are wider than one may be.
func (f *ObstacleFinder) add(first, n int) {
	at := func(i int) *foot { return &f.feet[(first+i)%len(f.feet)] }
	line := 2 * math.Pi / float64(len(f.lines))
	turn := math.Remainder(at(n-1).bearing-at(0).bearing, 2*math.Pi)
	half := (math.Abs(turn) + line) / 2
	// The middle half of a round foot is as near as its nearest point, but for centimetres.
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
