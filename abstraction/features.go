package abstraction

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// FeatureList is what segmentation finds in one image, in pixels: u to the right, v down, (0, 0) the middle of the top
// left pixel.
type FeatureList struct {
	Balls      []BallFeature // candidates
	Obstacles  []BoxFeature  // robots and obstacles
	Cards      []BoxFeature  // colour cards of robots
	Posts      []PostFeature
	Bars       []BarFeature
	LinePoints [][2]float64 // the middles of markings on scan lines, which are radial for a mirror, else vertical
	Segments   []SegmentFeature
	Crossings  []CrossingFeature
	Circles    []CircleFeature
}

// BallFeature is a ball, or a false detection of one.
type BallFeature struct {
	U, V       float64 // middle of its visible part
	Diameter   float64 // larger side of the box around the pixels that it fills by half or more
	Confidence float64 // visible share, 0 to 1
}

// BoxFeature is the box around all pixels that show a part of one object, however small: from the middle of the first
// column and row to the middle of the last.
type BoxFeature struct {
	Kind       Kind
	Name       string // in the world
	Team       string // of a robot whose card is visible
	MinU, MinV float64
	MaxU, MaxV float64
	Pixels     int     // that show a part of it
	Confidence float64 // visible share, 0 to 1; of a card 1
}

// PostFeature is a goal post.
type PostFeature struct {
	Name       string     `json:"name"`
	Foot       [2]float64 `json:"foot_px"` // ends of its axis, in the image or beside it
	Top        [2]float64 `json:"top_px"`
	Width      float64    `json:"width_px"` // at half its height
	Confidence float64    `json:"confidence"`
}

// BarFeature is a goal's bar, from its left to its right end in the image.
type BarFeature struct {
	Left       [2]float64 `json:"left_px"`
	Right      [2]float64 `json:"right_px"`
	Width      float64    `json:"width_px"`
	Confidence float64    `json:"confidence"` // visible share, 0 to 1
}

// SegmentFeature is a visible part of a straight line without a gap, which bends by at most two pixels in the image.
type SegmentFeature struct {
	Start      [2]float64 `json:"start_px"`
	End        [2]float64 `json:"end_px"`
	StartWidth float64    `json:"start_width_px"`
	EndWidth   float64    `json:"end_width_px"`
	Confidence float64    `json:"confidence"` // its share of the whole line, 0 to 1
}

// CrossingFeature is where lines cross.
type CrossingFeature struct {
	At   [2]float64   `json:"at_px"`
	Kind CrossingKind `json:"kind"`
}

// CircleFeature is the centre circle: the leftmost and the rightmost of its visible points, and one half-way between
// them.
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

// Picture says what an image shows: Labels by its pixels, a contour.Image by the outlines of what it shows. Codes are
// 2·i for target i of the Environment, 2·i + 1 for its colour card, or one of the negative labels below.
type Picture interface {
	Size() (width, height int)
	// At returns the code of the pixel nearest to a point, and false outside the image.
	At(u, v float64) (code int16, inside bool)
	// Boxes returns the boxes of all targets and their colour cards, in into's memory.
	Boxes(targets int, into []contour.Boxes) []contour.Boxes
	// Unoccluded returns how many pixels would show a target if there were nothing else; after Boxes.
	Unoccluded(target int) int
	// LinePoints adds the middles of markings on scan lines, as far as they are visible and in the range of a
	// viewpoint.
	LinePoints(marks []spatial.Mark, poseWC spatial.Pose, radial bool, maxRange float64, into [][2]float64) [][2]float64
}

// Labels says what each pixel of an image shows.
type Labels struct {
	Model         optics.Model // of the camera
	Width, Height int          // of the image
	// Codes are Height × Width, of what the pixels' middles show, as a Picture has them.
	Codes []int16
	// Boundary are the indices, in rising order, of the pixels that show more than one object, and BoundarySamples the
	// codes of four points of each.
	Boundary        []int
	BoundarySamples [][4]int16
	// Alone returns what the image would show of a target if there were nothing else.
	Alone func(target int) *Labels
}

const (
	BackgroundLabel       = contour.Nothing // the floor, the hall, nothing
	GoalLabel       int16 = -2              // goals and boards
	OtherLabel      int16 = -3              // what vision does not detect
)

// Size returns the image's width and height in pixels.
func (l *Labels) Size() (width, height int) { return l.Width, l.Height }

// At returns the code of the pixel nearest to a point, and false outside the image.
func (l *Labels) At(u, v float64) (code int16, inside bool) {
	x, y := int(math.Floor(u+0.5)), int(math.Floor(v+0.5))
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return BackgroundLabel, false
	}
	return l.Codes[y*l.Width+x], true
}

// Unoccluded returns how many pixels would show a target if there were nothing else.
func (l *Labels) Unoccluded(target int) int {
	return l.Alone(target).Boxes(target+1, nil)[target].All.Pixels
}

// Boxes returns the boxes of all targets, in into's memory.
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
