package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/worlds"
)

// rival is a node that is at a master already, and does there what only one may.
type rival struct {
	*graph.Process
	does string
}

// findRival returns a node that publishes /clock at a master, or serves one of the services given, nil where there is none or no master
// answers. Every run publishes its clock: a second one beside it would have all robots' time jump to and fro; of a service's providers the last
// one takes all calls.
func findRival(masterURI string, services []string) *rival {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	g, err := graph.FetchState(ctx, masterURI, graph.Anonymous)
	if err != nil {
		return nil // the node that joins will find that, and say so
	}
	dead := map[string]bool{}
	there := func(names []string) *graph.Process {
		for _, name := range names {
			if dead[name] {
				continue
			}
			if p, err := graph.FindNode(ctx, masterURI, name); err == nil && p != nil {
				return p
			}
			dead[name] = true
		}
		return nil
	}
	if p := there(g.Publishers["/clock"]); p != nil {
		return &rival{p, "publishes /clock"}
	}
	for _, s := range services {
		if p := there(g.Services[s]); p != nil {
			return &rival{p, "serves " + s}
		}
	}
	return nil
}

// noRival fails, naming the other, where a node does at a master that we would join what our run will do.
func noRival(masterURI string, w *worlds.World) error {
	services, err := robotio.Services(w)
	if err != nil {
		return err
	}
	if other := findRival(masterURI, services); other != nil {
		return exit.BadInputf("ROS master %s: %v %s: end it, or have ROS_MASTER_URI name another master", masterURI, other, other.does)
	}
	return nil
}

// freeName returns the name of a node, with this process's number if another node that is there bears it: to take it would end that one.
func freeName(masterURI, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	if other, err := graph.FindNode(ctx, masterURI, name); err != nil || other == nil {
		return name
	}
	return fmt.Sprintf("%s_%d", name, os.Getpid())
}

// holderTime bounds the question who holds a port, wall time: whatever listens there may never answer. A guess.
const holderTime = 2 * time.Second

// errMasterRuns is in the chain of errors of a master that could not listen where another one does.
var errMasterRuns = errors.New("runs already")

// portHeld explains why a master could not listen at its port: who holds it, and how to have another. Whoever it is, the machine lacks a
// free port.
func portHeld(err error, masterURI, elsewhere string) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), holderTime)
	defer cancel()
	master, unknown := graph.FindMaster(ctx, masterURI)
	if unknown != nil {
		return fmt.Errorf("ROS master %s: %w by a program that does not answer as a ROS master: choose another port: %s", masterURI, syscall.EADDRINUSE, elsewhere)
	}
	return fmt.Errorf("ROS master %s: %w, as process %d: choose another port: %s", masterURI, errMasterRuns, master.PID, elsewhere)
}

// rivalAt refuses a run, as noRival does, whose master could not listen at the port of another run's.
func rivalAt(err error, masterURI string) error {
	if !errors.Is(err, errMasterRuns) {
		return err
	}
	if other := findRival(masterURI, nil); other != nil {
		return exit.BadInputf("ROS master %s: %w, and %v %s there: end it, or choose another port: %s", masterURI, errMasterRuns, other, other.does, embeddedElsewhere)
	}
	return fmt.Errorf("%w; --ros1 external joins it", err)
}
