// Command omnipitch simulates soccer robots and their sensors, each at the level of detail that a test needs.
package main

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch/cmd/internal/bench"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/timesync"
)

// cli is the command line. Each command has its own file. --help lists groups and commands in the order of these
// fields.
type cli struct {
	Version kong.VersionFlag `help:"Print the version of omnipitch and the revision that it was built from."`

	Quiet bool `short:"q" help:"Print only results, errors and warnings: no progress, no addresses of servers, no output of programs, no decisions of the referee."`

	Run      runCmd      `cmd:"" group:"simulate" help:"Simulate a world and serve its robots."`
	Replay   replayCmd   `cmd:"" group:"simulate" help:"Replay a recording, verify it, or continue the run from it."`
	Worlds   worldsCmd   `cmd:"" group:"simulate" help:"List or print the built-in worlds, robot models and fields."`
	Check    checkCmd    `cmd:"" group:"simulate" help:"Validate world files and print every error."`
	Snapshot snapshotCmd `cmd:"" group:"simulate" help:"Save one frame of every camera at every level, and the ground truth."`

	Test   testCmd   `cmd:"" group:"test" help:"Run worlds with many seeds and check their expectations."`
	Sweep  sweepCmd  `cmd:"" group:"test" help:"Run worlds with many parameter values and seeds, here and on other machines, and report the effects."`
	Worker workerCmd `cmd:"" group:"test" help:"Do runs of a sweep, or render images of a run, for another process."`

	Info   infoCmd   `cmd:"" group:"recordings" help:"Print what a recording contains."`
	Diff   diffCmd   `cmd:"" group:"recordings" help:"Find the first step and quantity in which two recordings differ."`
	Plot   plotCmd   `cmd:"" group:"recordings" help:"Plot or print quantities of a recording over time."`
	Export exportCmd `cmd:"" group:"recordings" help:"Convert a recording: to a bag of ROS 1 or ROS 2, CSV files, or logs of the referee box. Or convert a world: to a map of ROS."`

	Dataset     datasetCmd     `cmd:"" group:"vision" help:"Generate labelled images of randomised worlds, to train a vision system."`
	Assess      assessCmd      `cmd:"" group:"vision" help:"Measure the accuracy of a robot's vision against the ground truth."`
	Calibration calibrationCmd `cmd:"" group:"vision" help:"Write the parameters of a camera in a format that vision software reads."`

	ROS    rosCmd    `cmd:"" group:"match" name:"ros" help:"Show the ROS 1 topics of a running simulation, and the profiles."`
	Coach  coachCmd  `cmd:"" group:"match" help:"Send referee and coach commands to a running simulation."`
	Refbox refboxCmd `cmd:"" group:"match" help:"Run a small MSL referee box, to test a team's client for it."`
	Master masterCmd `cmd:"" group:"match" help:"Run a ROS 1 master without a simulation, instead of roscore."`

	Bench     bench.Benches `cmd:"" group:"measure" help:"Measure how fast this machine simulates."`
	Reproduce reproduceCmd  `cmd:"" group:"measure" help:"Repeat experiments from papers and compare the results."`

	Supervise superviseCmd `cmd:"" group:"simulate" hidden:"" help:"Start a program of a world, as the first line on stdin says, and end it with stdin."`
	Python    pythonCmd    `cmd:"" group:"simulate" hidden:"" name:"serve-python" help:"Serve the Python package omnipitch, which starts this command."`
}

// groups are the headings under which --help lists commands and flags.
var groups = []kong.Group{
	{Key: "simulate", Title: "Simulate:"},
	{Key: "test", Title: "Test many runs:"},
	{Key: "recordings", Title: "Analyse recordings:"},
	{Key: "vision", Title: "Develop vision:"},
	{Key: "match", Title: "Connect robots and referees:"},
	{Key: "measure", Title: "Measure and compare:"},

	{Key: "output", Title: "Images and output:"},
	{Key: "photographs", Title: "Photographs instead of a world:"},
	{Key: "record", Title: "Recording:"},
	{Key: "connect", Title: "Robots, tools and browsers:"},
	{Key: "refbox", Title: "Referee box and GameController:"},
	{Key: "cluster", Title: "Other processes and machines:"},
}

const description = `Simulates what robots sense, with soccer as its best-furnished hall. Each sensor delivers raw images, detected objects, the ground truth, or a level between.

Exit codes: 0 success, 1 the simulation or a test failed, 2 bad input (nothing was written), 3 something is missing on this machine (a driver, a free port, disk space, a server that answers).`

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// The first signal ends the run cleanly; a second one kills the process.
	context.AfterFunc(ctx, stop)
	// When the program that reads from a pipe exits, a write to the pipe fails with EPIPE. Without this line, SIGPIPE
	// would end the run before it closes its recordings.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if cache, err := os.UserCacheDir(); err == nil {
		backend.KeepIn(filepath.Join(cache, "omnipitch"))
	}
	os.Exit(run(ctx, os.Args[1:], console.Open(os.Stdout, os.Stderr)))
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, con console.Streams) int {
	out := &console.CheckedWriter{W: con.Out}
	con.Out = out
	con = con.Plain()
	kctx, quiet, err := parse(args, con)
	if err == nil && kctx != nil { // nil after --help
		con.Quiet = quiet
		kctx.BindTo(ctx, (*context.Context)(nil))
		err = kctx.Run(con)
	}
	unwritten := out.Err()
	// If stdout fails with EPIPE, the program that reads it has exited, which is no failure. stdout is checked as well
	// as err, because connections may fail with EPIPE, too.
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

// checked is implemented by commands that check their flags before they run.
type checked interface{ Check() error }

// Limits of a command line. The parser takes a time that grows with the square of the number of repeated flags.
const (
	maxArgs     = 1024
	maxArgBytes = 64 << 10 // in total
)

// parse parses a command line. quiet is the value of --quiet. If parse has printed help or the version, the returned
// context is nil.
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
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: true}),
		kong.ExplicitGroups(groups),
		kong.Vars{"version": version(), "levels": strings.Join(sensorLevels(), ", "), "formats": strings.Join(formats,
			","), "renderers": strings.Join(backend.Names(), ","), "samples": strconv.Itoa(render.DefaultSamples),
			"lenses": strings.Join(calibration.LensKinds(), ", ")},
		kong.TypeMapper(reflect.TypeFor[*timesync.Speed](), textMapper("speed")),
		kong.TypeMapper(reflect.TypeFor[serve.MasterChoice](), textMapper("master")),
		kong.TypeMapper(reflect.TypeFor[suite.Seeds](), textMapper("seeds")),
		kong.Writers(con.Out, con.Err), kong.Exit(func(int) { exited = true }))
	if err != nil {
		panic(err) // the tags of cli are wrong
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

// superviseCmd is a hidden command. Package program starts this executable with it, as the supervisor of a program.
type superviseCmd struct{}

func (superviseCmd) Run() error { return programs.Supervise(os.Stdin, os.Stdout) }

// version returns the version of the module. If omnipitch was built from a checkout, the text includes the revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "omnipitch of no known version: built without modules"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	text := "omnipitch " + info.Main.Version
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	revision := set["vcs.revision"]
	if revision == "" {
		return text
	}
	text += ", revision " + revision
	if set["vcs.time"] != "" {
		text += " of " + set["vcs.time"]
	}
	if set["vcs.modified"] == "true" {
		text += ", changed since"
	}
	return text
}

// negative matches the start of a negative number or duration.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// joinNegatives turns the arguments "--flag -1" into the argument "--flag=-1". Otherwise kong would take -1 for a flag,
// because it starts with a hyphen. No flag of omnipitch starts with a digit.
func joinNegatives(args []string) []string {
	joined := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		if n := len(joined); n > 0 && negative.MatchString(arg) && strings.HasPrefix(joined[n-1], "--") &&
			!strings.Contains(joined[n-1], "=") {
			joined[n-1] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	return joined
}

// textMapper returns a mapper that decodes the value of a flag with the method UnmarshalText of the flag's type. If the
// type is a pointer, the method is that of the type it points to. name is the name of the value in error messages.
func textMapper(name string) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue(name)
		if err != nil {
			return err
		}
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
		}
		return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(token.String()))
	})
}
