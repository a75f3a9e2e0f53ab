package assess

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/jpeg"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Colours of the truth, of what the vision believes, of missed things and of false reports.
const (
	truthColor  = "#fff"
	beliefColor = "#ff0"
	missColor   = "#f6f"
	falseColor  = "#f40"
)

// quality is the JPEG quality of images on the page.
const quality = 82

// picture returns the image of a worst frame, into which the truth and the vision's belief are drawn. It is empty if
// the frame has no image.
func (f *WorstFrame) picture(field *physics.Field) (template.HTML, error) {
	if f.seen == nil || f.seen.Color == nil {
		return "", nil
	}
	m := f.seen.Color
	var data bytes.Buffer
	if err := jpeg.Encode(&data, output.ColorPicture(m), &jpeg.Options{Quality: quality}); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg class="frame" viewBox="-0.5 -0.5 %d %d" xmlns="http://www.w3.org/2000/svg"><image x="-0.5" y="-0.5" width="%d" height="%d" href="data:image/jpeg;base64,`, m.Width, m.Height, m.Width, m.Height)
	b.WriteString(base64.StdEncoding.EncodeToString(data.Bytes()))
	b.WriteString(`"/>`)
	p := projector{f.camera.Model(), f.PoseBC.Inverse(), &b, float64(m.Width) / 640}
	for i := range f.Samples {
		if s := &f.Samples[i]; s.Kind == Self && s.Outcome == Hit && !math.IsNaN(s.HeadingError) {
			p.lines(field, spatial.Planar(s.SaidX, s.SaidY, s.RobotHeading+s.HeadingError))
		}
	}
	for _, x := range f.Things {
		if x.Visible > 0 {
			p.ring(x.PosB, x.Radius, truthColor, x.Name+" is here")
		}
	}
	for i := range f.Samples {
		s := &f.Samples[i]
		if s.Kind == Self || s.Outcome == Miss && !s.Counts {
			continue
		}
		place, height := mgl64.Vec3{s.SaidX, s.SaidY, 0}, 0.0
		if s.Kind == Ball {
			height = f.radiusOf("ball")
		}
		place[2] = height
		radius := 0.25
		if s.Kind == Ball {
			radius = height
		}
		switch s.Outcome {
		case Miss:
			p.ring(mgl64.Vec3{s.TrueX, s.TrueY, height}, 1.4*f.radiusOf(s.Name), missColor, s.Name+" is missed")
		case False:
			p.ring(place, radius, falseColor, "nothing is here")
		default:
			p.ring(place, radius, beliefColor, s.Name+" is believed here")
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()), nil
}

// radiusOf returns the radius of a thing, m.
func (f *WorstFrame) radiusOf(name string) float64 {
	for _, x := range f.Things {
		if x.Name == name {
			return x.Radius
		}
	}
	return 0.11
}

// projector draws points of the robot's frame in a camera's image.
type projector struct {
	model  optics.Model
	poseCB spatial.Pose
	into   *strings.Builder
	scale  float64 // of lines, in image pixels
}

// ring draws a horizontal circle around a position.
func (p *projector) ring(posB mgl64.Vec3, radius float64, color, title string) {
	const points = 48
	var ring []mgl64.Vec3
	for i := range points + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / points)
		ring = append(ring, posB.Add(mgl64.Vec3{radius * cos, radius * sin, 0}))
	}
	p.polyline(ring, color, 1.6, title)
}

// lines draws the field's lines as the camera would see them if the robot were at the pose that it believes. It draws
// only lines near the robot.
func (p *projector) lines(field *physics.Field, poseWB spatial.Pose) {
	const sight = 7.0 // largest distance of drawn lines, m: farther lines would merge
	poseBW := poseWB.Inverse()
	for _, m := range field.Marks() {
		var points []mgl64.Vec3
		for _, at := range along(&m, 0.15) {
			b := poseBW.Apply(mgl64.Vec3{at[0], at[1], 0})
			if math.Hypot(b[0], b[1]) > sight {
				p.polyline(points, beliefColor, 0.8, "")
				points = points[:0]
				continue
			}
			points = append(points, b)
		}
		p.polyline(points, beliefColor, 0.8, "")
	}
}

// polyline draws the parts of a line that are in the image.
func (p *projector) polyline(pointsB []mgl64.Vec3, color string, width float64, title string) {
	var at []string
	end := func() {
		if len(at) > 1 {
			fmt.Fprintf(p.into, `<polyline fill="none" stroke="%s" stroke-width="%.2g" points="%s">`, color,
				width*p.scale, strings.Join(at, " "))
			if title != "" {
				fmt.Fprintf(p.into, "<title>%s</title>", template.HTMLEscapeString(title))
			}
			p.into.WriteString("</polyline>")
		}
		at = at[:0]
	}
	for _, b := range pointsB {
		u, v, ok := p.model.Project(p.poseCB.Apply(b))
		if !ok || !optics.Inside(p.model, u, v) {
			end()
			continue
		}
		at = append(at, fmt.Sprintf("%.1f,%.1f", u, v))
	}
	end()
}

// plan draws the robot's surroundings from above, forward up, with truth and belief.
func (f *WorstFrame) plan(reach float64) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plan" viewBox="%.2f %.2f %.2f %.2f" xmlns="http://www.w3.org/2000/svg">`, -reach,
		-reach, 2*reach, 2*reach)
	fmt.Fprintf(&b,
		`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#2f6b3c"/><path d="M-0.2 0.2L0 -0.3L0.2 0.2Z" fill="#000"/>`, -reach, -reach, 2*reach, 2*reach)
	for d := 2.0; d < reach; d += 2 {
		fmt.Fprintf(&b, `<circle r="%g" fill="none" stroke="#fff" stroke-opacity="0.25" stroke-width="0.03"/>`, d)
	}
	ring := func(x, y, r float64, color, title string) { // B's x points up, its y to the left
		fmt.Fprintf(&b,
			`<circle cx="%.2f" cy="%.2f" r="%.2f" fill="none" stroke="%s" stroke-width="0.11"><title>%s</title></circle>`, -y, -x, r, color, template.HTMLEscapeString(title))
	}
	for _, x := range f.Things {
		ring(x.PosB[0], x.PosB[1], math.Max(0.2, x.Radius), truthColor, fmt.Sprintf("%s, %.0f %% visible", x.Name,
			100*x.Visible))
	}
	for i := range f.Samples {
		s := &f.Samples[i]
		switch {
		case s.Kind == Self, s.Outcome == Miss && !s.Counts:
		case s.Outcome == Miss:
			ring(s.TrueX, s.TrueY, 0.25+f.radiusOf(s.Name), missColor, s.Name+" is missed")
		case s.Outcome == False:
			ring(s.SaidX, s.SaidY, 0.25, falseColor, "nothing is here")
		default:
			ring(s.SaidX, s.SaidY, math.Max(0.2, 0.8*f.radiusOf(s.Name)), beliefColor, s.Name+" is believed here")
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// words describes the errors of a frame, one line per sample. Samples that count come first, those with the largest
// errors at the top.
func (f *WorstFrame) words() (lines []string) {
	for i := range f.Samples {
		s := &f.Samples[i]
		switch {
		case s.Outcome == Miss && !s.Counts:
		case s.Outcome == Miss:
			lines = append(lines, fmt.Sprintf("%s missed: %.2f m away at %.0f°, %.0f %% visible", s.Name, s.Distance,
				degrees*s.Bearing, 100*s.Visible))
		case s.Outcome == False:
			lines = append(lines, fmt.Sprintf("%s that is not there, %.2f m away at %.0f°",
				map[Kind]string{Ball: "a ball", Obstacles: "an obstacle"}[s.Kind], s.Distance, degrees*s.Bearing))
		case s.Kind == Self && math.IsNaN(s.HeadingError):
			lines = append(lines, fmt.Sprintf("believes to be at (%.2f, %.2f) m, is at (%.2f, %.2f) m: off by %.1f cm",
				s.SaidX, s.SaidY, s.TrueX, s.TrueY, 100*s.Off()))
		case s.Kind == Self:
			lines = append(lines, fmt.Sprintf("believes to be at (%.2f, %.2f) m, is at (%.2f, %.2f) m: off by %.1f "+
				"cm and %.2f°", s.SaidX, s.SaidY, s.TrueX, s.TrueY, 100*s.Off(), degrees*math.Abs(s.HeadingError)))
		default:
			lines = append(lines, fmt.Sprintf("%s, %.2f m away at %.0f°: off by %.1f cm, %.0f %% visible", s.Name,
				s.Distance, degrees*s.Bearing, 100*s.Off(), 100*s.Visible))
		}
	}
	return lines
}

// cell is a square of the error map.
type cell struct {
	x, y   float64 // of its centre, W
	n      int
	off    []float64
	dx, dy float64 // sums of errors in W
}

// cellSide is the side of a cell, m.
const cellSide = 1.0

// cells collects the errors of the robot's own position in squares, by the robot's true position.
func (r *Result) cells(topic string) []*cell {
	at := map[[2]int]*cell{}
	var order []*cell
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Kind != Self || s.Outcome != Hit || r.Config.Topics[s.Topic].Name != topic {
			continue
		}
		key := [2]int{int(math.Floor(s.TrueX / cellSide)), int(math.Floor(s.TrueY / cellSide))}
		c := at[key]
		if c == nil {
			c = &cell{x: (float64(key[0]) + 0.5) * cellSide, y: (float64(key[1]) + 0.5) * cellSide}
			at[key], order = c, append(order, c)
		}
		c.n++
		c.off = append(c.off, s.Off())
		c.dx, c.dy = c.dx+s.SaidX-s.TrueX, c.dy+s.SaidY-s.TrueY
	}
	return order
}

// fieldMap draws the field from above, with x to the right. Each square metre has a colour for the median error of the
// robot's own position there, and an arrow for the mean error. The drawing is empty if there are no reports.
func (r *Result) fieldMap(topic string) (svg template.HTML, scale string) {
	cells := r.cells(topic)
	if len(cells) == 0 {
		return "", ""
	}
	worst, longest := 0.0, 0.0
	medians := make([]float64, len(cells))
	for i, c := range cells {
		medians[i] = float64(spreadOf(c.off).Median)
		worst = math.Max(worst, medians[i])
		longest = math.Max(longest, math.Hypot(c.dx, c.dy)/float64(c.n))
	}
	grow := 1.0 // scale of arrows: the longest arrow is as long as a cell
	if longest > 0 {
		grow = 0.9 * cellSide / longest
	}
	var b strings.Builder
	f := &r.World.Field.Field
	drawField(&b, f, "map")
	for i, c := range cells {
		share := 0.0
		if worst > 0 {
			share = medians[i] / worst
		}
		fmt.Fprintf(&b,
			`<rect x="%.2f" y="%.2f" width="%g" height="%g" fill="%s" fill-opacity="0.75"><title>(%.1f, %.1f) m: median %.1f cm of %d</title></rect>`,
			c.x-cellSide/2, -c.y-cellSide/2, cellSide, cellSide, heat(share), c.x, c.y, 100*medians[i], c.n)
	}
	for _, c := range cells {
		dx, dy := grow*c.dx/float64(c.n), grow*c.dy/float64(c.n)
		arrow(&b, c.x-dx/2, -c.y+dy/2, c.x+dx/2, -c.y-dy/2)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()), fmt.Sprintf("Yellow is no error, dark red %.1f cm, the largest median of a "+
		"square metre. Arrows are mean errors, enlarged %.0f times.", 100*worst, grow)
}

// heat returns a colour from yellow to dark red for a value in [0, 1]. Brightness decreases monotonically, so that
// colour-blind readers can tell values apart.
func heat(share float64) string {
	return fmt.Sprintf("hsl(%.0f 90%% %.0f%%)", 55-55*share, 70-45*share)
}

// arrow draws an arrow; coordinates are those of the drawing in m, with y pointing down.
func arrow(b *strings.Builder, x0, y0, x1, y1 float64) {
	dx, dy := x1-x0, y1-y0
	l := math.Hypot(dx, dy)
	if l < 0.03 {
		fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="0.04" fill="#000"/>`, x0, y0)
		return
	}
	h := math.Min(0.22, 0.4*l) / l
	fmt.Fprintf(b,
		`<path d="M%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2fL%.2f %.2f" fill="none" stroke="#000" stroke-width="0.05"/>`,
		x0, y0, x1, y1, x1-h*dx+0.6*h*dy, y1-h*dy-0.6*h*dx, x1, y1, x1-h*dx-0.6*h*dy, y1-h*dy+0.6*h*dx)
}

// drawField begins a drawing of the field from above, in metres, x to the right and y up.
func drawField(b *strings.Builder, f *physics.Field, class string) {
	x, y := f.Length/2+f.Border, f.Width/2+f.Border
	fmt.Fprintf(b,
		`<svg class="%s" viewBox="%.2f %.2f %.2f %.2f" xmlns="http://www.w3.org/2000/svg"><rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#2f6b3c"/>`,
		class, -x, -y, 2*x, 2*y, -x, -y, 2*x, 2*y)
	for _, m := range f.Marks() {
		points := along(&m, 0.2)
		if m.Kind == spatial.Spot {
			fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="%.2f" fill="#fff"/>`, m.A[0], -m.A[1], m.Radius)
			continue
		}
		b.WriteString(`<polyline fill="none" stroke="#fff" points="`)
		for _, p := range points {
			fmt.Fprintf(b, "%.2f,%.2f ", p[0], -p[1])
		}
		fmt.Fprintf(b, `" stroke-width="%.3f"/>`, m.Width)
	}
}

// along returns points on a marking's centre line, at most step metres apart.
func along(m *spatial.Mark, step float64) (points [][2]float64) {
	switch m.Kind {
	case spatial.Segment:
		n := int(math.Ceil(math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1])/step)) + 1
		for i := range n + 1 {
			t := float64(i) / float64(n)
			points = append(points, [2]float64{m.A[0] + t*(m.B[0]-m.A[0]), m.A[1] + t*(m.B[1]-m.A[1])})
		}
	case spatial.Arc:
		n := int(math.Ceil(m.Radius*m.Sweep/step)) + 1
		for i := range n + 1 {
			sin, cos := math.Sincos(m.From + m.Sweep*float64(i)/float64(n))
			points = append(points, [2]float64{m.A[0] + m.Radius*cos, m.A[1] + m.Radius*sin})
		}
	}
	return points
}
