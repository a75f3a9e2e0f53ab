package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// cardTable are the positions of the paper's table 4, m.
var cardTable = []pitch.Vec{{1, -0.5}, {1, 0}, {1, 0.5}, {2, -0.8}, {2, 0}, {2, 0.8}, {2.5, -1}, {2.5, 0}, {2.5, 1}}

const (
	cardLimit  = 30                     // upper limit of all errors in the paper, cm
	cardSettle = 200 * time.Millisecond // time until placed robots are at rest
)

// cardTilts are pitch errors of the observer's camera mount.
var cardTilts = []float64{0.1, 0.25, 0.5} // deg

// cardPlace is the result at one position. While images are evaluated, its fields are sums over the images; the method
// mean turns them into means.
type cardPlace struct {
	truth                    pitch.Vec
	cards, self              pitch.Vec // mean
	images, found, selfFound float64
	// mean errors of the position by the card's height, by its height and size, and by the robot's own localisation, m
	byHeight, byBoth, byHimself float64
	square                      float64   // mean squared distance of the positions in places from their mean, cards, m²
	tilted                      []float64 // like byHeight, with each of cardTilts as the camera's pitch error
	places                      []pitch.Vec
}

func runCardPlaces(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	pair, err := newCardPair(w, &t.cache)
	if err != nil {
		return err
	}
	images := 20
	if t.Quick {
		images = 4
	}
	places, err := pair.visit(ctx, cardTable, images, t.Progress)
	if err != nil {
		return err
	}
	reportCardPlaces(t, pair, places)
	return t.runCardDepth(ctx, pair, images)
}

// visit places the observed robot at each position, and evaluates a number of images there.
func (p *cardPair) visit(ctx context.Context, table []pitch.Vec, images int, progress func(float64)) ([]cardPlace,
	error) {
	var at *cardPlace // the result to which images contribute; nil while robots settle
	var tilted []*vision.CardFinder
	still := *shutterOf(p.front)
	still.Samples = 1 // nothing moves
	err := p.open(&still, func(o *sensors.Observation) {
		if at == nil || int(at.images) == images {
			return
		}
		at.images++
		// take the observer's own pose from the truth, so that only its view of the other robot is judged
		own := planar(p.truths[o.Stamp][observer])
		if m, ok := p.find(p.finder, o); ok {
			place := p.onField(own, &m, m.ByHeight)
			at.found++
			at.places = append(at.places, place)
			at.cards = at.cards.Add(place)
			at.byHeight += apart(place, at.truth)
			at.byBoth += apart(p.onField(own, &m, m.Distance), at.truth)
		}
		for i, f := range tilted {
			if m, ok := p.find(f, o); ok {
				at.tilted[i] += apart(p.onField(own, &m, m.ByHeight), at.truth)
			} else {
				at.tilted[i] = math.Inf(1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	defer p.close()
	for _, deg := range cardTilts {
		view, err := viewOf(p.sim, p.w.Robots[observer].Name, p.front, deg*spatial.Degree)
		if err != nil {
			return nil, err
		}
		tilted = append(tilted, vision.NewCardFinder(view, p.measures))
	}
	p.eyes[observed].seen = func(_ time.Duration, e locate.Estimate) {
		if at != nil && int(at.selfFound) < images {
			at.selfFound++
			at.self = at.self.Add(e.Pos)
			at.byHimself += apart(e.Pos, at.truth)
		}
	}
	all := make([]cardPlace, 0, len(table))
	for i, place := range table {
		if err := p.place([2]locate.Pose{{}, {Pos: place, Heading: math.Atan2(-place[1], -place[0])}}); err != nil {
			return nil, err
		}
		if err := p.run(ctx, p.sim.Truth().Time+cardSettle, nil); err != nil {
			return nil, err
		}
		all = append(all, cardPlace{truth: planar(p.sim.Truth().Robots[observed].PoseWB).Pos,
			tilted: make([]float64, len(cardTilts))})
		at = &all[i]
		for end := p.sim.Truth().Time + 10*time.Second; (int(at.images) < images || int(at.selfFound) < images) &&
			p.sim.Truth().Time < end; {
			if err := p.run(ctx, p.sim.Truth().Time+time.Millisecond, nil); err != nil {
				return nil, err
			}
		}
		at.mean()
		at = nil
		progress(float64(i+1) / float64(len(table)))
	}
	return all, nil
}

// shutterOf returns a camera's shutter; a camera without a shutter exposes instantly.
func shutterOf(c *sensors.Config) *imaging.Shutter {
	if c.Shutter != nil {
		return c.Shutter
	}
	return &imaging.Shutter{Samples: 1}
}

// mean turns sums over images into means. A mean distance over no values becomes infinite.
func (a *cardPlace) mean() {
	if a.found == 0 {
		a.byHeight, a.byBoth = math.Inf(1), math.Inf(1)
	}
	if a.selfFound == 0 {
		a.byHimself = math.Inf(1)
	}
	found, self, images := max(a.found, 1), max(a.selfFound, 1), max(a.images, 1)
	a.cards, a.self = a.cards.Mul(1/found), a.self.Mul(1/self)
	a.byHeight, a.byBoth, a.byHimself = a.byHeight/found, a.byBoth/found, a.byHimself/self
	for i := range a.tilted {
		a.tilted[i] /= images
	}
	for _, place := range a.places {
		d := apart(place, a.cards)
		a.square += d * d / found
	}
}

// most returns the largest of the values that the given function returns for the positions.
func most(places []cardPlace, value func(*cardPlace) float64) float64 {
	largest := 0.0
	for i := range places {
		largest = max(largest, value(&places[i]))
	}
	return largest
}

func reportCardPlaces(t *Trial, p *cardPair, places []cardPlace) {
	found, images := 0.0, 0.0
	for i := range places {
		found, images = found+places[i].found, images+places[i].images
	}
	less := func(name string, cm float64) Finding {
		return Trend(name, cm, "cm", "less than 30 cm", "less than 30 cm", cm < cardLimit)
	}
	height := func(a *cardPlace) float64 { return a.byHeight }
	t.Add(Trend("images in which the card is found", 100*found/images, "%", "at all nine places", "at all nine places",
		!slices.ContainsFunc(places, func(a cardPlace) bool { return a.found == 0 })))
	t.Add(less("largest error by the card", 100*most(places, height)))
	t.Add(less("largest error of the observed robot's self-localisation",
		100*most(places, func(a *cardPlace) float64 { return a.byHimself })))
	near, far := ends(places, height)
	t.Add(Trend("error by the card far away over that nearby", far/near, "", "grows along with the distance",
		"more than 1.2", far/near > 1.2).
		because("%s cm at the farthest three places, %s cm at the nearest three: the camera's mount is known exactly "+
			"here", number(100*far), number(100*near)))
	for i, deg := range cardTilts {
		tilted := func(a *cardPlace) float64 { return a.tilted[i] }
		less := number(deg) + "° less than it is taken to be"
		t.Add(Aside("largest error by the card, the camera pitched by "+less, 100*most(places, tilted), "cm"))
		if i == len(cardTilts)/2 {
			near, far := ends(places, tilted)
			t.Add(Trend("the same far away over that nearby", far/near, "", "grows along with the distance",
				"more than 1.2", far/near > 1.2))
		}
	}
	t.Add(Aside("largest standard deviation by the noise of images",
		100*math.Sqrt(most(places, func(a *cardPlace) float64 { return a.square })), "cm"))
	t.Add(Aside("largest error by the card's height and its size in the image",
		100*most(places, func(a *cardPlace) float64 { return a.byBoth }), "cm"))
	over := math.Abs(p.measures.Height - p.view.Pos[2])
	d := most(places, func(a *cardPlace) float64 { return math.Hypot(a.truth[0], a.truth[1]) })
	t.Note("The heights of card and camera differ by %s m. An error δ of the angle therefore changes the distance D by "+
		"D²/%s m·δ: at %s m, 0.1° are %s cm. Here mount and lens are known exactly, and the robots stand upright, so "+
		"only noise and pixels cause errors. The paper's errors, which grow with the distance, come from differences "+
		"between the real mount, lens and card and their models.",
		number(over), number(over), number(d), number(100*d*d/over*0.1*spatial.Degree))
	plotCardPlaces(t, places)
}

// ends returns two means of the values that the given function returns for positions: the mean over the three nearest
// positions of cardTable, and the mean over the three farthest.
func ends(places []cardPlace, value func(*cardPlace) float64) (near, far float64) {
	for i := range 3 {
		near += value(&places[i])
		far += value(&places[len(places)-3+i])
	}
	return near / 3, far / 3
}

func plotCardPlaces(t *Trial, places []cardPlace) {
	marks := func(name string) experiment.Curve { return experiment.Curve{Name: name, Marks: true} }
	middle := len(cardTilts) / 2
	byCard, byItself, truth := marks("by its card"), marks("by itself"), marks("where it is")
	cardError, selfError := marks("by its card"), marks("by itself")
	tilted := marks(fmt.Sprintf("by its card, camera pitched %s° less", number(cardTilts[middle])))
	for i := range places {
		a := &places[i]
		truth.Add(a.truth[0], a.truth[1])
		d := math.Hypot(a.truth[0], a.truth[1])
		if a.found > 0 {
			byCard.Add(a.cards[0], a.cards[1])
			cardError.Add(d, 100*a.byHeight)
			tilted.Add(d, 100*a.tilted[middle])
		}
		if a.selfFound > 0 {
			byItself.Add(a.self[0], a.self[1])
			selfError.Add(d, 100*a.byHimself)
		}
	}
	t.Plot(experiment.Plot{Name: "places", Title: "the observed robot at nine places (figure 6)", XLabel: "x, m",
		YLabel: "y, m", Square: true, Curves: []experiment.Curve{byCard, byItself, truth}})
	t.Plot(experiment.Plot{Name: "errors", Title: "mean errors", XLabel: "distance of the robots, m",
		YLabel: "error, cm", Curves: []experiment.Curve{cardError, selfError, tilted}})
}
