package dashboard

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// overlays is a set of overlay kinds, one bit each.
type overlays uint8

const (
	detectionsOverlay overlays = 1 << iota
	bodiesOverlay
	linesOverlay
	horizonOverlay
	rimOverlay
	unseenOverlay
)

var overlayNames = []string{"detections", "bodies", "lines", "horizon", "rim", "unseen"}

// overlaysOf parses names of overlays, separated by commas.
func overlaysOf(text string) (all overlays, err error) {
	if text == "" {
		return 0, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		i := slices.Index(overlayNames, name)
		if i < 0 {
			return 0, fmt.Errorf("overlay = %.40q: must be some of %s, with commas between them", name,
				strings.Join(overlayNames, ", "))
		}
		all |= 1 << i
	}
	return all, nil
}

// parts returns the data that a frame needs for these overlays.
func (o overlays) parts() (p sensors.OverlayParts) {
	if o != 0 {
		p = sensors.OverlayPoses
	}
	if o&detectionsOverlay != 0 {
		p |= sensors.OverlayObjects
	}
	if o&linesOverlay != 0 {
		p |= sensors.OverlayLines
	}
	if o&(bodiesOverlay|unseenOverlay) != 0 {
		p |= sensors.OverlayBodies
	}
	return p
}

// overlayJSON is the content of overlays. Positions are pixels of the full-size image; (0, 0) is the centre of the
// top-left pixel.
type overlayJSON struct {
	Stamp      float64        `json:"stamp_s"`
	Width      int            `json:"width_px"`
	Height     int            `json:"height_px"`
	Detections []detectedJSON `json:"detections,omitempty"`
	Bodies     []outlinedJSON `json:"bodies,omitempty"`
	Lines      pixels         `json:"lines_px,omitempty"`
	Horizon    []pixels       `json:"horizon_px,omitempty"`
	Rim        []pixels       `json:"rim_px,omitempty"`
	Own        []pixels       `json:"own_px,omitempty"`
	Hidden     []outlinedJSON `json:"hidden,omitempty"`
}

// detectedJSON is an object that the camera reports at level objects: its position, and a ring parallel to the floor
// around that position.
type detectedJSON struct {
	Kind string   `json:"kind"`
	Name string   `json:"name,omitempty"`
	Team string   `json:"team,omitempty"`
	At   pixels   `json:"at_px"`
	Ring []pixels `json:"ring_px"`
}

// outlinedJSON is the outline of a body in the image, or of the occluded part of a body.
type outlinedJSON struct {
	Kind    string   `json:"kind,omitempty"` // only of a body
	Name    string   `json:"name"`
	Team    string   `json:"team,omitempty"`
	Outline []pixels `json:"outline_px"`
}

// pixels is a list of image points.
type pixels [][2]float64

// MarshalJSON writes tenths of a pixel.
func (p pixels) MarshalJSON() ([]byte, error) {
	out := append(make([]byte, 0, 2+14*len(p)), '[')
	for i, at := range p {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendTenths(append(out, '['), at[0])
		out = append(appendTenths(append(out, ','), at[1]), ']')
	}
	return append(out, ']'), nil
}

// appendTenths appends a number with one decimal, in a third of the time of strconv.AppendFloat.
func appendTenths(out []byte, x float64) []byte {
	n := int64(math.Round(x * 10))
	if n < 0 {
		out, n = append(out, '-'), -n
	}
	return append(strconv.AppendInt(out, n/10, 10), '.', byte('0'+n%10))
}

func outlineOf(o contour.Outline) (all []pixels) {
	for _, line := range o {
		all = append(all, line)
	}
	return all
}

// draw computes those of the given overlays for which the frame has data.
func (f *frame) draw(which overlays) *overlayJSON {
	j := &overlayJSON{Stamp: f.obs.Stamp.Seconds()}
	o := f.obs.Overlay
	if o == nil || o.Model == nil {
		return j
	}
	j.Width, j.Height = o.Model.Size()
	s := sketch{model: o.Model, width: float64(j.Width), height: float64(j.Height)}
	if which&detectionsOverlay != 0 {
		poseCB := f.obs.PoseBC.Inverse()
		for i := range o.Objects.Detections {
			if d, ok := s.detection(&o.Objects.Detections[i], &poseCB); ok {
				j.Detections = append(j.Detections, d)
			}
		}
	}
	for i := range o.Bodies {
		b := &o.Bodies[i]
		if which&bodiesOverlay != 0 && len(b.Visible) > 0 {
			j.Bodies = append(j.Bodies, outlinedJSON{string(b.Kind), b.Name, b.Team, outlineOf(b.Visible)})
		}
		if which&unseenOverlay != 0 && len(b.Hidden) > 0 {
			j.Hidden = append(j.Hidden, outlinedJSON{Name: b.Name, Outline: outlineOf(b.Hidden)})
		}
	}
	if which&linesOverlay != 0 {
		j.Lines = o.LinePoints
	}
	if which&horizonOverlay != 0 {
		j.Horizon = s.horizon(o.PoseWC)
	}
	if which&(rimOverlay|unseenOverlay) != 0 {
		j.Rim = f.feed.rimOf(o.Model)
	}
	if which&unseenOverlay != 0 {
		j.Own = outlineOf(o.Own)
	}
	return j
}

// rim is the edge of a camera's field of view, in pixels of its image.
type rim struct {
	mu    sync.Mutex
	world *worlds.World
	line  []pixels
}

// rimOf returns the edge of a camera's field of view. Computing it takes as long as an image, so it is done once per
// world.
func (f *feed) rimOf(model optics.Model) []pixels {
	f.rim.mu.Lock()
	defer f.rim.mu.Unlock()
	if w := f.sim.World(); w != f.rim.world {
		f.rim.world, f.rim.line = w, outlineOf(contour.Rim(model))
	}
	return f.rim.line
}

// sketch converts directions and positions to pixels of a camera's image.
type sketch struct {
	model         optics.Model
	width, height float64
}

const (
	ringPoints = 48
	robotRing  = 0.25 // radius of the ring around a robot, m: about a robot's radius
	ballRing   = 0.15 // radius of the ring around a ball, m: larger than the ball, so that the ball stays visible
)

func (s *sketch) detection(d *abstraction.Detection, poseCB *spatial.Pose) (j detectedJSON, ok bool) {
	around := robotRing
	if d.Kind == abstraction.BallKind {
		around = ballRing
	}
	u, v, ok := s.model.Project(poseCB.Apply(d.PosB))
	if !ok || !s.near(u, v) {
		return j, false
	}
	j = detectedJSON{Kind: string(d.Kind), Name: d.Name, Team: d.Team, At: pixels{{u, v}}}
	j.Ring = s.curve(ringPoints, func(angle float64) mgl64.Vec3 {
		sin, cos := math.Sincos(angle)
		return poseCB.Apply(d.PosB.Add(mgl64.Vec3{around * cos, around * sin, 0}))
	})
	return j, true
}

// horizon returns the horizon as the image shows it: the image of far points at the camera's height.
func (s *sketch) horizon(poseWC spatial.Pose) []pixels {
	const far, points = 1e4, 180 // distance of the points, m, and their number: one every 2°
	poseCW := poseWC.Inverse()
	return s.curve(points, func(angle float64) mgl64.Vec3 {
		sin, cos := math.Sincos(angle)
		return poseCW.Apply(poseWC.Pos.Add(mgl64.Vec3{far * cos, far * sin, 0}))
	})
}

// curve projects a closed curve into the image, and returns the parts of it that are in or near the image. The function
// point returns a point of the curve in the optical frame, for an angle in rad.
func (s *sketch) curve(points int, point func(angle float64) mgl64.Vec3) (parts []pixels) {
	open := false
	for i := range points + 1 {
		u, v, ok := s.model.Project(point(2 * math.Pi * float64(i) / float64(points)))
		if !ok || !s.near(u, v) {
			open = false
			continue
		}
		if last := len(parts) - 1; open && math.Hypot(u-parts[last][len(parts[last])-1][0],
			v-parts[last][len(parts[last])-1][1]) < s.width/2 {
			parts[last] = append(parts[last], [2]float64{u, v})
		} else {
			parts = append(parts, pixels{{u, v}})
		}
		open = true
	}
	return parts
}

// near reports whether a point is in the image, or outside it by at most half the image's size. It returns false for
// NaN.
func (s *sketch) near(u, v float64) bool {
	return u >= -s.width/2 && u <= 1.5*s.width && v >= -s.height/2 && v <= 1.5*s.height
}
