// Package task defines learning tasks: what agents observe, what they do, what they are rewarded for, and when an
// episode ends. A task is the table [task] of a world file. Its conditions are those of events and expectations.
//
//	episode, err := task.New(&t, state)   // in a running world, at time 0
//	episode.Step()                        // after each step
//	rewards := episode.Rewards            // since the caller last set them to 0
//
// The agents are robots. All agents of a task have the same columns of observations and actions.
//
// The package does not step worlds, and carries out no actions. It has no goroutines.
package task
