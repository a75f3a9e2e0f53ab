package spatial

// MarkKind tells the shapes of floor markings apart.
type MarkKind uint8

const (
	Segment MarkKind = iota // straight line from A to B
	Arc                     // part of a circle around A
	Spot                    // filled disc around A
)

// Mark is one marking painted on the floor, described by its centre line in the world frame, metres.
type Mark struct {
	Kind   MarkKind
	A, B   [2]float64 // see Kind; B counts for a Segment only
	Radius float64    // of an Arc's centre line or of a Spot
	From   float64    // an Arc starts at this angle, radians
	Sweep  float64    // and goes on anticlockwise for this angle, radians
	Width  float64    // of the painted line; 0 for a Spot
}
