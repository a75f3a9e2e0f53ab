package mapping

import "github.com/omnipitch/omnipitch/abstraction"

// featureQuantities are those of a camera at features, in pixels.
func featureQuantities() *Quantities {
	q, m := newQuantities(), newQuantities()
	balls := func(c *Context) *abstraction.BallFeature { return &c.Observation.Features.Balls[c.at] }
	m.pixel("", func(c *Context) [2]float64 { return [2]float64{balls(c).U, balls(c).V} })
	m.plain("diameter", func(c *Context) float64 { return balls(c).Diameter })
	m.plain("confidence", func(c *Context) float64 { return balls(c).Confidence })
	q.list("candidates", func(c *Context) int { return len(c.Observation.Features.Balls) }, m)

	boxes(q, "boxes", func(c *Context) []abstraction.BoxFeature { return c.Observation.Features.Obstacles })
	boxes(q, "cards", func(c *Context) []abstraction.BoxFeature { return c.Observation.Features.Cards })

	m = newQuantities()
	m.pixel("foot.", func(c *Context) [2]float64 { return c.Observation.Features.Posts[c.at].Foot })
	m.pixel("top.", func(c *Context) [2]float64 { return c.Observation.Features.Posts[c.at].Top })
	m.plain("width", func(c *Context) float64 { return c.Observation.Features.Posts[c.at].Width })
	m.plain("confidence", func(c *Context) float64 { return c.Observation.Features.Posts[c.at].Confidence })
	q.list("image_posts", func(c *Context) int { return len(c.Observation.Features.Posts) }, m)

	m = newQuantities()
	m.pixel("left.", func(c *Context) [2]float64 { return c.Observation.Features.Bars[c.at].Left })
	m.pixel("right.", func(c *Context) [2]float64 { return c.Observation.Features.Bars[c.at].Right })
	m.plain("width", func(c *Context) float64 { return c.Observation.Features.Bars[c.at].Width })
	m.plain("confidence", func(c *Context) float64 { return c.Observation.Features.Bars[c.at].Confidence })
	q.list("image_bars", func(c *Context) int { return len(c.Observation.Features.Bars) }, m)

	imageLines(q)
	return q
}

func boxes(q *Quantities, name string, of func(*Context) []abstraction.BoxFeature) {
	m := newQuantities()
	box := func(c *Context) *abstraction.BoxFeature { return &of(c)[c.at] }
	m.pixel("min.", func(c *Context) [2]float64 { return [2]float64{box(c).MinU, box(c).MinV} })
	m.pixel("max.", func(c *Context) [2]float64 { return [2]float64{box(c).MaxU, box(c).MaxV} })
	m.plain("width", func(c *Context) float64 { return box(c).MaxU - box(c).MinU + 1 })
	m.plain("height", func(c *Context) float64 { return box(c).MaxV - box(c).MinV + 1 })
	m.plain("confidence", func(c *Context) float64 { return box(c).Confidence })
	m.plain("number", func(c *Context) float64 { return c.numberSeen(box(c).Name, box(c).Team) })
	m.Texts["kind"] = func(c *Context) string { return kindSeen(box(c).Kind, box(c).Team) }
	q.list(name, func(c *Context) int { return len(of(c)) }, m)
}

// imageLines are lists of what is seen of lines.
func imageLines(q *Quantities) {
	m := newQuantities()
	segment := func(c *Context) *abstraction.SegmentFeature { return &c.Observation.Features.Segments[c.at] }
	m.pixel("start.", func(c *Context) [2]float64 { return segment(c).Start })
	m.pixel("end.", func(c *Context) [2]float64 { return segment(c).End })
	m.plain("start.width", func(c *Context) float64 { return segment(c).StartWidth })
	m.plain("end.width", func(c *Context) float64 { return segment(c).EndWidth })
	m.plain("confidence", func(c *Context) float64 { return segment(c).Confidence })
	q.list("image_segments", func(c *Context) int { return len(c.Observation.Features.Segments) }, m)

	m = newQuantities()
	m.pixel("", func(c *Context) [2]float64 { return c.Observation.Features.Crossings[c.at].At })
	m.Texts["kind"] = func(c *Context) string { return string(c.Observation.Features.Crossings[c.at].Kind) }
	q.list("image_crossings", func(c *Context) int { return len(c.Observation.Features.Crossings) }, m)

	m = newQuantities()
	m.pixel("left.", func(c *Context) [2]float64 { return c.Observation.Features.Circles[c.at].Left })
	m.pixel("middle.", func(c *Context) [2]float64 { return c.Observation.Features.Circles[c.at].Middle })
	m.pixel("right.", func(c *Context) [2]float64 { return c.Observation.Features.Circles[c.at].Right })
	q.list("image_circles", func(c *Context) int { return len(c.Observation.Features.Circles) }, m)

	m = newQuantities()
	m.pixel("", func(c *Context) [2]float64 { return c.Observation.Features.LinePoints[c.at] })
	q.list("line_points", func(c *Context) int { return len(c.Observation.Features.LinePoints) }, m)
}
