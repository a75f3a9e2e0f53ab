// Package sensors turns snapshots of ground truth into the output of a robot's devices, at the level of each sensor
// instance. Cameras (camera.go) share a type; their kinds are rows of cameraKinds (cameras.go), and package imaging
// contains the imperfections of their images. Each other kind, and sensors of your own (own.go), have a separate file.
//
// A new kind of device is a file and a row of Devices (devices.go). As compass.go, the file contains the configuration,
// whose methods give defaults, rate, levels and the sensor itself; the reading, whose tags name its fields in profiles
// and in JSON; and Observe, which computes a reading for an instant.
//
// A sensor never reads the wall clock and never renders images. Cameras describe what to render (Camera.View) and with
// which chip (Camera.Chip). The owner of the renderer renders it, and Camera.BreakImages applies the faults of a broken
// camera. Observations are in SI and radians, in the robot's body frame B or the sensor's own frame, as their fields
// say, and stamped with the time of capture. A Sensor belongs to one goroutine. Camera.Perceive, frame after frame, and
// Camera.BreakImages may run in another goroutine than Observe.
//
//	sensor, err := sensors.New(&cfg, sensors.Site{Robot: robot, Seed: seed})
//	for k := uint64(0); ; k++ {
//		instant := ... // the first snapshot at or after cfg.Due(k)
//		obs := &sensors.Observation{Level: abstraction.Objects, Frame: k, Stamp: instant.Snapshot.Time}
//		sensor.Observe(instant, obs)
//	}
package sensors
