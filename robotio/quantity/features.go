package quantity

import (
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
)

// featureQuantities returns the quantities of a camera at level features, in pixels.
func featureQuantities() *Set {
	q, m := NewSet(), NewSet()
	balls := func(c *Context) *abstraction.BallFeature { return &c.Observation.Features.Balls[c.Member] }
	m.pixel("", func(c *Context) [2]float64 { return [2]float64{balls(c).U, balls(c).V} })
	m.plain("diameter", func(c *Context) float64 { return balls(c).Diameter })
	m.plain("confidence", func(c *Context) float64 { return balls(c).Confidence })
	q.list("candidates", func(c *Context) int { return len(c.Observation.Features.Balls) }, m)

	boxes(q, "boxes", func(c *Context) []abstraction.BoxFeature { return c.Observation.Features.Obstacles })
	boxes(q, "cards", func(c *Context) []abstraction.BoxFeature { return c.Observation.Features.Cards })

	m = NewSet()
	m.pixel("foot.", func(c *Context) [2]float64 { return c.Observation.Features.Posts[c.Member].Foot })
	m.pixel("top.", func(c *Context) [2]float64 { return c.Observation.Features.Posts[c.Member].Top })
	m.plain("width", func(c *Context) float64 { return c.Observation.Features.Posts[c.Member].Width })
	m.plain("confidence", func(c *Context) float64 { return c.Observation.Features.Posts[c.Member].Confidence })
	q.list("image_posts", func(c *Context) int { return len(c.Observation.Features.Posts) }, m)

	m = NewSet()
	m.pixel("left.", func(c *Context) [2]float64 { return c.Observation.Features.Bars[c.Member].Left })
	m.pixel("right.", func(c *Context) [2]float64 { return c.Observation.Features.Bars[c.Member].Right })
	m.plain("width", func(c *Context) float64 { return c.Observation.Features.Bars[c.Member].Width })
	m.plain("confidence", func(c *Context) float64 { return c.Observation.Features.Bars[c.Member].Confidence })
	q.list("image_bars", func(c *Context) int { return len(c.Observation.Features.Bars) }, m)

	imageLines(q)
	imageDetections(q)
	imageChoices(q)
	return q
}

// boxes adds a list of the bounding boxes of obstacles or cards in the image. The function features returns them.
func boxes(q *Set, name string, features func(*Context) []abstraction.BoxFeature) {
	m := NewSet()
	box := func(c *Context) *abstraction.BoxFeature { return &features(c)[c.Member] }
	m.pixel("min.", func(c *Context) [2]float64 { return [2]float64{box(c).MinU, box(c).MinV} })
	m.pixel("max.", func(c *Context) [2]float64 { return [2]float64{box(c).MaxU, box(c).MaxV} })
	m.plain("width", func(c *Context) float64 { return box(c).MaxU - box(c).MinU + 1 })
	m.plain("height", func(c *Context) float64 { return box(c).MaxV - box(c).MinV + 1 })
	m.plain("confidence", func(c *Context) float64 { return box(c).Confidence })
	m.plain("number", func(c *Context) float64 { return c.numberSeen(box(c).Name, box(c).Team) })
	m.Texts["kind"] = func(c *Context) string { return kindSeen(box(c).Kind, box(c).Team) }
	q.list(name, func(c *Context) int { return len(features(c)) }, m)
}

// imageLines adds the lists of line segments, crossings, circles and line points.
func imageLines(q *Set) {
	m := NewSet()
	segment := func(c *Context) *abstraction.SegmentFeature { return &c.Observation.Features.Segments[c.Member] }
	m.pixel("start.", func(c *Context) [2]float64 { return segment(c).Start })
	m.pixel("end.", func(c *Context) [2]float64 { return segment(c).End })
	m.plain("start.width", func(c *Context) float64 { return segment(c).StartWidth })
	m.plain("end.width", func(c *Context) float64 { return segment(c).EndWidth })
	m.plain("confidence", func(c *Context) float64 { return segment(c).Confidence })
	q.list("image_segments", func(c *Context) int { return len(c.Observation.Features.Segments) }, m)

	m = NewSet()
	m.pixel("", func(c *Context) [2]float64 { return c.Observation.Features.Crossings[c.Member].At })
	m.Texts["kind"] = func(c *Context) string { return string(c.Observation.Features.Crossings[c.Member].Kind) }
	q.list("image_crossings", func(c *Context) int { return len(c.Observation.Features.Crossings) }, m)

	m = NewSet()
	m.pixel("left.", func(c *Context) [2]float64 { return c.Observation.Features.Circles[c.Member].Left })
	m.pixel("middle.", func(c *Context) [2]float64 { return c.Observation.Features.Circles[c.Member].Middle })
	m.pixel("right.", func(c *Context) [2]float64 { return c.Observation.Features.Circles[c.Member].Right })
	q.list("image_circles", func(c *Context) int { return len(c.Observation.Features.Circles) }, m)

	q.plain("line_points.number", func(c *Context) float64 { return float64(len(c.Observation.Features.LinePoints)) })
	q.plain("line_points.stride12",
		func(c *Context) float64 { return 12 * float64(len(c.Observation.Features.LinePoints)) })
	q.blob("line_points.uv0", func(c *Context, into []byte) []byte {
		for _, p := range c.Observation.Features.LinePoints {
			into = AppendFloats([]float32{float32(p[0]), float32(p[1]), 0}, into)
		}
		return into
	})
}

// imageDetection is the bounding box of a feature, in pixels: its centre u, v and its size.
type imageDetection struct {
	kind                string
	u, v, width, height float64
	confidence, number  float64
}

// imageDetections adds one list with the bounding boxes of balls, robots, obstacles, colour cards, posts and bars.
// Messages whose elements are boxes of one type need such a list.
func imageDetections(q *Set) {
	m := NewSet()
	at := func(c *Context) *imageDetection { return &c.found[c.Member] }
	m.pixel("", func(c *Context) [2]float64 { return [2]float64{at(c).u, at(c).v} })
	m.plain("width", func(c *Context) float64 { return at(c).width })
	m.plain("height", func(c *Context) float64 { return at(c).height })
	m.plain("confidence", func(c *Context) float64 { return at(c).confidence })
	m.plain("number", func(c *Context) float64 { return at(c).number })
	m.Texts["kind"] = func(c *Context) string { return at(c).kind }
	m.class(m.Texts["kind"])
	q.list("image_detections", func(c *Context) int { c.findInImage(); return len(c.found) }, m)
}

// findInImage collects the bounding boxes of all features in c.found.
func (c *Context) findInImage() {
	f := c.Observation.Features
	c.found = c.found[:0]
	for _, b := range f.Balls {
		c.found = append(c.found, imageDetection{kind: string(abstraction.BallKind), u: b.U, v: b.V, width: b.Diameter,
			height: b.Diameter, confidence: b.Confidence})
	}
	box := func(b *abstraction.BoxFeature, kind string) {
		c.found = append(c.found, imageDetection{
			kind: kind, u: (b.MinU + b.MaxU) / 2, v: (b.MinV + b.MaxV) / 2,
			width: b.MaxU - b.MinU + 1, height: b.MaxV - b.MinV + 1,
			confidence: b.Confidence, number: c.numberSeen(b.Name, b.Team),
		})
	}
	for i := range f.Obstacles {
		box(&f.Obstacles[i], kindSeen(f.Obstacles[i].Kind, f.Obstacles[i].Team))
	}
	for i := range f.Cards {
		box(&f.Cards[i], f.Cards[i].Team+"_card")
	}
	for _, p := range f.Posts {
		c.findBeam("goal_post", p.Foot, p.Top, p.Width, p.Confidence)
	}
	for _, b := range f.Bars {
		c.findBeam("goal_bar", b.Left, b.Right, b.Width, b.Confidence)
	}
}

// findBeam adds the axis-aligned bounding box of a post or bar from point a to point b, clipped to the image.
func (c *Context) findBeam(kind string, a, b [2]float64, width, confidence float64) {
	du, dv := b[0]-a[0], b[1]-a[1]
	length := math.Max(math.Hypot(du, dv), 1e-9)
	span := func(i int, half float64, size int) (middle, extent float64) {
		from := max(min(a[i], b[i])-half, -0.5)
		to := min(max(a[i], b[i])+half, float64(size)-0.5)
		return (from + to) / 2, to - from
	}
	d := imageDetection{kind: kind, confidence: confidence}
	d.u, d.width = span(0, width/2*math.Abs(dv)/length, c.lens.width)
	d.v, d.height = span(1, width/2*math.Abs(du)/length, c.lens.height)
	if d.width > 0 && d.height > 0 {
		c.found = append(c.found, d)
	}
}

// imageChoices adds the most likely ball and the most likely goal.
func imageChoices(q *Set) {
	q.flag("image_ball.seen", func(c *Context) bool { return len(c.Observation.Features.Balls) > 0 })
	q.pixel("image_ball.", func(c *Context) [2]float64 { b := c.bestBall(); return [2]float64{b.U, b.V} })
	q.plain("image_ball.diameter", func(c *Context) float64 { return c.bestBall().Diameter })
	q.plain("image_ball.confidence", func(c *Context) float64 { return c.bestBall().Confidence })

	post := func(side int) func(*Context) abstraction.PostFeature {
		return func(c *Context) abstraction.PostFeature { posts, _ := c.bestGoal(); return posts[side] }
	}
	for side, name := range []string{"image_goal.left.", "image_goal.right."} {
		at := post(side)
		q.pixel(name+"foot.", func(c *Context) [2]float64 { return at(c).Foot })
		q.pixel(name+"top.", func(c *Context) [2]float64 { return at(c).Top })
		q.plain(name+"width", func(c *Context) float64 { return at(c).Width })
		q.plain(name+"confidence", func(c *Context) float64 { return at(c).Confidence })
	}
	q.pixel("image_goal.centre.", func(c *Context) [2]float64 { _, centre := c.bestGoal(); return centre })
	q.plain("image_goal.confidence", func(c *Context) float64 {
		posts, _ := c.bestGoal()
		return max(posts[0].Confidence, posts[1].Confidence)
	})
}

// bestBall returns the ball candidate with the highest confidence. Among candidates with the same confidence, it
// returns the largest. It returns the zero value if there is no candidate.
func (c *Context) bestBall() (best abstraction.BallFeature) {
	for _, b := range c.Observation.Features.Balls {
		if b.Confidence > best.Confidence || b.Confidence == best.Confidence && b.Diameter > best.Diameter {
			best = b
		}
	}
	return best
}

// bestGoal returns the left and the right post of the goal whose posts are widest in the image. If only one post of
// this goal is seen, posts[0] is that post, posts[1] is zero, and centre is the vector from the top of the post to the
// centre of the goal's bar, in pixels. If both posts or no posts are seen, or if the bar is not seen, centre is zero.
func (c *Context) bestGoal() (posts [2]abstraction.PostFeature, centre [2]float64) {
	f := c.Observation.Features
	for _, a := range f.Posts {
		pair := [2]abstraction.PostFeature{a}
		for _, b := range f.Posts {
			if b.Name != a.Name && goalOf(b.Name) == goalOf(a.Name) {
				pair[1] = b
			}
		}
		if pair[0].Width+pair[1].Width > posts[0].Width+posts[1].Width {
			posts = pair
		}
	}
	if posts[1].Name != "" {
		if posts[1].Foot[0] < posts[0].Foot[0] {
			posts[0], posts[1] = posts[1], posts[0]
		}
		return posts, centre
	}
	nearest := 2 * posts[0].Width
	for _, bar := range f.Bars {
		for _, ends := range [2][2][2]float64{{bar.Left, bar.Right}, {bar.Right, bar.Left}} {
			if d := math.Hypot(ends[0][0]-posts[0].Top[0], ends[0][1]-posts[0].Top[1]); d < nearest {
				nearest, centre = d, [2]float64{(ends[1][0] - ends[0][0]) / 2, (ends[1][1] - ends[0][1]) / 2}
			}
		}
	}
	return posts, centre
}

// goalOf returns the name of the goal to which the post with the given name belongs.
func goalOf(post string) string {
	goal, _, _ := strings.Cut(strings.TrimPrefix(post, "post_"), "_")
	return goal
}
