// Package dashboard serves a page that shows and controls a running simulation, and the API behind the page, over HTTP
// and WebSocket, which scripts may use as well. It shows the field from above and in 3D, the game, sensor data and
// timing, robots' beliefs, and recordings. It pauses, steps, executes any action of world files, and records. It does
// not depend on ROS: beliefs and topics come through interfaces.
//
// A Server authenticates requests. A simServer answers them: it serves one simulation, the run or a replay next to it,
// with its states, its sensors' feeds and its log.
//
//	d, err := dashboard.Listen(sim, dashboard.Config{Addr: "127.0.0.1:8080"}) // before the first step
//	fmt.Println(d.URL())
//	defer d.Close()
//	report, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime})
//
// Frames and units are those of world files: metres and degrees in the map, times in seconds of sim time.
// assets/openapi.yaml describes the API.
//
// The goroutine that steps copies a state at most 30 times a second of wall time, and only while a client watches.
// Other goroutines do everything else, so no client can delay the simulation.
package dashboard
