package dashboard

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// expectationJSON is an expectation of the world and its present result.
type expectationJSON struct {
	Name     string   `json:"name"`
	Expected string   `json:"expected"`
	Areas    []string `json:"areas"`   // areas that it refers to
	Outcome  string   `json:"outcome"` // the outcome if the run ended now
	Decided  bool     `json:"decided"` // the outcome is final
	Begun    bool     `json:"begun"`   // its window has begun
	Holds    bool     `json:"holds"`   // its condition held when it was last evaluated
	At       float64  `json:"at_s"`    // sim time of the outcome
	Was      string   `json:"was,omitempty"`
}

// freshVerdicts is the wall time for which an answer is reused, so that requests rarely delay the simulation. 200 ms is
// a guess.
const freshVerdicts = 200 * time.Millisecond

// expectations serves the expectations of the world. Clients share one answer.
type expectations struct {
	mu   sync.Mutex
	came time.Time
	list []expectationJSON
}

// of returns the present expectations of a simulation's world. The answer is at most freshVerdicts old.
func (x *expectations) of(ctx context.Context, s *simServer) ([]expectationJSON, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.list != nil && time.Since(x.came) < freshVerdicts {
		return x.list, nil
	}
	var world *worlds.World
	var now []expectation.Progress
	done := make(chan error, 1)
	s.sim.After(0, func(time.Duration) {
		world, now = s.sim.World(), s.sim.Match().Expectations()
		done <- nil
	})
	if err := s.await(ctx, done); err != nil {
		return nil, err
	}
	x.came, x.list = time.Now(), []expectationJSON{}
	for i := range now {
		p, areas := &now[i], []string{}
		for _, name := range world.Expect[i].Areas() {
			if !slices.Contains(areas, name) {
				areas = append(areas, name)
			}
		}
		x.list = append(x.list, expectationJSON{p.Name, p.Expected, areas, string(p.Outcome), p.Decided, p.Begun,
			p.Holds, p.At.Seconds(), p.Was})
	}
	return x.list, nil
}

func (s *simServer) serveExpectations(w http.ResponseWriter, r *http.Request) {
	list, err := s.expect.of(r.Context(), s)
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, list)
}
