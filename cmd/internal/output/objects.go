package output

import (
	"image"
	"image/color"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// frameJSON identifies a frame of a sensor.
type frameJSON struct {
	Robot  string  `json:"robot"`
	Sensor string  `json:"sensor"`
	Level  string  `json:"level"`
	Frame  uint64  `json:"frame"`
	Stamp  float64 `json:"stamp_s"`
}

func frameOf(o *sensors.Observation) frameJSON {
	return frameJSON{o.Robot, o.Sensor, string(o.Level), o.Frame, o.Stamp.Seconds()}
}

// objectsJSON is the output of a camera at a level without images. Positions are in the frame of the robot, all values
// in SI units.
type objectsJSON struct {
	frameJSON
	Self      *selfJSON                    `json:"self,omitempty"`
	Objects   []detectionJSON              `json:"objects"`
	Goals     []goalJSON                   `json:"goals,omitempty"`
	Lines     []abstraction.LineObject     `json:"lines,omitempty"`
	Crossings []abstraction.CrossingObject `json:"crossings,omitempty"`
	Circles   []mgl64.Vec2                 `json:"circles_m,omitempty"`
}

type goalJSON struct {
	Name  string      `json:"name"`
	Left  *mgl64.Vec3 `json:"left_m,omitempty"`
	Right *mgl64.Vec3 `json:"right_m,omitempty"`
}

type selfJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

type detectionJSON struct {
	Kind      string         `json:"kind"`
	Name      string         `json:"name,omitempty"`
	Team      string         `json:"team,omitempty"`
	Visible   float64        `json:"visible_fraction"`
	Position  mgl64.Vec3     `json:"position_m"`
	Size      *mgl64.Vec3    `json:"size_m,omitempty"`       // along the object's own axes; absent for a false positive
	Bottom    float64        `json:"bottom_m,omitempty"`     // height of the lower end over the position
	Velocity  *mgl64.Vec3    `json:"velocity_m_s,omitempty"` // absent while the tracker has no estimate yet
	Touchdown *touchdownJSON `json:"touchdown,omitempty"`
}

// touchdownJSON says where and when a flying ball will touch the floor.
type touchdownJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	In       float64    `json:"in_s"`
}

func objectsOf(o *sensors.Observation) objectsJSON {
	j := objectsJSON{
		frameJSON: frameOf(o), Objects: []detectionJSON{},
		Lines: o.Objects.Lines, Crossings: o.Objects.Crossings, Circles: o.Objects.Circles,
	}
	if o.Objects.SelfKnown {
		j.Self = &selfJSON{o.Objects.Self.Pos, o.Objects.Self.Heading()}
	}
	for i := range o.Objects.Detections {
		d := &o.Objects.Detections[i]
		dj := detectionJSON{Kind: string(d.Kind), Name: d.Name, Team: d.Team, Visible: d.Visible, Position: d.PosB,
			Bottom: d.Bottom}
		if d.Size != (mgl64.Vec3{}) {
			dj.Size = &d.Size
		}
		if d.VelKnown {
			dj.Velocity = &d.VelB
		}
		if d.Flying {
			dj.Touchdown = &touchdownJSON{d.TouchdownB, d.TouchdownIn.Seconds()}
		}
		j.Objects = append(j.Objects, dj)
	}
	for i := range o.Objects.Goals {
		g := &o.Objects.Goals[i]
		gj := goalJSON{Name: g.Name}
		if g.LeftKnown {
			gj.Left = &g.LeftB
		}
		if g.RightKnown {
			gj.Right = &g.RightB
		}
		j.Goals = append(j.Goals, gj)
	}
	return j
}

// featuresJSON is the result of segmenting an image. All lengths are in pixels.
type featuresJSON struct {
	frameJSON
	Balls      []ballFeatureJSON             `json:"balls"`
	Obstacles  []boxJSON                     `json:"obstacles"`
	Cards      []boxJSON                     `json:"cards"`
	Posts      []abstraction.PostFeature     `json:"posts"`
	Bars       []abstraction.BarFeature      `json:"bars"`
	LinePoints [][2]float64                  `json:"line_points"`
	Segments   []abstraction.SegmentFeature  `json:"segments"`
	Crossings  []abstraction.CrossingFeature `json:"crossings"`
	Circles    []abstraction.CircleFeature   `json:"circles"`
}

type ballFeatureJSON struct {
	Center     [2]float64 `json:"center_px"`
	Diameter   float64    `json:"diameter_px"`
	Confidence float64    `json:"confidence"`
}

type boxJSON struct {
	Kind       string     `json:"kind"`
	Name       string     `json:"name"`
	Team       string     `json:"team,omitempty"`
	Min        [2]float64 `json:"min_px"`
	Max        [2]float64 `json:"max_px"`
	Pixels     int        `json:"pixels"`
	Confidence float64    `json:"confidence"`
}

func featuresOf(o *sensors.Observation) featuresJSON {
	f := o.Features
	return featuresJSON{
		frameJSON: frameOf(o),
		Balls: each(f.Balls, func(b *abstraction.BallFeature) ballFeatureJSON {
			return ballFeatureJSON{[2]float64{b.U, b.V}, b.Diameter, b.Confidence}
		}),
		Obstacles: each(f.Obstacles, boxOf), Cards: each(f.Cards, boxOf),
		Posts: notNil(f.Posts), Bars: notNil(f.Bars), LinePoints: notNil(f.LinePoints), Segments: notNil(f.Segments),
		Crossings: notNil(f.Crossings), Circles: notNil(f.Circles),
	}
}

// notNil returns a copy of a list. An empty list becomes [] in JSON, not null.
func notNil[T any](list []T) []T { return append([]T{}, list...) }

func each[A, B any](list []A, f func(*A) B) []B {
	out := make([]B, len(list))
	for i := range list {
		out[i] = f(&list[i])
	}
	return out
}

func boxOf(b *abstraction.BoxFeature) boxJSON {
	return boxJSON{string(b.Kind), b.Name, b.Team, [2]float64{b.MinU, b.MinV}, [2]float64{b.MaxU, b.MaxV}, b.Pixels,
		b.Confidence}
}

// featuresOverlay returns a dimmed copy of the image m with the features drawn over it.
func featuresOverlay(m *render.Image, f *abstraction.FeatureList) *image.NRGBA {
	p := dimmed(m)
	lineColor, crossColor := color.NRGBA{120, 160, 255, 255}, color.NRGBA{255, 120, 0, 255}
	for _, s := range f.Segments {
		stroke(p, s.Start, s.End, lineColor)
	}
	for _, at := range f.LinePoints {
		dot(p, int(math.Round(at[0])), int(math.Round(at[1])), color.NRGBA{255, 255, 255, 255})
	}
	for _, c := range f.Crossings {
		stroke(p, [2]float64{c.At[0] - 3, c.At[1] - 3}, [2]float64{c.At[0] + 3, c.At[1] + 3}, crossColor)
		stroke(p, [2]float64{c.At[0] - 3, c.At[1] + 3}, [2]float64{c.At[0] + 3, c.At[1] - 3}, crossColor)
	}
	for _, c := range f.Circles {
		for _, at := range [][2]float64{c.Left, c.Middle, c.Right} {
			stroke(p, [2]float64{at[0] - 4, at[1]}, [2]float64{at[0] + 4, at[1]}, crossColor)
		}
	}
	for _, x := range f.Posts {
		stroke(p, x.Foot, x.Top, color.NRGBA{255, 255, 0, 255})
	}
	for _, b := range f.Bars {
		stroke(p, b.Left, b.Right, color.NRGBA{255, 255, 0, 255})
	}
	for i := range f.Obstacles {
		boxed(p, &f.Obstacles[i])
	}
	for i := range f.Cards {
		boxed(p, &f.Cards[i])
	}
	for _, b := range f.Balls {
		const points = 180
		for k := range points {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / points)
			r := b.Diameter/2 + 1
			dot(p, int(math.Round(b.U+r*cos)), int(math.Round(b.V+r*sin)), color.NRGBA{255, 210, 0, 255})
		}
	}
	return p
}

func boxed(p *image.NRGBA, b *abstraction.BoxFeature) {
	c := kindColor(&abstraction.Detection{Kind: b.Kind, Team: b.Team})
	a, z := [2]float64{b.MinU, b.MinV}, [2]float64{b.MaxU, b.MaxV}
	stroke(p, a, [2]float64{z[0], a[1]}, c)
	stroke(p, [2]float64{z[0], a[1]}, z, c)
	stroke(p, z, [2]float64{a[0], z[1]}, c)
	stroke(p, [2]float64{a[0], z[1]}, a, c)
}

// stroke draws a straight line one pixel wide.
func stroke(p *image.NRGBA, a, b [2]float64, c color.NRGBA) {
	n := int(math.Ceil(math.Min(math.Max(math.Abs(b[0]-a[0]), math.Abs(b[1]-a[1])), 1e4))) + 1
	for k := range n + 1 {
		share := float64(k) / float64(n)
		at := image.Point{X: int(math.Round(a[0] + (b[0]-a[0])*share)), Y: int(math.Round(a[1] + (b[1]-a[1])*share))}
		if at.In(p.Rect) {
			p.SetNRGBA(at.X, at.Y, c)
		}
	}
}
