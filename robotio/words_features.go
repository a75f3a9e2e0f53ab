package robotio

import "github.com/omnipitch/omnipitch/abstraction"

// featureWords are what a camera tells at features, in pixels.
func featureWords() *lexicon {
	l, m := newLexicon(), newLexicon()
	balls := func(s *scene) *abstraction.BallFeature { return &s.o.Features.Balls[s.at] }
	m.pixel("", func(s *scene) [2]float64 { return [2]float64{balls(s).U, balls(s).V} })
	m.plain("diameter", func(s *scene) float64 { return balls(s).Diameter })
	m.plain("confidence", func(s *scene) float64 { return balls(s).Confidence })
	l.each("candidates", func(s *scene) int { return len(s.o.Features.Balls) }, m)

	boxes(l, "boxes", func(s *scene) []abstraction.BoxFeature { return s.o.Features.Obstacles })
	boxes(l, "cards", func(s *scene) []abstraction.BoxFeature { return s.o.Features.Cards })

	m = newLexicon()
	m.pixel("foot.", func(s *scene) [2]float64 { return s.o.Features.Posts[s.at].Foot })
	m.pixel("top.", func(s *scene) [2]float64 { return s.o.Features.Posts[s.at].Top })
	m.plain("width", func(s *scene) float64 { return s.o.Features.Posts[s.at].Width })
	m.plain("confidence", func(s *scene) float64 { return s.o.Features.Posts[s.at].Confidence })
	l.each("image_posts", func(s *scene) int { return len(s.o.Features.Posts) }, m)

	m = newLexicon()
	m.pixel("left.", func(s *scene) [2]float64 { return s.o.Features.Bars[s.at].Left })
	m.pixel("right.", func(s *scene) [2]float64 { return s.o.Features.Bars[s.at].Right })
	m.plain("width", func(s *scene) float64 { return s.o.Features.Bars[s.at].Width })
	m.plain("confidence", func(s *scene) float64 { return s.o.Features.Bars[s.at].Confidence })
	l.each("image_bars", func(s *scene) int { return len(s.o.Features.Bars) }, m)

	imageLines(l)
	return l
}

func boxes(l *lexicon, name string, of func(*scene) []abstraction.BoxFeature) {
	m := newLexicon()
	box := func(s *scene) *abstraction.BoxFeature { return &of(s)[s.at] }
	m.pixel("min.", func(s *scene) [2]float64 { return [2]float64{box(s).MinU, box(s).MinV} })
	m.pixel("max.", func(s *scene) [2]float64 { return [2]float64{box(s).MaxU, box(s).MaxV} })
	m.plain("width", func(s *scene) float64 { return box(s).MaxU - box(s).MinU + 1 })
	m.plain("height", func(s *scene) float64 { return box(s).MaxV - box(s).MinV + 1 })
	m.plain("confidence", func(s *scene) float64 { return box(s).Confidence })
	m.plain("number", func(s *scene) float64 { return s.numberSeen(box(s).Name, box(s).Team) })
	m.Texts["kind"] = func(s *scene) string { return kindSeen(box(s).Kind, box(s).Team) }
	l.each(name, func(s *scene) int { return len(of(s)) }, m)
}

// imageLines are lists of what is seen of lines.
func imageLines(l *lexicon) {
	m := newLexicon()
	segment := func(s *scene) *abstraction.SegmentFeature { return &s.o.Features.Segments[s.at] }
	m.pixel("start.", func(s *scene) [2]float64 { return segment(s).Start })
	m.pixel("end.", func(s *scene) [2]float64 { return segment(s).End })
	m.plain("start.width", func(s *scene) float64 { return segment(s).StartWidth })
	m.plain("end.width", func(s *scene) float64 { return segment(s).EndWidth })
	m.plain("confidence", func(s *scene) float64 { return segment(s).Confidence })
	l.each("image_segments", func(s *scene) int { return len(s.o.Features.Segments) }, m)

	m = newLexicon()
	m.pixel("", func(s *scene) [2]float64 { return s.o.Features.Crossings[s.at].At })
	m.Texts["kind"] = func(s *scene) string { return string(s.o.Features.Crossings[s.at].Kind) }
	l.each("image_crossings", func(s *scene) int { return len(s.o.Features.Crossings) }, m)

	m = newLexicon()
	m.pixel("left.", func(s *scene) [2]float64 { return s.o.Features.Circles[s.at].Left })
	m.pixel("middle.", func(s *scene) [2]float64 { return s.o.Features.Circles[s.at].Middle })
	m.pixel("right.", func(s *scene) [2]float64 { return s.o.Features.Circles[s.at].Right })
	l.each("image_circles", func(s *scene) int { return len(s.o.Features.Circles) }, m)

	m = newLexicon()
	m.pixel("", func(s *scene) [2]float64 { return s.o.Features.LinePoints[s.at] })
	l.each("line_points", func(s *scene) int { return len(s.o.Features.LinePoints) }, m)
}
