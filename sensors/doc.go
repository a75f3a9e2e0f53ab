// Package sensors turns snapshots of ground truth into what a robot's devices would deliver, at the level that each
// instance stands on. Cameras (camera.go) share a type: their kinds are rows of cameraKinds (cameras.go), and what
// makes their images imperfect is package imaging. Each other kind, or one of your own (own.go), has a file of its
// name.
//
// A new kind of device is a file and a row of Devices (devices.go). The file, as compass.go, has the configuration,
// whose methods give defaults, rate, levels and the sensor itself; the reading, whose tags name its fields in profiles
// and in JSON; and Observe, which makes one of an instant.
//
// A sensor never reads the wall clock and never draws images: cameras say what is to be drawn (Camera.View) and with
// which chip (Camera.Chip), and whoever owns the renderer draws it; a broken camera spoils that (Camera.BreakImages).
// Observations are SI and radians, in the robot's body frame B or the sensor's own frame as their fields say, stamped
// with the time of capture. A Sensor belongs to one goroutine; Camera.Perceive, frame after frame, and
// Camera.BreakImages may run in another than Observe.
//
//	sensor, err := sensors.New(&cfg, sensors.Site{Robot: robot, Seed: seed})
//	for k := uint64(0); ; k++ {
//		instant := ... // the first snapshot at or after cfg.Due(k)
//		obs := &sensors.Observation{Level: abstraction.Objects, Frame: k, Stamp: instant.Snapshot.Time}
//		sensor.Observe(instant, obs)
//	}
package sensors
