package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/laser"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

const (
	scanPlace = 10.0             // largest mean position error with which localisation works, cm: a guess
	scanSpeed = 0.8              // m/s
	scanAfter = 90 * time.Second // time for all goals
)

func runScan(ctx context.Context, t *Trial) error {
	draws, span := 10, scanAfter
	switch {
	case t.brief:
		draws, span = 1, 3*time.Second
	case t.Quick:
		draws = 2
	}
	levels := []abstraction.Level{abstraction.Raw, abstraction.Pose}
	p := experiment.Plot{Name: "path", Title: "Path of a robot that drives by its laser scanner", XLabel: "x, m",
		YLabel: "y, m", Square: true}
	for i, level := range levels {
		all := &scanned{}
		for draw := range draws {
			path := experiment.Curve{Name: "level " + string(level)}
			if err := t.scan(ctx, all, draw, level, span, &path); err != nil {
				return err
			}
			if draw == 0 {
				p.Curves = append(p.Curves, path)
			}
			t.Progress((float64(i) + float64(draw+1)/float64(draws)) / float64(len(levels)))
		}
		name := "level " + string(level)
		places := 100 * mean(all.places)
		t.Add(Trend(name+": mean position error", places, "cm", "a good approximation of reality",
			fmt.Sprintf("up to %g cm", scanPlace), places <= scanPlace))
		t.Add(Aside(name+": mean heading error", mean(all.headings), "°"))
		goals := 100 * float64(all.reached) / float64(all.goals)
		t.Add(Trend(name+": goals that are reached", goals, "%", "a good approximation of reality", "all",
			goals == 100))
		t.Add(Trend(name+": runs in which the robot touches something", 100*float64(all.touched)/float64(draws), "%",
			"a good approximation of reality", "none", all.touched == 0))
		t.Add(Aside(name+": median time of the robot's program for a scan", median(all.micros), "µs"))
	}
	t.Plot(p)
	return nil
}

// scanned is the result of runs in which a robot drives by its laser scanner.
type scanned struct {
	places, headings []float64 // errors of the pose at each scan, in m and °
	micros           []float64 // processing time of each scan, µs
	goals, reached   int
	touched          int // number of runs in which the robot touched something
}

// scan lets the world's first robot drive to the goals of its program refbot scan, with its scanner at a level.
func (t *Trial) scan(ctx context.Context, all *scanned, draw int, level abstraction.Level, span time.Duration,
	path *experiment.Curve) error {
	w, err := t.Load(draw)
	if err != nil {
		return err
	}
	if len(w.Robots) == 0 {
		return t.unfit("needs a robot")
	}
	robot := &w.Robots[0]
	scanner, err := rawSensor(robot, "laser")
	if err != nil {
		return err
	}
	odometry, err := rawSensor(robot, "odometry")
	if err != nil {
		return err
	}
	config, err := t.scanConfig(w)
	if err != nil {
		return err
	}
	scanner.Level = level
	mount := scanner.Mount.Pose()
	config.Mount, config.Speed = floorPose(&mount), scanSpeed
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: &t.cache})
	if err != nil {
		return err
	}
	defer sim.Close()
	nav, truth, touched := laser.NewNavigator(config), spatial.Pose{}, false
	sim.OnStep(func(s *physics.Snapshot) {
		truth = s.Robots[0].PoseWB
		touched = touched || slices.ContainsFunc(s.Touches, func(c physics.Touch) bool { return c.A == 0 || c.B == 0 })
	})
	var failed error
	err = listen(sim, robot.Name, odometry.Name, func(o *sensors.Observation) {
		nav.Odometry(o.Stamp, floorPose(&o.Reading.(*sensors.OdometryReading).PoseOB))
	})
	if err != nil {
		return err
	}
	err = listen(sim, robot.Name, scanner.Name, func(o *sensors.Observation) {
		s := o.Reading.(*sensors.LaserScan)
		begun := time.Now()
		if s.PoseKnown {
			nav.Pose(o.Stamp, floorPose(&s.PoseWB))
		}
		command := nav.Scan(o.Stamp, &laser.Scan{First: s.First, Step: s.Step, Ranges: s.Ranges})
		all.micros = append(all.micros, float64(time.Since(begun))/1e3)
		if found, ok := nav.At(o.Stamp); ok {
			at := floorPose(&truth)
			all.places = append(all.places, pitch.Distance(found.Pos, at.Pos))
			all.headings = append(all.headings, math.Abs(pitch.Wrap(found.Heading-at.Heading))/spatial.Degree)
			path.Add(found.Pos[0], found.Pos[1])
		}
		if err := sim.Do(&action.Drive{Robot: robot.Name, VX: command.V, Omega: command.Omega}); err != nil {
			failed = err
		}
	})
	if err != nil {
		return err
	}
	for err == nil && failed == nil && nav.Reached() < len(config.Goals) && sim.Truth().Time < span {
		err = steps(ctx, sim, sim.Truth().Time+time.Second, nil, func() {})
	}
	if err == nil {
		err = failed
	}
	all.goals += len(config.Goals)
	all.reached += nav.Reached()
	if touched {
		all.touched++
	}
	return err
}

// scanConfig returns the map and the goals in the command of the world's program refbot scan.
func (t *Trial) scanConfig(w *worlds.World) (c laser.Config, err error) {
	var boxes []laser.Box
	for i := range w.Programs {
		for _, word := range w.Programs[i].Command {
			if text, ok := strings.CutPrefix(word, "--box="); ok {
				b, err := laser.ReadBox(text)
				if err != nil {
					return c, t.unfit("program[%d].command: %s: %w", i, word, err)
				}
				boxes = append(boxes, b)
			}
			if text, ok := strings.CutPrefix(word, "--goal="); ok {
				g, err := laser.ReadPlace(text)
				if err != nil {
					return c, t.unfit("program[%d].command: %s: %w", i, word, err)
				}
				c.Goals = append(c.Goals, g)
			}
		}
	}
	if len(boxes) == 0 || len(c.Goals) == 0 {
		return c, t.unfit("needs a program refbot scan with --box=… and --goal=…")
	}
	if c.Map, err = laser.NewMap(boxes); err != nil {
		return c, t.unfit("its program's map: %w", err)
	}
	return c, nil
}

// median returns the median of values, NaN if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
}

// floorPose returns a pose without its height and tilt.
func floorPose(p *spatial.Pose) locate.Pose {
	return locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()}
}
