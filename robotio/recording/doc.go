// Package recording reads and writes recordings: MCAP files of messages with times. It writes them during a simulation,
// in its own goroutine, and can start to read them at any time of the run. It knows channels, times, bytes and ROS
// images, but no other contents of messages.
//
// Writing a message costs the caller a copy and no allocation. The Writer's goroutine compresses chunks and appends
// them to FILE.mcap.partial. It closes a chunk at most a second of wall time after its first message, so that a killed
// process loses at most its last second. Close renames the file to FILE.mcap. A full disk, a slow disk, or a missing
// folder ends the recording with one error, and never stops the caller.
//
//	w, err := recording.Create("match.mcap", recording.Header{Library: "omnipitch v1.0.0"}, recording.Options{})
//	c, err := w.Channel("/omnipitch/truth", recording.Schema{Name: def.Name, Text: def.Text}, nil)
//	c.Write(now, now, encoded)
//	err = w.Close()
//
// A Reader opens complete and incomplete files, and finds all intact messages of an incomplete one. It returns messages
// in the order of their log times, beginning at any time. Chunks, indexes and the summary may be missing, as in files
// of other programs. A Reader checks every length and offset, so that the file's size bounds memory and time. The error
// for a file that is damaged, not supported, or not a recording is one sentence with the file, the byte and the
// violated rule.
//
//	r, err := recording.Open("match.mcap")
//	for m := r.Messages(90*time.Second, nil); ; {
//		x, err := m.Next() // io.EOF behind the last
//	}
//
// Writer.Topics records ROS topics whose names match patterns, byte for byte. Writer.Images compresses images as PNG or
// JPEG in other goroutines.
//
// Times are sim times. MCAP's log_time increases over restarts of the world; publish_time is the world's own time.
// Messages are those of ROS 1, or all are those of ROS 2. The file has the texts of their definitions, so that Foxglove
// and other readers of MCAP can show them.
//
// Many goroutines may use Writer, Channel, Images, Topics and Reader.
//
// Source: the MCAP specification and its profiles ros1 and ros2, mcap.dev; for compressed images
// image_transport_plugins 1.14.
package recording
