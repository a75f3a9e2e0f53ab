package program

import (
	"time"
)

// order tells a supervisor which program to start. It is the first line on the supervisor's stdin, as JSON.
type order struct {
	Command    []string // path and arguments
	Folder     string
	Env        []string
	StopWithin time.Duration // time between SIGTERM and SIGKILL
}

// report is a line on the stdout of a supervisor, as JSON. The first report says whether the program was started. The
// second report says how the program has ended.
type report struct {
	Failed string `json:",omitempty"` // why it was not started
	Ended  string `json:",omitempty"` // how it has ended
}
