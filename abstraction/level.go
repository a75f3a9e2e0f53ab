package abstraction

import (
	"slices"
	"strings"
)

// Level is a level of abstraction of a sensor's output. Each level replaces more of the robot's software than the one
// before.
type Level string

const (
	// Raw is the device's output with its faults. It replaces only the device.
	Raw Level = "raw"
	// Ideal is the device's output without faults. It also replaces the correction of faults.
	Ideal Level = "ideal"
	// Pose is the result of localisation, in addition to the raw reading. It replaces localisation.
	Pose Level = "pose"
	// Features is the result of segmentation of the image, in pixels. It replaces segmentation.
	Features Level = "features"
	// Objects are the visible objects in the robot's frame, with the noise, misses and delay of real vision, which it
	// replaces.
	Objects Level = "objects"
	// Truth is everything, exactly.
	Truth Level = "truth"
)

// Rendered reports whether a camera at this level needs images.
func (l Level) Rendered() bool { return l == Raw || l == Ideal }

// In reports whether l is one of levels.
func (l Level) In(levels []Level) bool { return slices.Contains(levels, l) }

// Levels are the levels that a sensor supports.
type Levels []Level

// String returns the levels separated by commas.
func (l Levels) String() string {
	names := make([]string, len(l))
	for i, level := range l {
		names[i] = string(level)
	}
	return strings.Join(names, ", ")
}
