package vision

import "math"

// Criteria for grouping feet into obstacles. All are guesses, except for the sizes of robots, which come from the
// rules.
const (
	footJump       = 0.3  // m, largest difference between the ranges of neighbouring feet
	footGap        = 3    // most scan lines without a foot in an obstacle, except for lines along a rod of the mirror
	obstacleNarrow = 0.12 // m, least width of a black obstacle
	// blackish is the least fraction of black pixels in a black obstacle. The remaining pixels are noise and the skins
	// of robots.
	blackish = 0.25
	// obstacleWide is the least width of an obstacle that is not black, in m. Lines that lead away from the robot, rods
	// of the mirror and goalposts are narrower.
	obstacleWide     = 0.3
	obstacleSmallest = 0.15 // m: radius
	obstacleLargest  = 0.35 // m: radius; a robot is at most 0.52 m wide, with radius 0.37 over its corner
	obstacleTypical  = 0.3  // m: a wider obstacle is several obstacles side by side
	obstacleMost     = 3    // most obstacles side by side; something wider is a wall, such as boards
)

// A robot's hull hangs over its wheels. The lowest black part is its chassis, hullClearance above the floor and
// hullSetback from the robot's centre, m. The values are those of the shipped robots and about those of team NuBot. For
// a box that stands on the floor, the computed position is too close.
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

// joined reports whether the feet with the indices i and j, which are neighbours, belong to the same obstacle.
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

// add adds the obstacle to which n feet belong, beginning with the foot first. If the feet are too wide for one
// obstacle, it adds several obstacles side by side.
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
	if parts > obstacleMost { // this is a wall
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
