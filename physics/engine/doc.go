// Package engine makes the physics engine that a model names. It is the only way to the engines, which are below
// physics/internal.
//
//	e, err := engine.New(model)
//	if err != nil {
//		return err
//	}
//	defer e.Close()
//	err = e.Step(commands)
//	e.Snapshot(&snapshot)
//
// An engine belongs to one goroutine at a time.
package engine
