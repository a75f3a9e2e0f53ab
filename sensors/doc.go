// Package sensors turns snapshots of ground truth into what a robot's devices would deliver, at the level that each
// instance stands on. One sensor, one file: omni camera (omni.go), front camera (camera.go), KinectKind (kinect.go), wheel
// odometry (odometry.go), inertial unit (imu.go), laser scanner (laser.go), compass (compass.go), dribbler's arms (arms.go),
// bumper (bumper.go), battery (battery.go), or one of your own (own.go).
//
// A sensor never reads the wall clock and never draws pictures: cameras say what is to be drawn (Camera.View), whoever
// owns the renderer draws it, and the camera adds its faults (Camera.ApplyFaults). Observations are SI and radians, in the
// robot's body frame B or the sensor's own frame as their fields say, stamped with the time of capture. A Sensor
// belongs to one goroutine; Camera.Perceive, frame after frame, and Camera.ApplyFaults may run in another than Observe.
//
//	sensor, err := sensors.New(&cfg, sensors.Site{Robot: robot, Seed: seed})
//	for k := uint64(0); ; k++ {
//		instant := ... // the first snapshot at or after sensors.Due(&cfg, k)
//		obs := &sensors.Observation{Level: abstraction.Objects, Frame: k, Stamp: instant.Snapshot.Time}
//		sensor.Observe(instant, obs)
//	}
package sensors
