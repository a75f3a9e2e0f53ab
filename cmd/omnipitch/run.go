package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

type runCmd struct {
	World    string          `arg:"" help:"Name of a built-in world, or the path of a world file."`
	For      *time.Duration  `placeholder:"DURATION" help:"Sim time after which the run ends, such as 10s. Default: run until Ctrl-C."`
	Speed    *timesync.Speed `help:"How fast sim time passes: realtime; a factor such as 0.5; steady, the highest factor that the machine can hold; max, as fast as possible; or lockstep, each step waits for the robots that the world names. With --programs, max waits for them too. Default: the world's speed."`
	Seed     *uint64         `help:"Seed of all random numbers. Default: the world's seed."`
	Level    []string        `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Set the level of a sensor: ${levels}. Not every kind of sensor has every level. * matches any name. May be repeated."`
	Programs *bool           `negatable:"" help:"Start the programs that the world names. They run with your rights, so use it only for worlds that you trust. Default: only for built-in worlds."`
	Watch    bool            `help:"Restart whenever a file of the world changes. If the new file has an error, print it and continue the run."`
	JSON     bool            `name:"json" help:"Print the summary as one JSON object."`

	Window        bool    `group:"output" help:"Open a window on the world. Mouse, keys and a gamepad move bodies, kick and drive. Press H for the list of keys."`
	Speak         string  `group:"output" placeholder:"COMMAND" help:"Say aloud what robots say, with a program that speaks its standard input, such as espeak-ng or 'espeak-ng -v de'."`
	Out           *string `group:"output" placeholder:"DIR" help:"Write every frame as PNG, the truth of every step and an index of frames as JSON lines into DIR, a new or empty folder."`
	Overwrite     bool    `group:"output" help:"With --out: first remove the files that an earlier run wrote into DIR. Fails if DIR holds other files. With --record: replace FILE."`
	drawingFlags  `group:"output"`
	samplingFlags `group:"output"`
	recordFlags   `group:"record"`

	serve.Dashboard     `group:"connect"`
	serve.Flags         `group:"connect"`
	serve.Servers       `group:"connect"`
	serve.Access        `group:"connect"`
	refboxFlags         `group:"refbox"`
	gameControllerFlags `group:"refbox"`
	farmFlags           `group:"cluster"`
}

// Check checks the flags without reading any file.
func (c *runCmd) Check() error {
	if c.For != nil && *c.For <= 0 {
		return fmt.Errorf("--for = %v: must be longer than 0; without --for the run ends with Ctrl-C", *c.For)
	}
	if c.Out != nil && *c.Out == "" {
		return output.NoFolder("--out")
	}
	if c.Programs != nil && *c.Programs && c.Off() {
		return errors.New("--programs: programs reach the simulation over ROS: not with --ros1 off without --ros2")
	}
	return cmp.Or(c.recordFlags.check(c.Off()), c.refboxFlags.check(), c.gameControllerFlags.check(),
		c.samplingFlags.check(c.Renderer),
		c.farmFlags.check(), c.Flags.Check(c.Access, c.Dashboard, c.Servers))
}

func (c *runCmd) Run(ctx context.Context, con console.Streams) (err error) {
	r := &worldRun{runCmd: c, execution: execution{con: con}}
	defer func() { err = r.opened.closeAll(err) }()
	if err := r.load(ctx); err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	return r.run()
}

// loadWorld reads the world and applies --seed and --level.
func (c *runCmd) loadWorld(ctx context.Context, con console.Streams) (*worlds.World, error) {
	w, err := loadWorld(ctx, con, c.World, c.Seed)
	if err != nil {
		return nil, err
	}
	if err := applyLevels(w, "--level", c.Level); err != nil {
		return nil, err
	}
	if err := w.Locate(w.Validate()); err != nil { // validate again, because some rules apply only at the new levels
		return nil, console.BadInputf("with --level: %w", err)
	}
	return w, nil
}

// targetSpeed returns the speed of a run of the world w. startsPrograms is true if the run starts the world's programs.
func (c *runCmd) targetSpeed(w *worlds.World, startsPrograms bool) timesync.Speed {
	speed := w.Time.Speed
	if c.Speed != nil {
		speed = *c.Speed
	}
	if startsPrograms {
		speed = programs.Speed(w, speed)
	}
	return speed
}
