package dashboard

import (
	"net/http"
	"slices"
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
	Holds    bool     `json:"holds"`   // the expectation's condition held when it was last evaluated
	At       float64  `json:"at_s"`    // sim time of the outcome
	Was      string   `json:"was,omitempty"`
}

// freshVerdicts is the wall time for which an answer is reused, so that requests rarely delay the simulation. 200 ms is
// a guess.
const freshVerdicts = 200 * time.Millisecond

func (s *simServer) expectations(*http.Request) (any, error) {
	return s.expect.get(freshVerdicts, func() ([]expectationJSON, error) {
		var world *worlds.World
		var now []expectation.Progress
		if err := s.betweenSteps(s.ctx, stepTime, func() error {
			world, now = s.sim.World(), s.sim.Match().Expectations()
			return nil
		}); err != nil {
			return nil, err
		}
		list := []expectationJSON{}
		for i := range now {
			p, areas := &now[i], []string{}
			for _, name := range world.Expect[i].Areas() {
				if !slices.Contains(areas, name) {
					areas = append(areas, name)
				}
			}
			list = append(list, expectationJSON{p.Name, p.Expected, areas, string(p.Outcome), p.Decided, p.Begun,
				p.Holds, p.At.Seconds(), p.Was})
		}
		return list, nil
	})
}
