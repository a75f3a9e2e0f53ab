package mapping

import "errors"

// Believed names the fields of a message that hold the positions of one kind of thing, or a velocity.
type Believed struct {
	In          string `toml:"in" oneof:"team|world|robot|header" doc:"coordinate frame of this kind, if it is not that of the entry"`
	Each        string `toml:"each" doc:"an array of messages whose elements contain the fields; left out: the message itself contains them"`
	X           string `toml:"x" doc:"field, as pose.position.x"`
	Y           string `toml:"y" doc:"field"`
	EndX        string `toml:"end_x" doc:"field: the end of a line, and of a post or a bar in an image"`
	EndY        string `toml:"end_y" doc:"field"`
	Width       string `toml:"width" doc:"field; of a ball, its diameter"`
	Height      string `toml:"height" doc:"field: the height of an obstacle in an image"`
	Z           string `toml:"z" doc:"field; left out: on the floor"`
	Distance    string `toml:"distance" doc:"field, instead of x and y and together with bearing, in the robot's frame"`
	Bearing     string `toml:"bearing" doc:"field, anticlockwise from the robot's front"`
	Heading     string `toml:"heading" doc:"field"`
	Orientation string `toml:"orientation" doc:"field of type geometry_msgs/Quaternion, instead of heading"`
	Number      string `toml:"number" doc:"field with a robot's number, or # for the index of an element in the array, counted from 1; with each, all kinds but obstacles use only elements with the robot's own number"`
	Known       string `toml:"known" doc:"field that is 0 or false while the position is unknown; a number up to 1 is the confidence"`
}

// fields returns the paths of the fields, in the order of the constants that follow. The path of a field that is left
// out is "".
func (b *Believed) fields() [believedFields]string {
	f := [believedFields]string{b.X, b.Y, b.Z, b.Distance, b.Bearing, b.Heading, "", "", "", "", b.Number, b.Known,
		b.EndX, b.EndY, b.Width, b.Height}
	if b.Number == "#" {
		f[fieldNumber] = ""
	}
	if b.Orientation != "" {
		for i, part := range [...]string{"x", "y", "z", "w"} {
			f[fieldQX+i] = b.Orientation + "." + part
		}
	}
	return f
}

const (
	fieldX = iota
	fieldY
	fieldZ
	fieldDistance
	fieldBearing
	fieldHeading
	fieldQX
	fieldQY
	fieldQZ
	fieldQW
	fieldNumber
	fieldKnown
	fieldEndX
	fieldEndY
	fieldWidth
	fieldHeight
	believedFields
)

// check appends the errors in the table of a kind to errs. key is the path of the table in the profile's file.
func (b *Believed) check(errs []error, key string, kind int, in string) []error {
	fail := func(field, value, rule string) { errs = append(errs, broken(key, field, value, errors.New(rule))) }
	polar := b.Distance != "" || b.Bearing != ""
	switch {
	case polar && (b.X != "" || b.Y != ""):
		fail("distance", b.Distance, "replaces x and y: leave one of the two out")
	case polar && (b.Distance == "" || b.Bearing == ""):
		fail("bearing", b.Bearing, "distance and bearing must be given together")
	case polar && (kind >= goalKind || in == inImage):
		fail("distance", b.Distance, "is not possible here: give x and y")
	case !polar && (b.X == "" || b.Y == ""):
		fail("x", b.X, "give x and y, or distance and bearing")
	}
	if b.Heading != "" && b.Orientation != "" {
		fail("orientation", b.Orientation, "replaces heading: leave one of the two out")
	}
	if kind == poseKind && b.Heading == "" && b.Orientation == "" {
		fail("heading", b.Heading, "a pose needs heading, or orientation")
	}
	if (b.EndX == "") != (b.EndY == "") || kind == linesKind && b.EndX == "" {
		fail("end_x", b.EndX, "give end_x and end_y")
	}
	if in == inImage && (kind == poseKind || kind == pathKind || kind == velocityKind) {
		fail("x", b.X, "is in an image: give ball, obstacles, goal or lines")
	}
	if in == inImage && b.In != "" {
		fail("in", b.In, "the entry is in an image: leave it out")
	}
	return errs
}
