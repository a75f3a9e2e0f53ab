// Package export turns recordings into what other programs read: bags of ROS 1, tables for spreadsheets, films, and
// logs of the referee box.
//
//	f, err := os.Create("match.bag")
//	err = export.Bag(ctx, reader, export.Selection{Topics: recording.Patterns{"/cyan1/*"}}, f)
//
// It reads a recording from its beginning to its end and keeps no messages: memory is that of a chunk, however long the
// recording is, and the places of a bag's chunks. Any recording of ROS 1 messages will do, not only those of this
// program. What is written is not whole when a function fails: package aside writes files that get their name when they
// are.
//
// Functions may be called from many goroutines, with one recording too.
package export
