package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/odeplain"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
)

// Physics measures the accuracy of motion and the time of steps.
type Physics struct {
	Rounds int `default:"30" help:"Number of measurements of 500 steps each."`
	Brawl  int `default:"20000" help:"Steps of the brawl of ten robots, per engine."`
	plotFlag
	JSON bool `help:"Print one JSON object."`
}

// Check validates the flags.
func (c *Physics) Check() error {
	return cmp.Or(atLeast1("--rounds", c.Rounds), atLeast1("--brawl", c.Brawl))
}

// Run measures and prints.
func (c *Physics) Run(ctx context.Context, con console.Streams) error {
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	report := newReport("physics")
	if err := benchSpeed(ctx, report, c.Rounds); err != nil {
		return err
	}
	var plots []experiment.Plot
	for _, e := range c.experiments(con) {
		if ctx.Err() != nil {
			return errInterrupted
		}
		out, err := e()
		if err != nil {
			return err
		}
		for _, f := range out.Figures {
			report.add(f.Name, f.Value, f.Unit, 1)
		}
		plots = merge(plots, out.Plots)
	}
	if err := c.plotFlag.write(plots); err != nil {
		return err
	}
	return report.print(con.Out, c.JSON)
}

var (
	allLevels = []physics.DriveLevel{physics.RollersDrive, physics.WheelsDrive, physics.ChassisDrive,
		physics.KinematicDrive}
	allDribbles = []physics.DribbleMethod{physics.DribblePose, physics.DribbleSecant, physics.DribbleTangential,
		physics.DribbleWheels}
)

// hard is the factor by which the hard dribbling manoeuvre is faster than the ordinary one.
const hard = 1.75

type trial func() (*experiment.Outcome, error)

// experiments lists all experiments, in the order of the report.
func (c *Physics) experiments(con console.Streams) (all []trial) {
	add := func(t trial) { all = append(all, t) }
	for _, level := range allLevels {
		for _, ramp := range []bool{true, false} {
			add(func() (*experiment.Outcome, error) { return experiment.Circle(level, ramp) })
		}
	}
	add(func() (*experiment.Outcome, error) { return experiment.Ramp() })
	for _, level := range []physics.DriveLevel{physics.RollersDrive, physics.WheelsDrive} {
		add(func() (*experiment.Outcome, error) { return experiment.Traction(level) })
	}
	for _, engine := range []string{"ode", "planar"} {
		for _, f := range []func(string) (*experiment.Outcome, error){
			experiment.Drop, experiment.RollOut, experiment.Lob, experiment.SlideToRoll,
		} {
			add(func() (*experiment.Outcome, error) { return f(engine) })
		}
	}
	for _, level := range allLevels {
		add(func() (*experiment.Outcome, error) { return experiment.Collision(level) })
	}
	for _, share := range []float64{1, hard} {
		for _, method := range allDribbles {
			add(func() (*experiment.Outcome, error) {
				return experiment.Dribbling(physics.WheelsDrive, method, share)
			})
		}
	}
	for _, level := range []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive, physics.KinematicDrive} {
		add(func() (*experiment.Outcome, error) { return experiment.Scrum(level) })
	}
	for _, level := range []physics.DriveLevel{physics.WheelsDrive, physics.KinematicDrive} {
		add(func() (*experiment.Outcome, error) { return c.brawl(con, level) })
	}
	return all
}

// brawl runs the experiment "brawl", and measures the growth of memory in its second half.
func (c *Physics) brawl(con console.Streams, level physics.DriveLevel) (*experiment.Outcome, error) {
	var before uint64
	begun := time.Now()
	status := console.NewStatus(con, fmt.Sprintf("brawl at %s", level))
	defer status.Close()
	out, err := experiment.Brawl(level, c.Brawl, func(share float64) {
		if before == 0 && share >= 0.5 {
			before = resident()
		}
		status.Set(fmt.Sprintf("%.0f %% done", 100*share))
	})
	if err != nil {
		return nil, err
	}
	grown := 0.0
	if after := resident(); before > 0 && after > before {
		grown = float64(after-before) / (1 << 20)
	}
	name := "brawl_" + string(level)
	out.Figures = append(out.Figures,
		experiment.Figure{Name: name + "_memory_growth", Value: grown, Unit: "MiB"},
		experiment.Figure{Name: name + "_real_time_factor", Value: float64(c.Brawl) *
			0.005 / time.Since(begun).Seconds(), Unit: "x"})
	return out, nil
}

// resident returns the resident memory of this process in bytes, or 0 if it is unknown.
func resident() uint64 {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	if n, _ := fmt.Sscan(string(text), &size, &pages); n != 2 {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// stepsPerRound is the number of steps that are timed as a whole.
const stepsPerRound = 500

// benchSpeed times ten freely driving robots, one robot at level rollers, and eight humanoids at level walk, beside ten
// robots in plain C.
func benchSpeed(ctx context.Context, report *Report, rounds int) error {
	runtime.LockOSThread() // libode keeps per-thread data for the plain scene
	defer runtime.UnlockOSThread()
	scene := odeplain.New(10)
	defer scene.Close()
	rest := func() error {
		for range stepsPerRound {
			scene.Step(0.005)
		}
		return nil
	}
	humanoids, err := worlds.Load("humanoids-planar")
	if err != nil {
		return err
	}
	type start func() (step func() error, end func())
	free := func(level physics.DriveLevel, robots int) start {
		return func() (func() error, func()) { return experiment.FreeDrive(level, robots) }
	}
	for _, x := range []struct {
		name  string
		start start
	}{{"ten_robots_wheels", free(physics.WheelsDrive, 10)}, {"ten_robots_chassis", free(physics.ChassisDrive, 10)},
		{"ten_robots_kinematic", free(physics.KinematicDrive, 10)},
		{"one_robot_rollers", free(physics.RollersDrive, 1)},
		{"eight_humanoids_walk", func() (func() error, func()) { return experiment.FreeWalk(humanoids.Model()) }}} {
		step, end := x.start()
		taken, base, err := inTurns(ctx, rounds, func() error {
			for range stepsPerRound {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		}, rest)
		end()
		if err != nil {
			return err
		}
		times, bases := taken.wall, base.wall
		for i := range times {
			times[i], bases[i] = times[i]/stepsPerRound, bases[i]/stepsPerRound
		}
		report.compare("ms", x.name, "plain_c_beside_"+x.name, times, bases)
		report.add(x.name+"_real_time_factor", 5/median(times), "x", len(times))
	}
	return nil
}
