package lockstep

// Connection carries messages to a robot, and its answers back. The goroutine that steps calls its methods, which must
// not block.
type Connection interface {
	// Missing names what the robot still lacks to receive messages and to answer, such as "a subscriber of /clock". The
	// session is a number that changes when the robot reconnects: messages sent to the robot in an earlier session are
	// lost.
	Missing() (missing []string, session int64)
	// Pending names a message that the robot has not acknowledged, or returns "". It is called only with order = "all".
	Pending() string
}

// direct is the connection of a robot in this process, where nothing gets lost.
type direct struct{}

func (direct) Missing() ([]string, int64) { return nil, 0 }
func (direct) Pending() string            { return "" }
