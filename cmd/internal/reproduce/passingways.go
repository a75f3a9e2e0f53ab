package reproduce

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// way is how the robots find their teammates.
type way struct {
	prefix, plot string // of the names of findings and plots
	note         string // how the note begins
	seeds        int
	passes       int // per condition and seed
	brief        int // passes with Trial.Quick
}

// The robots find their teammates by level objects at any distance, or by raw front images. These take 70 times as
// long, so there are fewer passes.
var (
	byObjects = way{note: "Of", seeds: 10, passes: 20, brief: 4}
	byFront   = way{prefix: "by front images: ", plot: "front-", note: "By front images: of", seeds: 10, passes: 10,
		brief: 1}
)

// The world of passing, and the same world by images.
const (
	passingWorld = "technical-challenge-refbot"
	frontWorld   = "technical-challenge-front"
)

// runPassing plays in both worlds, or in the world that the user has chosen.
func runPassing(ctx context.Context, t *Trial) error {
	progress, chosen := t.Progress, t.world
	defer func() { t.world, t.Progress = chosen, progress }()
	if chosen == passingWorld {
		t.Progress = func(share float64) { progress(share / 35) }
		if err := t.passBy(ctx, byObjects, nil); err != nil || t.brief {
			return err
		}
		t.world, t.Progress = frontWorld, func(share float64) { progress((1 + 34*share) / 35) }
	}
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	if err := t.fitsPassing(w); err != nil {
		return err
	}
	if omni, ok := w.Sensor(w.Robots[0].Name, "omni"); !ok || omni.Level != abstraction.Raw {
		return t.passBy(ctx, byObjects, nil)
	}
	eyes, err := t.calibrate(ctx, w)
	if err != nil {
		return err
	}
	return t.passBy(ctx, byFront, eyes)
}

// passBy plays all series. If eyes is not nil, the robots play by images.
func (t *Trial) passBy(ctx context.Context, by way, eyes []calibrated) error {
	if t.Quick {
		// Quick reduces the passes, but not the seeds: passes with the same obstacles are correlated, so their number
		// matters less.
		by.passes = by.brief
	}
	all, err := playPassing(ctx, t, by, eyes)
	if err != nil {
		return err
	}
	t.judgePassing(all, by)
	return nil
}

// calibrated is what a robot that plays by images knows of its cameras and of its teammate's cards.
type calibrated struct {
	field       *locate.Field
	floor       *vision.Floor
	omni, front *vision.View
	omniColors  *vision.ColorTable
	frontColors *vision.ColorTable
	cards       vision.CardMeasures
	number      uint8
}

// calibrate calibrates the cameras of all robots of a world whose robots play by images.
func (t *Trial) calibrate(ctx context.Context, w *worlds.World) (all []calibrated, err error) {
	if err := seat.CheckImages(w); err != nil {
		return nil, t.unfit("%w", err)
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: &t.cache})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	for i := range w.Robots {
		r := &w.Robots[i]
		omni, err1 := rawSensor(r, sensors.OmniKind)
		front, err2 := rawSensor(r, sensors.CameraKind)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		c := calibrated{field: markingsOf(w), number: uint8(r.Number)}
		model, mount, err := omniOf(sim, r.Name, omni)
		if err != nil {
			return nil, err
		}
		c.floor, c.omni = vision.NewFloor(model, mount, reach), vision.NewOmniView(model, mount)
		if c.front, err = viewOf(sim, r.Name, front, 0); err != nil {
			return nil, err
		}
		if c.cards, err = measureCards(sim, len(w.Robots)-1-i); err != nil {
			return nil, err
		}
		if i > 0 && alike(omni, &w.Robots[0]) && alike(front, &w.Robots[0]) {
			c.omniColors, c.frontColors = all[0].omniColors, all[0].frontColors
		} else {
			c.omniColors, err1 = sightColors(ctx, w, r.Name, omni.Name, false)
			c.frontColors, err2 = sightColors(ctx, w, r.Name, front.Name, true)
		}
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// alike reports whether a robot has the same camera.
func alike(c *sensors.Config, r *worlds.Robot) bool {
	return slices.ContainsFunc(r.Sensors, func(o sensors.Config) bool { return reflect.DeepEqual(*c, o) })
}

// sight returns the robot's vision for a new run.
func (c *calibrated) sight() *node.Sight {
	e := node.NewEyes(c.floor, c.field)
	e.UseColors(c.omniColors, c.omni, c.floor)
	e.UseFront(c.frontColors, c.front)
	e.UseCards(c.cards, c.front)
	return node.NewSight(e, vision.ClassCyan, c.number)
}

// sights returns the vision of all robots for a new run, or nil if they do not play by images.
func sights(all []calibrated) (s []*node.Sight) {
	for i := range all {
		s = append(s, all[i].sight())
	}
	return s
}
