package sweep

import (
	"fmt"

	"github.com/omnipitch/omnipitch/cmd/suite"
)

// Job is one run: a world with a point's keys, and a seed. It names no file: the world is a bundle by its checksum.
type Job struct {
	Key    string  `json:"key"`
	World  int     `json:"world"` // of the sweep's worlds
	Name   string  `json:"name"`  // of the world, as the sweep's file has it
	Point  int     `json:"point"`
	Seed   uint64  `json:"seed"`
	For    float64 `json:"for_s,omitempty"` // sim time in place of the world's
	Bundle string  `json:"bundle"`
}

// jobKey is where a job's result lies.
func jobKey(world, point int, seed uint64) string {
	return fmt.Sprintf("w%d.p%d.s%d", world, point, seed)
}

// Result is what became of a job. All but what is below Worker is the same whoever has done it.
type Result struct {
	Job   string `json:"job"`
	World int    `json:"world"`
	Point int    `json:"point"`
	suite.RunResult
	Score *Score `json:"score,omitempty"` // of a game in which somebody has scored, or that a referee judges

	Worker string  `json:"worker,omitempty"`
	Wall   float64 `json:"wall_s"`
	Stored string  `json:"stored,omitempty"` // what the object store calls the recording

	watch string // the command that shows the run again
}

// Score is the goals of each team.
type Score struct {
	Cyan    int `json:"cyan"`
	Magenta int `json:"magenta"`
}

// lone returns the result without what differs from worker to worker.
func (r Result) lone() Result {
	r.Worker, r.Wall, r.Stored, r.Recording = "", 0, "", ""
	return r
}
