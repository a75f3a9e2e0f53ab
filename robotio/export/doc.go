// Package export converts recordings for other programs: to bags of ROS 1 and ROS 2, tables for spreadsheets, and logs
// of the referee box.
//
//	f, err := os.Create("match.bag")
//	err = export.Bag(ctx, reader, export.Selection{Topics: recording.Patterns{"/cyan1/*"}}, f)
//
// It reads a recording from beginning to end and keeps no messages. So it needs memory for one chunk, and for the index
// of a bag. It accepts any MCAP file with messages of ROS 1 or ROS 2; a bag of ROS 1 needs messages of ROS 1. If a
// function fails, its output is incomplete. Package aside writes files that appear only when they are complete.
//
// Many goroutines may call its functions, also with the same recording.
package export
