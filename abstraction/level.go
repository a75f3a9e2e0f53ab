package abstraction

import (
	"slices"
	"strings"
)

// Level is a level of abstraction of a sensor's output. The higher the level, the more of the robot's software it
// replaces.
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
	// Objects is the list of visible objects in the robot's frame, with the noise, the misses and the delay of real
	// vision. It replaces the robot's vision.
	Objects Level = "objects"
	// Truth is the exact ground truth of all that the sensor could report, without noise or delay.
	Truth Level = "truth"
)

// Rendered reports whether a camera at this level needs images.
func (l Level) Rendered() bool { return l == Raw || l == Ideal }

// In reports whether the given list contains the level l.
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
