// Package laser drives a robot from goal to goal with a laser scanner and odometry. It finds the robot's pose by
// matching scans with a map of boxes, or takes the pose from somebody else, and avoids collisions by the scan itself.
//
//	n := laser.NewNavigator(laser.Config{Map: m, Goals: goals, Mount: mount})
//	n.Odometry(stamp, odometryPose)         // each reading
//	n.Pose(stamp, pose)                     // each pose that another program has found, if any
//	command := n.Scan(stamp, scan)          // each scan
//
// Positions are in metres in the frame map, angles in radians, anticlockwise. Stamps are those of messages; no clock is
// read. A Navigator belongs to one goroutine.
package laser

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
)

// Box is a box on the floor, seen from outside, or a room, seen from inside.
type Box struct {
	At            locate.Pose // centre
	Length, Width float64     // along x and y of the box, m
}

// walls returns the four sides of the box.
func (b *Box) walls() (all []locate.Wall) {
	corner := func(x, y float64) pitch.Vec {
		return b.At.Pos.Add(pitch.Turn(pitch.Vec{x * b.Length / 2, y * b.Width / 2}, b.At.Heading))
	}
	corners := [5]pitch.Vec{corner(1, 1), corner(-1, 1), corner(-1, -1), corner(1, -1), corner(1, 1)}
	for i := range 4 {
		all = append(all, locate.Wall{From: corners[i], To: corners[i+1]})
	}
	return all
}

// most is the largest size of a map and the largest distance from its middle, in m. A table of locate covers the map in
// cells of 5 cm.
const most = 50.0

// maxBoxes is the largest number of boxes in a map.
const maxBoxes = 200

// NewMap returns a map of boxes. The map must not be symmetric, so that a scan fits only one pose.
func NewMap(boxes []Box) (*locate.Field, error) {
	if len(boxes) == 0 || len(boxes) > maxBoxes {
		return nil, fmt.Errorf("%d boxes: must be 1 to %d", len(boxes), maxBoxes)
	}
	var walls []locate.Wall
	var size pitch.Pitch
	for i := range boxes {
		for _, w := range boxes[i].walls() {
			walls = append(walls, w)
			size.Length = max(size.Length, 2*math.Abs(w.From[0]))
			size.Width = max(size.Width, 2*math.Abs(w.From[1]))
		}
	}
	if size.Length > most || size.Width > most {
		return nil, fmt.Errorf("boxes as far as %.1f m from the origin: must lie within %g m",
			max(size.Length, size.Width)/2, most/2)
	}
	return locate.NewMap(size, walls), nil
}

// ReadBox parses a box: X,Y,LENGTH,WIDTH or X,Y,LENGTH,WIDTH,HEADING, in m and degrees.
func ReadBox(text string) (b Box, err error) {
	v, err := numbers(text)
	if err == nil && len(v) != 4 && len(v) != 5 {
		err = errors.New("must be X,Y,LENGTH,WIDTH or X,Y,LENGTH,WIDTH,HEADING")
	}
	if err != nil {
		return b, err
	}
	if !(v[2] > 0 && v[3] > 0) {
		return b, errors.New("length and width must be larger than 0")
	}
	b = Box{At: locate.Pose{Pos: pitch.Vec{v[0], v[1]}}, Length: v[2], Width: v[3]}
	if len(v) == 5 {
		b.At.Heading = v[4] * math.Pi / 180
	}
	return b, nil
}

// ReadPlace parses a position: X,Y, in m.
func ReadPlace(text string) (p pitch.Vec, err error) {
	v, err := numbers(text)
	if err == nil && len(v) != 2 {
		err = errors.New("must be X,Y")
	}
	if err != nil {
		return p, err
	}
	return pitch.Vec{v[0], v[1]}, nil
}

// numbers parses numbers between commas.
func numbers(text string) (all []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 360 {
			return nil, fmt.Errorf("%.40q: must be a number within 360", word)
		}
		all = append(all, v)
	}
	return all, nil
}
