// Package quantity computes the values that a profile can put into the fields of messages: numbers, texts, times, bytes
// and lists, each under a name such as "ball.x". It knows neither profiles nor message definitions; package mapping
// connects the names with fields.
//
// Numbers are in SI units and radians. Positions are in the robot's axes (REP 103: x forward, y left, z up), with two
// exceptions. Names that begin with "field." stand for positions in the team's field frame, with x towards the
// opponents' goal. The true state is in the world frame. The origin of pixel coordinates is the centre of the top-left
// pixel.
//
// A Set may be used by many goroutines, a Context by one at a time.
//
//	q := quantity.Of("camera", []abstraction.Level{abstraction.Objects})
//	c := quantity.NewContext(world, 0)
//	c.Observe(observation)
//	x := q.Numbers["ball.x"].Get(&c)
//
// To add a quantity, add a line to the function of its source: worldQuantities, robotQuantities, objectQuantities and
// their like. The quantities of a sensor without images are the tagged fields of its reading, see device.go.
package quantity
