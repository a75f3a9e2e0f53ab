// Package series reads numbers over time from a recording: of the bodies' truth, of robots' commands, and of any
// recorded topic.
//
//	f, err := series.Open("match.mcap")
//	defer f.Close()
//	all, err := f.Read(ctx, []string{"ball.speed", "cyan1.pose.x", "/cyan1/odom.twist.twist.linear.x"}, 0, math.MaxInt64)
//
// Truth is that of every step where the recording has exact states, else what /omnipitch/truth has 50 times a second.
// Bodies' numbers are named BODY.QUANTITY, as quantities.go lists them, those of commands ROBOT.command.FIELD, and
// those of topics by topic and path: /scan.ranges[3].
//
// Times are those since the recording's first world began, in seconds. Units are SI and radians, in the world's frame
// unless a quantity says otherwise; those of topics are the message's own. A File is for one goroutine.
package series
