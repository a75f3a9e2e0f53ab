package condition

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// Score holds while the number of goals that a team has scored is within limits.
type Score struct {
	Team    physics.Team `toml:"team" required:"true" oneof:"cyan|magenta" doc:"team that scored the goals"`
	AtLeast *int         `toml:"at_least" range:"[0, 1000]"`
	AtMost  *int         `toml:"at_most" range:"[0, 1000]"`
}

func (c *Score) Validate(w World) error {
	switch {
	case c.AtLeast == nil && c.AtMost == nil:
		return violation("", nil, errors.New("needs at_least, at_most or both"))
	case c.AtLeast != nil && c.AtMost != nil && *c.AtLeast > *c.AtMost:
		return violation("at_most", *c.AtMost, errors.New("must be at least at_least"))
	}
	return nil
}

func (c *Score) Bind(s State) (Test, error) {
	g, least, most := s.Game(), 0, math.MaxInt
	if c.AtLeast != nil {
		least = *c.AtLeast
	}
	if c.AtMost != nil {
		most = *c.AtMost
	}
	return Test{func() bool {
		n := g.State().Score.Of(c.Team)
		return least <= n && n <= most
	}, func() string {
		score := g.State().Score
		return fmt.Sprintf("score %d : %d (cyan : magenta)", score.Cyan, score.Magenta)
	}}, nil
}

func (c *Score) String() string { return "goals of " + string(c.Team) + countText(c.AtLeast, c.AtMost) }
