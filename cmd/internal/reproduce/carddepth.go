package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// Distances at which a robot is looked for with a Kinect: every half metre from the first to the last, m.
const (
	deepFirst = 1.0
	deepLast  = 8.0
	deepStep  = 0.5
)

// The ways to measure the distance of a card in an image of a Kinect: by the elevation of the card, as in the paper, by
// its elevation and size, and by these and the depth of its pixels.
const (
	deepByHeight = iota
	deepByAngles
	deepByDepth
	deepWays
)

// deepNames are the names of these ways.
var deepNames = [deepWays]string{"by the card's height", "by height and size", "by height, size and depth"}

// deepLook compares the ways in images of a Kinect.
type deepLook struct {
	pair    *cardPair
	view    *vision.View
	finders [deepWays]*vision.CardFinder
	mm      []byte

	at   pitch.Vec         // where the observed robot is, m
	left int               // number of images to come
	errs [deepWays]float64 // sums over the images, m
	seen [deepWays]int
}

// look processes an image.
func (l *deepLook) look(o *sensors.Observation) {
	if l.left == 0 {
		return
	}
	l.left--
	own := planar(l.pair.sim.Truth().Robots[observer].PoseWB)
	l.mm = millimetres(l.mm[:0], o.Depth)
	for way, f := range l.finders {
		depth := l.mm
		if way != deepByDepth {
			depth = nil
		}
		for _, m := range f.FindWithDepth(o.Color.Pix, depth, vision.KinectV2) {
			distance := m.Distance
			if way == deepByHeight {
				distance = m.ByHeight
			}
			if m.Color == l.pair.color && !math.IsInf(distance, 1) {
				x, y := m.At(l.view, distance)
				l.errs[way] += apart(own.Pos.Add(pitch.Turn(pitch.Vec{x, y}, own.Heading)), l.at)
				l.seen[way]++
				break
			}
		}
	}
}

// visit places the observed robot ahead of the observer, and processes a number of images.
func (l *deepLook) visit(ctx context.Context, distance float64, images int) error {
	p := l.pair
	if err := p.place([2]locate.Pose{{}, {Pos: pitch.Vec{distance}, Heading: math.Pi}}); err != nil {
		return err
	}
	if err := p.run(ctx, p.sim.Truth().Time+cardSettle, nil); err != nil {
		return err
	}
	l.errs, l.seen, l.left = [deepWays]float64{}, [deepWays]int{}, images
	l.at = planar(p.sim.Truth().Robots[observed].PoseWB).Pos
	for l.left > 0 {
		if err := p.run(ctx, p.sim.Truth().Time+p.w.Time.Step, nil); err != nil {
			return err
		}
	}
	return nil
}

// runCardDepth adds the paper's future work: farther robots are seen with a Kinect. The observer needs a Kinect with
// raw images, which is pitched by less than it is taken to be. The observed robot stands ahead of it, farther and
// farther away.
func (t *Trial) runCardDepth(ctx context.Context, p *cardPair, images int) error {
	kinect, err := rawSensor(&p.w.Robots[observer], sensors.KinectKind)
	if err != nil {
		t.Note("The observer has no Kinect with raw images, so farther places were not tried.")
		return nil
	}
	if p.sim, err = omnipitch.New(p.w, omnipitch.Options{NoWorker: true, Cache: p.cache}); err != nil {
		return err
	}
	defer p.close()
	p.eyes = [2]*eyes{} // nobody locates itself
	if err := p.stop(); err != nil {
		return err
	}
	deg := cardTilts[len(cardTilts)/2]
	l := deepLook{pair: p}
	if l.view, err = viewOf(p.sim, p.w.Robots[observer].Name, kinect, deg*spatial.Degree); err != nil {
		return err
	}
	for way := range l.finders {
		l.finders[way] = vision.NewCardFinder(l.view, p.measures)
	}
	if err := listen(p.sim, p.w.Robots[observer].Name, kinect.Name, l.look); err != nil {
		return err
	}
	var curves [deepWays]experiment.Curve
	var reach [deepWays]float64 // the distance up to which every image gives the place to 30 cm, m
	var failed [deepWays]bool
	for d := deepFirst; d <= deepLast; d += deepStep {
		if err := l.visit(ctx, d, images); err != nil {
			return err
		}
		for way := range curves {
			curves[way].Name, curves[way].Marks = deepNames[way], true
			mean := 100 * l.errs[way] / float64(l.seen[way]) // NaN if it was not seen
			if l.seen[way] > 0 {
				curves[way].Add(d, mean)
			}
			failed[way] = failed[way] || l.seen[way] < images || !(mean < cardLimit)
			if !failed[way] {
				reach[way] = d
			}
		}
	}
	for way, name := range deepNames {
		t.Add(Aside(fmt.Sprintf("a Kinect pitched by %s° less gives the place to 30 cm %s: up to", number(deg), name),
			reach[way], "m"))
	}
	t.Plot(experiment.Plot{Name: "depth",
		Title:  fmt.Sprintf("mean errors in images of a Kinect pitched by %s° less", number(deg)),
		XLabel: "distance of the robots, m", YLabel: "error, cm", Curves: curves[:]})
	return nil
}
