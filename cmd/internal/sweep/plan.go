package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
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

// seeded returns the bundle of a random world, with the random values for the seed of a job. It is fast for consecutive
// jobs of the same world and point.
func (p *Plan) seeded(job *Job) (data []byte, sum string, err error) {
	if at := [2]int{job.World, job.Point}; p.last == nil || p.lastAt != at {
		w, err := p.world(job.World, job.Point)
		if err != nil {
			return nil, "", err
		}
		p.last, p.lastAt = w, at
	}
	w, err := p.last.WithSeed(job.Seed)
	if err != nil {
		return nil, "", err
	}
	bundle, err := mapping.Bundle(w)
	if err != nil {
		return nil, "", err
	}
	return cluster.Pack(bundle)
}
