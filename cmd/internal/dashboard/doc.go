// Package dashboard serves a page that shows and steers a running simulation, and what the page is made of: an API over
// HTTP and WebSocket that scripts may use as well. It shows the field from above and in 3D, the game, what sensors see
// and cost, what robots believe, and recordings; it pauses, steps, has any action of world files done, and records. It
// knows nothing of ROS: beliefs and topics come by interfaces.
//
// A Server says who may ask. What answers is a stage, which is one simulation with its states, its sensors' feeds and
// its log: the run, or a replay beside it.
//
//	d, err := dashboard.Listen(sim, dashboard.Config{Addr: "127.0.0.1:8080"}) // before the first step
//	fmt.Println(d.URL())
//	defer d.Close()
//	report, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime})
//
// Frames and units are those of world files: metres and degrees in the map, times in seconds of sim time.
// assets/openapi.yaml describes the API.
//
// The goroutine that steps copies a state when one is due, at most 30 times a second of wall time and only while
// somebody looks; all else is done by other goroutines, and nothing that a client does or leaves undone holds it up.
package dashboard
