package reproduce

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// Values of the paper, section 4.1.
const (
	localisePlace = 6.0  // mean position error, cm
	localiseTime  = 30.0 // processing time of an omni image, ms
)

// localiseFaster are the speeds, by that of the world's patrol, at which the robot is located.
var localiseFaster = []float64{1, 3}

func runLocalise(ctx context.Context, t *Trial) error {
	span := 40 * time.Second
	switch {
	case t.brief:
		span = time.Second
	case t.Quick:
		span = 8 * time.Second
	}
	for i, faster := range localiseFaster {
		run := &located{progress: func(share float64) {
			t.Progress((float64(i) + share) / float64(len(localiseFaster)))
		}}
		if err := t.locate(ctx, run, faster, span); err != nil {
			return err
		}
		name := fmt.Sprintf("at %g m/s", run.speed)
		t.Add(AtMost(name+": mean position error", 100*mean(run.places), localisePlace, "cm"))
		t.Add(Aside(name+": mean heading error", mean(run.headings), "°"))
		t.Add(Aside(name+": images with a known pose", 100*float64(len(run.places))/float64(run.images), "%"))
		t.Add(AtMost(name+": mean time of an image", mean(run.millis), localiseTime, "ms"))
		p := experiment.Plot{Name: fmt.Sprintf("path-%g", run.speed),
			Title: "Path of a robot that locates itself, " + name, XLabel: "x, m", YLabel: "y, m", Square: true}
		p.Curves = []experiment.Curve{run.truth, run.found}
		t.Plot(p)
	}
	return nil
}

// located is the result of a run in which a robot locates itself.
type located struct {
	progress         func(share float64)
	speed            float64   // m/s
	images           int       // omni images
	places, headings []float64 // errors of images with a known pose, in m and °
	millis           []float64 // processing time of each image, ms
	truth, found     experiment.Curve
}

// locate lets the world's first robot locate itself by omni images, odometry and compass while it patrols. The
// argument faster multiplies the patrol's speed.
func (t *Trial) locate(ctx context.Context, run *located, faster float64, span time.Duration) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	if len(w.Robots) == 0 || w.Robots[0].Player == nil || w.Robots[0].Player.Patrol == nil {
		return t.unfit("its first robot must have player.patrol")
	}
	robot := &w.Robots[0]
	robot.Player.Patrol.Speed *= faster
	run.speed = robot.Player.Patrol.Speed
	run.truth.Name, run.found.Name = "truth", "by its own vision"
	omni, err := rawSensor(robot, sensors.OmniKind)
	if err != nil {
		return err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{Cache: &t.cache})
	if err != nil {
		return err
	}
	defer sim.Close()
	floor, err := floorOf(sim, robot.Name, omni)
	if err != nil {
		return err
	}
	truths := map[time.Duration]spatial.Pose{}
	sim.OnStep(func(s *physics.Snapshot) { truths[s.Time] = s.Robots[0].PoseWB })
	own := &eyes{finder: vision.NewLineFinder(floor, scanLines, 0.125), field: markingsOf(w)}
	own.seen = func(stamp time.Duration, e locate.Estimate) {
		truth := truths[stamp].Pos
		run.places = append(run.places, pitch.Distance(e.Pos, pitch.Vec{truth[0], truth[1]}))
		run.headings = append(run.headings, math.Abs(pitch.Wrap(e.Heading-truths[stamp].Heading()))/spatial.Degree)
		run.truth.Add(truth[0], truth[1])
		run.found.Add(e.Pos[0], e.Pos[1])
	}
	own.forget()
	if err := own.open(sim, w, 0); err != nil {
		return err
	}
	err = steps(ctx, sim, span, nil, func() { run.progress(sim.Truth().Time.Seconds() / span.Seconds()) })
	for _, took := range own.took {
		run.millis = append(run.millis, float64(took)/1e6)
	}
	run.images = len(own.took)
	return err
}

// mean returns the mean of values, NaN if there are none.
func mean(all []float64) float64 { return stat.Mean(all, nil) }
