package abstraction

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// FeatureList is the result of the segmentation of one image. Coordinates are in pixels: u points right and v points
// down. The centre of the top-left pixel is at (0, 0).
type FeatureList struct {
	Balls     []BallFeature // candidates
	Obstacles []BoxFeature  // robots and obstacles
	Cards     []BoxFeature  // colour cards of robots
	Posts     []PostFeature
	Bars      []BarFeature
	// centres of markings on scan lines; the lines are radial for a mirror, and vertical for other cameras
	LinePoints [][2]float64
	Segments   []SegmentFeature
	Crossings  []CrossingFeature
	Circles    []CircleFeature
}

// BallFeature is a ball or a false positive.
type BallFeature struct {
	U, V       float64 // centre of the visible part
	Diameter   float64 // longer side of the bounding box of the pixels that the ball fills by at least half
	Confidence float64 // visible fraction of the ball, 0 to 1
}

// BoxFeature is the bounding box of all pixels that show any part of an object. It extends from the centre of the first
// column and row of these pixels to the centre of their last column and row.
type BoxFeature struct {
	Kind       Kind
	Name       string // in the world
	Team       string // name of the team; only for a robot with a visible card
	MinU, MinV float64
	MaxU, MaxV float64
	Pixels     int     // number of pixels that show a part of the object
	Confidence float64 // visible fraction of the object, 0 to 1; always 1 for a card
}

// PostFeature is a goal post.
type PostFeature struct {
	Name       string     `json:"name"`
	Foot       [2]float64 `json:"foot_px"` // lower end of the post's axis; Foot and Top may lie outside of the image
	Top        [2]float64 `json:"top_px"`
	Width      float64    `json:"width_px"` // at half the post's height
	Confidence float64    `json:"confidence"`
}

// BarFeature is a goal's bar, from its left to its right end in the image.
type BarFeature struct {
	Left       [2]float64 `json:"left_px"`
	Right      [2]float64 `json:"right_px"`
	Width      float64    `json:"width_px"`
	Confidence float64    `json:"confidence"` // visible fraction of the bar, 0 to 1
}

// SegmentFeature is a visible part of a straight line of the field. The part has no gaps, and bends by at most two
// pixels in the image.
type SegmentFeature struct {
	Start      [2]float64 `json:"start_px"`
	End        [2]float64 `json:"end_px"`
	StartWidth float64    `json:"start_width_px"`
	EndWidth   float64    `json:"end_width_px"`
	Confidence float64    `json:"confidence"` // length of the part as a fraction of the whole line's length, 0 to 1
}

// CrossingFeature is a point where lines of the field cross.
type CrossingFeature struct {
	At   [2]float64   `json:"at_px"`
	Kind CrossingKind `json:"kind"`
}

// CircleFeature is the centre circle: its leftmost and rightmost visible points, and a point half-way between these
// two.
type CircleFeature struct {
	Left   [2]float64 `json:"left_px"`
	Middle [2]float64 `json:"middle_px"`
	Right  [2]float64 `json:"right_px"`
}

// Clear empties the features and keeps their memory.
func (f *FeatureList) Clear() {
	f.Balls, f.Obstacles, f.Cards = f.Balls[:0], f.Obstacles[:0], f.Cards[:0]
	f.Posts, f.Bars, f.LinePoints = f.Posts[:0], f.Bars[:0], f.LinePoints[:0]
	f.Segments, f.Crossings, f.Circles = f.Segments[:0], f.Crossings[:0], f.Circles[:0]
}

// Picture is the content of an image. There are two implementations: Labels is made from pixels, and contour.Image from
// the outlines of bodies. Every pixel has a code. The code of a target is 2·i, where i is the target's index in the
// Environment, and the code of the target's colour card is 2·i + 1. Negative codes are the labels of this package, such
// as OtherLabel.
type Picture interface {
	Size() (width, height int)
	// At returns the code of the pixel nearest to a point. It returns false if the point is outside of the image.
	At(u, v float64) (code int16, inside bool)
	// OnlyShowing sets those elements of visible to false whose pixel is not in the image or does not have the given
	// code. The points pixels[i] should be ordered along a line.
	OnlyShowing(code int16, pixels []optics.Pixel, visible []bool)
	// Boxes returns the boxes of all targets and of their colour cards. Half is valid only for balls. Boxes reuses the
	// memory of its last argument.
	Boxes(targets int, into []contour.Boxes) []contour.Boxes
	// Unoccluded returns the number of pixels that would show a target if nothing occluded it. It must be called after
	// Boxes.
	Unoccluded(target int) int
	// LinePoints appends the points where scan lines cross the centre of a marking, in pixels. It leaves out points
	// that are not visible, or farther than maxRange, in m, from the camera.
	LinePoints(marks []spatial.Mark, poseWC spatial.Pose, radial bool, maxRange float64, into [][2]float64) [][2]float64
}

// Labels is a labelled image.
type Labels struct {
	Model         optics.Model // of the camera
	Width, Height int          // of the image
	// Codes are the codes of the pixels' centres, Height × Width, row by row. Picture explains the codes.
	Codes []int16
	// Boundary lists in ascending order the indices of the pixels that show more than one object. BoundarySamples holds
	// the codes at four points of each such pixel.
	Boundary        []int
	BoundarySamples [][4]int16
	// Alone returns the labelled image that shows only the given target.
	Alone func(target int) *Labels
}

const (
	BackgroundLabel       = contour.Nothing // the floor, the hall, or nothing
	GoalLabel       int16 = -2              // goals and boards
	OtherLabel      int16 = -3              // an object that vision does not detect
)

// Size returns the image's width and height in pixels.
func (l *Labels) Size() (width, height int) { return l.Width, l.Height }

// At returns the code of the pixel nearest to a point. It returns false if the point is outside of the image.
func (l *Labels) At(u, v float64) (code int16, inside bool) {
	x, y := int(math.Floor(u+0.5)), int(math.Floor(v+0.5))
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return BackgroundLabel, false
	}
	return l.Codes[y*l.Width+x], true
}

// OnlyShowing sets those elements of visible to false whose pixel is not in the image or does not have the given code.
func (l *Labels) OnlyShowing(code int16, pixels []optics.Pixel, visible []bool) {
	for i, p := range pixels {
		if visible[i] {
			shown, inside := l.At(p.U, p.V)
			visible[i] = inside && shown == code
		}
	}
}

// Unoccluded returns the number of pixels that would show a target if nothing occluded it.
func (l *Labels) Unoccluded(target int) int {
	return l.Alone(target).Boxes(target+1, nil)[target].All.Pixels
}

// Boxes returns the boxes of all targets. It reuses the memory of its last argument.
func (l *Labels) Boxes(targets int, into []contour.Boxes) []contour.Boxes {
	if cap(into) < targets {
		into = make([]contour.Boxes, targets)
	}
	into = into[:targets]
	clear(into)
	mixed := l.Boundary
	for v := range l.Height {
		for u, code := range l.Codes[v*l.Width : (v+1)*l.Width] {
			if len(mixed) > 0 && mixed[0] == v*l.Width+u {
				l.addBoundary(u, v, l.BoundarySamples[len(l.Boundary)-len(mixed)], into)
				mixed = mixed[1:]
			} else if code >= 0 {
				into[code/2].Add(u, v, true, code&1 == 1)
			}
		}
	}
	return into
}

// addBoundary adds a boundary pixel to the boxes of all targets that it shows.
func (l *Labels) addBoundary(u, v int, samples [4]int16, into []contour.Boxes) {
	for i, code := range samples {
		if code < 0 {
			continue
		}
		n, card, first := 0, false, true
		for k, other := range samples {
			if other >= 0 && other/2 == code/2 {
				n++
				card = card || other&1 == 1
				first = first && k >= i
			}
		}
		if first {
			into[code/2].Add(u, v, 2*n >= len(samples), card)
		}
	}
}
