// Package series reads numbers over time from a recording: the bodies' ground truth, robots' commands, and fields of
// recorded topics.
//
//	f, err := series.Open("match.mcap")
//	defer f.Close()
//	all, err := f.Read(ctx, []string{"ball.speed", "/cyan1/odom.twist.twist.linear.x"}, 0, math.MaxInt64)
//
// Ground truth comes from every step if the recording has exact states. Otherwise it comes from /omnipitch/truth, 50
// times per second. Names are BODY.QUANTITY for bodies (see truth.go), ROBOT.command.FIELD for commands, and topic
// and path for topics: /scan.ranges[3].
//
// Times are in seconds since the recorded run began. Units are SI and radians, in the world's frame unless a quantity
// says otherwise. Fields of topics have the message's own units. A File belongs to one goroutine.
package series
