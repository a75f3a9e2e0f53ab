// Package colors says what the pixels of an image show by their colour: ball, something black, carpet, or none of
// these. It knows nothing of places.
//
//	table, err := colors.Read(file, colors.YUV) // CTable.dat, as omnipitch calibration --format nubot writes it
//	s := colors.NewSegmenter(table, width, height, floor) // floor: pixels most of which show carpet
//	classes := s.Segment(image) // rgb8; lent until the next call
//
// Colours are 8-bit sRGB. A Table is constant once it is made; a Segmenter is for one goroutine, and allocates nothing.
package colors
