// Package pipeline runs the sensors of a simulation. It captures a frame of each sensor when one is due, has images
// drawn and cameras without images perceive beside the physics, and delivers the observations to listeners when their
// latency is over. It steps no physics, reads no world file, and sends nothing: a Farm may have other processes draw,
// to which orders tell what images are taken of.
//
// The goroutine that steps owns a Pipeline; Listen, Listened, Level and SetLevel may be called from any. Times are sim
// time unless they are called wall time.
//
//	p := pipeline.New(pipeline.Config{State: &truth, Scene: s.Scene, Poses: s.Poses, Shading: s.Shading, Targets: targets, Wall: timesync.SystemWall(), NewRenderer: newRenderer})
//	p.Add(robot, "cyan1", sensor)
//	remove, err := p.Listen("cyan1", "omni", pipeline.Listener{Observe: func(o *sensors.Observation) { … }})
//	work, err := p.Step(nil) // after each step of the physics
package pipeline
