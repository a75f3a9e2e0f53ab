// Package dashboard serves a page that shows and steers a running simulation, and what the page is made of: an API over HTTP and WebSocket that
// scripts may use as well. It shows the field from above, the state of the game, every sensor's level and cameras' images; it pauses, steps,
// places bodies and switches levels. It draws nothing itself, and knows nothing of ROS.
//
//	d, err := dashboard.Listen(sim, dashboard.Config{Addr: "127.0.0.1:8080"}) // before the first step
//	fmt.Println(d.URL())
//	defer d.Close()
//	report, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime})
//
// Frames and units are those of world files: metres and degrees in the map, times in seconds of sim time. assets/openapi.yaml describes the API.
//
// The goroutine that steps copies a state when one is due, at most 30 times a second of wall time and only while somebody looks; all else
// is done by other goroutines, and nothing that a client does or leaves undone holds it up.
package dashboard
