package lockstep

// Connection is how a robot that steps wait for is told what it is to answer, and answers. Its methods are called by the goroutine that
// steps, and must not wait.
type Connection interface {
	// Missing names what is not there yet until the robot can be told and can answer, such as "a subscriber of /clock". session is a number
	// that changes when the robot connects anew, and then does not have what it was told before.
	Missing() (missing []string, session int64)
	// Pending names a message that the robot has been given and has not acknowledged; empty if there is none. It is asked with
	// order = "all" alone.
	Pending() string
}

// direct is the connection of a robot that is a part of this program: function calls are not lost.
type direct struct{}

func (direct) Missing() ([]string, int64) { return nil, 0 }
func (direct) Pending() string            { return "" }
