// Command omnipitch simulates what soccer robots sense, at the level of detail that each test needs.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// cli is the command line; each command is a file of its own.
type cli struct {
	Run         runCmd         `cmd:"" help:"Simulate a world and serve its robots."`
	Snapshot    snapshotCmd    `cmd:"" help:"Write one frame of every camera at every level, and the truth."`
	Check       checkCmd       `cmd:"" help:"Validate worlds and print every error."`
	Bench       benchCmd       `cmd:"" help:"Measure how fast this machine simulates."`
	Calibration calibrationCmd `cmd:"" help:"Write a camera's parameters in a format that vision software reads."`
	Master      masterCmd      `cmd:"" help:"Run a ROS 1 master alone, in the place of roscore."`
	ROS         rosCmd         `cmd:"" name:"ros" help:"Tell about a running simulation's place on ROS 1, and which profiles there are."`
	Worlds      worldsCmd      `cmd:"" help:"List worlds, robot models and fields that ship, or print one."`
}

const description = `Simulates what soccer robots sense, each sensor at the level of detail that a test needs.

Exit codes: 0 done, 1 the simulation failed, 2 bad input (nothing was written), 3 the machine lacks something.`

// console is where a command prints: results to out, everything else to err.
type console struct{ out, err io.Writer }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the run cleanly, a second one at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], console{os.Stdout, os.Stderr}))
}

// run is the program without its process; it returns the exit code.
func run(ctx context.Context, args []string, con console) int {
	var c cli
	exited := false
	parser, err := kong.New(&c, kong.Name("omnipitch"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(con.out, con.err), kong.Exit(func(int) { exited = true }))
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := parser.Parse(args)
	if exited { // --help
		return exitDone
	}
	if err == nil {
		kctx.BindTo(ctx, (*context.Context)(nil))
		err = kctx.Run(con)
	} else {
		err = badInput{err}
	}
	if err != nil {
		fmt.Fprintf(con.err, "omnipitch: %v\n", err)
	}
	return exitCode(err)
}
