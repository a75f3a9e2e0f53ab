package lockstep

// Connection is how a robot that steps wait for receives what it is to answer, and answers. Its methods are called by
// the goroutine that steps, and must not wait.
type Connection interface {
	// Missing names what the robot still needs to receive and to answer, such as "a subscriber of /clock". session is a
	// number that changes when the robot connects anew: what was sent to it before is lost then.
	Missing() (missing []string, session int64)
	// Pending names a message that was sent to the robot and that it has not acknowledged; empty if there is none. It
	// is called with order = "all" alone.
	Pending() string
}

// direct is the connection of a robot that is a part of this program: function calls are not lost.
type direct struct{}

func (direct) Missing() ([]string, int64) { return nil, 0 }
func (direct) Pending() string            { return "" }
