package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// clockHolder returns the node that publishes /clock at a master, nil where none does or no master answers. Every run publishes its clock: a
// second one beside it would have all robots' time jump to and fro.
func clockHolder(masterURI string) *ros1.Program {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	found, _ := ros1.FindPublishers(ctx, masterURI, "/clock") // the node that joins will find that no master answers, and say so
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// soleClock fails, naming the other, where a node publishes /clock at a master that we would join.
func soleClock(masterURI string) error {
	if other := clockHolder(masterURI); other != nil {
		return badInput{fmt.Errorf("ROS master %s: %v publishes /clock: end it, or have ROS_MASTER_URI name another master", masterURI, other)}
	}
	return nil
}

// freeName returns the name of a node, with this process's number if another node that is there bears it: to take it would end that one.
func freeName(masterURI, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	if other, err := ros1.FindNode(ctx, masterURI, name); err != nil || other == nil {
		return name
	}
	return fmt.Sprintf("%s_%d", name, os.Getpid())
}

// holderTime bounds the question who holds a port, wall time: whatever listens there may never answer. A guess.
const holderTime = 2 * time.Second

// portHeld explains why a master could not listen at its port where another master does: who that is, and whose simulation runs there.
func portHeld(err error, masterURI string) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), holderTime)
	defer cancel()
	master, unknown := ros1.FindMaster(ctx, masterURI)
	if unknown != nil {
		return err
	}
	if other := clockHolder(masterURI); other != nil {
		return badInput{fmt.Errorf("ROS master %s: runs already, and %v publishes /clock there: end it, or choose another port; --ros1 embedded:0 takes a free one", masterURI, other)}
	}
	return fmt.Errorf("ROS master %s: runs already, as process %d: choose another port, or join it with --ros1 external", masterURI, master.PID)
}
