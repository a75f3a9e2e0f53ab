// Package pipeline schedules and runs the sensors of a simulation, from the capture of a frame to its delivery. It does
// not step the physics, read world files or send messages.
//
// After each physics step, Step takes every frame through these stages:
//
//  1. Capture. A sensor whose next frame is due observes the present state. A device such as a laser or an IMU
//     computes its reading at once. A frame that no listener wants is skipped. A sensor that integrates, such as
//     odometry, observes such a frame too, but does not deliver it. The time of delivery is the capture time plus the
//     sensor's latency and jitter, but never before the delivery of the sensor's preceding frame.
//  2. Rendering or perception, concurrently with the following steps. Camera frames with images that are captured at
//     one instant form one drawJob. Renderer goroutines draw it, or the Farm draws it in other processes. A camera
//     frame at a level without images becomes a task. One worker goroutine perceives tasks from a copy of the state
//     (see perceiver).
//  3. Delivery. Frames in flight are sorted by time of delivery. When a frame's time has come, Step waits until its
//     images or its perception are complete and then calls the listeners.
//
// Results do not depend on which goroutine computes them or when: a step waits for frames rather than delivering them
// late. Images may be complete in any order. The frames of one camera are perceived in the order of capture, because
// perception remembers earlier frames.
//
// The goroutine that steps owns the Pipeline, the sensors and the queue of frames in flight. A frame's observation
// belongs to the renderer or the worker from capture until it is complete, and to the goroutine that steps after that.
// A listener that keeps an observation calls its Retain method. The memory of the observation is used again after its
// last holder has released it.
//
// Any goroutine may call Listen, Listened, Level, SetLevel and SetFault. They read or replace the sensor's setup, an
// immutable value behind an atomic pointer. New levels and faults take effect between two steps, when the goroutine
// that steps calls TakeSettings.
//
// Other mechanisms build on these stages:
//
//   - Key frames (keyframe.go, underway.go) save the state of the sensors, including the frames in flight. In place of
//     an image, a key frame contains what is needed to render the image again.
//   - Skip (skip.go) suppresses deliveries while a replay moves to another time, so that most frames are not computed.
//   - Plan (plan.go) predicts the work of the next steps for the pacer of package timesync.
//   - A Farm (farm.go) lets other processes render images. It sends them orders that describe the images.
//   - Faults (fault.go) let a sensor stop, or repeat an old frame.
//
// Times are sim time unless they are called wall time. Lengths are in metres.
//
//	p := pipeline.New(pipeline.Config{State: &truth, Scene: scene, Poses: poses, Shading: shading, Targets: targets,
//		Wall: timesync.SystemWall(), NewRenderer: newRenderer})
//	p.Add(robot, "cyan1", sensor)
//	p.Ready()
//	remove, err := p.Sensors().Listen("cyan1", "omni", pipeline.Listener{Observe: func(o *sensors.Observation) { … }})
//	work, err := p.Step(nil) // after each step of the physics
package pipeline
