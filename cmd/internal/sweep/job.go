package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/suite"
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

// mostFor bounds the sim time of a run, s, as a sweep's file does.
const mostFor = 1_000_000

// readJob reads a message of a sweep's queue. It says why one is no job.
func readJob(id, of string, data []byte) (*Job, error) {
	var job Job
	if err := json.Unmarshal(data, &job); err != nil {
		return nil, err
	}
	switch {
	case job.Key != jobKey(job.World, job.Point, job.Seed) || subject(id, job.Key) != of:
		return nil, fmt.Errorf("key = %.80q: is not that of the subject, or of world, point and seed", job.Key)
	case !(job.For >= 0 && job.For <= mostFor):
		return nil, fmt.Errorf("for_s = %v: must lie in [0, %d]", job.For, mostFor)
	}
	return &job, nil
}

// readResult reads what lies under a key of the bucket of results, of which jobs may have one. nil: it is of none of
// them.
func readResult(jobs map[string]*Job, key string, data []byte) (r *Result, differs bool) {
	name, differs := strings.CutPrefix(key, differKey)
	if !differs {
		name = strings.TrimPrefix(key, resultKey)
	}
	job := jobs[name]
	if job == nil {
		return nil, false
	}
	r = &Result{}
	err := json.Unmarshal(data, r)
	if err == nil && (r.Job != job.Key || r.World != job.World || r.Point != job.Point || r.Seed != job.Seed) {
		err = errors.New("is of another run")
	}
	if err != nil { // nobody's: workers write none like it
		r = &Result{Job: job.Key, World: job.World, Point: job.Point}
		r.Seed, r.Error = job.Seed, fmt.Sprintf("what lies in NATS under %s is no result of this run: %v", key, err)
	}
	return r, differs
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
