package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/worlds"
)

// conflict is a node that a master knows already, and that does what only one node may do.
type conflict struct {
	*graph.Process
	does string
}

// findConflict returns a node that publishes /clock at a master, or serves one of the services given, nil where there
// is none or no master answers. Every run publishes its clock: a second one beside it would have all robots' time jump
// to and fro; of a service's providers the last one takes all calls.
func findConflict(masterURI string, services []string) *conflict {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerTime)
	defer cancel()
	g, err := graph.FetchState(ctx, masterURI, graph.Anonymous)
	if err != nil {
		return nil // the node that joins will find that, and say so
	}
	dead := map[string]bool{}
	answering := func(names []string) *graph.Process {
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
	if p := answering(g.Publishers["/clock"]); p != nil {
		return &conflict{p, "publishes /clock"}
	}
	for _, s := range services {
		if p := answering(g.Services[s]); p != nil {
			return &conflict{p, "serves " + s}
		}
	}
	return nil
}

// checkConflicts fails, naming the other node, where one does at a master what our run would do.
func checkConflicts(masterURI string, w *worlds.World) error {
	services, err := robotio.Services(w)
	if err != nil {
		return err
	}
	if other := findConflict(masterURI, services); other != nil {
		return console.BadInputf("ROS master %s: %v %s: end it, or have ROS_MASTER_URI name another master", masterURI,
			other, other.does)
	}
	return nil
}

// AnswerTime bounds how long a running simulation may take to answer, wall time. A guess.
const AnswerTime = 5 * time.Second

// freeName returns the name of a node, with this process's number if another node that is there bears it: to take it
// would end that one.
func freeName(masterURI, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerTime)
	defer cancel()
	if other, err := graph.FindNode(ctx, masterURI, name); err != nil || other == nil {
		return name
	}
	return fmt.Sprintf("%s_%d", name, os.Getpid())
}

// holderTime bounds how long a program that holds a port may take to answer, wall time. A guess.
const holderTime = 2 * time.Second

// errMasterRuns is in the chain of errors of a master that could not listen where another one does.
var errMasterRuns = errors.New("runs already")

// explainPort says which program holds the port at which a master could not listen, and how to choose another.
func explainPort(err error, masterURI, elsewhere string) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), holderTime)
	defer cancel()
	master, unknown := graph.FindMaster(ctx, masterURI)
	if unknown != nil {
		return fmt.Errorf(
			"ROS master %s: %w by a program that does not answer as a ROS master: choose another port: %s", masterURI,
			syscall.EADDRINUSE, elsewhere)
	}
	return fmt.Errorf("ROS master %s: %w, as process %d: choose another port: %s", masterURI, errMasterRuns, master.PID,
		elsewhere)
}

// explainConflict fails as checkConflicts does where a run's master could not listen because another run's master does.
func explainConflict(err error, masterURI string) error {
	if !errors.Is(err, errMasterRuns) {
		return err
	}
	if other := findConflict(masterURI, nil); other != nil {
		return console.BadInputf("ROS master %s: %w, and %v %s there: end it, or choose another port: %s", masterURI,
			errMasterRuns, other, other.does, embeddedElsewhere)
	}
	return fmt.Errorf("%w; --ros1 external joins it", err)
}
