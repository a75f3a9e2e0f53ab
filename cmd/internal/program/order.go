package program

import (
	"time"
)

// order tells a supervisor what to start. It is the first line on its stdin, as JSON.
type order struct {
	Command    []string // path and arguments
	Folder     string
	Env        []string
	StopWithin time.Duration // from SIGTERM to SIGKILL
}

// report is a line on the stdout of a supervisor, as JSON. The first report says whether the program was started, the
// second that it has ended.
type report struct {
	Failed string `json:",omitempty"` // why it was not started
	Ended  string `json:",omitempty"` // how it has ended
}
