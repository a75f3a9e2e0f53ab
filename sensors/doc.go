// Package sensors turns snapshots of ground truth into the output of a robot's devices, at the level of each sensor
// instance. All cameras have the same type (camera.go). The function cameraKinds lists the kinds of cameras
// (cameras.go), and package imaging contains the imperfections of their images. Every other kind of sensor has a file
// of its own. Sensors that are implemented outside of this package are adapted in sensor.go.
//
// A new kind of device needs a new file and a new field of Devices (devices.go). Like battery.go, the file contains
// three things. The first is the configuration, whose methods return the defaults, the rate, the levels and the sensor.
// The second is the type of the readings, whose tags name the fields in profiles and in JSON. The third is Observe,
// which computes a reading for an instant.
//
// A sensor never reads the wall clock and never renders images. Cameras describe what to render (Camera.View) and with
// which chip (Camera.Chip). The owner of the renderer renders the image, and Camera.BreakImages applies the faults of a
// broken camera. Observations are in SI units and radians. They are in the robot's body frame B or the sensor's own
// frame, as the comments of their fields say. Their stamp is the sim time of the capture. A Sensor belongs to one
// goroutine, with two exceptions: Camera.BreakImages and Camera.Perceive may run in other goroutines. Perceive may run
// for only one frame of a camera at a time.
//
//	sensor, err := sensors.New(&cfg, sensors.Site{Robot: robot, Seed: seed})
//	for k := uint64(0); ; k++ {
//		instant := ... // the first snapshot at or after cfg.Due(k)
//		obs := &sensors.Observation{Level: abstraction.Objects, Frame: k, Stamp: instant.Snapshot.Time}
//		sensor.Observe(instant, obs)
//	}
package sensors
