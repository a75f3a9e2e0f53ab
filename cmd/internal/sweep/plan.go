package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// Plan is a sweep file together with its worlds, which have been read at all points.
type Plan struct {
	*File
	ID       string // hash of the version, the file and the worlds
	Points   []Point
	Keys     []string // keys that the points set, in order of appearance
	Programs bool     // a world names programs
	Unjudged bool     // a world has no expectations
	Jobs     []Job    // ordered by world, point, seed

	checks  []func(*worlds.World) error
	packed  map[string][]byte // bundles by checksum
	allowed func(*worlds.World) error
	last    *worlds.World // world that seeded has read last
	lastAt  [2]int
}

// Load reads a sweep file, and each of its worlds at each point. The functions checks validate each world. The function
// allowed, if not nil, returns the reason for which a world may not run, or nil. version is the version of the program.
// If worlds are invalid, Load returns all errors of the first invalid world and point.
func Load(ctx context.Context, path, version string, allowed func(*worlds.World) error,
	checks ...func(*worlds.World) error) (*Plan, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{File: f, Points: f.points(), checks: checks, packed: map[string][]byte{}, allowed: allowed}
	p.Keys = keys(p.Points)
	id := sha256.New()
	fmt.Fprintf(id, "%s\x00%s\x00", version, f.text)
	for i, name := range f.Worlds {
		for k := range p.Points {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			w, err := p.world(i, k)
			if err != nil {
				return nil, err
			}
			sum, sourced, err := p.pack(i, k, w)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(id, "%s\x00", sum)
			p.Programs = p.Programs || len(w.Programs) > 0
			p.Unjudged = p.Unjudged || len(w.Expect) == 0
			seeds := []uint64(f.Seeds)
			if len(seeds) == 0 {
				seeds = []uint64{w.Seed}
			}
			for _, seed := range seeds {
				job := Job{Key: jobKey(i, k, seed), World: i, Name: name, Point: k, Seed: seed, For: f.For, Bundle: sum}
				if !sourced && w.Random() && seed != w.Seed {
					job.Bundle = "" // the method fill draws the world and packs its bundle
				}
				p.Jobs = append(p.Jobs, job)
			}
		}
	}
	p.ID = hex.EncodeToString(id.Sum(nil))[:12]
	return p, nil
}

// world reads a world and sets the keys of a point.
func (p *Plan) world(world, point int) (*worlds.World, error) {
	w, err := p.load(world, p.Points[point], p.checks)
	if err == nil && p.allowed != nil {
		err = p.allowed(w)
	}
	if err != nil {
		var where []string
		for i := range p.Points[point] {
			s := &p.Points[point][i]
			where = append(where, s.Key+" = "+literal(s.Value))
		}
		if len(where) > 0 {
			return nil, fmt.Errorf("%w\nthis is world %s with %s", err, p.Worlds[world], strings.Join(where, ", "))
		}
		return nil, err
	}
	return w, nil
}

// pack makes the bundle of a world, stores it in the plan and returns its checksum. sourced is true if the bundle has
// the source files, from which a worker can load the world with any seed.
func (p *Plan) pack(world, point int, w *worlds.World) (sum string, sourced bool, err error) {
	bundle := p.source(world, point, w)
	if sourced = bundle != nil; !sourced {
		bundle, err = mapping.Bundle(w)
	}
	if err != nil {
		return "", false, err
	}
	data, sum, err := cluster.Pack(bundle)
	if err == nil {
		p.packed[sum] = data
	}
	return sum, sourced, err
}

// packed is a bundle as the queue stores it, with its checksum.
type packed struct {
	data []byte
	sum  string
}

// seeded returns the bundle of a random world, with the random values for the seed of a job. It is fast for consecutive
// jobs of the same world and point.
func (p *Plan) seeded(job *Job) (to packed, err error) {
	if at := [2]int{job.World, job.Point}; p.last == nil || p.lastAt != at {
		w, err := p.world(job.World, job.Point)
		if err != nil {
			return to, err
		}
		p.last, p.lastAt = w, at
	}
	w, err := p.last.WithSeed(job.Seed)
	if err != nil {
		return to, err
	}
	bundle, err := mapping.Bundle(w)
	if err != nil {
		return to, err
	}
	to.data, to.sum, err = cluster.Pack(bundle)
	return to, err
}

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

// readJob parses a message in the queue of the sweep with this id. subj is the NATS subject of the message. readJob
// returns an error if the message is not a valid job of the sweep.
func readJob(id, subj string, data []byte) (*Job, error) {
	var job Job
	if err := json.Unmarshal(data, &job); err != nil {
		return nil, err
	}
	switch {
	case job.Key != jobKey(job.World, job.Point, job.Seed) || subject(id, job.Key) != subj:
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

// source returns a bundle of the files that a world was read from, with names relative to their common folder. A worker
// can load the world from this bundle with any seed. source takes as long as reading the world. It returns nil if the
// world needs other files, too, or if no folder holds all files. pack then writes the world with its values for one
// seed, as a recording does.
func (p *Plan) source(world, point int, w *worlds.World) worlds.Bundle {
	if len(w.Programs) > 0 { // programs need files that the bundle does not have
		return nil
	}
	for i := range w.Robots {
		if slices.ContainsFunc(w.Robots[i].ROS1.Profiles, func(name string) bool {
			return strings.ContainsAny(name,
				`/\.`)
		}) {
			return nil
		}
	}
	include, bundle := p.Worlds[world], worlds.Bundle{}
	own := slices.DeleteFunc(w.Files(), func(name string) bool { return name == p.overlayName() })
	if len(own) > 0 {
		top, err := filepath.Abs(filepath.Join(p.folder(), include))
		if filepath.IsAbs(include) {
			top, err = include, nil
		}
		if err != nil {
			return nil
		}
		paths := make([]string, len(own))
		root := filepath.Dir(top)
		for i := range own {
			if paths[i], err = filepath.Abs(own[i]); err != nil {
				return nil
			}
			for !strings.HasPrefix(paths[i], strings.TrimSuffix(root, "/")+"/") {
				if root == filepath.Dir(root) {
					return nil
				}
				root = filepath.Dir(root)
			}
		}
		for i, path := range append(paths, top) {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil
			}
			name = filepath.ToSlash(name)
			if i == len(paths) {
				include = name
				break
			}
			if bundle[name], err = os.ReadFile(path); err != nil || name == "world.toml" {
				return nil
			}
		}
	}
	o, err := p.overlayOf(include, p.Points[point])
	if err != nil {
		return nil
	}
	bundle["world.toml"] = []byte(o.text.String())
	again, err := worlds.LoadBundle(bundle)
	if err != nil || !same(w, again) {
		return nil
	}
	return bundle
}

// same reports whether the worlds a and b have the same keys and values. It ignores the names of included files.
func same(a, b *worlds.World) bool {
	lines := func(w *worlds.World) []encode.Line {
		return slices.DeleteFunc(encode.Lines(w), func(l encode.Line) bool { return l.Path == "include" })
	}
	return slices.EqualFunc(lines(a), lines(b), func(x, y encode.Line) bool {
		return x.Path == y.Path && x.Text == y.Text
	})
}
