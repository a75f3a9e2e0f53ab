package vision

import (
	"cmp"
	"math"
	"slices"
)

// Criteria for the obstacles of a LensObstacleFinder. All are guesses for robots on legs.
const (
	columnSpacing = 4    // distance between the columns of the image that are searched, pixels
	bodyNearest   = 0.25 // m, distance from the camera within which the robot sees itself
	bodyGap       = 0.15 // m, largest gap between the two legs of a robot
	bodyNarrow    = 0.08 // m, least width of an obstacle; lines and the edges of arms are narrower
	bodyTypical   = 0.45 // m, width above which an obstacle counts as several obstacles side by side
	bodySetback   = 0.08 // m, from the front of a robot's feet to its centre
	bodySmallest  = 0.12 // m, least radius
	bodyBeside    = 0.15 // m, width of the strip on either side of an obstacle behind which nothing is reported
)

// LensObstacleFinder finds robots and other objects on the carpet in the images of one camera with a lens, which may
// move on the robot. Along columns of the image, from the bottom up, it looks for the place where carpet ends and does
// not soon continue.
type LensObstacleFinder struct {
	view   *View
	reach  float64   // largest distance of an obstacle from the camera, m
	slopes []float64 // of the directions of a column's pixels, down per horizontal distance
	carpet []int32   // number of carpet and ball pixels of a column below each pixel
	feet   []feetGroup
	found  []Obstacle
}

// feetGroup is what belongs to one obstacle of the points at which obstacles begin in columns. Bearings are in rad and
// ranges are in m, from the viewpoint.
type feetGroup struct {
	left, right float64 // bearings of the first and the last column
	near        float64 // least range
	last        float64 // range of the last column
}

// NewLensObstacleFinder returns a finder of obstacles up to a distance from the camera, m.
func NewLensObstacleFinder(view *View, reach float64) *LensObstacleFinder {
	return &LensObstacleFinder{view: view, reach: reach, slopes: make([]float64, view.Height),
		carpet: make([]int32, view.Height+1), feet: make([]feetGroup, 0, view.Width/columnSpacing+1)}
}

// Find returns the obstacles in an image whose pixels have the given classes, the nearest first. It drops the obstacles
// at positions for which the function allowed returns false. The result is valid until the next call. It is empty if
// the image does not have the camera's size.
func (f *LensObstacleFinder) Find(classes []Class, allowed func(x, y float64) bool) []Obstacle {
	f.feet, f.found = f.feet[:0], f.found[:0]
	if len(classes) != f.view.Width*f.view.Height {
		return f.found
	}
	for u := columnSpacing / 2; u < f.view.Width; u += columnSpacing {
		if i, ok := f.foot(classes, u); ok {
			if x, y, ok := f.view.Floor(i); ok && allowed(x, y) {
				x, y = x-f.view.Pos[0], y-f.view.Pos[1]
				f.join(math.Atan2(y, x), math.Hypot(x, y))
			}
		}
	}
	for i := range f.feet {
		f.add(&f.feet[i])
	}
	f.dropHidden()
	return f.found
}

// foot searches a column, from the bottom up, for the first pixel of an obstacle, and returns the pixel's index. An
// obstacle begins at a pixel if almost none of the pixels above it, as far as an object of obstacleHeight would hide
// the floor, show carpet or the ball. ok is false if there is no obstacle.
func (f *LensObstacleFinder) foot(classes []Class, u int) (at int, ok bool) {
	h := f.view.Pos[2]
	last := f.view.Height - 1
	rows := 0 // that show floor
	for ; rows <= last; rows++ {
		i := (last-rows)*f.view.Width + u
		up := f.view.up(i)
		if f.slopes[rows] = -up / math.Sqrt(max(1e-12, 1-up*up)); f.slopes[rows] <= 0 {
			break
		}
		n := int32(0)
		if c := classes[i]; c == ClassGreen || c == ClassBall {
			n = 1
		}
		f.carpet[rows+1] = f.carpet[rows] + n
	}
	shrink := (h - obstacleHeight) / h
	top := 0
	for k := 0; k < rows && f.slopes[k] > h/f.reach; k++ {
		if f.carpet[k+1] > f.carpet[k] || f.slopes[k] > h/bodyNearest {
			continue
		}
		for top = max(top, k); top < rows && f.slopes[top] > shrink*f.slopes[k]; {
			top++
		}
		n := top - k
		if n < obstacleFewest {
			return 0, false
		}
		if float64(f.carpet[top]-f.carpet[k]) <= obstacleCarpeted*float64(n) {
			return (last-k)*f.view.Width + u, true
		}
	}
	return 0, false
}

// join adds the foot of a column to the group to which it belongs, or to a new one. Between the legs of a robot,
// columns show what is behind it.
func (f *LensObstacleFinder) join(bearing, reach float64) {
	for i := range f.feet {
		if g := &f.feet[i]; math.Abs(g.last-reach) < footJump && (g.right-bearing)*reach < bodyGap {
			g.right, g.last, g.near = bearing, reach, min(g.near, reach)
			return
		}
	}
	f.feet = append(f.feet, feetGroup{bearing, bearing, reach, reach})
}

// add adds the obstacle of a group of feet. If it is too wide for one obstacle, it adds several obstacles side by side.
func (f *LensObstacleFinder) add(g *feetGroup) {
	left, right, near := g.left, g.right, g.near
	width := (left - right) * near
	if width < bodyNarrow || width > obstacleMost*bodyTypical {
		return
	}
	parts := max(1, int(math.Round(width/bodyTypical)))
	distance, radius := near+bodySetback, max(bodySmallest, width/float64(2*parts))
	for k := range parts {
		sin, cos := math.Sincos(left + (right-left)*(float64(k)+0.5)/float64(parts))
		f.found = append(f.found, Obstacle{f.view.Pos[0] + distance*cos, f.view.Pos[1] + distance*sin, radius})
	}
}

// dropHidden drops what stands directly behind a nearer obstacle, such as the hands of a robot: below them, the image
// shows carpet that is nearer than the floor which they hide.
func (f *LensObstacleFinder) dropHidden() {
	from := f.view.Pos
	distance := func(o *Obstacle) float64 { return math.Hypot(o.X-from[0], o.Y-from[1]) }
	slices.SortFunc(f.found, func(a, b Obstacle) int { return cmp.Compare(distance(&a), distance(&b)) })
	kept := f.found[:0]
	for i := range f.found {
		o := f.found[i]
		if !slices.ContainsFunc(kept, func(n Obstacle) bool {
			far, near := distance(&o), distance(&n)
			aside := math.Abs((o.X-from[0])*(n.Y-from[1])-(o.Y-from[1])*(n.X-from[0])) / far
			return aside < n.Radius+bodyBeside && far < near*2
		}) {
			kept = append(kept, o)
		}
	}
	f.found = kept
}
