package action

import (
	"errors"
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// Kick has a robot kick the ball that it holds, in the next step alone.
type Kick struct {
	Robot    string  `toml:"robot" required:"true"`
	Way      string  `toml:"way" required:"true" oneof:"flat|lob|none" doc:"along the floor, through the air, or not at all"`
	Speed    float64 `toml:"speed_m_s" doc:"of the ball, when flat"`
	LobSpeed float64 `toml:"lob_speed_m_s" doc:"of the ball in a lob; 0 aims at the goal"`
	Limit    float64 `toml:"limit_m_s" range:"[0, inf]" doc:"of a flat kick's speed"`
	Now      bool    `toml:"now" doc:"false does not kick"`
}

// SetDefaults kicks at once, as fast as it says.
func (k *Kick) SetDefaults() { k.Limit, k.Now = math.Inf(1), true }

func (k *Kick) Validate(w World) error {
	if r, err := w.FindRobot(k.Robot); err == nil && r.Kicker == nil {
		return wrong("robot", k.Robot, errors.New("has no kicker"))
	}
	return validate(k, w)
}

func (k *Kick) Do(s Simulation) error    { return do(k, s) }
func (k *Kick) Anytime() bool            { return true }
func (k *Kick) Commands() (robot string) { return k.Robot }

func (k *Kick) Change(c *physics.Command) bool {
	switch {
	case !k.Now:
		return false
	case k.Way == "flat":
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: min(max(k.Speed, 0), k.Limit)}
	case k.Way == "lob":
		c.Kick = physics.Kick{Mode: physics.LobKick, Speed: k.LobSpeed}
	default:
		return false
	}
	return true
}
