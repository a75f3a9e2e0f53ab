package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/suite"
)

// Job is the description of one run: a world at a point with a seed. It contains no path. The world is in a bundle of
// files, which the job identifies by the checksum of the bundle.
type Job struct {
	Key    string  `json:"key"`
	World  int     `json:"world"` // index of the world in the sweep file
	Name   string  `json:"name"`  // name of the world in the sweep file
	Point  int     `json:"point"`
	Seed   uint64  `json:"seed"`
	For    float64 `json:"for_s,omitempty"` // sim time; 0: the world's own
	Bundle string  `json:"bundle"`
}

// jobKey returns the key of a job and of its result.
func jobKey(world, point int, seed uint64) string {
	return fmt.Sprintf("w%d.p%d.s%d", world, point, seed)
}

// maxFor is the maximum sim time of a run, in seconds, as in a sweep file.
const maxFor = 1_000_000

// readJob parses a message in the queue of the sweep with this id. The argument of is the subject of the message.
// readJob returns an error if the message is not a valid job of the sweep.
func readJob(id, of string, data []byte) (*Job, error) {
	var job Job
	if err := json.Unmarshal(data, &job); err != nil {
		return nil, err
	}
	switch {
	case job.Key != jobKey(job.World, job.Point, job.Seed) || subject(id, job.Key) != of:
		return nil, fmt.Errorf("key = %.80q: does not match the subject, or world, point and seed", job.Key)
	case !(job.For >= 0 && job.For <= maxFor):
		return nil, fmt.Errorf("for_s = %v: must lie in [0, %d]", job.For, maxFor)
	}
	return &job, nil
}

// readResult parses a value in the bucket of results. It returns a nil result if the key belongs to none of the jobs.
// If the value is not a valid result of its job, readResult returns a failed result. differs is true if the key is that
// of a later result, which differs from the first result of the job.
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
		err = errors.New("belongs to another run")
	}
	if err != nil { // not written by a worker
		r = &Result{Job: job.Key, World: job.World, Point: job.Point}
		r.Seed, r.Error = job.Seed, fmt.Sprintf("the value of %s in NATS is no result of this run: %v", key, err)
	}
	return r, differs
}

// Result is the result of a job. All fields before Worker are the same whichever worker does the job.
type Result struct {
	Job   string `json:"job"`
	World int    `json:"world"`
	Point int    `json:"point"`
	suite.RunResult
	Score *Score `json:"score,omitempty"` // nil if nobody has scored and there is no referee

	Worker string  `json:"worker,omitempty"`
	Wall   float64 `json:"wall_s"`
	Stored string  `json:"stored,omitempty"` // name of the recording in the object store

	watch string // command that shows the run again
}

// Score is the number of goals of each team.
type Score struct {
	Cyan    int `json:"cyan"`
	Magenta int `json:"magenta"`
}

// withoutWorker returns a copy of the result without the fields that differ from worker to worker.
func (r Result) withoutWorker() Result {
	r.Worker, r.Wall, r.Stored, r.Recording = "", 0, "", ""
	return r
}
