// Package recording is the container of recordings: MCAP files of messages with times, which are written beside a
// running simulation and read at random. It knows channels, times, bytes and ROS's images; what else is in messages is
// others' business.
//
// A Writer costs the goroutine that writes a copy of the message and no allocation. A goroutine of its own compresses
// chunks, each closed at the latest a second of wall time after its first message, and puts them into
// FILE.mcap.partial, which Close renames to FILE.mcap: whatever ends the process loses no more than the last second. A
// full disk, one that is too slow, or a folder that vanishes ends the recording with one error, and never who writes.
//
//	w, err := recording.Create("match.mcap", recording.Header{Library: "omnipitch v1.0.0"}, recording.Options{})
//	c := w.Channel("/omnipitch/truth", recording.Schema{Name: def.Name, Text: def.Text}, map[string]string{"md5sum": def.MD5})
//	c.Write(now, now, encoded)
//	err = w.Close()
//
// A Reader opens both files, finds what is whole in one that did not end, and goes through messages in the order of
// their log times, from any time on. What a file says of lengths and places is not believed: memory is bounded, and a
// file that is no recording, or is damaged, ends in one sentence with file, byte and rule.
//
//	r, err := recording.Open("match.mcap")
//	for m := r.Messages(90*time.Second, nil); ; {
//		x, err := m.Next() // io.EOF behind the last
//	}
//
// Writer.Topics records what nodes publish on topics whose names match patterns, byte for byte as a subscriber gets it.
// Writer.Images has images compressed as PNG or JPEG by goroutines of its own.
//
// Times are sim times: log_time of MCAP goes on over restarts of a world and never back, publish_time is the world's
// own time. Messages are those of ROS 1, with the text of their definitions, so that Foxglove and other readers of MCAP
// show them.
//
// Writer, Channel, Images, Topics and Reader are safe for use by many goroutines.
//
// Source: the MCAP specification and its profile ros1, mcap.dev; for compressed images image_transport_plugins 1.14.
package recording
