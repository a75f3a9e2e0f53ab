// Command omnipitch simulates what soccer robots sense, at the level of detail that each test needs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch/cmd/internal/bench"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/timesync"
)

// cli is the command line; each command is a file of its own.
type cli struct {
	Version kong.VersionFlag `help:"Print the program's version and the revision that it is built from."`

	Quiet bool `short:"q" help:"Print results, errors and warnings alone: not how work is getting on, nor where a run listens, what its programs print and what a referee decides."`

	Run         runCmd         `cmd:"" help:"Simulate a world and serve its robots."`
	Test        testCmd        `cmd:"" help:"Run worlds as tests, each with many seeds, and judge what they expect."`
	Sweep       sweepCmd       `cmd:"" help:"Run worlds with many values of their keys and many seeds, in this process and on other machines, and report what depends on what."`
	Worker      workerCmd      `cmd:"" help:"Do runs of sweeps, and draw images of runs, for another process, as long as there is something to do."`
	Assess      assessCmd      `cmd:"" help:"Say how good a robot's vision is: what it reports, joined with the truth, as a page with plots and the worst frames."`
	Replay      replayCmd      `cmd:"" help:"Show a recorded run again, on any level, check it, or let it go on."`
	Info        infoCmd        `cmd:"" help:"Tell what is in a recording."`
	Diff        diffCmd        `cmd:"" help:"Say at which step, and in which quantity, two recordings differ first."`
	Audit       auditCmd       `cmd:"" help:"Judge the decisions of a recorded match's automatic referee by its exact states, and look for those that it missed."`
	Export      exportCmd      `cmd:"" help:"Turn a recording into what other programs read: a bag of ROS 1, CSV files, a film, or logs of the referee box."`
	Plot        plotCmd        `cmd:"" help:"Draw any number of a recording over time, or print it."`
	Snapshot    snapshotCmd    `cmd:"" help:"Write one frame of every camera at every level, and the truth."`
	Dataset     datasetCmd     `cmd:"" help:"Make a data set of labelled images, each of another draw of a world, to train a vision on."`
	Reproduce   reproduceCmd   `cmd:"" help:"Repeat the experiments of papers on soccer robots and their simulators, and say how the results stand to theirs."`
	Check       checkCmd       `cmd:"" help:"Validate worlds and print every error."`
	Bench       bench.Benches  `cmd:"" help:"Measure how fast this machine simulates."`
	Calibration calibrationCmd `cmd:"" help:"Write a camera's parameters in a format that vision software reads."`
	Master      masterCmd      `cmd:"" help:"Run a ROS 1 master alone, in the place of roscore."`
	Refbox      refboxCmd      `cmd:"" help:"Be a small MSL referee box, to test a team's own client of it: commands are lines on stdin."`
	Coach       coachCmd       `cmd:"" help:"Command the game of a running simulation, or tell one team something."`
	ROS         rosCmd         `cmd:"" name:"ros" help:"Tell about a running simulation's place on ROS 1, and which profiles there are."`
	Worlds      worldsCmd      `cmd:"" help:"List worlds, robot models and fields that ship, or print one."`
	Supervise   superviseCmd   `cmd:"" hidden:"" help:"Start a program of a world, as the first line on stdin says, and end it with stdin."`
}

const description = `Simulates what soccer robots sense, each sensor at the level of detail that a test needs.

Exit codes: 0 done, 1 the simulation or a test failed, 2 bad input (nothing was written), 3 the machine lacks something.`

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// The first signal ends the run cleanly, a second one at once.
	context.AfterFunc(ctx, stop)
	// A reader of our output that has gone must not end a run before its recordings are closed: writing to it fails
	// instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(ctx, os.Args[1:], console.Open(os.Stdout, os.Stderr)))
}

// run is the program without its process; it returns the exit code.
func run(ctx context.Context, args []string, con console.Streams) int {
	out := &console.CheckedWriter{W: con.Out}
	con.Out = out
	kctx, quiet, err := parse(args, con)
	if err == nil && kctx != nil { // nil after --help
		con.Quiet = quiet
		kctx.BindTo(ctx, (*context.Context)(nil))
		err = kctx.Run(con)
	}
	unwritten := out.Err()
	// whoever reads our output has seen enough; a connection may break, too
	if errors.Is(err, syscall.EPIPE) && errors.Is(unwritten, syscall.EPIPE) {
		return console.ExitDone
	}
	if err != nil && !errors.Is(err, unwritten) {
		fmt.Fprintf(con.Err, "omnipitch: %v\n", err)
	}
	if unwritten != nil && !errors.Is(unwritten, syscall.EPIPE) {
		fmt.Fprintf(con.Err, "omnipitch: stdout: %v\n", unwritten)
		return console.ExitUnavailable
	}
	return console.ExitCode(err)
}

// checked is a command with rules that its flags must keep by themselves, whatever the files say.
type checked interface{ Check() error }

// Limits of a command line, far above what people write: the parser's time grows with the square of repeated flags.
const (
	maxArgs     = 1024
	maxArgBytes = 64 << 10 // of all together
)

// parse reads a command line without carrying it out, and tells whether it asks for quiet. It returns nil after it has
// printed help or the version.
func parse(args []string, con console.Streams) (_ *kong.Context, quiet bool, _ error) {
	if len(args) > maxArgs {
		return nil, false, console.BadInputf("%d arguments: must be at most %d", len(args), maxArgs)
	}
	size := 0
	for _, arg := range args {
		size += len(arg)
	}
	if size > maxArgBytes {
		return nil, false, console.BadInputf("%d bytes of arguments: must be at most %d", size, maxArgBytes)
	}
	var c cli
	exited := false
	parser, err := kong.New(&c, kong.Name("omnipitch"), kong.Description(description), kong.UsageOnError(),
		kong.Vars{"version": version(), "levels": strings.Join(sensorLevels(), ", "), "formats": strings.Join(formats,
			","), "renderers": strings.Join(backend.Names(), ","), "samples": strconv.Itoa(render.DefaultSamples)},
		kong.TypeMapper(reflect.TypeFor[*timesync.Speed](), textMapper("speed")),
		kong.TypeMapper(reflect.TypeFor[serve.MasterChoice](), textMapper("master")),
		kong.TypeMapper(reflect.TypeFor[suite.Seeds](), textMapper("seeds")),
		kong.Writers(con.Out, con.Err), kong.Exit(func(int) { exited = true }))
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := parser.Parse(joinNegatives(args))
	if exited {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, console.BadInput(err)
	}
	if command, ok := kctx.Selected().Target.Addr().Interface().(checked); ok {
		if err := command.Check(); err != nil {
			return nil, false, console.BadInput(err)
		}
	}
	return kctx, c.Quiet, nil
}
