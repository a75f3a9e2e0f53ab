package abstraction

import (
	"slices"
	"strings"
)

// Level is a level of abstraction of a sensor's output. Each level replaces more of the robot's software than the one
// before.
type Level string

const (
	// Raw is what the device delivers, with its faults; it replaces the device alone.
	Raw Level = "raw"
	// Ideal is the same without faults; it replaces the device and the correction of its faults.
	Ideal Level = "ideal"
	// Pose is where localisation would locate the robot, beside the raw reading; it replaces localisation.
	Pose Level = "pose"
	// Features is what segmentation would find in the image, in pixels; it replaces segmentation.
	Features Level = "features"
	// Objects is what is visible, in the robot's frame, with the noise, misses and delay of real vision, which it
	// replaces.
	Objects Level = "objects"
	// Truth is everything, exactly.
	Truth Level = "truth"
)

// Rendered reports whether a camera at this level needs images.
func (l Level) Rendered() bool { return l == Raw || l == Ideal }

// In reports whether l is one of levels.
func (l Level) In(levels []Level) bool { return slices.Contains(levels, l) }

// Levels are the levels that a sensor has.
type Levels []Level

// String lists them with commas.
func (l Levels) String() string {
	names := make([]string, len(l))
	for i, level := range l {
		names[i] = string(level)
	}
	return strings.Join(names, ", ")
}
