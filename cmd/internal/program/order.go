package program

import (
	"time"
)

// order is what a supervisor is to start: the first line on its stdin, as JSON.
type order struct {
	Command    []string // the first is a path
	Folder     string
	Env        []string
	StopWithin time.Duration // from SIGTERM to SIGKILL
}

// report is a line on a supervisor's stdout, as JSON: first that the program has been started or not, then that it has
// ended.
type report struct {
	Failed string `json:",omitempty"` // why it was not started
	Ended  string `json:",omitempty"` // how it has ended
}
